// A guest of the metering benchmark: quicksort of pseudo-random numbers, with
// insertion sort for short stretches, as a library has it.

typedef unsigned int u32;

extern unsigned char __heap_base;

static void insertion(u32 *a, int n) {
  for (int i = 1; i < n; i++) {
    u32 x = a[i];
    int j = i;
    for (; j > 0 && a[j - 1] > x; j--) a[j] = a[j - 1];
    a[j] = x;
  }
}

static void quick(u32 *a, int n) {
  while (n > 16) {
    u32 x = a[0], y = a[n / 2], z = a[n - 1];
    u32 pivot = x < y ? (y < z ? y : (x < z ? z : x)) : (x < z ? x : (y < z ? z : y));
    int i = 0, j = n - 1;
    for (;;) {
      while (a[i] < pivot) i++;
      while (a[j] > pivot) j--;
      if (i >= j) break;
      u32 t = a[i];
      a[i++] = a[j];
      a[j--] = t;
    }
    quick(a, i);
    a += i;
    n -= i;
  }
  insertion(a, n);
}

// run sorts n numbers as often as passes says and returns a checksum.
__attribute__((export_name("run"))) u32 run(u32 n, u32 passes) {
  u32 *a = (u32 *)(((u32)&__heap_base + 15) & ~15u);
  u32 have = (u32)__builtin_wasm_memory_size(0) << 16, want = (u32)a + 4 * n;
  if (want > have && __builtin_wasm_memory_grow(0, (want - have + 65535) >> 16) == (u32)-1)
    __builtin_trap();
  u32 seed = 1, sum = 0;
  for (; passes > 0; passes--) {
    for (u32 i = 0; i < n; i++) {
      seed = seed * 1664525u + 1013904223u;
      a[i] = seed >> 4;
    }
    quick(a, (int)n);
    for (u32 i = 1; i < n; i++) {
      if (a[i - 1] > a[i]) __builtin_trap();
      sum = sum * 31 + a[i];
    }
  }
  return sum;
}
