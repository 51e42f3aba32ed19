package sandbox

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/sandbox/rewrite"
)

// kernelWeight is how many bytes of the host's memory a byte of a kernel is
// taken for. They count with the linear memories.
const kernelWeight = 16

// kernelCode is a compiled kernel. The instance that loaded it and all its
// clones share it: a kernel has no state of its own.
type kernelCode struct {
	pool      *memoryPool
	compiled  wazero.CompiledModule
	hash      string
	functions []kernelFunction
	flat      bool // no function calls another
	work      int
	weight    uint64
	refs      atomic.Int64
}

type kernelFunction struct {
	name            string
	params, results string // letters of a rewrite.Signature
}

func (c *kernelCode) release(ctx context.Context) error {
	if c.refs.Add(-1) > 0 {
		return nil
	}
	c.pool.give(c.weight)
	return c.compiled.Close(ctx)
}

// compileKernel admits a kernel as any module is admitted. It gives a refusal
// only for what lies in the kernel's bytes. Whatever depends on the machine, as
// its time and its memory, ends the call instead: no guest may decide by it.
func (in *Instance) compileKernel(ctx context.Context, wasm []byte, hash string) (*kernelCode, *AdmissionError) {
	h := in.module.host
	limits := rewrite.DefaultLimits()
	limits.ModuleBytes = abi.MaxKernelBytes
	for _, k := range in.kernels.list {
		limits.Work -= k.code.work
	}
	result, err := rewrite.Rewrite(wasm, rewrite.Options{
		Limits: limits,
		Kernel: &rewrite.Kernel{Module: abi.ImportKernel, Name: abi.KernelMemory, Memory: in.module.rewritten.Memory},
	})
	var r *rewrite.Refusal
	if errors.As(err, &r) {
		return nil, &AdmissionError{Code: r.Code, Detail: r.Detail, Function: r.Function, Offset: r.Offset}
	}
	if refusal := h.validate(ctx, wasm); refusal != nil {
		return nil, refusal
	}
	c := &kernelCode{pool: &h.memory, hash: hash, flat: !result.Calls, work: result.Work, weight: kernelWeight * uint64(len(wasm))}
	for _, name := range result.Functions {
		params, results, _ := strings.Cut(string(result.Exports[name]), ">")
		c.functions = append(c.functions, kernelFunction{name: name, params: params, results: results})
	}
	if !c.pool.take(c.weight) {
		t := breach(OutOfMemory, abi.LimitMemory, c.pool.total, c.pool.used()+c.weight)
		t.Detail = "all instances together are at their limit: there is no room for a kernel"
		panic(t)
	}
	if c.compiled, err = in.compileInTime(ctx, result.Wasm); err != nil {
		c.pool.give(c.weight)
		panic(err)
	}
	c.refs.Store(1)
	return c, nil
}

// compileInTime compiles under the deadlines of compilation and of the call.
// The error is a *Trap.
func (in *Instance) compileInTime(ctx context.Context, metered []byte) (wazero.CompiledModule, error) {
	h, m := in.module.host, in.meter
	most := min(h.config.CompileTime, m.deadline.Sub(m.now()))
	compiled, refusal := compile(ctx, h.kernels, metered, most)
	if refusal == nil {
		return compiled, nil
	}
	if t := m.stopped(); t != nil {
		return nil, t
	}
	if refusal.Code == CodeCompileDeadline {
		t := breach(Deadline, abi.LimitDeadline, uint64(most.Milliseconds()), uint64(most.Milliseconds())+1)
		t.Detail = "a kernel was not compiled in time"
		return nil, t
	}
	return nil, &Trap{Kind: Crash, Detail: "a kernel was not compiled: " + refusal.Error(), cause: refusal}
}

// kernels are those that an instance has loaded, by handle.
type kernels struct {
	list []*kernel
	// warm is the function that was called last of all kernels that are not
	// flat. Each function object has a stack, which stays as large as it once
	// became: so an instance keeps one that may be large.
	warm warmFunction
}

// kernel is one of an instance; wasm is nil until it is first called.
type kernel struct {
	code *kernelCode
	wasm api.Module
	warm warmFunction // that was called last; of a flat kernel
}

// warmFunction is a function of a kernel that is ready to be called.
type warmFunction struct {
	kernel   *kernel
	number   uint32
	function api.Function
}

// kernelFunction makes the kernel if it is not there yet. It costs the guest
// nothing, since a clone must not pay for it again.
func (in *Instance) kernelFunction(ctx context.Context, handle, number uint32) api.Function {
	k := in.kernels.list[handle]
	warm := &in.kernels.warm
	if k.code.flat {
		warm = &k.warm
	}
	if warm.kernel == k && warm.number == number {
		return warm.function
	}
	if k.wasm == nil {
		resolving := experimental.WithImportResolver(ctx, func(name string) api.Module {
			if name == rewrite.OwnerModule {
				return in.wasm
			}
			return nil
		})
		wasm, err := in.module.host.kernels.InstantiateModule(resolving, k.code.compiled, wazero.NewModuleConfig().WithName("").WithStartFunctions())
		if err != nil {
			panic(&Trap{Kind: Crash, Detail: "a kernel was not instantiated: " + err.Error(), cause: err})
		}
		k.wasm = wasm
	}
	*warm = warmFunction{kernel: k, number: number, function: k.wasm.ExportedFunction(k.code.functions[number].name)}
	return warm.function
}

// again is the same kernels for a clone, which makes them when it calls them.
func (ks *kernels) again() kernels {
	var out kernels
	for _, k := range ks.list {
		k.code.refs.Add(1)
		out.list = append(out.list, &kernel{code: k.code})
	}
	return out
}

// close closes the kernels of an instance that is closed.
func (ks *kernels) close(ctx context.Context) (err error) {
	for _, k := range ks.list {
		if k.wasm != nil {
			err = errors.Join(err, k.wasm.Close(ctx))
		}
		err = errors.Join(err, k.code.release(ctx))
	}
	*ks = kernels{}
	return err
}
