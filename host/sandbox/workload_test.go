package sandbox_test

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
	"github.com/ox-mcp/ox-mcp/plugins"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/workload"
)

var updateFuel = flag.Bool("update-fuel", false, "write the fuel of the reasoner's workloads to testdata/workload_fuel.txt")

// Fuel is the same on every run, so a slower reasoner shows exactly: none of
// the workloads may take 3 % more than the file says. A change that is meant,
// or a fall, is written with -update-fuel.
func TestFuelOfWorkloads(t *testing.T) {
	if sandbox.RaceDetector {
		t.Skip("fuel is the same with the race detector, and takes ten times as long")
	}
	m := reasonerModules(t).withKernels
	const golden = "testdata/workload_fuel.txt"
	want := readFuel(t, golden)
	var out strings.Builder
	note := func(name, about string, fuel uint64) {
		fmt.Fprintf(&out, "%s %d\n", name, fuel)
		if was := want[name]; !*updateFuel && (was == 0 || float64(fuel) > 1.03*float64(was)) {
			t.Errorf("%s, %s: %d units of fuel, %s has %d; if that is meant: go test ./host/sandbox -run TestFuelOfWorkloads -update-fuel", name, about, fuel, golden, was)
		}
	}
	for _, name := range workload.Names() {
		w, _ := workload.Named(name)
		fuel, tuples := fuelOf(t, m, &w)
		if tuples != w.Tuples {
			t.Errorf("%s: %d tuples, want %d", name, tuples, w.Tuples)
		}
		note(name, w.About, fuel)
	}
	insert, remove := fuelOfChanges(t, m)
	note("w6+", "20 edges more after w1s, one at a time", insert)
	note("w6-", "20 edges less after w1s, one at a time", remove)
	note("half", "half of a same generation less, and more", fuelOfLargeChange(t, m))
	note("open", "what becomes unknown and known of 20 units of an open world, one at a time", fuelOfOpenChanges(t, m))
	if *updateFuel {
		if err := os.WriteFile(golden, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// compiled is the reasoner under a host for the tests of this package.
type compiled struct {
	host        *sandbox.Host
	wasm        []byte
	withKernels *sandbox.Module
}

// compileOnce compiles it for the first test that asks: that takes seconds.
var compileOnce = sync.OnceValues(func() (c compiled, err error) {
	ctx := context.Background()
	if c.wasm, err = plugins.Reasoner(); err != nil {
		return c, err
	}
	if c.host, err = sandbox.New(ctx, sandbox.Config{TotalMemory: 3 << 30, Now: time.Now, CompileTime: 10 * time.Minute}); err != nil {
		return c, err
	}
	c.withKernels, err = c.host.Admit(ctx, "reasoner", c.wasm, sandbox.AdmitOptions{World: abi.WorldReasoner, Grants: []string{abi.GrantKernel}, MemoryCap: 1 << 30, Limits: benchLimits()})
	return c, err
})

func reasonerModules(t *testing.T) compiled {
	t.Helper()
	c, err := compileOnce()
	switch {
	case err != nil && c.wasm == nil:
		t.Skip(err)
	case err != nil:
		t.Fatal(err)
	}
	return c
}

func readFuel(t *testing.T, path string) map[string]uint64 {
	out := map[string]uint64{}
	f, err := os.Open(path)
	if err != nil {
		if *updateFuel {
			return out
		}
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var name string
		var fuel uint64
		if _, err := fmt.Sscan(lines.Text(), &name, &fuel); err != nil {
			t.Fatalf("%s: %q: %v", path, lines.Text(), err)
		}
		out[name] = fuel
	}
	return out
}

// exchange is a call of the reasoner.
type exchange struct {
	export string
	in     interface{ AppendCBOR([]byte) []byte }
	out    interface{ DecodeCBOR([]byte) error }
}

// fuelOf answers a workload on a fresh instance.
func fuelOf(t *testing.T, m *sandbox.Module, w *workload.Workload) (fuel, tuples uint64) {
	program, relations := w.Program()
	in, err := m.Instantiate(t.Context(), benchLimits())
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close(context.Background())
	return answer(t, in, w, program, relations)
}

// answer loads a workload's program, which may be more than that, and answers
// its question.
func answer(t *testing.T, in *sandbox.Instance, w *workload.Workload, program abi.Program, relations map[string]int) (fuel, tuples uint64) {
	call := abi.Call{Now: abi.Value{Kind: abi.KindInstant}, Limits: benchLimits()}
	var rows abi.Rows
	for _, step := range []exchange{
		{abi.ExportLoad, &abi.LoadRequest{Call: call, Program: program}, &abi.LoadResponse{}},
		{abi.ExportAssert, &abi.AssertRequest{Call: call, Deltas: w.Frames(relations)}, &abi.AssertResponse{}},
		{abi.ExportDerive, &abi.DeriveRequest{Call: call, Relation: relations[w.Ask], Page: abi.Page{Limit: 1}}, &rows},
	} {
		fuel += step.fuel(t, in)
	}
	return fuel, rows.Total
}

// fuel makes the call.
func (x exchange) fuel(t *testing.T, in *sandbox.Instance) uint64 {
	out, use, err := in.Call(t.Context(), x.export, x.in.AppendCBOR(nil), benchLimits())
	if err == nil {
		err = x.out.DecodeCBOR(out)
	}
	if err != nil {
		t.Fatalf("%s: %v", x.export, err)
	}
	return use.Fuel
}

// fuelOfChanges adds 20 edges after w1s, and removes 20 of those that were
// there, one at a time and with the change of the closure.
func fuelOfChanges(t *testing.T, m *sandbox.Module) (insert, remove uint64) {
	w, _ := workload.Named("w1s")
	program, relations := w.Program()
	add, take := workload.Change(&program, relations["edge"])
	in, err := m.Instantiate(t.Context(), benchLimits())
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close(context.Background())
	answer(t, in, &w, program, relations)
	call := abi.Call{Now: abi.Value{Kind: abi.KindInstant}, Limits: benchLimits()}
	change := func(mutation, i int) uint64 {
		req := &abi.MutateRequest{Call: call, Mutation: mutation, Args: w.Edge(i, mutation == add), Delta: true}
		return exchange{abi.ExportMutate, req, &abi.MutateResponse{}}.fuel(t, in)
	}
	for i := range 20 {
		insert += change(add, i)
	}
	for i := range 20 {
		remove += change(take, i)
	}
	return insert, remove
}

// fuelOfOpenChanges makes 20 facts of an open world unknown, and known again, one
// at a time and with the change of what is derived.
func fuelOfOpenChanges(t *testing.T, m *sandbox.Module) (fuel uint64) {
	w, program, relations := workload.Open(10_000)
	add, take := workload.Change(&program, relations["clear"])
	in, err := m.Instantiate(t.Context(), benchLimits())
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close(context.Background())
	answer(t, in, &w, program, relations)
	call := abi.Call{Now: abi.Value{Kind: abi.KindInstant}, Limits: benchLimits()}
	for i := range 20 {
		for _, mutation := range []int{take, add} {
			req := &abi.MutateRequest{Call: call, Mutation: mutation, Args: w.Edge(i, false), Delta: true}
			fuel += exchange{abi.ExportMutate, req, &abi.MutateResponse{}}.fuel(t, in)
		}
	}
	return fuel
}
