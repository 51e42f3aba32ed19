package httpapi

import (
	"strconv"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ox-mcp/ox-mcp/host/runtime"
)

// builds gives the figures of the sandboxed builds as the runtime keeps them,
// so that they are the same as in the status.
type builds struct{ svc Service }

func build(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("ox_mcp_build_"+name, help, append([]string{"build", "role", "plugin"}, labels...), nil)
}

var (
	buildInfo        = build("info", "A sandboxed build; always 1. The label build is the BLAKE3 of its file, here and elsewhere.", "name", "version", "metered")
	buildServing     = build("serving", "1 if new calls go to the build, else 0.")
	buildQuarantined = build("quarantined", "1 if the build is not called any more because it went wrong too often, else 0.")
	buildCalls       = build("calls_total", "Calls of the build, those that failed or were stopped among them.", "operation")
	buildFuel        = build("fuel_units_total", "Fuel that the calls spent.", "operation")
	buildDuration    = build("call_duration_seconds", "Wall time of calls.", "operation")
	buildPeak        = build("peak_memory_bytes", "Linear memory of the largest instance after a call.")
	buildTraps       = build("traps_total", "Crashes of the build, and answers of it that are none.")
	buildRefusals    = build("refusals_total", "Admissions that were refused, and calls that a limit stopped.")
	buildHits        = build("cache_hits_total", "States that were there already when a call needed one.")

	swaps       = prometheus.NewDesc("ox_mcp_swaps_total", "Swaps of a build that were tried: swapped, or kept for the build before.", []string{"outcome"}, nil)
	memory      = prometheus.NewDesc("ox_mcp_sandbox_memory_bytes", "Linear memory that all instances hold together.", nil, nil)
	memoryLimit = prometheus.NewDesc("ox_mcp_sandbox_memory_limit_bytes", "Linear memory that all instances may hold together.", nil, nil)
)

// Describe implements prometheus.Collector.
func (b *builds) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		buildInfo, buildServing, buildQuarantined, buildCalls, buildFuel, buildDuration, buildPeak, buildTraps, buildRefusals, buildHits,
		swaps, memory, memoryLimit,
	} {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (b *builds) Collect(to chan<- prometheus.Metric) {
	for _, s := range b.svc.BuildStats() {
		collect(to, &s)
	}
	for outcome, n := range b.svc.SwapCounts() {
		to <- prometheus.MustNewConstMetric(swaps, prometheus.CounterValue, float64(n), outcome)
	}
	used, limit := b.svc.HeldMemory()
	to <- prometheus.MustNewConstMetric(memory, prometheus.GaugeValue, float64(used))
	to <- prometheus.MustNewConstMetric(memoryLimit, prometheus.GaugeValue, float64(limit))
}

func collect(to chan<- prometheus.Metric, s *runtime.BuildStats) {
	give := func(d *prometheus.Desc, kind prometheus.ValueType, v float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, kind, v, append([]string{s.Blake3, s.Role, s.Plugin}, labels...)...)
	}
	// A build says itself what it is called: what is no text, or too much of
	// it, is quoted and cut.
	give(buildInfo, prometheus.GaugeValue, 1, label(s.Name), label(s.Version), s.Metered)
	give(buildServing, prometheus.GaugeValue, truth(s.Serving))
	give(buildQuarantined, prometheus.GaugeValue, truth(s.Quarantined))
	give(buildPeak, prometheus.GaugeValue, float64(s.PeakMemory))
	give(buildTraps, prometheus.CounterValue, float64(s.Traps))
	give(buildRefusals, prometheus.CounterValue, float64(s.Refusals))
	give(buildHits, prometheus.CounterValue, float64(s.CacheHits))
	for _, o := range s.Operations {
		give(buildCalls, prometheus.CounterValue, float64(o.Calls), o.Operation)
		give(buildFuel, prometheus.CounterValue, float64(o.Fuel), o.Operation)
		buckets := map[float64]uint64{}
		for end, n := range o.UpTo {
			buckets[end.Seconds()] = n
		}
		to <- prometheus.MustNewConstHistogram(buildDuration, o.Calls, o.Time.Seconds(), buckets, s.Blake3, s.Role, s.Plugin, o.Operation)
	}
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// maxLabel is the longest name of a build that is shown, in bytes.
const maxLabel = 64

func label(text string) string {
	quoted := strconv.Quote(text)
	plain := quoted[1 : len(quoted)-1]
	if plain != text {
		text = plain
	}
	return strings.ToValidUTF8(text[:min(len(text), maxLabel)], "")
}
