#define MIX $-7046029254386353131

// HASH2 leaves the place of the pair x, y in a table of the shift.
#define HASH2(x, y, shift) \
	Get x; \
	I64Const $32; \
	I64Shl; \
	Get y; \
	I64Or; \
	I64Const MIX; \
	I64Mul; \
	Get shift; \
	I64ShrU

// HASH3 is the same of x, y, z.
#define MIXED(h) \
	I64Const MIX; \
	I64Mul; \
	Tee h; \
	Get h; \
	I64Const $29; \
	I64ShrU; \
	I64Xor

#define HASH3(x, y, z, shift, h) \
	Get x; \
	MIXED(h); \
	Get y; \
	I64Xor; \
	MIXED(h); \
	Get z; \
	I64Xor; \
	MIXED(h); \
	I64Const MIX; \
	I64Mul; \
	Get shift; \
	I64ShrU

#define STEP(slot, mask) \
	Get slot; \
	I64Const $1; \
	I64Add; \
	Get mask; \
	I64And; \
	Set slot
