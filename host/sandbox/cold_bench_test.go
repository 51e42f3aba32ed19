package sandbox_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
	"github.com/ox-mcp/ox-mcp/plugins"
)

// twentyRules is a program of ten pairs of relations, the first of each derived
// from the second.
func twentyRules() abi.Program {
	t := abi.Type{Op: abi.TypeInt}
	columns := []abi.Column{{Name: "a", Type: t}, {Name: "b", Type: t}}
	slots := []abi.Slot{{Name: "x", Type: t}, {Name: "y", Type: t}, {Name: "z", Type: t}}
	arg := func(i int) abi.Arg { return abi.Arg{Op: abi.ArgSlot, Index: i} }
	scan := func(rel, a, b int) abi.Atom {
		return abi.Atom{Op: abi.AtomScan, Rel: rel, Args: []abi.Arg{arg(a), arg(b)}}
	}
	p := abi.Program{ABI: abi.Version, Module: "twenty"}
	for i := range 10 {
		base, derived := 2*i, 2*i+1
		p.Relations = append(p.Relations,
			abi.Relation{Name: fmt.Sprint("base", i), Role: abi.Base, Origin: abi.OriginRelation, Columns: columns, Asserted: -1, Refuted: -1},
			abi.Relation{Name: fmt.Sprint("derived", i), Role: abi.Derived, Origin: abi.OriginDerive, Columns: columns, Asserted: -1, Refuted: -1})
		p.Rules = append(p.Rules,
			abi.Rule{Name: fmt.Sprint("derived", i), Head: derived, Args: []abi.Arg{arg(0), arg(1)}, Slots: slots, Body: []abi.Atom{scan(base, 0, 1)}},
			abi.Rule{Name: fmt.Sprint("derived", i), Head: derived, Args: []abi.Arg{arg(0), arg(2)}, Slots: slots, Body: []abi.Atom{scan(derived, 0, 1), scan(base, 1, 2)}})
		p.Components = append(p.Components, abi.Component{Relations: []int{derived}, Rules: []int{2 * i, 2*i + 1}, Recursive: true})
	}
	return p
}

// BenchmarkFirstAnswer goes from nothing but a cache folder that knows the
// reasoner to the first answer of a program of 20 rules without facts: a
// sandbox, the admission of the guest, an instance, the program and a query, in
// processor time each.
func BenchmarkFirstAnswer(b *testing.B) {
	wasm, err := plugins.Reasoner()
	if err != nil {
		b.Skip(err)
	}
	dir := filepath.Join(b.TempDir(), "cache")
	clock := sandbox.ProcessorTime(b)
	var admit, start, load, ask time.Duration
	answer := func() {
		at := clock()
		lap := func(d *time.Duration) {
			now := clock()
			*d, at = *d+now-at, now
		}
		h, err := sandbox.New(b.Context(), sandbox.Config{CacheDir: dir, TotalMemory: 3 << 30, Now: time.Now, CompileTime: 10 * time.Minute})
		if err != nil {
			b.Fatal(err)
		}
		defer h.Close(context.Background())
		m, err := h.Admit(b.Context(), "reasoner", wasm, sandbox.AdmitOptions{World: abi.WorldReasoner, Grants: []string{abi.GrantKernel}, MemoryCap: 1 << 30, Limits: benchLimits()})
		if err != nil {
			b.Fatal(err)
		}
		lap(&admit)
		in, err := m.Instantiate(b.Context(), benchLimits())
		if err != nil {
			b.Fatal(err)
		}
		s := &session{b: b, in: in, call: abi.Call{Now: abi.Value{Kind: abi.KindInstant}, Limits: benchLimits()}}
		defer s.close()
		lap(&start)
		s.ask(abi.ExportLoad, &abi.LoadRequest{Call: s.call, Program: twentyRules()}, &abi.LoadResponse{})
		lap(&load)
		s.ask(abi.ExportDerive, &abi.DeriveRequest{Call: s.call, Relation: 1, Page: abi.Page{Limit: 10}}, &abi.Rows{})
		lap(&ask)
	}
	answer()
	admit, start, load, ask = 0, 0, 0, 0
	for b.Loop() {
		answer()
	}
	report := func(d time.Duration, unit string) { b.ReportMetric(d.Seconds()*1000/float64(b.N), unit) }
	report(admit, "ms-admit")
	report(start, "ms-start")
	report(load, "ms-load")
	report(ask, "ms-ask")
	report(admit+start+load+ask, "ms")
	b.ReportMetric(100, "ms-must")
	b.ReportMetric(30, "ms-aim")
}

