/* The wall between a check evaluator and ox-mcp, for one C file without a C
 * library: memory, CBOR, and the messages of ox:plugin@0.1.0.
 *
 * The file that includes it defines OX_NAME and OX_VERSION before, and
 * ox_decide after. Everything lives in one arena, which begins anew when the
 * host has read an answer; what a plugin keeps between calls does not belong
 * there. Bytes that are no message of the contract end the call by a trap.
 */
#ifndef OX_H
#define OX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OX_EXPORT(name) __attribute__((export_name(name)))
#define OX_EVALUATOR "ox:plugin/check-evaluator@0.1.0#"

/* Memory. */

enum { OX_PAGE = 65536 };

extern unsigned char __heap_base; /* of the linker: where static data ends */
static uintptr_t ox_top;

static inline void *ox_alloc(size_t size) {
    if (ox_top == 0) ox_top = (uintptr_t)&__heap_base;
    uintptr_t at = (ox_top + 7) & ~(uintptr_t)7;
    size_t have = __builtin_wasm_memory_size(0) * (size_t)OX_PAGE;
    if (size > (size_t)-1 - OX_PAGE || at > (size_t)-1 - OX_PAGE - size) __builtin_trap();
    if (at + size > have) {
        size_t pages = (at + size - have + OX_PAGE - 1) / OX_PAGE;
        if (__builtin_wasm_memory_grow(0, pages) == (size_t)-1) __builtin_trap();
    }
    ox_top = at + size;
    return (void *)at;
}

static inline void *ox_alloc_array(size_t count, size_t each) {
    if (count > ((size_t)-1 - OX_PAGE) / each) __builtin_trap();
    return ox_alloc(count * each);
}

OX_EXPORT("cabi_realloc")
void *ox_realloc(void *old, size_t old_size, size_t align, size_t size) {
    if (size == 0) return (void *)align; /* an address that is not null, of no byte */
    void *to = ox_alloc(size);
    if (old != NULL) __builtin_memcpy(to, old, old_size < size ? old_size : size);
    return to;
}

/* Bytes, and texts, which are bytes in UTF-8. */

struct ox_bytes {
    const uint8_t *at;
    size_t size;
};

#define OX_TEXT(literal) ((struct ox_bytes){(const uint8_t *)(literal), sizeof(literal) - 1})

static inline bool ox_equal(struct ox_bytes a, struct ox_bytes b) {
    if (a.size != b.size) return false;
    for (size_t i = 0; i < a.size; i++)
        if (a.at[i] != b.at[i]) return false;
    return true;
}

/* Writing. A zero ox_writer is an empty one. */

struct ox_writer {
    uint8_t *at;
    size_t size, room;
};

static inline void ox_put(struct ox_writer *w, struct ox_bytes b) {
    if (w->room - w->size < b.size) {
        size_t room = 2 * w->room + b.size + 64;
        uint8_t *to = ox_alloc(room);
        if (w->size > 0) __builtin_memcpy(to, w->at, w->size);
        w->at = to;
        w->room = room;
    }
    if (b.size > 0) __builtin_memcpy(w->at + w->size, b.at, b.size);
    w->size += b.size;
}

static inline void ox_put_byte(struct ox_writer *w, uint8_t b) { ox_put(w, (struct ox_bytes){&b, 1}); }

/* Decimal digits of n, at least so many. */
static inline void ox_put_decimal(struct ox_writer *w, uint64_t n, int least) {
    enum { MOST = 20 };
    uint8_t digits[MOST];
    int count = 0;
    for (; count < MOST && (n > 0 || count < least || count == 0); n /= 10) digits[MOST - ++count] = (uint8_t)('0' + n % 10);
    ox_put(w, (struct ox_bytes){digits + MOST - count, (size_t)count});
}

static inline struct ox_bytes ox_written(const struct ox_writer *w) { return (struct ox_bytes){w->at, w->size}; }

/* The major types of CBOR that the contract uses. */
enum { OX_UINT, OX_NEGATIVE, OX_BYTES, OX_STRING, OX_ARRAY, OX_MAP, OX_TAG, OX_SIMPLE };

/* A head, in its shortest form, as the host demands. */
static inline void ox_put_head(struct ox_writer *w, int major, uint32_t n) {
    uint8_t first = (uint8_t)(major << 5);
    if (n < 24) {
        ox_put_byte(w, (uint8_t)(first | n));
        return;
    }
    int size = n < 256 ? 1 : n < 65536 ? 2 : 4;
    ox_put_byte(w, (uint8_t)(first | (size == 1 ? 24 : size == 2 ? 25 : 26)));
    for (int i = size - 1; i >= 0; i--) ox_put_byte(w, (uint8_t)(n >> (8 * i)));
}

static inline void ox_put_text(struct ox_writer *w, struct ox_bytes text) {
    ox_put_head(w, OX_STRING, (uint32_t)text.size);
    ox_put(w, text);
}

