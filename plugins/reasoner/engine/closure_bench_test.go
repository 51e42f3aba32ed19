package engine

import (
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
)

// randomEdges is a graph of n nodes and m edges, the same on every machine.
func randomEdges(n, m int) abi.Frame {
	state := uint64(12345)
	next := func() int64 {
		state = state*6364136223846793005 + 1442695040888963407
		return int64(state>>33) % int64(n)
	}
	var rows [][]int64
	for range m {
		rows = append(rows, []int64{next(), next()})
	}
	return intFrame(rows...)
}

func chainEdges(n int) abi.Frame {
	var rows [][]int64
	for i := range int64(n - 1) {
		rows = append(rows, []int64{i, i + 1})
	}
	return intFrame(rows...)
}

func benchmarkClosure(b *testing.B, edges abi.Frame) {
	p, edge, path := closureProgram()
	benchmarkProgram(b, p, edge, edges, path)
}

// benchmarkProgram loads a program and its facts and reads a relation.
func benchmarkProgram(b *testing.B, p abi.Program, base int, facts abi.Frame, read int) {
	tuples := 0
	for b.Loop() {
		e := load(b, p)
		if _, f := e.Assert(&abi.AssertRequest{Deltas: []abi.Delta{{Relation: base, Frame: facts}}}); f != nil {
			b.Fatal(f)
		}
		rows, f := e.Derive(&abi.DeriveRequest{Relation: read, Page: abi.Page{Limit: 1}})
		if f != nil {
			b.Fatal(f)
		}
		tuples += int(rows.Total)
	}
	b.ReportMetric(float64(tuples)/b.Elapsed().Seconds(), "tuples/s")
	b.ReportMetric(float64(tuples)/float64(b.N), "tuples")
}

func BenchmarkClosureRandom(b *testing.B) { benchmarkClosure(b, randomEdges(1500, 3000)) }

func BenchmarkClosureChain(b *testing.B) { benchmarkClosure(b, chainEdges(2000)) }
