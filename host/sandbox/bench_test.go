package sandbox

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/sandbox/rewrite"
	. "github.com/ox-mcp/ox-mcp/host/sandbox/wasmtest"
)

func median(x []float64) float64 {
	slices.Sort(x)
	return x[len(x)/2]
}

// BenchmarkStop asks for the end of an endless loop and of an endless
// recursion after 200 ms, by deadline and by cancellation, and reports the
// median of the milliseconds from the start to the end.
func BenchmarkStop(b *testing.B) {
	h := newHost(b, nil)
	for _, c := range []struct {
		name   string
		wasm   []byte
		cancel bool
	}{
		{"loop by deadline", attack(nil, forever()), false},
		{"recursion by deadline", callTree(), false},
		{"loop by cancellation", attack(nil, forever()), true},
		{"recursion by cancellation", callTree(), true},
	} {
		b.Run(c.name, func(b *testing.B) {
			m := admit(b, h, c.wasm, "")
			var took []float64
			for b.Loop() {
				in, err := m.Instantiate(b.Context(), roomy())
				must(b, err)
				limits, ctx := roomy(), b.Context()
				kind := Deadline
				stop := func() {}
				if c.cancel {
					kind = Cancelled
					ctx, stop = context.WithTimeout(ctx, 200*time.Millisecond)
				} else {
					limits.Deadline = 200
				}
				start := time.Now()
				_, _, err = in.Call(ctx, "attack", nil, limits)
				took = append(took, time.Since(start).Seconds())
				stop()
				trapped(b, err, kind)
				must(b, in.Close(b.Context()))
			}
			b.ReportMetric(median(took)*1e3, "stop-ms")
		})
	}
}

// BenchmarkCall is the price of an empty exchange: two calls of the guest and
// the copies.
func BenchmarkCall(b *testing.B) {
	in := instantiate(b, admit(b, newHost(b, nil), hostile(), ""))
	for b.Loop() {
		_, _, err := in.Call(b.Context(), "echo", []byte{0}, roomy())
		must(b, err)
	}
}

// BenchmarkClone clones instances of 256 MiB: of a module as a compiler for C
// makes it, and of a Go guest, whose data segments are written to each
// instance first. In "dirty" the original writes to 1 MiB before each clone,
// in "copied" there are no shared snapshots.
func BenchmarkClone(b *testing.B) {
	const size = 256 * mib
	h := newHost(b, func(c *Config) { c.TotalMemory = 3 << 30 })
	large := func(b *testing.B, wasm []byte) *Instance {
		in := instantiate(b, admit(b, h, wasm, ""))
		if pages := (size - in.memory.size) / rewrite.PageBytes; pages > 0 {
			if _, ok := in.wasm.Memory().Grow(uint32(pages)); !ok {
				b.Fatal("the memory does not grow")
			}
		}
		for i, memory := uint64(0), in.memory.bytes(); i < size; i += 512 {
			if memory[i] == 0 {
				memory[i] = 1
			}
		}
		return in
	}
	clone := func(b *testing.B, in *Instance) {
		c, err := in.Clone(b.Context())
		must(b, err)
		b.StopTimer()
		must(b, c.Close(b.Context()))
		b.StartTimer()
	}
	for _, c := range []struct {
		name string
		wasm func() []byte
	}{{"llvm", painter}, {"go", func() []byte { return goGuest(b, joinLoop) }}} {
		b.Run(c.name, func(b *testing.B) {
			in := large(b, c.wasm())
			clone(b, in)
			for b.Loop() {
				clone(b, in)
			}
		})
	}
	dirty := func(b *testing.B) {
		in := large(b, painter())
		for b.Loop() {
			b.StopTimer()
			_, _, err := in.Call(b.Context(), "paint", words(32*mib, mib, 7), roomy())
			must(b, err)
			b.StartTimer()
			clone(b, in)
		}
	}
	b.Run("dirty", dirty)
	b.Run("copied", func(b *testing.B) {
		h.snapshots = noSnapshots
		defer func() { h.snapshots = sharing }()
		dirty(b)
	})
}

// BenchmarkSnapshot takes the first snapshot of an instance of 64 MiB that was
// written all over.
func BenchmarkSnapshot(b *testing.B) {
	h := newHost(b, nil)
	in := instantiate(b, admit(b, h, NewGuest(1024, nil).Bytes(), ""))
	memory := in.memory.bytes()
	for i := 0; i < len(memory); i += 512 {
		memory[i] = 1
	}
	b.SetBytes(int64(len(memory)))
	for b.Loop() {
		s, _ := h.snapshots(&h.memory, memory, nil)
		if s == nil {
			b.Skip("there are no shared snapshots here")
		}
		s.release()
	}
}