/* Reading. What is no CBOR, or not what is asked for, traps. */

struct ox_reader {
    const uint8_t *at, *end;
};

static inline int ox_head(struct ox_reader *r, uint64_t *n) {
    if (r->at == r->end) __builtin_trap();
    int major = *r->at >> 5, low = *r->at & 31;
    r->at++;
    *n = (uint64_t)low;
    if (low < 24) return major;
    if (low > 27 || r->end - r->at < 1 << (low - 24)) __builtin_trap();
    *n = 0;
    for (int i = 0; i < 1 << (low - 24); i++) *n = *n << 8 | *r->at++;
    return major;
}

/* The length of a list or of bytes: never more than the bytes that are left. */
static inline size_t ox_length(struct ox_reader *r, int want) {
    uint64_t n;
    if (ox_head(r, &n) != want || n > (uint64_t)(r->end - r->at)) __builtin_trap();
    return (size_t)n;
}

static inline void ox_fields(struct ox_reader *r, size_t want) {
    if (ox_length(r, OX_ARRAY) != want) __builtin_trap();
}

static inline struct ox_bytes ox_cut(struct ox_reader *r, int want) {
    struct ox_bytes b;
    b.size = ox_length(r, want);
    b.at = r->at;
    r->at += b.size;
    return b;
}

/* Passes over one item, whatever it is, and gives its bytes. It does not call
 * itself, so that no nesting is too deep. */
static inline struct ox_bytes ox_skip(struct ox_reader *r) {
    const uint8_t *from = r->at;
    for (uint64_t left = 1; left > 0; left--) {
        uint64_t n;
        int major = ox_head(r, &n);
        if (major >= OX_BYTES && major <= OX_MAP && n > (uint64_t)(r->end - r->at)) __builtin_trap();
        switch (major) {
        case OX_BYTES:
        case OX_STRING: r->at += n; break;
        case OX_ARRAY: left += n; break;
        case OX_MAP: left += 2 * n; break;
        case OX_TAG: left++; break;
        }
    }
    return (struct ox_bytes){from, (size_t)(r->at - from)};
}

/* Values. number and text are what is in it where it is of one of these kinds. */

enum { OX_IS_NUMBER = 0, OX_IS_TEXT = 1, OX_IS_INDIVIDUAL = 2, OX_IS_SYMBOL = 4, OX_IS_DAY = 18, OX_IS_BOOL = 19, OX_IS_NONE = 20 };

struct ox_value {
    uint32_t kind;
    int64_t number;
    struct ox_bytes text;
};

/* A value is a list whose first item is its kind. */
static inline struct ox_value ox_value(struct ox_reader *r) {
    struct ox_bytes raw = ox_skip(r);
    struct ox_reader in = {raw.at, raw.at + raw.size};
    struct ox_value v = {0};
    uint64_t n;
    size_t parts = ox_length(&in, OX_ARRAY);
    ox_head(&in, &n);
    v.kind = (uint32_t)n;
    if ((v.kind == OX_IS_NUMBER || v.kind == OX_IS_DAY) && parts == 2) {
        /* A fraction, and what is beyond 64 bits, stays 0. */
        int major = ox_head(&in, &n);
        if (n <= INT64_MAX && major <= OX_NEGATIVE) v.number = major == OX_UINT ? (int64_t)n : -1 - (int64_t)n;
    } else if (v.kind == OX_IS_TEXT || v.kind == OX_IS_INDIVIDUAL || v.kind == OX_IS_SYMBOL) {
        v.text = ox_cut(&in, OX_STRING);
    }
    return v;
}

/* A frame is a table. Its cells are 32-bit words: a small value, or the index
 * of one in the dictionary. */
struct ox_frame {
    uint32_t rows, columns, entries;
    const uint8_t *words;
    struct ox_value *dictionary;
};

