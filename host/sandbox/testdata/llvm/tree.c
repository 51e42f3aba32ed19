// A guest of the metering benchmark: an expression tree that is built and
// evaluated by recursion, one call a node.

typedef unsigned int u32;

extern unsigned char __heap_base;

struct node {
  u32 op, value;
  struct node *left, *right;
};

static struct node *next;
static u32 seed;

static u32 draw(void) { return seed = seed * 1664525u + 1013904223u, seed >> 16; }

static struct node *build(u32 depth) {
  struct node *n = next++;
  n->op = depth == 0 ? 0 : 1 + draw() % 5;
  n->value = draw();
  n->left = n->right = 0;
  if (n->op != 0) n->left = build(depth - 1), n->right = build(depth - 1);
  return n;
}

static u32 value(const struct node *n) {
  switch (n->op) {
  case 0:
    return n->value;
  case 1:
    return value(n->left) + value(n->right);
  case 2:
    return value(n->left) - value(n->right);
  case 3:
    return value(n->left) * value(n->right);
  case 4:
    return value(n->left) ^ value(n->right);
  }
  return n->value & 1 ? value(n->left) : value(n->right);
}

// run builds a tree of 2^(depth + 1) - 1 nodes as often as passes says,
// evaluates it, and returns a checksum.
__attribute__((export_name("run"))) u32 run(u32 depth, u32 passes) {
  struct node *first = (struct node *)(((u32)&__heap_base + 15) & ~15u);
  u32 have = (u32)__builtin_wasm_memory_size(0) << 16, want = (u32)(first + (2u << depth));
  if (want > have && __builtin_wasm_memory_grow(0, (want - have + 65535) >> 16) == (u32)-1)
    __builtin_trap();
  u32 sum = 0;
  seed = 1;
  for (; passes > 0; passes--) {
    next = first;
    struct node *root = build(depth);
    for (int i = 0; i < 4; i++) sum = sum * 31 + value(root);
  }
  return sum;
}
