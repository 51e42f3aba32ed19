#include "textflag.h"
#include "words_wasm.h"

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
