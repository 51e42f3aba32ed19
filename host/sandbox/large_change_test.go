package sandbox_test

import (
	"context"
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/workload"
)

// fuelOfLargeChange takes half of a same generation away, and gives it back, with
// the change of that and of a relation that reads it: so much that to keep up to
// date is given up.
func fuelOfLargeChange(t *testing.T, m *sandbox.Module) (fuel uint64) {
	p := sameGeneration()
	read := p.Relations[1]
	read.Name = "mutual"
	p.Relations = append(p.Relations, read)
	rule := p.Rules[0]
	slot := func(i int) abi.Arg { return abi.Arg{Op: abi.ArgSlot, Index: i} }
	rule.Name, rule.Head, rule.Slots = "mutual", 2, rule.Slots[:2]
	rule.Body = []abi.Atom{
		{Op: abi.AtomScan, Rel: 1, Args: []abi.Arg{slot(0), slot(1)}},
		{Op: abi.AtomScan, Rel: 1, Args: []abi.Arg{slot(1), slot(0)}},
	}
	p.Rules = append(p.Rules, rule)
	p.Components = append(p.Components, abi.Component{Relations: []int{2}, Rules: []int{2}})
	add, take := workload.Change(&p, 0)
	in, err := m.Instantiate(t.Context(), benchLimits())
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close(context.Background())
	call := abi.Call{Now: abi.Value{Kind: abi.KindInstant}, Limits: benchLimits()}
	var rows abi.Rows
	for _, step := range []exchange{
		{abi.ExportLoad, &abi.LoadRequest{Call: call, Program: p}, &abi.LoadResponse{}},
		{abi.ExportAssert, &abi.AssertRequest{Call: call, Deltas: []abi.Delta{{Frame: edges(tree(1023))}}}, &abi.AssertResponse{}},
		{abi.ExportDerive, &abi.DeriveRequest{Call: call, Relation: 2, Page: abi.Page{Limit: 1}}, &rows},
	} {
		step.fuel(t, in)
	}
	if rows.Total != 348_502 {
		t.Fatalf("%d tuples", rows.Total)
	}
	for _, mutation := range []int{take, add} {
		var out abi.MutateResponse
		req := &abi.MutateRequest{Call: call, Mutation: mutation, Args: []abi.Value{abi.IntValue(3), abi.IntValue(1)}, Delta: true}
		fuel += exchange{abi.ExportMutate, req, &out}.fuel(t, in)
		if len(out.Changes) != 2 {
			t.Fatalf("%d relations changed", len(out.Changes))
		}
		for _, c := range out.Changes {
			if gone, come := c.Removed.Rows, c.Added.Rows; gone+come != 131_070 || (gone > 0) != (mutation == take) {
				t.Errorf("relation %d: %d tuples gone, %d new", c.Relation, gone, come)
			}
		}
	}
	return fuel
}
