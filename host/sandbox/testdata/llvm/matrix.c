// A guest of the metering benchmark: multiplies square matrices of floating
// point numbers.

typedef unsigned int u32;
typedef unsigned long long u64;

extern unsigned char __heap_base;

// run multiplies matrices of n by n as often as passes says and returns the
// bits of the sum of the last product's diagonal.
__attribute__((export_name("run"))) u64 run(u32 n, u32 passes) {
  double *a = (double *)(((u32)&__heap_base + 15) & ~15u), *b = a + n * n, *c = b + n * n;
  u32 have = (u32)__builtin_wasm_memory_size(0) << 16, want = (u32)(c + n * n);
  if (want > have && __builtin_wasm_memory_grow(0, (want - have + 65535) >> 16) == (u32)-1)
    __builtin_trap();
  for (u32 i = 0; i < n * n; i++) a[i] = (double)(i % 7) / 8, b[i] = (double)(i % 5) / 4;
  for (; passes > 0; passes--) {
    for (u32 i = 0; i < n; i++)
      for (u32 j = 0; j < n; j++) {
        double sum = 0;
        for (u32 k = 0; k < n; k++) sum += a[i * n + k] * b[k * n + j];
        c[i * n + j] = sum;
      }
    a[0] = c[n + 1] / 1024;
  }
  double trace = 0;
  for (u32 i = 0; i < n; i++) trace += c[i * n + i];
  return __builtin_bit_cast(u64, trace);
}
