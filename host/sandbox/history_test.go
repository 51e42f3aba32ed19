package sandbox

import (
	"context"
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon"
	"github.com/ox-mcp/ox-mcp/host/argon/load"
	"github.com/ox-mcp/ox-mcp/host/argon/lower"
	"github.com/ox-mcp/ox-mcp/plugins"
)

// built returns an embedded guest, or skips the test with the reason.
func built(t testing.TB, guest func() ([]byte, error)) []byte {
	t.Helper()
	if raceDetector {
		t.Skip("the compiler takes a minute for a Go guest under the race detector")
	}
	wasm, err := guest()
	if err != nil {
		t.Skip(err)
	}
	return wasm
}

// lease is the package of the leases, compiled.
func lease(t testing.TB) *lower.Module {
	t.Helper()
	ws, err := load.Load(context.Background(), load.Options{Root: ".", Files: load.Directory("../../examples/residential_lease")})
	must(t, err)
	r := argon.Compile(context.Background(), ws, argon.Options{})
	if r.Module == nil {
		t.Fatalf("the package does not compile: %v", r.Diagnostics)
	}
	return r.Module
}

// named finds an item of a program by the end of its name.
func named[T any](t testing.TB, items []T, name func(*T) string, suffix string) int {
	t.Helper()
	for i := range items {
		if n := name(&items[i]); n == suffix || strings.HasSuffix(n, "::"+suffix) {
			return i
		}
	}
	t.Fatalf("nothing is called %s", suffix)
	return -1
}

// leaseHistory loads the leases, writes to them, and asks about them, in every
// operation of the contract.
func leaseHistory(t testing.TB, m *lower.Module) []exchange {
	t.Helper()
	call := abi.Call{Now: abi.Value{Kind: abi.KindInstant, Int: 1_800_000_000}, Limits: roomy()}
	call.Limits.Calls, call.Limits.Rounds, call.Limits.Derived, call.Limits.Rows = 1000, 1000, 100_000, 100
	p := m.Program
	relation := func(s string) int {
		return named(t, p.Relations, func(r *abi.Relation) string { return r.Name }, s)
	}
	assert := abi.AssertRequest{Call: call}
	var lets []abi.Value
	var tenants []abi.Value
	for _, f := range m.Facts {
		assert.Deltas = append(assert.Deltas, abi.Delta{Relation: f.Relation, Frame: f.Frame})
		switch name := p.Relations[f.Relation].Name; {
		case strings.HasSuffix(name, "::Lets+"):
			lets = f.Frame.Row(nil, 0)
		case strings.HasSuffix(name, "::Rents+"):
			tenants = f.Frame.Row(nil, 0)
		}
	}
	if len(lets) != 2 || len(tenants) != 2 {
		t.Fatalf("the facts of the leases are not as this test wants them: %v, %v", lets, tenants)
	}
	history := []exchange{
		{abi.ExportDescribe, nil},
		{abi.ExportLoad, (&abi.LoadRequest{Call: call, Program: p}).AppendCBOR(nil)},
		{abi.ExportAssert, assert.AppendCBOR(nil)},
	}
	ask := func(export string, m interface{ AppendCBOR([]byte) []byte }) {
		history = append(history, exchange{export, m.AppendCBOR(nil)})
	}
	charge := named(t, p.Mutations, func(m *abi.Mutation) string { return m.Name }, "charge_rent")
	for month := range int64(6) {
		first := [...]int64{20454, 20485, 20513, 20544, 20574, 20605}[month] // 2026-01-01 and on
		ask(abi.ExportMutate, &abi.MutateRequest{Call: call, Mutation: charge, Delta: true,
			Args: []abi.Value{lets[1], tenants[0], lets[0], abi.DayValue(first)}})
		call.Seed[0]++
	}
	ask(abi.ExportDerive, &abi.DeriveRequest{Call: call, Relation: relation("arrears"), Tags: true, Page: abi.Page{Limit: 50}})
	ask(abi.ExportQuery, &abi.QueryRequest{Call: call, Query: named(t, p.Queries, func(q *abi.Query) string { return q.Name }, "debts_of"),
		Args: []*abi.Value{&tenants[0]}, Page: abi.Page{Limit: 50}})
	ask(abi.ExportExplain, &abi.ExplainRequest{Call: call, Relation: relation("in_force"), Tuple: []abi.Value{lets[1]}, MaxDepth: 5, MaxNodes: 50})
	kind := strings.TrimSuffix(p.Mutations[charge].Name, "charge_rent") + "Kind::Rent"
	grace := named(t, p.Functions, func(f *abi.Function) string { return f.Name }, "grace")
	ask(abi.ExportCompute, &abi.ComputeRequest{Call: call, Function: grace, Args: []abi.Value{abi.SymbolValue(kind)}})
	ask(abi.ExportChecks, &abi.ChecksRequest{Call: call, Check: -1})
	return append(history, exchange{abi.ExportStats, nil})
}

// evaluateHistory asks for the verdicts on what the checks of the reasoner's
// last answer but one found.
func evaluateHistory(t testing.TB, m *lower.Module, found []byte) []exchange {
	t.Helper()
	var checks abi.ChecksResponse
	must(t, checks.DecodeCBOR(found))
	if len(checks.Violations) == 0 {
		t.Fatal("the history violates no check")
	}
	limits := roomy()
	limits.Calls = 1000
	history := []exchange{{abi.ExportEvaluatorDescribe, nil}}
	for _, v := range checks.Violations {
		c := m.Program.Checks[v.Check]
		req := abi.EvaluateRequest{
			Call:  abi.Call{Now: abi.Value{Kind: abi.KindInstant, Int: 1_800_000_000}, Limits: limits},
			Check: c.Name, Constants: m.Program.Constants, Functions: m.Program.Functions, Payload: c.Payload,
			Columns: m.Program.Relations[c.Relation].Columns, Frame: v.Frame,
		}
		history = append(history, exchange{abi.ExportEvaluate, req.AppendCBOR(nil)})
	}
	return history
}

// TestFuelOfTheGuestsIsTheSameInEveryRunAndEngine is what receipts rest on:
// equal usage, answers and memory, for the guests that the product ships.
func TestFuelOfTheGuestsIsTheSameInEveryRunAndEngine(t *testing.T) {
	reasoner, evaluator := built(t, plugins.Reasoner), built(t, plugins.Evaluator)
	m := lease(t)
	history := leaseHistory(t, m)
	in := instantiate(t, admit(t, newHost(t, kept), reasoner, abi.WorldReasoner))
	var answers [][]byte
	for _, x := range history {
		answer, _, err := in.Call(t.Context(), x.export, x.request, roomy())
		must(t, err)
		answers = append(answers, answer)
	}
	t.Run("reasoner", func(t *testing.T) { sameEverywhere(t, reasoner, abi.WorldReasoner, 2, history) })
	t.Run("check evaluator", func(t *testing.T) {
		sameEverywhere(t, evaluator, abi.WorldEvaluator, 2, evaluateHistory(t, m, answers[len(answers)-2]))
	})
}
