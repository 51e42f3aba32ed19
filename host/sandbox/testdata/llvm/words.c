// A guest of the metering benchmark: splits a text into words, folds their
// case, and counts the different ones in an open table, comparing bytes.

typedef unsigned int u32;

extern unsigned char __heap_base;

struct word {
  const unsigned char *at;
  u32 size, count;
};

enum { slots = 4096 };
static struct word table[slots];

static int letter(unsigned char c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; }

static int same(const unsigned char *a, const unsigned char *b, u32 n) {
  for (u32 i = 0; i < n; i++)
    if ((a[i] | 32) != (b[i] | 32)) return 0;
  return 1;
}

static u32 count(const unsigned char *at, u32 size) {
  u32 h = 2166136261u;
  for (u32 i = 0; i < size; i++) h = (h ^ (at[i] | 32)) * 16777619u;
  for (u32 i = h % slots;; i = (i + 1) % slots) {
    struct word *w = &table[i];
    if (w->count == 0) w->at = at, w->size = size;
    if (w->size == size && same(w->at, at, size)) return ++w->count;
  }
}

// run counts the words of a text of n bytes as often as passes says and returns
// a checksum of the counts.
__attribute__((export_name("run"))) u32 run(u32 n, u32 passes) {
  static const char syllables[16][4] = {"ba", "Ce", "di", "fo", "Gu", "hal", "kem", "lin",
                                        "mor", "Nus", "pra", "ste", "tri", "vo", "wul", "zy"};
  unsigned char *text = &__heap_base;
  u32 have = (u32)__builtin_wasm_memory_size(0) << 16, want = (u32)text + n + 16;
  if (want > have && __builtin_wasm_memory_grow(0, (want - have + 65535) >> 16) == (u32)-1)
    __builtin_trap();
  u32 seed = 1, end = 0;
  while (end + 16 < n) {
    seed = seed * 1664525u + 1013904223u;
    u32 parts = 1 + (seed >> 30), bits = seed >> 8;
    for (; parts > 0; parts--, bits >>= 5)
      for (const char *s = syllables[bits & 15]; *s; s++) text[end++] = (unsigned char)*s;
    text[end++] = seed & 4096 ? ' ' : '\n';
  }
  u32 sum = 0;
  for (; passes > 0; passes--) {
    for (u32 i = 0; i < slots; i++) table[i].count = 0;
    for (u32 i = 0; i < end;) {
      while (i < end && !letter(text[i])) i++;
      u32 start = i;
      while (i < end && letter(text[i])) i++;
      if (i > start) sum = sum * 31 + count(text + start, i - start);
    }
  }
  return sum;
}
