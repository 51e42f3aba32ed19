package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
	"github.com/ox-mcp/ox-mcp/plugins"
	reasoner "github.com/ox-mcp/ox-mcp/plugins/reasoner/engine"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/workload"
)

// engine is something that can be asked a workload's question.
type engine struct {
	name    string
	missing string // why it is not here
	command func(*workload.Workload) []string
}

// ourselves is this command as a process of its own.
func ourselves(how string) engine {
	return engine{name: how, command: func(w *workload.Workload) []string {
		self, err := os.Executable()
		if err != nil {
			return nil
		}
		return []string{self, "-child", how, "-w", w.Name}
	}}
}

// memory is what an instance may have: enough for the largest workload of most
// families.
const memory = 3 << 30

func limits() abi.Limits {
	return abi.Limits{
		Fuel: 1e12, Memory: memory, Deadline: 1_200_000, Depth: 1900, Calls: 10_000, Rounds: 1e6, Derived: 1e8,
		Rows: 200, ResultBytes: 1 << 20, HostCalls: 10_000, HostBytes: 1 << 24, OutputBytes: 1 << 24, SourceBytes: 1 << 23, BodyBytes: 1 << 16,
	}
}

// runHere answers a workload in this process and gives the number of tuples.
func runHere(how, name string) (uint64, error) {
	w, ok := workload.Named(name)
	if !ok {
		return 0, fmt.Errorf("no workload %s", name)
	}
	program, relations := w.Program()
	call := abi.Call{Now: abi.Value{Kind: abi.KindInstant}, Limits: limits()}
	load := abi.LoadRequest{Call: call, Program: program}
	facts := abi.AssertRequest{Call: call, Deltas: w.Frames(relations)}
	ask := abi.DeriveRequest{Call: call, Relation: relations[w.Ask], Page: abi.Page{Limit: 1}}
	if how == "native" {
		e := reasoner.New()
		if _, f := e.Load(&load); f != nil {
			return 0, fmt.Errorf("%v", f)
		}
		if _, f := e.Assert(&facts); f != nil {
			return 0, fmt.Errorf("%v", f)
		}
		rows, f := e.Derive(&ask)
		if f != nil {
			return 0, fmt.Errorf("%v", f)
		}
		return rows.Total, nil
	}
	return sandboxed(&load, &facts, &ask)
}

func sandboxed(load *abi.LoadRequest, facts *abi.AssertRequest, ask *abi.DeriveRequest) (uint64, error) {
	ctx := context.Background()
	wasm, err := plugins.Reasoner()
	if err != nil {
		return 0, err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return 0, err
	}
	host, err := sandbox.New(ctx, sandbox.Config{TotalMemory: memory, CacheDir: cache + "/ox-mcp/peers", Now: time.Now, CompileTime: 10 * time.Minute})
	if err != nil {
		return 0, err
	}
	defer host.Close(ctx)
	module, err := host.Admit(ctx, "reasoner", wasm, sandbox.AdmitOptions{World: abi.WorldReasoner, Grants: []string{abi.GrantKernel}, MemoryCap: memory, Limits: limits()})
	if err != nil {
		return 0, err
	}
	instance, err := module.Instantiate(ctx, limits())
	if err != nil {
		return 0, err
	}
	defer instance.Close(ctx)
	var rows abi.Rows
	for _, step := range []struct {
		export string
		in     interface{ AppendCBOR([]byte) []byte }
		out    interface{ DecodeCBOR([]byte) error }
	}{
		{abi.ExportLoad, load, &abi.LoadResponse{}}, {abi.ExportAssert, facts, &abi.AssertResponse{}}, {abi.ExportDerive, ask, &rows},
	} {
		out, _, err := instance.Call(ctx, step.export, step.in.AppendCBOR(nil), limits())
		if err != nil {
			return 0, err
		}
		if err := step.out.DecodeCBOR(out); err != nil {
			return 0, err
		}
	}
	return rows.Total, nil
}
