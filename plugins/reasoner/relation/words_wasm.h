// Addresses are 64-bit values in Go's registers and 32-bit ones to the
// machine's loads and stores. WORD and LONG leave the address of an element on
// the stack; NEXT moves a cursor by one word.

#define ADDRESS(p) \
	Get p; \
	I32WrapI64

#define WORD(p, i) \
	Get p; \
	Get i; \
	I64Const $2; \
	I64Shl; \
	I64Add; \
	I32WrapI64

#define SUM(p, q) \
	Get p; \
	Get q; \
	I64Add; \
	I32WrapI64

#define NEXT(p) \
	Get p; \
	I64Const $4; \
	I64Add; \
	Set p

#define END_OF(p, n) \
	Get p; \
	Get n; \
	I64Const $2; \
	I64Shl; \
	I64Add; \
	Set n

// LESS makes q the distance from p to q, so that SUM(p, q) is where q was.
#define LESS(q, p) \
	Get q; \
	Get p; \
	I64Sub; \
	Set q

// BEFORE moves p back by a word, for an index that is one too high.
#define BEFORE(p) \
	Get p; \
	I64Const $4; \
	I64Sub; \
	Set p