// BenchmarkAdmit admits a Go guest: from nothing, and from the cache.
func BenchmarkAdmit(b *testing.B) {
	wasm := goGuest(b, joinerPackage)
	admitIn := func(b *testing.B, dir string) {
		b.StopTimer()
		h := newHost(b, func(c *Config) { c.CacheDir = dir })
		b.StartTimer()
		admit(b, h, wasm, abi.WorldReasoner)
	}
	b.Run("cold", func(b *testing.B) {
		for b.Loop() {
			admitIn(b, "")
		}
	})
	b.Run("warm", func(b *testing.B) {
		dir := b.TempDir() + "/cache"
		admitIn(b, dir)
		for b.Loop() {
			admitIn(b, dir)
		}
	})
	b.Run("llvm", func(b *testing.B) {
		wasm = clangGuest(b)
		h := newHost(b, nil)
		for b.Loop() {
			m, err := h.Admit(b.Context(), "guest", wasm, AdmitOptions{Limits: roomy()})
			must(b, err)
			must(b, m.Close(b.Context()))
		}
	})
}

// BenchmarkRewrite rewrites a Go guest, without validation and compilation.
func BenchmarkRewrite(b *testing.B) {
	wasm := goGuest(b, joinerPackage)
	b.SetBytes(int64(len(wasm)))
	for b.Loop() {
		_, err := rewrite.Rewrite(wasm, rewrite.Options{Limits: rewrite.DefaultLimits(), MemoryPages: formatPages - 1, Grants: grants(everything()...)})
		must(b, err)
	}
}

// BenchmarkTransfer sends a megabyte in, and gets one out.
func BenchmarkTransfer(b *testing.B) {
	g := NewGuest(64, nil)
	g.Exchange("in", nil)
	g.Exchange("out", nil, store(16, 0, 65536, mib))
	in := instantiate(b, admit(b, newHost(b, nil), g.Bytes(), ""))
	request := make([]byte, mib)
	for name, request := range map[string][]byte{"in": request, "out": nil} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(mib)
			for b.Loop() {
				_, _, err := in.Call(b.Context(), name, request, roomy())
				must(b, err)
			}
		})
	}
}

// BenchmarkStart instantiates a Go guest and runs its start-up.
func BenchmarkStart(b *testing.B) {
	m := admit(b, newHost(b, nil), goGuest(b, joinerPackage), abi.WorldReasoner)
	for b.Loop() {
		must(b, instantiateAgain(b, m))
	}
}

// BenchmarkKernel measures the way into a kernel and back, beside a call of
// the guest itself, for the kernel that was called last and for two in turn;
// and the load of a small and of a large kernel.
func BenchmarkKernel(b *testing.B) {
	h := newHost(b, nil)
	limits := roomy()
	limits.HostCalls, limits.HostBytes = 1<<60, 1<<60
	// times has the guest call the kernels 0 and 1 in turn, a thousand times;
	// with the request's second word 0 only kernel 0.
	g := NewGuest(20, importKernels)
	g.Exchange("load", nil, I32Const(AnswerAt), LocalGet(0), LocalGet(1), Call(0), I32Store(0))
	g.Exchange("times", []byte{I32}, I32Const(1000), LocalSet(2), Loop(Empty),
		LocalGet(2), LocalGet(0), I32Load(4), Op(I32And), I32Const(0), I32Const(RequestAt+16), I32Const(1), Call(1), Op(Drop),
		LocalGet(2), I32Const(1), Op(I32Sub), LocalTee(2), BrIf(0), Op(End))
	m := admit(b, h, g.Bytes(), "")
	for _, c := range []struct {
		name string
		mask uint32
	}{{"call", 0}, {"in-turn", 1}} {
		b.Run(c.name, func(b *testing.B) {
			in := instantiate(b, m)
			loadInto(b, in, numbered(0))
			loadInto(b, in, numbered(1))
			for b.Loop() {
				_, _, err := in.Call(b.Context(), "times", words(0, c.mask, 0, 0, 0, 0), limits)
				must(b, err)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/kernel-call")
		})
	}
	for _, c := range []struct {
		name      string
		functions int
	}{{"load/small", 1}, {"load/large", 300}} {
		b.Run(c.name, func(b *testing.B) {
			n := 0
			var bytes int
			for b.Loop() {
				n++
				var k Builder
				importOwner(&k)
				typ := k.Type([]byte{I32}, nil)
				for range c.functions {
					k.Export("f"+string(rune('0'+k.Next())), KindFunc, k.Func(typ, nil, I32Const(int32(n)), Op(Drop), countDown(), countDown()))
				}
				wasm := k.Bytes()
				bytes = len(wasm)
				in, err := m.Instantiate(b.Context(), limits)
				must(b, err)
				answer, _, err := in.Call(b.Context(), "load", wasm, limits)
				must(b, err)
				if s := statusOf(answer); s != 0 {
					b.Fatalf("status %d", s)
				}
				must(b, in.Close(b.Context()))
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(bytes), "ns/byte")
		})
	}
}
