// The guest of the metering benchmark as a compiler for C makes it: the same
// closure as in testdata/joinloop, without a library.

typedef unsigned int u32;
typedef unsigned long long u64;

extern unsigned char __heap_base;
static u32 top;

// take gives memory that is zero the first time. It never takes any back.
static void *take(u32 bytes) {
  if (top == 0) top = (u32)&__heap_base;
  u32 at = (top + 15) & ~15u;
  top = at + bytes;
  u32 have = (u32)__builtin_wasm_memory_size(0) << 16;
  if (top > have && __builtin_wasm_memory_grow(0, (top - have + 65535) >> 16) == (u32)-1)
    __builtin_trap();
  return (void *)at;
}

static u64 *slots;
static u32 slot_count, used;

static int place(u64 k) {
  u32 mask = slot_count - 1;
  for (u32 i = (u32)(k * 0x9E3779B97F4A7C15ull >> 20) & mask;; i = (i + 1) & mask) {
    if (slots[i] == 0) {
      slots[i] = k;
      return 1;
    }
    if (slots[i] == k) return 0;
  }
}

static int add(u64 key) {
  if (used * 2 >= slot_count) {
    u64 *old = slots;
    u32 n = slot_count;
    slot_count = n == 0 ? 64 : 2 * n;
    slots = take(slot_count * 8);
    for (u32 i = 0; i < n; i++)
      if (old[i] != 0) place(old[i]);
  }
  if (!place(key + 1)) return 0;
  used++;
  return 1;
}

static u32 *left_, *right_;
static u32 pairs, room;
static u64 sum;

static void emit(u32 a, u32 b) {
  u64 key = (u64)a << 32 | b;
  if (!add(key)) return;
  if (pairs == room) {
    u32 n = room == 0 ? 1024 : 2 * room;
    u32 *l = take(4 * n), *r = take(4 * n);
    for (u32 i = 0; i < room; i++) l[i] = left_[i], r[i] = right_[i];
    left_ = l, right_ = r, room = n;
  }
  left_[pairs] = a;
  right_[pairs++] = b;
  sum += key * 0xD6E8FEB86659FD93ull;
}

// closure returns the number of pairs of the closure and their checksum.
__attribute__((export_name("closure"))) u64 closure(u32 nodes, u32 edges) {
  // Every call takes the memory of the one before it.
  if (top != 0) {
    for (u64 *p = (u64 *)(((u32)&__heap_base + 15) & ~15u); (u32)p < top; p++) *p = 0;
    top = 0;
  }
  slots = 0, slot_count = used = pairs = room = 0, sum = 0;
  u64 seed = 1;
  u32 *start = take(4 * (nodes + 1)), *next = take(4 * (nodes + 1));
  u32 *from = take(4 * edges), *to = take(4 * edges), *targets = take(4 * edges);
  for (u32 i = 0; i < edges; i++) {
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    from[i] = (u32)(seed >> 33) % nodes;
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    to[i] = (u32)(seed >> 33) % nodes;
    start[from[i] + 1]++;
  }
  for (u32 i = 0; i < nodes; i++) start[i + 1] += start[i];
  for (u32 i = 0; i <= nodes; i++) next[i] = start[i];
  for (u32 i = 0; i < edges; i++) targets[next[from[i]]++] = to[i];

  for (u32 i = 0; i < edges; i++) emit(from[i], to[i]);
  for (u32 low = 0, high; low < pairs; low = high) {
    high = pairs;
    for (u32 i = low; i < high; i++) {
      u32 a = left_[i], b = right_[i];
      for (u32 j = start[b]; j < start[b + 1]; j++) emit(a, targets[j]);
    }
  }
  return sum ^ pairs;
}
