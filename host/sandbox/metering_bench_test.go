package sandbox

import (
	"testing"
	"time"
)

// closureArgs are a random graph whose closure has about 0.6 million pairs.
var closureArgs = []uint64{1000, 2000}

// pairing runs the same call of a guest as it came and metered, in turn.
type pairing struct {
	plain, metered *Instance
	export         string
	args           []uint64
	times          map[*Instance][]float64 // seconds of the processor
	fuel           uint64
}

func pair(b *testing.B, h *Host, wasm []byte, export string, args []uint64) *pairing {
	return &pairing{
		plain: unmetered(b, h, wasm), metered: instantiate(b, admit(b, h, wasm, "")),
		export: export, args: args, times: map[*Instance][]float64{},
	}
}

func (p *pairing) run(b *testing.B, clock func() time.Duration) {
	for _, in := range []*Instance{p.plain, p.metered} {
		start := clock()
		_, u, err := in.raw(b.Context(), roomy(), p.export, p.args...)
		must(b, err)
		p.times[in] = append(p.times[in], (clock() - start).Seconds())
		p.fuel = u.Fuel // of the metered one in the end
	}
}

func (p *pairing) ratio() float64 { return median(p.times[p.metered]) / median(p.times[p.plain]) }

// BenchmarkMetering runs the join loop of a Go guest, and a set of guests in C,
// as they came and metered. It reports ratio, of the medians of the processor
// times, which is to be at most 1.20 for Go; and for C the median of the
// guests' ratios, which is to be at most 1.10, beside each of them.
func BenchmarkMetering(b *testing.B) {
	b.Run("go", func(b *testing.B) {
		h := newHost(b, func(c *Config) { c.TotalMemory = 3 << 30 })
		p := pair(b, h, goGuest(b, joinLoop), "closure", closureArgs)
		clock := processorTime(b)
		for b.Loop() {
			p.run(b, clock)
		}
		b.ReportMetric(p.ratio(), "ratio")
		b.ReportMetric(median(p.times[p.plain])*1e3, "plain-ms")
		b.ReportMetric(float64(p.fuel)/median(p.times[p.metered])/1e9, "Gfuel/s")
	})
	b.Run("llvm", func(b *testing.B) {
		h := newHost(b, func(c *Config) { c.TotalMemory = 3 << 30 })
		guests := llvmGuests()
		var pairs []*pairing
		for _, g := range guests {
			pairs = append(pairs, pair(b, h, clang(b, g.source), g.export, g.long))
		}
		clock := processorTime(b)
		for b.Loop() {
			for _, p := range pairs {
				p.run(b, clock)
			}
		}
		var ratios []float64
		for i, p := range pairs {
			ratios = append(ratios, p.ratio())
			b.ReportMetric(p.ratio(), guests[i].name)
			b.ReportMetric(median(p.times[p.plain])*1e3, guests[i].name+"-plain-ms")
		}
		b.ReportMetric(middle(ratios), "ratio")
	})
}

// middle is the median, of two in the middle their mean.
func middle(x []float64) float64 {
	upper := median(x)
	if len(x)%2 == 1 {
		return upper
	}
	return (x[len(x)/2-1] + upper) / 2
}