static inline uint32_t ox_word(const uint8_t *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline struct ox_frame ox_frame(struct ox_reader *r) {
    enum { HEAD = 20, MAGIC = 0x3146584f, COLUMNS = 65536 };
    struct ox_bytes b = ox_cut(r, OX_BYTES);
    if (b.size < HEAD || ox_word(b.at) != MAGIC) __builtin_trap();
    struct ox_frame f = {.rows = ox_word(b.at + 4), .columns = ox_word(b.at + 8)};
    uint64_t dictionary = ox_word(b.at + 16), begin = HEAD + ((dictionary + 3) & ~(uint64_t)3);
    if (begin > b.size || f.columns > COLUMNS || (uint64_t)f.rows * f.columns * 4 > b.size - begin) __builtin_trap();
    if (f.columns == 0 && f.rows > 1) __builtin_trap();
    struct ox_reader in = {b.at + HEAD, b.at + HEAD + dictionary};
    f.words = b.at + begin;
    f.entries = (uint32_t)ox_length(&in, OX_ARRAY);
    f.dictionary = ox_alloc_array(f.entries, sizeof(struct ox_value));
    for (uint32_t i = 0; i < f.entries; i++) f.dictionary[i] = ox_value(&in);
    return f;
}

/* The value of a row in a column; both begin at 0. */
static inline struct ox_value ox_cell(const struct ox_frame *f, uint32_t row, uint32_t column) {
    if (row >= f->rows || column >= f->columns) __builtin_trap();
    uint32_t word = ox_word(f->words + 4 * ((size_t)column * f->rows + row)), payload = word << 2 >> 2;
    struct ox_value v = {0};
    switch (word >> 30) {
    case 0:
        if (payload >= f->entries) __builtin_trap();
        return f->dictionary[payload];
    case 1: v.kind = OX_IS_NUMBER; break;
    case 2: v.kind = OX_IS_DAY; break;
    default:
        v.kind = payload < 2 ? OX_IS_BOOL : OX_IS_NONE;
        v.number = payload < 2 ? payload : 0;
        return v;
    }
    v.number = (int32_t)(word << 2) >> 2;
    return v;
}

/* The rule. */

struct ox_request {
    struct ox_bytes check; /* the check's qualified name */
    struct ox_frame frame; /* its bindings */
};

enum ox_severity { OX_ERROR, OX_WARNING, OX_INFO, OX_HINT };

struct ox_verdict {
    bool drop; /* it is no violation */
    enum ox_severity severity;
    struct ox_bytes code, message;
};

/* Gives one verdict for each row, in their order. To refuse, it returns a
 * message, else a text of no bytes. */
static struct ox_bytes ox_decide(const struct ox_request *q, struct ox_verdict *verdicts);

/* The exports. A return area is three words: 0 and the response, or 1 and a
 * Failure; that of describe has no first word. */

static inline uint32_t *ox_answer(uint32_t failed, struct ox_bytes payload) {
    uint32_t *area = ox_alloc(3 * sizeof *area);
    area[0] = failed;
    area[1] = (uint32_t)(uintptr_t)payload.at;
    area[2] = (uint32_t)payload.size;
    return area;
}

OX_EXPORT(OX_EVALUATOR "describe")
uint32_t *ox_describe(void) {
    struct ox_writer w = {0};
    ox_put_head(&w, OX_ARRAY, 4); /* [abi, world, name, version] */
    ox_put_text(&w, OX_TEXT("0.1.0"));
    ox_put_text(&w, OX_TEXT("check-evaluator"));
    ox_put_text(&w, OX_TEXT(OX_NAME));
    ox_put_text(&w, OX_TEXT(OX_VERSION));
    return ox_answer(0, ox_written(&w)) + 1;
}

static inline struct ox_bytes ox_failure(struct ox_bytes message) {
    struct ox_writer w = {0};
    ox_put_head(&w, OX_ARRAY, 5); /* [code, message, span, limit, rule] */
    ox_put_text(&w, OX_TEXT("eval"));
    ox_put_text(&w, message);
    ox_put(&w, OX_TEXT("\x83\x00\x00\x00\xf6\x20")); /* [0, 0, 0], null, -1 */
    return ox_written(&w);
}

OX_EXPORT(OX_EVALUATOR "evaluate")
uint32_t *ox_evaluate(const uint8_t *at, size_t size) {
    struct ox_reader r = {at, at + size};
    struct ox_request q;
    ox_fields(&r, 7); /* [call, check, constants, functions, payload, columns, frame] */
    ox_skip(&r);
    q.check = ox_cut(&r, OX_STRING);
    for (int i = 0; i < 4; i++) ox_skip(&r);
    q.frame = ox_frame(&r);

    struct ox_verdict *verdicts = ox_alloc_array(q.frame.rows, sizeof *verdicts);
    struct ox_bytes refusal = ox_decide(&q, verdicts);
    if (refusal.size > 0) return ox_answer(1, ox_failure(refusal));

    struct ox_writer w = {0};
    ox_put_head(&w, OX_ARRAY, 1);
    ox_put_head(&w, OX_ARRAY, q.frame.rows);
    for (uint32_t i = 0; i < q.frame.rows; i++) {
        const struct ox_verdict *v = &verdicts[i];
        ox_put_head(&w, OX_ARRAY, 4);
        ox_put_byte(&w, v->drop ? 0xf5 : 0xf4);
        ox_put_head(&w, OX_UINT, v->severity);
        ox_put_text(&w, v->code);
        ox_put_text(&w, v->message);
    }
    return ox_answer(0, ox_written(&w));
}

OX_EXPORT("cabi_post_" OX_EVALUATOR "describe")
void ox_post_describe(uint32_t *area) { (void)area, ox_top = 0; }

OX_EXPORT("cabi_post_" OX_EVALUATOR "evaluate")
void ox_post_evaluate(uint32_t *area) { (void)area, ox_top = 0; }

#endif
