package sandbox

import (
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/sandbox/rewrite"
	. "github.com/ox-mcp/ox-mcp/host/sandbox/wasmtest"
)

// closureArgs are a random graph whose closure has about 0.6 million pairs.
var closureArgs = []uint64{1000, 2000}

// BenchmarkMetering runs the join loop of a Go guest as it came and metered.
// The metered one reports ratio: its time by that of the guest as it came,
// both at their best, which is to be at most 1.20.
func BenchmarkMetering(b *testing.B) {
	h := newHost(b, nil)
	wasm := goGuest(b, joinLoop)
	plain := unmetered(b, h, wasm)
	metered := instantiate(b, admit(b, h, wasm, ""))
	best := map[*Instance]float64{}
	var fuel uint64
	for b.Loop() {
		for _, in := range []*Instance{plain, metered} {
			start := h.config.Now()
			_, u, err := in.raw(b.Context(), roomy(), "closure", closureArgs...)
			must(b, err)
			took := h.config.Now().Sub(start).Seconds()
			if had, ok := best[in]; !ok || took < had {
				best[in] = took
			}
			if in == metered {
				fuel = u.Fuel
			}
		}
	}
	b.ReportMetric(best[metered]/best[plain], "ratio")
	b.ReportMetric(best[plain]*1e3, "plain-ms")
	b.ReportMetric(best[metered]*1e3, "metered-ms")
	b.ReportMetric(float64(fuel)/best[metered]/1e9, "Gfuel/s")
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

// BenchmarkAdmit admits a Go guest whose compiled code is in the cache.
func BenchmarkAdmit(b *testing.B) {
	dir := b.TempDir() + "/cache"
	wasm := goGuest(b, joinerPackage)
	for b.Loop() {
		b.StopTimer()
		h := newHost(b, func(c *Config) { c.CacheDir = dir })
		b.StartTimer()
		admit(b, h, wasm, abi.WorldReasoner)
	}
}

// BenchmarkStart instantiates a Go guest and runs its start-up.
func BenchmarkStart(b *testing.B) {
	m := admit(b, newHost(b, nil), goGuest(b, joinerPackage), abi.WorldReasoner)
	for b.Loop() {
		must(b, instantiateAgain(b, m))
	}
}
