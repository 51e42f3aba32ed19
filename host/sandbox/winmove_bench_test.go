package sandbox_test

import (
	"context"
	"testing"
	"time"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/engine"
)

// winMove is win(x) :- move(x, y), not win(y).
func winMove() abi.Program {
	p := closure()
	x, y := abi.Arg{Op: abi.ArgSlot, Index: 0}, abi.Arg{Op: abi.ArgSlot, Index: 1}
	p.Relations[1].Columns = p.Relations[1].Columns[:1]
	p.Rules = p.Rules[:1]
	p.Rules[0].Args = []abi.Arg{x}
	p.Rules[0].Body = append(p.Rules[0].Body, abi.Atom{Op: abi.AtomScan, Rel: 1, Args: []abi.Arg{y}, Neg: true})
	p.Components = []abi.Component{{Relations: []int{1}, Rules: []int{0}, Recursive: true, WellFounded: true}}
	return p
}

// game returns n positions with some moves each: to later positions only, so
// that none is drawn, or to anywhere.
func game(n, moves int, later bool) (out [][2]int64) {
	for i, e := range randomGraph(n, n*moves) {
		from := int64(i / moves)
		if to := from + 1 + e[1]; !later {
			out = append(out, [2]int64{from, e[1]})
		} else if to < int64(n) {
			out = append(out, [2]int64{from, to})
		}
	}
	return out
}

// BenchmarkReasonerWinMove solves the game of win and move under the
// well-founded semantics, in the sandbox and natively.
func BenchmarkReasonerWinMove(b *testing.B) {
	for _, w := range []struct {
		name  string
		moves [][2]int64
	}{
		{"path20000", chain(20_000)}, {"path200000", chain(200_000)},
		{"decided100000x2", game(100_000, 2, true)}, {"drawn100000x4", game(100_000, 4, false)},
	} {
		b.Run(w.name, func(b *testing.B) {
			facts := edges(w.moves)
			module := reasonerModule(b)
			var inside, native time.Duration
			for b.Loop() {
				n, d := playInside(b, module, facts)
				inside += d
				m, d := playNative(b, facts)
				native += d
				if n != m || n == 0 {
					b.Fatalf("%d positions in the sandbox, %d natively", n, m)
				}
			}
			b.ReportMetric(inside.Seconds()/float64(b.N), "s")
			b.ReportMetric(inside.Seconds()/native.Seconds(), "ratio")
		})
	}
}

// playInside solves a game in the sandbox, and says how many positions are won
// or drawn and how long it took from the assertion of the moves on.
func playInside(b *testing.B, m *sandbox.Module, moves abi.Frame) (uint64, time.Duration) {
	limits := benchLimits()
	in, err := m.Instantiate(b.Context(), limits)
	if err != nil {
		b.Fatal(err)
	}
	defer in.Close(context.Background())
	call := abi.Call{Now: abi.Value{Kind: abi.KindInstant}, Limits: limits}
	ask := func(export string, req interface{ AppendCBOR([]byte) []byte }, resp interface{ DecodeCBOR([]byte) error }) {
		out, _, err := in.Call(b.Context(), export, req.AppendCBOR(nil), limits)
		if err == nil {
			err = resp.DecodeCBOR(out)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	ask(abi.ExportLoad, &abi.LoadRequest{Call: call, Program: winMove()}, &abi.LoadResponse{})
	start := time.Now()
	ask(abi.ExportAssert, &abi.AssertRequest{Call: call, Deltas: []abi.Delta{{Frame: moves}}}, &abi.AssertResponse{})
	var rows abi.Rows
	ask(abi.ExportDerive, &abi.DeriveRequest{Call: call, Relation: 1, Page: abi.Page{Limit: 1}}, &rows)
	return rows.Total, time.Since(start)
}

func playNative(b *testing.B, moves abi.Frame) (uint64, time.Duration) {
	e := engine.New()
	call := abi.Call{Now: abi.Value{Kind: abi.KindInstant}, Limits: benchLimits()}
	if _, f := e.Load(&abi.LoadRequest{Call: call, Program: winMove()}); f != nil {
		b.Fatal(f)
	}
	start := time.Now()
	if _, f := e.Assert(&abi.AssertRequest{Call: call, Deltas: []abi.Delta{{Frame: moves}}}); f != nil {
		b.Fatal(f)
	}
	rows, f := e.Derive(&abi.DeriveRequest{Call: call, Relation: 1, Page: abi.Page{Limit: 1}})
	if f != nil {
		b.Fatal(f)
	}
	return rows.Total, time.Since(start)
}
