package sandbox

import (
	"context"
	"errors"
	"fmt"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/sandbox/rewrite"
)

// Instance is a running module. Calls, Clone and Close of one instance wait
// for each other; different instances run side by side.
type Instance struct {
	module    *Module
	wasm      api.Module
	memory    *reservation
	fuel      api.MutableGlobal
	depth     api.MutableGlobal
	functions map[string]api.Function
	stubs     stubs
	output    capture
	meter     *meter // of the call that runs
	started   Usage
	running   uint32   // address of the number of the rule that runs; 0: not known
	snap      snapshot // of the memory since the last call, if there was a clone
	origin    snapshot // that the memory lives on
	kernels   kernels

	turn   chan struct{} // holds one token while the instance is free
	dead   error         // why no call is possible any more
	closed bool
}

// Usage is what a call cost.
type Usage struct {
	Fuel        uint64 // units of the fuel schedule
	MemoryBytes uint64 // size of the linear memory after the call; it never shrinks
	Calls       uint64 // calls of granted imports
}

// ErrClosed is the error of a call on a closed instance.
var ErrClosed = errors.New("sandbox: the instance is closed")

// Instantiate makes an instance and runs its _initialize under limits, whose
// Memory holds for the instance's whole life. The error is a *Trap if the
// guest's start-up ended in one.
func (m *Module) Instantiate(ctx context.Context, limits abi.Limits) (*Instance, error) {
	in, err := m.instantiate(ctx, limits)
	if err != nil {
		return nil, err
	}
	in.writeData()
	if _, ok := m.rewritten.Exports[exportInitialize]; ok {
		in.begin(ctx, limits)
		_, err := in.invoke(exportInitialize)
		in.started = in.usage()
		if err != nil {
			return nil, with(err, in.Close(ctx))
		}
	}
	return in, nil
}

// writeData writes the module's data segments into the new memory, where the
// runtime did not. They fit it.
func (in *Instance) writeData() {
	memory := in.memory.bytes()
	for _, s := range in.module.code.data {
		copy(memory[s.Offset:], s.Bytes)
	}
}

// instantiate makes an instance and runs none of its code. Its memory may be
// without the data segments.
func (m *Module) instantiate(ctx context.Context, limits abi.Limits) (*Instance, error) {
	if err := checkLimits(limits); err != nil {
		return nil, err
	}
	if err := m.lease(); err != nil {
		return nil, err
	}
	in := &Instance{
		module: m, functions: map[string]api.Function{}, stubs: newStubs(),
		memory: m.host.memory.reserve(min(limits.Memory, m.memoryCap)),
		turn:   make(chan struct{}, 1),
	}
	in.turn <- struct{}{}
	if err := in.start(ctx); err != nil {
		m.host.memory.release(in.memory)
		return nil, with(err, m.release(ctx))
	}
	return in, nil
}

// with adds what went wrong while cleaning up after err, which mostly is
// nothing: callers then get err as it is.
func with(err, cleaning error) error {
	if cleaning == nil {
		return err
	}
	return errors.Join(err, cleaning)
}

func (in *Instance) start(ctx context.Context) (err error) {
	minimum := uint64(in.module.rewritten.MemoryMin) * rewrite.PageBytes
	if !in.memory.admit(minimum) {
		r := in.memory.refused
		return breach(OutOfMemory, abi.LimitMemory, r.allowed, r.asked)
	}
	// The runtime panics where the allocator gives less than the minimum.
	defer func() {
		if p := recover(); p != nil {
			err = refused(CodePanic, "the runtime panicked while instantiating the module: %v", p)
		}
	}()
	wasm, err := in.module.host.runtime.InstantiateModule(
		experimental.WithMemoryAllocator(ctx, in.memory), in.module.code.compiled,
		wazero.NewModuleConfig().WithName("").WithStartFunctions())
	if err != nil {
		return &Trap{Kind: Crash, Export: "instantiate", Detail: err.Error(), cause: err}
	}
	in.wasm = wasm
	in.fuel = in.global(rewrite.FuelGlobal)
	in.depth = in.global(rewrite.DepthGlobal)
	return nil
}

// global returns an exported global that the rewriter made mutable.
func (in *Instance) global(name string) api.MutableGlobal {
	g, _ := in.wasm.ExportedGlobal(name).(api.MutableGlobal)
	return g
}

func checkLimits(l abi.Limits) error {
	for _, x := range []struct {
		name  string
		value uint64
	}{
		{abi.LimitFuel, l.Fuel}, {abi.LimitMemory, l.Memory}, {abi.LimitDeadline, l.Deadline},
		{abi.LimitDepth, l.Depth}, {abi.LimitOutput, l.OutputBytes},
	} {
		if x.value == 0 {
			return fmt.Errorf("sandbox: the limit %q is not set: nothing runs without one", x.name)
		}
	}
	if l.Fuel > maxFuel {
		return fmt.Errorf("sandbox: the limit %q is %d, at most %d can be counted", abi.LimitFuel, l.Fuel, uint64(maxFuel))
	}
	return nil
}

// maxFuel leaves room for the largest single charge in the 64-bit counter.
const maxFuel = 1 << 62

// Started returns what the instance's start-up cost.
func (in *Instance) Started() Usage { return in.started }

// take waits for the instance to be free.
func (in *Instance) take(ctx context.Context) error {
	select {
	case <-in.turn:
		return nil
	case <-ctx.Done():
		return &Trap{Kind: Cancelled, Detail: "the caller went away while the instance was busy", cause: ctx.Err()}
	}
}

func (in *Instance) give() { in.turn <- struct{}{} }

// Close waits for the call that runs, and frees the instance. A second Close
// does nothing.
func (in *Instance) Close(ctx context.Context) error {
	<-in.turn
	defer in.give()
	if in.closed {
		return nil
	}
	in.closed, in.dead = true, ErrClosed
	in.dropSnapshot()
	// The runtime frees the memory with the first that closes: the owner.
	err := errors.Join(in.wasm.Close(ctx), in.kernels.close(ctx))
	in.module.host.memory.release(in.memory)
	in.dropOrigin()
	return errors.Join(err, in.module.release(ctx))
}
