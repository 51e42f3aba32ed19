package sandbox

import "testing"

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
