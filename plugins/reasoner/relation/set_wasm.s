#include "textflag.h"
#include "words_wasm.h"
#include "hash_wasm.h"

// func insert2(a, b *abi.Term, n int, ca, cb *abi.Term, rows int, table *uint32, shift, mask uint64) int
TEXT ·insert2(SB), NOSPLIT, $0-80
	MOVD a+0(FP), R0
	MOVD n+16(FP), R1
	MOVD b+8(FP), R2
	MOVD ca+24(FP), R3
	MOVD cb+32(FP), R4
	MOVD rows+40(FP), R5
	MOVD table+48(FP), R6
	MOVD shift+56(FP), R7
	MOVD mask+64(FP), R8
	END_OF(R0, R1)
	LESS(R2, R0)
	LESS(R4, R3)
	BEFORE(R3)
	Block
	Loop // each pair
		Get R0
		Get R1
		I64Eq
		BrIf $1
		ADDRESS(R0)
		I64Load32U $0
		Set R9
		SUM(R0, R2)
		I64Load32U $0
		Set R10
		NEXT(R0)
		HASH2(R9, R10, R7)
		Set R11
		Block
		Loop // each place it may have
			WORD(R6, R11)
			I64Load32U $0
			Tee R12
			I64Eqz
			BrIf $1
			Get R3
			Get R12
			I64Const $2
			I64Shl
			I64Add
			Tee R13
			I32WrapI64
			I64Load32U $0
			Get R9
			I64Xor
			SUM(R13, R4)
			I64Load32U $0
			Get R10
			I64Xor
			I64Or
			I64Eqz
			BrIf $2
			STEP(R11, R8)
			Br $0
		End
		End
		Get R5
		I64Const $1
		I64Add
		Set R5
		WORD(R6, R11)
		Get R5
		I64Store32 $0
		Get R3
		Get R5
		I64Const $2
		I64Shl
		I64Add
		Tee R13
		I32WrapI64
		Get R9
		I64Store32 $0
		SUM(R13, R4)
		Get R10
		I64Store32 $0
		Br $0
	End
	End
	MOVD R5, ret+72(FP)
	RET

// func fill2(ca, cb *abi.Term, from, to int, table *uint32, shift, mask uint64)
TEXT ·fill2(SB), NOSPLIT, $0-56
	MOVD ca+0(FP), R0
	MOVD cb+8(FP), R1
	MOVD from+16(FP), R2
	MOVD to+24(FP), R3
	MOVD table+32(FP), R4
	MOVD shift+40(FP), R5
	MOVD mask+48(FP), R6
	LESS(R1, R0)
	Get R0
	Get R2
	I64Const $2
	I64Shl
	I64Add
	Set R0
	Block
	Loop
		Get R2
		Get R3
		I64Eq
		BrIf $1
		ADDRESS(R0)
		I64Load32U $0
		Set R7
		SUM(R0, R1)
		I64Load32U $0
		Set R8
		HASH2(R7, R8, R5)
		Set R9
		Block
		Loop
			WORD(R4, R9)
			I64Load32U $0
			I64Eqz
			BrIf $1
			STEP(R9, R6)
			Br $0
		End
		End
		Get R2
		I64Const $1
		I64Add
		Set R2
		WORD(R4, R9)
		Get R2
		I64Store32 $0
		NEXT(R0)
		Br $0
	End
	End
	RET

// func lookup2(out *uint32, a, b *abi.Term, n int, ca, cb *abi.Term, table *uint32, shift, mask uint64)
TEXT ·lookup2(SB), NOSPLIT, $0-72
	MOVD out+0(FP), R0
	MOVD a+8(FP), R1
	MOVD b+16(FP), R2
	MOVD n+24(FP), R3
	MOVD ca+32(FP), R4
	MOVD cb+40(FP), R5
	MOVD table+48(FP), R6
	MOVD shift+56(FP), R7
	MOVD mask+64(FP), R8
	END_OF(R1, R3)
	LESS(R2, R1)
	LESS(R5, R4)
	BEFORE(R4)
	Block
	Loop
		Get R1
		Get R3
		I64Eq
		BrIf $1
		ADDRESS(R1)
		I64Load32U $0
		Set R9
		SUM(R1, R2)
		I64Load32U $0
		Set R10
		NEXT(R1)
		HASH2(R9, R10, R7)
		Set R11
		Block
		Loop
			WORD(R6, R11)
			I64Load32U $0
			Tee R12
			I64Eqz
			BrIf $1
			Get R4
			Get R12
			I64Const $2
			I64Shl
			I64Add
			Tee R13
			I32WrapI64
			I64Load32U $0
			Get R9
			I64Xor
			SUM(R13, R5)
			I64Load32U $0
			Get R10
			I64Xor
			I64Or
			I64Eqz
			BrIf $1
			STEP(R11, R8)
			Br $0
		End
		End
		ADDRESS(R0)
		Get R12
		I64Store32 $0
		NEXT(R0)
		Br $0
	End
	End
	RET

