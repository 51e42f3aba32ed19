package sandbox_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
	"github.com/ox-mcp/ox-mcp/plugins"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/engine"
)

// closure is path(x, z) :- edge(x, z); path(x, z) :- path(x, y), edge(y, z).
func closure() abi.Program {
	t := abi.Type{Op: abi.TypeInt}
	columns := []abi.Column{{Name: "a", Type: t}, {Name: "b", Type: t}}
	slot := func(i int) abi.Arg { return abi.Arg{Op: abi.ArgSlot, Index: i} }
	scan := func(rel int, args ...abi.Arg) abi.Atom { return abi.Atom{Op: abi.AtomScan, Rel: rel, Args: args} }
	slots := func(names ...string) (out []abi.Slot) {
		for _, n := range names {
			out = append(out, abi.Slot{Name: n, Type: t})
		}
		return out
	}
	return abi.Program{
		ABI: abi.Version, Module: "bench",
		Relations: []abi.Relation{
			{Name: "edge", Role: abi.Base, Origin: abi.OriginRelation, Columns: columns, Asserted: -1, Refuted: -1},
			{Name: "path", Role: abi.Derived, Origin: abi.OriginDerive, Columns: columns, Asserted: -1, Refuted: -1},
		},
		Rules: []abi.Rule{
			{Name: "path", Head: 1, Args: []abi.Arg{slot(0), slot(1)}, Slots: slots("x", "z"), Body: []abi.Atom{scan(0, slot(0), slot(1))}},
			{Name: "path", Head: 1, Args: []abi.Arg{slot(0), slot(2)}, Slots: slots("x", "y", "z"), Body: []abi.Atom{scan(1, slot(0), slot(1)), scan(0, slot(1), slot(2))}},
		},
		Components: []abi.Component{{Relations: []int{1}, Rules: []int{0, 1}, Recursive: true}},
	}
}

func edges(pairs [][2]int64) abi.Frame {
	b := abi.FrameBuilder{Arity: 2}
	for _, p := range pairs {
		b.Add([]abi.Value{abi.IntValue(p[0]), abi.IntValue(p[1])})
	}
	return b.Frame()
}

func randomGraph(n, m int) (out [][2]int64) {
	state := uint64(12345)
	next := func() int64 {
		state = state*6364136223846793005 + 1442695040888963407
		return int64(state>>33) % int64(n)
	}
	for range m {
		out = append(out, [2]int64{next(), next()})
	}
	return out
}

func chain(n int) (out [][2]int64) {
	for i := range int64(n - 1) {
		out = append(out, [2]int64{i, i + 1})
	}
	return out
}

// BenchmarkReasonerClosure derives a closure with the embedded reasoner in the
// sandbox, metered, and in turn with the same engine run natively. It reports
// derived tuples a second of both, by the medians of their times from the
// assertion of the facts to the count, and the ratio of the medians. At least
// 0.7 M tuples/s and a ratio of at most 4 are what the product promises.
func BenchmarkReasonerClosure(b *testing.B) {
	for _, w := range []struct {
		name  string
		edges [][2]int64
	}{{"random1500x3000", randomGraph(1500, 3000)}, {"chain2000", chain(2000)}} {
		b.Run(w.name, func(b *testing.B) {
			facts := edges(w.edges)
			module := reasonerModule(b)
			var inside, native []time.Duration
			var tuples uint64
			for b.Loop() {
				n, d := runInside(b, module, facts)
				inside = append(inside, d)
				m, d := runNative(b, facts)
				native = append(native, d)
				if n != m || n == 0 {
					b.Fatalf("%d tuples in the sandbox, %d natively", n, m)
				}
				tuples = n
			}
			in, out := medianTime(inside), medianTime(native)
			b.ReportMetric(float64(tuples)/in.Seconds(), "tuples/s")
			b.ReportMetric(float64(tuples)/out.Seconds(), "native-tuples/s")
			b.ReportMetric(in.Seconds()/out.Seconds(), "ratio")
		})
	}
}

