#include "textflag.h"
#include "words_wasm.h"

// func gather(dst, src *abi.Term, at *uint32, n int)
TEXT ·gather(SB), NOSPLIT, $0-32
	MOVD dst+0(FP), R0
	MOVD src+8(FP), R1
	MOVD at+16(FP), R2
	MOVD n+24(FP), R3
	END_OF(R2, R3)
	Block
	Loop
		Get R2
		Get R3
		I64Eq
		BrIf $1
		ADDRESS(R2)
		I64Load32U $0
		Set R4
		ADDRESS(R0)
		WORD(R1, R4)
		I32Load $0
		I32Store $0
		NEXT(R0)
		NEXT(R2)
		Br $0
	End
	End
	RET

// func maxima(terms *abi.Term, n int, least uint64) (most, or, and uint64)
TEXT ·maxima(SB), NOSPLIT, $0-48
	MOVD terms+0(FP), R0
	MOVD n+8(FP), R1
	MOVD least+16(FP), R2
	END_OF(R0, R1)
	I64Const $0
	Set R3
	I64Const $-1
	Set R4
	Block
	Loop
		Get R0
		Get R1
		I64Eq
		BrIf $1
		ADDRESS(R0)
		I64Load32U $0
		Tee R5
		Get R3
		I64Or
		Set R3
		Get R5
		Get R4
		I64And
		Set R4
		Get R5
		I64Const $0x3FFFFFFF
		I64And
		Tee R5
		Get R2
		Get R5
		Get R2
		I64GtU
		Select
		Set R2
		NEXT(R0)
		Br $0
	End
	End
	MOVD R2, most+24(FP)
	MOVD R3, or+32(FP)
	MOVD R4, and+40(FP)
	RET