// func insert3(a, b, c *abi.Term, n int, ca, cb, cc *abi.Term, rows int, table *uint32, shift, mask uint64) int
TEXT ·insert3(SB), NOSPLIT, $0-96
	MOVD a+0(FP), R0
	MOVD b+8(FP), R2
	MOVD c+16(FP), R3
	MOVD n+24(FP), R1
	MOVD ca+32(FP), R4
	MOVD cb+40(FP), R5
	MOVD cc+48(FP), R6
	MOVD rows+56(FP), R7
	MOVD table+64(FP), R8
	MOVD shift+72(FP), R9
	MOVD mask+80(FP), R10
	END_OF(R0, R1)
	LESS(R2, R0)
	LESS(R3, R0)
	LESS(R5, R4)
	LESS(R6, R4)
	BEFORE(R4)
	Block
	Loop // each tuple
		Get R0
		Get R1
		I64Eq
		BrIf $1
		ADDRESS(R0)
		I64Load32U $0
		Set R11
		SUM(R0, R2)
		I64Load32U $0
		Set R12
		SUM(R0, R3)
		I64Load32U $0
		Set R13
		NEXT(R0)
		HASH3(R11, R12, R13, R9, R14)
		Set R14
		Block
		Loop // each place it may have
			WORD(R8, R14)
			I64Load32U $0
			Tee R15
			I64Eqz
			BrIf $1
			Get R4
			Get R15
			I64Const $2
			I64Shl
			I64Add
			Tee R15
			I32WrapI64
			I64Load32U $0
			Get R11
			I64Xor
			SUM(R15, R5)
			I64Load32U $0
			Get R12
			I64Xor
			I64Or
			SUM(R15, R6)
			I64Load32U $0
			Get R13
			I64Xor
			I64Or
			I64Eqz
			BrIf $2
			STEP(R14, R10)
			Br $0
		End
		End
		Get R7
		I64Const $1
		I64Add
		Set R7
		WORD(R8, R14)
		Get R7
		I64Store32 $0
		Get R4
		Get R7
		I64Const $2
		I64Shl
		I64Add
		Tee R15
		I32WrapI64
		Get R11
		I64Store32 $0
		SUM(R15, R5)
		Get R12
		I64Store32 $0
		SUM(R15, R6)
		Get R13
		I64Store32 $0
		Br $0
	End
	End
	MOVD R7, ret+88(FP)
	RET

// func lookup3(out *uint32, a, b, c *abi.Term, n int, ca, cb, cc *abi.Term, table *uint32, shift, mask uint64)
TEXT ·lookup3(SB), NOSPLIT, $0-88
	MOVD a+8(FP), R0
	MOVD out+0(FP), R7
	MOVD b+16(FP), R2
	MOVD c+24(FP), R3
	MOVD n+32(FP), R1
	MOVD ca+40(FP), R4
	MOVD cb+48(FP), R5
	MOVD cc+56(FP), R6
	MOVD table+64(FP), R8
	MOVD shift+72(FP), R9
	MOVD mask+80(FP), R10
	END_OF(R0, R1)
	LESS(R2, R0)
	LESS(R3, R0)
	LESS(R7, R0)
	LESS(R5, R4)
	LESS(R6, R4)
	BEFORE(R4)
	Block
	Loop
		Get R0
		Get R1
		I64Eq
		BrIf $1
		ADDRESS(R0)
		I64Load32U $0
		Set R11
		SUM(R0, R2)
		I64Load32U $0
		Set R12
		SUM(R0, R3)
		I64Load32U $0
		Set R13
		HASH3(R11, R12, R13, R9, R14)
		Set R14
		Block
		Loop
			WORD(R8, R14)
			I64Load32U $0
			Tee R15
			I64Eqz
			BrIf $1
			Get R4
			Get R15
			I64Const $2
			I64Shl
			I64Add
			Tee R15
			I32WrapI64
			I64Load32U $0
			Get R11
			I64Xor
			SUM(R15, R5)
			I64Load32U $0
			Get R12
			I64Xor
			I64Or
			SUM(R15, R6)
			I64Load32U $0
			Get R13
			I64Xor
			I64Or
			I64Eqz
			If
				// Back from the address to the number.
				Get R15
				Get R4
				I64Sub
				I64Const $2
				I64ShrU
				Set R15
				Br $2
			End
			STEP(R14, R10)
			Br $0
		End
		End
		SUM(R0, R7)
		Get R15
		I64Store32 $0
		NEXT(R0)
		Br $0
	End
	End
	RET

