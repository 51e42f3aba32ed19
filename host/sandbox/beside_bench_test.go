package sandbox

import (
	"context"
	"testing"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/ox-mcp/ox-mcp/host/sandbox/rewrite"
	. "github.com/ox-mcp/ox-mcp/host/sandbox/wasmtest"
)

// beside does the same in plain wazero and in the sandbox, in turn, and reports
// both medians and ratio, of the processor times of this thread.
func beside(b *testing.B, plain, ours func()) {
	clock := processorTime(b)
	var times [2][]float64
	for b.Loop() {
		for i, do := range []func(){plain, ours} {
			start := clock()
			do()
			times[i] = append(times[i], (clock() - start).Seconds())
		}
	}
	p, o := median(times[0]), median(times[1])
	b.ReportMetric(o/p, "ratio")
	b.ReportMetric(p*1e6, "plain-µs")
	b.ReportMetric(o*1e6, "ours-µs")
}

// BenchmarkBesidePlain puts each thing that a guest's life consists of beside
// the same in wazero without the sandbox. Compiling is of a Go guest and uses
// one worker, so that all of its time is this thread's; warm is from a cache
// folder.
func BenchmarkBesidePlain(b *testing.B) {
	compileOnly := func(b *testing.B, dir string) {
		plain := goGuest(b, joinLoop)
		h := newHost(b, kept)
		m, err := rewrite.Rewrite(plain, rewrite.Options{Limits: rewrite.DefaultLimits(), MemoryPages: formatPages - 1, Grants: grants(everything()...)})
		must(b, err)
		compileIn := func(wasm []byte) func() {
			return func() {
				config := wazero.NewRuntimeConfigCompiler()
				if dir != "" {
					cache, err := wazero.NewCompilationCacheWithDir(dir)
					must(b, err)
					defer cache.Close(context.Background())
					config = config.WithCompilationCache(cache)
				}
				r := wazero.NewRuntimeWithConfig(b.Context(), h.settings(config))
				_, err := r.CompileModule(b.Context(), wasm)
				must(b, err)
				must(b, r.Close(context.Background()))
			}
		}
		if dir != "" {
			compileIn(plain)()
			compileIn(m.Wasm)()
		}
		beside(b, compileIn(plain), compileIn(m.Wasm))
	}
	b.Run("compile-cold", func(b *testing.B) { compileOnly(b, "") })
	b.Run("compile-warm", func(b *testing.B) { compileOnly(b, b.TempDir()) })

	// Without the start-up of the guest.
	b.Run("instantiate", func(b *testing.B) {
		wasm := goGuest(b, joinLoop)
		h := newHost(b, kept)
		m := admit(b, h, wasm, "")
		compiled, refusal := compile(b.Context(), h.runtime, wasm, time.Minute)
		if refusal != nil {
			b.Fatal(refusal)
		}
		beside(b, func() {
			memory := h.memory.reserve(roomy().Memory)
			in, err := h.runtime.InstantiateModule(experimental.WithMemoryAllocator(b.Context(), memory), compiled,
				wazero.NewModuleConfig().WithName("").WithStartFunctions())
			must(b, err)
			must(b, in.Close(context.Background()))
			h.memory.release(memory)
		}, func() {
			in, err := m.instantiate(b.Context(), roomy())
			must(b, err)
			in.writeData()
			must(b, in.Close(context.Background()))
		})
	})

	// Both ask for room, write the request, call, copy the answer and free it.
	// An exchange takes microseconds, so a thousand are timed together.
	exchange := func(name string, times int, size uint32, add func(*Guest)) {
		b.Run(name, func(b *testing.B) {
			g := NewGuest(64, nil)
			add(g)
			wasm := g.Bytes()
			h := newHost(b, nil)
			plain, ours := unmetered(b, h, wasm), instantiate(b, admit(b, h, wasm, ""))
			request := make([]byte, size)
			byHand := handMade(b, plain, "x")
			beside(b, func() {
				for range times {
					byHand(request)
				}
			}, func() {
				for range times {
					_, _, err := ours.Call(b.Context(), "x", request, roomy())
					must(b, err)
				}
			})
		})
	}
	exchange("call-1000", 1000, 1, func(g *Guest) { g.Exchange("x", nil) })
	exchange("megabyte-in", 1, mib, func(g *Guest) { g.Exchange("x", nil) })
	exchange("megabyte-out", 1, 1, func(g *Guest) { g.Exchange("x", nil, store(16, 0, 65536, mib)) })

	// Plain wazero has no clone: beside it stands what a host has to do
	// instead, a new instance and a copy of the memory.
	b.Run("clone-64-MiB", func(b *testing.B) {
		h := newHost(b, nil)
		wasm := NewGuest(1024, nil).Bytes()
		original := instantiate(b, admit(b, h, wasm, ""))
		memory := original.memory.bytes()
		for i := 0; i < len(memory); i += 512 {
			memory[i] = 1
		}
		compiled, refusal := compile(b.Context(), h.runtime, wasm, time.Minute)
		if refusal != nil {
			b.Fatal(refusal)
		}
		beside(b, func() {
			in, err := h.runtime.InstantiateModule(b.Context(), compiled, wazero.NewModuleConfig().WithName("").WithStartFunctions())
			must(b, err)
			if !in.Memory().Write(0, memory) {
				b.Fatal("the memory is too small")
			}
			must(b, in.Close(context.Background()))
		}, func() {
			in, err := original.Clone(b.Context())
			must(b, err)
			must(b, in.Close(context.Background()))
		})
	})
}

// handMade is an exchange in plain wazero.
func handMade(b *testing.B, in *Instance, export string) func(request []byte) (answer []byte) {
	realloc, function := in.wasm.ExportedFunction(exportRealloc), in.wasm.ExportedFunction(export)
	memory := in.wasm.Memory()
	return func(request []byte) (answer []byte) {
		r, err := realloc.Call(b.Context(), 0, 0, 1, uint64(len(request)))
		must(b, err)
		memory.Write(uint32(r[0]), request)
		area, err := function.Call(b.Context(), r[0], uint64(len(request)))
		must(b, err)
		at, _ := memory.ReadUint32Le(uint32(area[0]) + 4)
		size, _ := memory.ReadUint32Le(uint32(area[0]) + 8)
		view, ok := memory.Read(at, size)
		if !ok {
			b.Fatal("the answer is outside the memory")
		}
		return append([]byte(nil), view...)
	}
}
