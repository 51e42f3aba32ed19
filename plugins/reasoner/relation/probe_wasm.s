#include "textflag.h"
#include "words_wasm.h"

// func lookupDense(out *uint32, keys *abi.Term, n int, tag abi.Term, table *uint32, last uint64)
TEXT ·lookupDense(SB), NOSPLIT, $0-48
	MOVD out+0(FP), R0
	MOVD keys+8(FP), R1
	MOVD n+16(FP), R2
	I64Load32U tag+24(FP)
	Set R3
	MOVD table+32(FP), R4
	MOVD last+40(FP), R5
	END_OF(R1, R2)
	Block
	Loop
		Get R1
		Get R2
		I64Eq
		BrIf $1
		ADDRESS(R1)
		I64Load32U $0
		Get R3
		I64Xor
		Tee R6
		Get R5
		Get R6
		Get R5
		I64LtU
		Select
		Set R6
		ADDRESS(R0)
		WORD(R4, R6)
		I32Load $0
		I32Store $0
		NEXT(R0)
		NEXT(R1)
		Br $0
	End
	End
	RET

// func chase(heads *uint32, i, end int, at uint32, next *uint32, lo, hi uint32, once bool, tuples, rows *uint32, room int) (n, stop int, back uint32)
TEXT ·chase(SB), NOSPLIT, $0-100
	MOVD heads+0(FP), R0
	MOVD i+8(FP), R1
	MOVD end+16(FP), R2
	I64Load32U at+24(FP)
	Set R3
	MOVD next+32(FP), R4
	I64Load32U lo+40(FP)
	Set R5
	I64Load32U hi+44(FP)
	Set R6
	I64Load8U once+48(FP)
	Set R7
	MOVD tuples+56(FP), R8
	MOVD rows+64(FP), R9
	MOVD room+72(FP), R10
	Get R8
	Set R11
	END_OF(R8, R10)
	LESS(R9, R8)
	BEFORE(R4)
	Block
	Loop // each tuple
		Block
		Loop // each row of tuple i-1
			Get R3
			Get R5
			I64LeU
			BrIf $1
			Get R3
			Get R6
			I64LeU
			If
				Get R8
				Get R10
				I64Eq
				BrIf $4
				ADDRESS(R8)
				Get R1
				I64Const $1
				I64Sub
				I64Store32 $0
				SUM(R8, R9)
				Get R3
				I64Const $1
				I64Sub
				I64Store32 $0
				NEXT(R8)
				Get R7
				I32WrapI64
				BrIf $2
			End
			WORD(R4, R3)
			I64Load32U $0
			Set R3
			Br $0
		End
		End
		I64Const $0
		Set R3
		Get R1
		Get R2
		I64Eq
		BrIf $1
		WORD(R0, R1)
		I64Load32U $0
		Set R3
		Get R1
		I64Const $1
		I64Add
		Set R1
		Br $0
	End
	End
	Get SP
	Get R8
	Get R11
	I64Sub
	I64Const $2
	I64ShrU
	I64Store n+80(FP)
	MOVD R1, stop+88(FP)
	Get SP
	Get R3
	I64Store32 back+96(FP)
	RET
