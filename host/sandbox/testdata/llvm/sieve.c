// A guest of the metering benchmark: the primes below a number by crossing out
// their multiples, one byte each.

typedef unsigned int u32;

extern unsigned char __heap_base;

// run returns the number of primes below n, times passes.
__attribute__((export_name("run"))) u32 run(u32 n, u32 passes) {
  unsigned char *crossed = &__heap_base;
  u32 have = (u32)__builtin_wasm_memory_size(0) << 16, want = (u32)crossed + n;
  if (want > have && __builtin_wasm_memory_grow(0, (want - have + 65535) >> 16) == (u32)-1)
    __builtin_trap();
  u32 primes = 0;
  for (; passes > 0; passes--) {
    for (u32 i = 0; i < n; i++) crossed[i] = 0;
    for (u32 i = 2; i < n; i++) {
      if (crossed[i]) continue;
      primes++;
      if (i < 65536)
        for (u32 j = i * i; j < n; j += i) crossed[j] = 1;
    }
  }
  return primes;
}
