#include "textflag.h"
#include "words_wasm.h"
#include "hash_wasm.h"

// func linkDense(key *abi.Term, from, to int, table, next *uint32) (fresh int)
TEXT ·linkDense(SB), NOSPLIT, $0-48
	MOVD key+0(FP), R0
	MOVD from+8(FP), R1
	MOVD to+16(FP), R2
	MOVD table+24(FP), R3
	MOVD next+32(FP), R4
	I64Const $0
	Set R5
	Block
	Loop
		Get R1
		Get R2
		I64Eq
		BrIf $1
		Get R3
		WORD(R0, R1)
		I64Load32U $0
		I64Const $0x3FFFFFFF
		I64And
		I64Const $2
		I64Shl
		I64Add
		Tee R6
		I32WrapI64
		I64Load32U $0
		Set R7
		WORD(R4, R1)
		Get R7
		I64Store32 $0
		Get R5
		Get R7
		I64Eqz
		I64ExtendI32U
		I64Add
		Set R5
		Get R1
		I64Const $1
		I64Add
		Set R1
		ADDRESS(R6)
		Get R1
		I64Store32 $0
		Br $0
	End
	End
	MOVD R5, fresh+40(FP)
	RET

// func linkHashed2(ka, kb *abi.Term, from, to int, table, next *uint32, shift, mask uint64, room int) (stop, left int)
TEXT ·linkHashed2(SB), NOSPLIT, $0-88
	MOVD ka+0(FP), R0
	MOVD kb+8(FP), R1
	MOVD from+16(FP), R2
	MOVD to+24(FP), R3
	MOVD table+32(FP), R4
	MOVD next+40(FP), R5
	MOVD shift+48(FP), R6
	MOVD mask+56(FP), R7
	MOVD room+64(FP), R8
	LESS(R1, R0)
	BEFORE(R0)
	Block
	Loop // each row
		Get R2
		Get R3
		I64Eq
		BrIf $1
		Get R8
		I64Eqz
		BrIf $1
		Get R2
		I64Const $1
		I64Add
		Set R9
		Get R0
		Get R9
		I64Const $2
		I64Shl
		I64Add
		Tee R10
		I32WrapI64
		I64Load32U $0
		Set R11
		SUM(R10, R1)
		I64Load32U $0
		Set R12
		HASH2(R11, R12, R6)
		Set R13
		Block
		Block
		Loop // each place that its key may have
			WORD(R4, R13)
			I64Load32U $0
			Tee R14
			I64Eqz
			BrIf $1
			Get R0
			Get R14
			I64Const $2
			I64Shl
			I64Add
			Tee R10
			I32WrapI64
			I64Load32U $0
			Get R11
			I64Xor
			SUM(R10, R1)
			I64Load32U $0
			Get R12
			I64Xor
			I64Or
			I64Eqz
			BrIf $2
			STEP(R13, R7)
			Br $0
		End
		End
		Get R8
		I64Const $1
		I64Sub
		Set R8
		End
		WORD(R5, R2)
		Get R14
		I64Store32 $0
		WORD(R4, R13)
		Get R9
		I64Store32 $0
		Get R9
		Set R2
		Br $0
	End
	End
	MOVD R2, stop+72(FP)
	MOVD R8, left+80(FP)
	RET