func medianTime(x []time.Duration) time.Duration {
	slices.Sort(x)
	return x[len(x)/2]
}

func benchLimits() abi.Limits {
	return abi.Limits{
		Fuel: 200e9, Memory: 1 << 30, Deadline: 120_000, Depth: 1900, Calls: 10_000, Rounds: 1e6, Derived: 1e8,
		Rows: 200, ResultBytes: 1 << 20, HostCalls: 10_000, HostBytes: 1 << 24, OutputBytes: 1 << 24, SourceBytes: 1 << 23, BodyBytes: 1 << 16,
	}
}

func reasonerModule(b *testing.B) *sandbox.Module {
	wasm, err := plugins.Reasoner()
	if err != nil {
		b.Skip(err)
	}
	h, err := sandbox.New(b.Context(), sandbox.Config{TotalMemory: 3 << 30, Now: time.Now, CompileTime: 10 * time.Minute})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { h.Close(context.Background()) })
	m, err := h.Admit(b.Context(), "reasoner", wasm, sandbox.AdmitOptions{World: abi.WorldReasoner, Grants: []string{abi.GrantKernel}, MemoryCap: 1 << 30, Limits: benchLimits()})
	if err != nil {
		b.Fatal(err)
	}
	return m
}

// session is an instance of the reasoner that has loaded a program.
type session struct {
	b    *testing.B
	in   *sandbox.Instance
	call abi.Call
	use  sandbox.Usage // of the last call
}

func open(b *testing.B, m *sandbox.Module, p abi.Program) *session {
	in, err := m.Instantiate(b.Context(), benchLimits())
	if err != nil {
		b.Fatal(err)
	}
	s := &session{b: b, in: in, call: abi.Call{Now: abi.Value{Kind: abi.KindInstant}, Limits: benchLimits()}}
	s.ask(abi.ExportLoad, &abi.LoadRequest{Call: s.call, Program: p}, &abi.LoadResponse{})
	return s
}

func (s *session) ask(export string, req interface{ AppendCBOR([]byte) []byte }, resp interface{ DecodeCBOR([]byte) error }) {
	out, use, err := s.in.Call(s.b.Context(), export, req.AppendCBOR(nil), s.call.Limits)
	if err == nil {
		err = resp.DecodeCBOR(out)
	}
	if err != nil {
		s.b.Fatal(err)
	}
	s.use = use
}

// add asserts facts of relation 0 and counts relation rel.
func (s *session) add(facts abi.Frame, rel int) uint64 {
	s.ask(abi.ExportAssert, &abi.AssertRequest{Call: s.call, Deltas: []abi.Delta{{Frame: facts}}}, &abi.AssertResponse{})
	var rows abi.Rows
	s.ask(abi.ExportDerive, &abi.DeriveRequest{Call: s.call, Relation: rel, Page: abi.Page{Limit: 1}}, &rows)
	return rows.Total
}

func (s *session) close() { s.in.Close(context.Background()) }

func runInside(b *testing.B, m *sandbox.Module, facts abi.Frame) (uint64, time.Duration) {
	s := open(b, m, closure())
	defer s.close()
	start := time.Now()
	return s.add(facts, 1), time.Since(start)
}

func runNative(b *testing.B, facts abi.Frame) (uint64, time.Duration) {
	e := engine.New()
	call := abi.Call{Now: abi.Value{Kind: abi.KindInstant}, Limits: benchLimits()}
	if _, f := e.Load(&abi.LoadRequest{Call: call, Program: closure()}); f != nil {
		b.Fatal(f)
	}
	start := time.Now()
	if _, f := e.Assert(&abi.AssertRequest{Call: call, Deltas: []abi.Delta{{Frame: facts}}}); f != nil {
		b.Fatal(f)
	}
	rows, f := e.Derive(&abi.DeriveRequest{Call: call, Relation: 1, Page: abi.Page{Limit: 1}})
	if f != nil {
		b.Fatal(f)
	}
	return rows.Total, time.Since(start)
}