// func fill3(ca, cb, cc *abi.Term, from, to int, table *uint32, shift, mask uint64)
TEXT ·fill3(SB), NOSPLIT, $0-64
	MOVD ca+0(FP), R0
	MOVD cb+8(FP), R1
	MOVD cc+16(FP), R2
	MOVD from+24(FP), R3
	MOVD to+32(FP), R4
	MOVD table+40(FP), R5
	MOVD shift+48(FP), R6
	MOVD mask+56(FP), R7
	LESS(R1, R0)
	LESS(R2, R0)
	Get R0
	Get R3
	I64Const $2
	I64Shl
	I64Add
	Set R0
	Block
	Loop
		Get R3
		Get R4
		I64Eq
		BrIf $1
		ADDRESS(R0)
		I64Load32U $0
		Set R8
		SUM(R0, R1)
		I64Load32U $0
		Set R9
		SUM(R0, R2)
		I64Load32U $0
		Set R10
		HASH3(R8, R9, R10, R6, R11)
		Set R11
		Block
		Loop
			WORD(R5, R11)
			I64Load32U $0
			I64Eqz
			BrIf $1
			STEP(R11, R7)
			Br $0
		End
		End
		Get R3
		I64Const $1
		I64Add
		Set R3
		WORD(R5, R11)
		Get R3
		I64Store32 $0
		NEXT(R0)
		Br $0
	End
	End
	RET

// func insert1(a *abi.Term, n int, ca *abi.Term, rows int, table *uint32, shift, mask uint64) int
TEXT ·insert1(SB), NOSPLIT, $0-64
	MOVD a+0(FP), R0
	MOVD n+8(FP), R1
	MOVD ca+16(FP), R2
	MOVD rows+24(FP), R3
	MOVD table+32(FP), R4
	MOVD shift+40(FP), R5
	MOVD mask+48(FP), R6
	END_OF(R0, R1)
	BEFORE(R2)
	Block
	Loop
		Get R0
		Get R1
		I64Eq
		BrIf $1
		ADDRESS(R0)
		I64Load32U $0
		Tee R7
		I64Const MIX
		I64Mul
		Get R5
		I64ShrU
		Set R8
		NEXT(R0)
		Block
		Loop
			WORD(R4, R8)
			I64Load32U $0
			Tee R9
			I64Eqz
			BrIf $1
			WORD(R2, R9)
			I64Load32U $0
			Get R7
			I64Eq
			BrIf $2
			STEP(R8, R6)
			Br $0
		End
		End
		Get R3
		I64Const $1
		I64Add
		Set R3
		WORD(R4, R8)
		Get R3
		I64Store32 $0
		WORD(R2, R3)
		Get R7
		I64Store32 $0
		Br $0
	End
	End
	MOVD R3, ret+56(FP)
	RET

// func lookup1(out *uint32, a *abi.Term, n int, ca *abi.Term, table *uint32, shift, mask uint64)
TEXT ·lookup1(SB), NOSPLIT, $0-56
	MOVD out+0(FP), R0
	MOVD a+8(FP), R1
	MOVD n+16(FP), R2
	MOVD ca+24(FP), R3
	MOVD table+32(FP), R4
	MOVD shift+40(FP), R5
	MOVD mask+48(FP), R6
	END_OF(R1, R2)
	BEFORE(R3)
	Block
	Loop
		Get R1
		Get R2
		I64Eq
		BrIf $1
		ADDRESS(R1)
		I64Load32U $0
		Tee R7
		I64Const MIX
		I64Mul
		Get R5
		I64ShrU
		Set R8
		NEXT(R1)
		Block
		Loop
			WORD(R4, R8)
			I64Load32U $0
			Tee R9
			I64Eqz
			BrIf $1
			WORD(R3, R9)
			I64Load32U $0
			Get R7
			I64Eq
			BrIf $1
			STEP(R8, R6)
			Br $0
		End
		End
		ADDRESS(R0)
		Get R9
		I64Store32 $0
		NEXT(R0)
		Br $0
	End
	End
	RET
