package httpapi

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/ox-mcp/ox-mcp/host/runtime"
)

func busyBuild() runtime.BuildStats {
	return runtime.BuildStats{
		Build: runtime.Build{Name: "r\xff\"\n" + strings.Repeat("é", 100), Version: "1.2.3", Blake3: "ab12"}, Role: "reasoner", Metered: "cd34", Serving: true,
		Operations: []runtime.OperationStats{
			{Operation: "derive", Calls: 4, Fuel: 1000, Time: 3 * time.Second, UpTo: map[time.Duration]uint64{100 * time.Microsecond: 1, 400 * time.Microsecond: 3}},
			{Operation: "load", Calls: 1, Fuel: 1 << 40, Time: time.Second},
		},
		PeakMemory: 65536, Traps: 1, Refusals: 2, CacheHits: 3,
	}
}

func TestTheFiguresOfABuild(t *testing.T) {
	evaluator := runtime.BuildStats{Build: runtime.Build{Blake3: "ef56"}, Role: "check-evaluator", Plugin: "digits", Quarantined: true, Refusals: 1}
	m := newMetrics(&fakeService{builds: []runtime.BuildStats{busyBuild(), evaluator}}, Options{MCP: newFakeProtocol(), Version: "1"})
	expected := `
# HELP ox_mcp_build_calls_total Calls of the build, those that failed or were stopped among them.
# TYPE ox_mcp_build_calls_total counter
ox_mcp_build_calls_total{build="ab12",operation="derive",plugin="",role="reasoner"} 4
ox_mcp_build_calls_total{build="ab12",operation="load",plugin="",role="reasoner"} 1
# HELP ox_mcp_build_fuel_units_total Fuel that the calls spent.
# TYPE ox_mcp_build_fuel_units_total counter
ox_mcp_build_fuel_units_total{build="ab12",operation="derive",plugin="",role="reasoner"} 1000
ox_mcp_build_fuel_units_total{build="ab12",operation="load",plugin="",role="reasoner"} 1.099511627776e+12
# HELP ox_mcp_build_quarantined 1 if the build is not called any more because it went wrong too often, else 0.
# TYPE ox_mcp_build_quarantined gauge
ox_mcp_build_quarantined{build="ab12",plugin="",role="reasoner"} 0
ox_mcp_build_quarantined{build="ef56",plugin="digits",role="check-evaluator"} 1
# HELP ox_mcp_build_refusals_total Admissions that were refused, and calls that a limit stopped.
# TYPE ox_mcp_build_refusals_total counter
ox_mcp_build_refusals_total{build="ab12",plugin="",role="reasoner"} 2
ox_mcp_build_refusals_total{build="ef56",plugin="digits",role="check-evaluator"} 1
# HELP ox_mcp_build_serving 1 if new calls go to the build, else 0.
# TYPE ox_mcp_build_serving gauge
ox_mcp_build_serving{build="ab12",plugin="",role="reasoner"} 1
ox_mcp_build_serving{build="ef56",plugin="digits",role="check-evaluator"} 0
# HELP ox_mcp_swaps_total Swaps of a build that were tried: swapped, or kept for the build before.
# TYPE ox_mcp_swaps_total counter
ox_mcp_swaps_total{outcome="kept"} 1
ox_mcp_swaps_total{outcome="swapped"} 2
# HELP ox_mcp_sessions Open sessions of the Model Context Protocol.
# TYPE ox_mcp_sessions gauge
ox_mcp_sessions 3
# HELP ox_mcp_build_call_duration_seconds Wall time of calls.
# TYPE ox_mcp_build_call_duration_seconds histogram
ox_mcp_build_call_duration_seconds_bucket{build="ab12",operation="derive",plugin="",role="reasoner",le="0.0001"} 1
ox_mcp_build_call_duration_seconds_bucket{build="ab12",operation="derive",plugin="",role="reasoner",le="0.0004"} 3
ox_mcp_build_call_duration_seconds_bucket{build="ab12",operation="derive",plugin="",role="reasoner",le="+Inf"} 4
ox_mcp_build_call_duration_seconds_sum{build="ab12",operation="derive",plugin="",role="reasoner"} 3
ox_mcp_build_call_duration_seconds_count{build="ab12",operation="derive",plugin="",role="reasoner"} 4
ox_mcp_build_call_duration_seconds_bucket{build="ab12",operation="load",plugin="",role="reasoner",le="+Inf"} 1
ox_mcp_build_call_duration_seconds_sum{build="ab12",operation="load",plugin="",role="reasoner"} 1
ox_mcp_build_call_duration_seconds_count{build="ab12",operation="load",plugin="",role="reasoner"} 1
`
	names := []string{}
	for line := range strings.Lines(expected) {
		if name, ok := strings.CutPrefix(line, "# TYPE "); ok {
			names = append(names, strings.Fields(name)[0])
		}
	}
	if err := testutil.GatherAndCompare(m.registry, strings.NewReader(expected), names...); err != nil {
		t.Error(err)
	}
	problems, err := testutil.GatherAndLint(m.registry)
	if err != nil {
		t.Error(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}

// TestRequestsAreCountedByWhatIsBounded: neither paths nor methods that a
// caller makes up become series.
func TestRequestsAreCountedByWhatIsBounded(t *testing.T) {
	h := newHandler(&fakeService{}, Options{MCP: newFakeProtocol(), ErrorLog: io.Discard})
	ask(t, h, "GET", "/healthz")
	ask(t, h, "GET", "/healthz")
	ask(t, h, "MAKEUP", "/a/b/c")
	ask(t, h, "GET", "/another/one")
	_, body := ask(t, h, "GET", "/metrics")
	for _, line := range []string{
		`ox_mcp_http_requests_total{code="200",method="GET",route="/healthz"} 2`,
		`ox_mcp_http_requests_total{code="404",method="other",route="none"} 1`,
		`ox_mcp_http_requests_total{code="404",method="GET",route="none"} 1`,
		`ox_mcp_http_requests_in_flight 1`, // this one
	} {
		if !strings.Contains(body, line+"\n") {
			t.Errorf("there is no %s in\n%s", line, body)
		}
	}
}
