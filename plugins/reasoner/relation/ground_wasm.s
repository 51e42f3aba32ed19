#include "textflag.h"
#include "words_wasm.h"

// func numberAtoms(dst *uint32, stride int, rows *uint32, n int, shift uint64, code uint32) (absent int)
TEXT ·numberAtoms(SB), NOSPLIT, $0-56
	MOVD dst+0(FP), R0
	MOVD stride+8(FP), R1
	MOVD rows+16(FP), R2
	MOVD n+24(FP), R3
	MOVD shift+32(FP), R7
	I64Load32U code+40(FP)
	Set R4
	I64Const $0
	Set R5
	END_OF(R2, R3)
	Get R1
	I64Const $2
	I64Shl
	Set R1
	Block
	Loop
		Get R2
		Get R3
		I64Eq
		BrIf $1
		ADDRESS(R2)
		I64Load32U $0
		Set R6
		ADDRESS(R0)
		Get R6
		Get R7
		I64Shl
		Get R4
		I64Add
		I64Const $-1
		Get R6
		I64Const $0
		I64Ne
		Select
		I64Store32 $0
		Get R5
		Get R6
		I64Eqz
		I64ExtendI32U
		I64Add
		Set R5
		Get R0
		Get R1
		I64Add
		Set R0
		NEXT(R2)
		Br $0
	End
	End
	MOVD R5, absent+48(FP)
	RET

// func squeeze(literals *uint32, at, width int, ends *uint32, n int) int
TEXT ·squeeze(SB), NOSPLIT, $0-48
	MOVD literals+0(FP), R2
	MOVD at+8(FP), R0
	MOVD width+16(FP), R3
	MOVD ends+24(FP), R4
	MOVD n+32(FP), R5
	END_OF(R2, R0)
	END_OF(R4, R5)
	Get R0
	Set R1
	Get R3
	I64Const $2
	I64Shl
	Set R3
	Block
	Loop // each instance
		Get R4
		Get R5
		I64Eq
		BrIf $1
		Get R0
		Get R3
		I64Add
		Set R6
		Block
		Loop // each of its literals
			Get R0
			Get R6
			I64Eq
			BrIf $1
			ADDRESS(R1)
			ADDRESS(R0)
			I64Load32U $0
			Tee R7
			I64Store32 $0
			NEXT(R0)
			Get R1
			Get R7
			I64Const $0xFFFFFFFF
			I64Ne
			I64ExtendI32U
			I64Const $2
			I64Shl
			I64Add
			Set R1
			Br $0
		End
		End
		ADDRESS(R4)
		Get R1
		Get R2
		I64Sub
		I64Const $2
		I64ShrU
		I64Store32 $0
		NEXT(R4)
		Br $0
	End
	End
	Get SP
	Get R1
	Get R2
	I64Sub
	I64Const $2
	I64ShrU
	I64Store ret+40(FP)
	RET

// func tally(counts, list *uint32, n int, shift uint64)
TEXT ·tally(SB), NOSPLIT, $0-32
	MOVD counts+0(FP), R0
	MOVD list+8(FP), R1
	MOVD n+16(FP), R2
	MOVD shift+24(FP), R3
	END_OF(R1, R2)
	Block
	Loop
		Get R1
		Get R2
		I64Eq
		BrIf $1
		Get R0
		ADDRESS(R1)
		I64Load32U $0
		Get R3
		I64ShrU
		I64Const $2
		I64Shl
		I64Add
		Tee R4
		I32WrapI64
		ADDRESS(R4)
		I32Load $0
		I32Const $1
		I32Add
		I32Store $0
		NEXT(R1)
		Br $0
	End
	End
	RET

// func sums(counts *uint32, n int)
TEXT ·sums(SB), NOSPLIT, $0-16
	MOVD counts+0(FP), R0
	MOVD n+8(FP), R1
	END_OF(R0, R1)
	I64Const $0
	Set R2
	Block
	Loop
		Get R0
		Get R1
		I64Eq
		BrIf $1
		ADDRESS(R0)
		ADDRESS(R0)
		I64Load32U $0
		Get R2
		I64Add
		Tee R2
		I64Store32 $0
		NEXT(R0)
		Br $0
	End
	End
	RET

// func placeUses(literals, ends *uint32, n int, useEnds, uses, missing *uint32) (facts int)
TEXT ·placeUses(SB), NOSPLIT, $0-56
	MOVD literals+0(FP), R0
	MOVD ends+8(FP), R1
	MOVD n+16(FP), R2
	MOVD useEnds+24(FP), R3
	MOVD uses+32(FP), R4
	MOVD missing+40(FP), R5
	END_OF(R1, R2)
	LESS(R5, R1)
	Get R0
	Set R6
	I64Const $0
	Set R7 // instance, twice
	I64Const $0
	Set R8
	Block
	Loop // each instance
		Get R1
		Get R2
		I64Eq
		BrIf $1
		// R9 is where its literals end.
		Get R6
		ADDRESS(R1)
		I64Load32U $0
		I64Const $2
		I64Shl
		I64Add
		Set R9
		SUM(R1, R5)
		Get R9
		Get R0
		I64Sub
		I64Const $2
		I64ShrU
		Tee R10
		I64Store32 $0
		Get R8
		Get R10
		I64Eqz
		I64ExtendI32U
		I64Add
		Set R8
		Block
		Loop // each of its literals
			Get R0
			Get R9
			I64Eq
			BrIf $1
			ADDRESS(R0)
			I64Load32U $0
			Set R10
			Get R3
			Get R10
			I64Const $1
			I64ShrU
			I64Const $2
			I64Shl
			I64Add
			Tee R11
			I32WrapI64
			I64Load32U $0
			Set R12
			WORD(R4, R12)
			Get R10
			I64Const $1
			I64And
			Get R7
			I64Or
			I64Store32 $0
			ADDRESS(R11)
			Get R12
			I64Const $1
			I64Add
			I64Store32 $0
			NEXT(R0)
			Br $0
		End
		End
		Get R7
		I64Const $2
		I64Add
		Set R7
		NEXT(R1)
		Br $0
	End
	End
	MOVD R8, facts+48(FP)
	RET

