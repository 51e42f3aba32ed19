#include "textflag.h"
#include "words_wasm.h"

// MARK writes the pair at the cursors R0 and R0+R2 behind the rows, and moves
// the end of the rows on if the pair's bit was not set.
#define MARK \
	ADDRESS(R4); \
	ADDRESS(R0); \
	I64Load32U $0; \
	Tee R8; \
	I64Store32 $0; \
	SUM(R4, R5); \
	SUM(R0, R2); \
	I64Load32U $0; \
	Tee R9; \
	I64Store32 $0; \
	Get R8; \
	I64Const $0x3FFFFFFF; \
	I64And; \
	Get R7; \
	I64Mul; \
	Get R9; \
	I64Const $0x3FFFFFFF; \
	I64And; \
	I64Add; \
	Tee R8; \
	I64Const $6; \
	I64ShrU; \
	I64Const $3; \
	I64Shl; \
	Get R6; \
	I64Add; \
	Tee R9; \
	I32WrapI64; \
	ADDRESS(R9); \
	I64Load $0; \
	Tee R9; \
	I64Const $1; \
	Get R8; \
	I64Shl; \
	I64Or; \
	I64Store $0; \
	Get R4; \
	Get R9; \
	Get R8; \
	I64ShrU; \
	I64Const $1; \
	I64And; \
	I64Const $1; \
	I64Xor; \
	I64Const $2; \
	I64Shl; \
	I64Add; \
	Set R4; \
	NEXT(R0)

// func insertBits(a, b *abi.Term, n int, ca, cb *abi.Term, rows int, bits *uint64, dim uint64) int
TEXT ·insertBits(SB), NOSPLIT, $0-72
	MOVD a+0(FP), R0
	MOVD b+8(FP), R2
	MOVD n+16(FP), R1
	MOVD ca+24(FP), R3
	MOVD cb+32(FP), R5
	MOVD rows+40(FP), R4
	MOVD bits+48(FP), R6
	MOVD dim+56(FP), R7
	LESS(R2, R0)
	LESS(R5, R3)
	END_OF(R3, R4)
	Get R1
	I64Const $1
	I64And
	I32WrapI64
	If
		MARK
	End
	MOVD a+0(FP), R10
	END_OF(R10, R1)
	Block
	Loop
		Get R0
		Get R1
		I64Eq
		BrIf $1
		MARK
		MARK
		Br $0
	End
	End
	Get SP
	Get R4
	Get R3
	I64Sub
	I64Const $2
	I64ShrU
	I64Store ret+64(FP)
	RET
