package sandbox

import (
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
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

// BenchmarkClone clones an instance of 64 MiB that is not called in between.
func BenchmarkClone(b *testing.B) {
	in := instantiate(b, admit(b, newHost(b, nil), NewGuest(1024, nil).Bytes(), ""))
	b.SetBytes(int64(in.memory.size))
	for b.Loop() {
		c, err := in.Clone(b.Context())
		must(b, err)
		must(b, c.Close(b.Context()))
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
