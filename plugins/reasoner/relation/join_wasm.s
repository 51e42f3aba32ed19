#include "textflag.h"
#include "words_wasm.h"

// func join(key, take *abi.Term, i, end int, at uint64, table, next *uint32, right *abi.Term, lo uint64, dl, dr *abi.Term, room int) (n, stop int, back uint64)
TEXT ·join(SB), NOSPLIT, $0-120
	MOVD key+0(FP), R0
	MOVD take+8(FP), R1
	MOVD end+24(FP), R2
	MOVD at+32(FP), R3
	MOVD table+40(FP), R4
	MOVD next+48(FP), R5
	MOVD right+56(FP), R6
	MOVD lo+64(FP), R7
	MOVD dl+72(FP), R8
	MOVD dr+80(FP), R9
	MOVD room+88(FP), R10
	MOVD i+16(FP), R12
	END_OF(R0, R2)
	LESS(R1, R0)
	END_OF(R8, R10)
	LESS(R9, R8)
	BEFORE(R5)
	BEFORE(R6)
	Get R0
	Get R12
	I64Const $2
	I64Shl
	I64Add
	Set R0
	// Where the run stopped among the matches of a row, that row's term.
	Get R0
	I64Const $4
	I64Sub
	Get R1
	I64Add
	I32WrapI64
	I64Load32U $0
	Set R11
	Block
	Loop // each of left's rows
		Block
		Loop // each match
			Get R3
			Get R7
			I64LeU
			BrIf $1
			Get R8
			Get R10
			I64Eq
			BrIf $3
			ADDRESS(R8)
			Get R11
			I64Store32 $0
			SUM(R8, R9)
			WORD(R6, R3)
			I32Load $0
			I32Store $0
			NEXT(R8)
			WORD(R5, R3)
			I64Load32U $0
			Set R3
			Br $0
		End
		End
		I64Const $0
		Set R3
		Get R0
		Get R2
		I64Eq
		BrIf $1
		SUM(R0, R1)
		I64Load32U $0
		Set R11
		ADDRESS(R0)
		I64Load32U $0
		I64Const $0x3FFFFFFF
		I64And
		Set R12
		WORD(R4, R12)
		I64Load32U $0
		Set R3
		NEXT(R0)
		Br $0
	End
	End
	Get SP
	Get R8
	MOVD dl+72(FP), R13
	Get R13
	I64Sub
	I64Const $2
	I64ShrU
	I64Store n+96(FP)
	Get SP
	Get R0
	MOVD key+0(FP), R13
	Get R13
	I64Sub
	I64Const $2
	I64ShrU
	I64Store stop+104(FP)
	MOVD R3, back+112(FP)
	RET
