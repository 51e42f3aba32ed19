package workload_test

import (
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/engine"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/workload"
)

// BenchmarkNative answers each workload with the engine outside the sandbox.
func BenchmarkNative(b *testing.B) {
	for _, name := range workload.Names() {
		b.Run(name, func(b *testing.B) {
			w, _ := workload.Named(name)
			program, relations := w.Program()
			frames := w.Frames(relations)
			call := abi.Call{Now: abi.Value{Kind: abi.KindInstant}, Limits: limits()}
			for b.Loop() {
				e := engine.New()
				if _, f := e.Load(&abi.LoadRequest{Call: call, Program: program}); f != nil {
					b.Fatal(f)
				}
				if _, f := e.Assert(&abi.AssertRequest{Call: call, Deltas: frames}); f != nil {
					b.Fatal(f)
				}
				rows, f := e.Derive(&abi.DeriveRequest{Call: call, Relation: relations[w.Ask], Page: abi.Page{Limit: 1}})
				if f != nil || rows.Total != w.Tuples {
					b.Fatal(f, rows)
				}
			}
		})
	}
}