// ternary is a program of one base relation of three columns.
func ternary() abi.Program {
	t := abi.Type{Op: abi.TypeInt}
	columns := []abi.Column{{Name: "a", Type: t}, {Name: "b", Type: t}, {Name: "c", Type: t}}
	return abi.Program{ABI: abi.Version, Module: "facts", Relations: []abi.Relation{
		{Name: "fact", Role: abi.Base, Origin: abi.OriginRelation, Columns: columns, Asserted: -1, Refuted: -1},
	}}
}

// millionFacts is a frame of a million triples; of their last column names are
// strings, all different.
func millionFacts(names int) abi.Frame {
	const n = 1_000_000
	f := abi.Frame{Rows: n, Columns: [][]abi.Term{make([]abi.Term, n), make([]abi.Term, n), make([]abi.Term, n)}}
	state := uint64(7)
	for i := range n {
		state = state*6364136223846793005 + 1442695040888963407
		f.Columns[0][i], _ = abi.InlineTerm(abi.IntValue(int64(i)))
		f.Columns[1][i], _ = abi.InlineTerm(abi.IntValue(int64(state >> 44)))
		f.Columns[2][i], _ = abi.InlineTerm(abi.IntValue(int64(i % 1000)))
		if i < names {
			f.Columns[2][i] = abi.TagTable | abi.Term(i)
			f.Dict = append(f.Dict, abi.StringValue(fmt.Sprint("the name of thing ", i)))
		}
	}
	return f
}

// BenchmarkLoadFacts asserts a million base facts of three columns in a fresh
// instance: of numbers, and with 200,000 strings that it does not know; and the
// million values of a field, whose key is its first column. The time
// is the processor's, from the encoding of the facts on.
func BenchmarkLoadFacts(b *testing.B) {
	m := reasonerModule(b)
	field := ternary()
	field.Relations[0].Columns, field.Relations[0].Key = field.Relations[0].Columns[:2], []int{0}
	pairs := millionFacts(0)
	pairs.Columns = pairs.Columns[:2]
	for _, c := range []struct {
		name    string
		program abi.Program
		facts   abi.Frame
	}{
		{"numbers", ternary(), millionFacts(0)}, {"strings", ternary(), millionFacts(200_000)}, {"field", field, pairs},
	} {
		b.Run(c.name, func(b *testing.B) {
			clock := sandbox.ProcessorTime(b)
			var took time.Duration
			var fuel, memory uint64
			for b.Loop() {
				s := open(b, m, c.program)
				at := clock()
				s.ask(abi.ExportAssert, &abi.AssertRequest{Call: s.call, Deltas: []abi.Delta{{Frame: c.facts}}}, &abi.AssertResponse{})
				took += clock() - at
				fuel, memory = s.use.Fuel, s.use.MemoryBytes
				s.close()
			}
			b.ReportMetric(took.Seconds()*1000/float64(b.N), "ms-assert")
			b.ReportMetric(float64(fuel)/1e6, "Mfuel")
			b.ReportMetric(float64(memory)/(1<<20), "MiB")
			if c.name == "numbers" {
				b.ReportMetric(400, "ms-must")
				b.ReportMetric(200, "ms-aim")
			}
		})
	}
}