// func nextZero(list *uint32, from, n int) int
TEXT ·nextZero(SB), NOSPLIT, $0-32
	MOVD list+0(FP), R0
	MOVD from+8(FP), R1
	MOVD n+16(FP), R2
	Get R0
	Set R3
	END_OF(R0, R1)
	END_OF(R0, R2)
	Get R1
	Set R0
	Block
	Loop
		Get R0
		Get R2
		I64Eq
		BrIf $1
		ADDRESS(R0)
		I64Load32U $0
		I64Eqz
		BrIf $1
		NEXT(R0)
		Br $0
	End
	End
	Get SP
	Get R0
	Get R3
	I64Sub
	I64Const $2
	I64ShrU
	I64Store ret+24(FP)
	RET

// func draw(truth *Truth, support, missing *uint32, dead *bool, heads, uses, useEnds, decided *uint32, drawn, n int) int
TEXT ·draw(SB), NOSPLIT, $0-88
	MOVD truth+0(FP), R0
	MOVD support+8(FP), R1
	MOVD missing+16(FP), R2
	MOVD dead+24(FP), R3
	MOVD heads+32(FP), R4
	MOVD uses+40(FP), R5
	MOVD useEnds+48(FP), R6
	MOVD decided+56(FP), R8
	MOVD drawn+64(FP), R7
	MOVD n+72(FP), R9
	END_OF(R8, R7)
	END_OF(R8, R9)
	Get R7
	Set R8
	Block
	Loop // each atom that is decided
		Get R8
		Get R9
		I64Eq
		BrIf $1
		ADDRESS(R8)
		I64Load32U $0
		Set R13
		NEXT(R8)
		// Positive literals of a true atom hold, and negated ones of a false atom.
		Get R0
		Get R13
		I64Add
		I32WrapI64
		I64Load8U $0
		I64Const $2
		I64Ne
		I64ExtendI32U
		Set R10
		WORD(R6, R13)
		I64Load32U $0
		Set R12
		I64Const $0
		Set R11
		Get R13
		I64Const $0
		I64Ne
		If
			Get R6
			Get R13
			I64Const $2
			I64Shl
			I64Add
			I64Const $4
			I64Sub
			I32WrapI64
			I64Load32U $0
			Set R11
		End
		Get R5
		Get R11
		I64Const $2
		I64Shl
		I64Add
		Set R11
		Get R5
		Get R12
		I64Const $2
		I64Shl
		I64Add
		Set R12
		Loop // each of its uses
			Get R11
			Get R12
			I64Eq
			BrIf $1
			ADDRESS(R11)
			I64Load32U $0
			Set R15
			NEXT(R11)
			Get R3
			Get R15
			I64Const $1
			I64ShrU
			Tee R13
			I64Add
			I32WrapI64
			I64Load8U $0
			I32WrapI64
			BrIf $0
			WORD(R4, R13)
			I64Load32U $0
			Set R14
			Get R15
			I64Const $1
			I64And
			Get R10
			I64Ne
			If
				Get R2
				Get R13
				I64Const $2
				I64Shl
				I64Add
				Set R13
				I64Const $1
				Set R15
			Else
				Get R3
				Get R13
				I64Add
				I32WrapI64
				I64Const $1
				I64Store8 $0
				Get R1
				Get R14
				I64Const $2
				I64Shl
				I64Add
				Set R13
				I64Const $2
				Set R15
			End
			// R13 is the address of a count: where it comes to nothing, the head is
			// decided.
			ADDRESS(R13)
			ADDRESS(R13)
			I64Load32U $0
			I64Const $1
			I64Sub
			Tee R7
			I64Store32 $0
			Get R7
			I64Const $0
			I64Ne
			BrIf $0
			Get R0
			Get R14
			I64Add
			Tee R13
			I32WrapI64
			I64Load8U $0
			I64Const $0
			I64Ne
			BrIf $0
			ADDRESS(R13)
			Get R15
			I64Store8 $0
			ADDRESS(R9)
			Get R14
			I64Store32 $0
			NEXT(R9)
			Br $0
		End
	End
	End
	Get SP
	Get R9
	MOVD decided+56(FP), R13
	Get R13
	I64Sub
	I64Const $2
	I64ShrU
	I64Store ret+80(FP)
	RET
