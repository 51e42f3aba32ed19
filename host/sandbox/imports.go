package sandbox

import (
	"context"
	"errors"
	"slices"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/sandbox/rewrite"
)

const (
	exitName                   = "proc_exit"
	exitType rewrite.Signature = "i>"

	logName                   = "write"
	logType rewrite.Signature = "iii>"
)

// grants are the imports that a module may name: the inert stubs that every
// Go program needs, what the operator granted, by the names of abi, and kernels
// for a build that can do without them.
func grants(granted ...string) map[string]map[string]rewrite.Signature {
	wasi := map[string]rewrite.Signature{exitName: exitType}
	for _, s := range wasiStubs() {
		wasi[s.name] = s.typ
	}
	kernels := map[string]rewrite.Signature{loadKernelName: loadKernelType, callKernelName: callKernelType}
	imports := map[string]map[string]rewrite.Signature{wasiModule: wasi, abi.ImportKernelIfGranted: kernels}
	for _, g := range granted {
		switch g {
		case abi.GrantLog:
			imports[abi.ImportLog] = map[string]rewrite.Signature{logName: logType}
		case abi.GrantFacts:
			imports[abi.ImportFacts] = map[string]rewrite.Signature{scanName: scanType}
		case abi.GrantKernel:
			imports[abi.ImportKernel] = kernels
		}
	}
	return imports
}

// instead has a module that is granted kernels take those that it can do without
// from where the others are.
func instead(granted []string) map[string]string {
	if !slices.Contains(granted, abi.GrantKernel) {
		return nil
	}
	return map[string]string{abi.ImportKernelIfGranted: abi.ImportKernel}
}

// offer instantiates the host's side of the imports.
func (h *Host) offer(ctx context.Context) error {
	for _, r := range []wazero.Runtime{h.runtime, h.kernels} {
		if err := offerHook(ctx, r); err != nil {
			return err
		}
	}

	wasi := h.runtime.NewHostModuleBuilder(wasiModule)
	for _, s := range wasiStubs() {
		params, results := valueTypes(s.typ)
		wasi.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(func(ctx context.Context, _ api.Module, stack []uint64) {
			in := running(ctx)
			in.meter.charge(stubCost)
			stack[0] = uint64(in.stub(s, stack))
		}), params, results).Export(s.name)
	}
	wasi.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(exit),
		[]api.ValueType{api.ValueTypeI32}, nil).Export(exitName)
	if _, err := wasi.Instantiate(ctx); err != nil {
		return err
	}

	params, _ := valueTypes(logType)
	log := h.runtime.NewHostModuleBuilder(abi.ImportLog).NewFunctionBuilder().
		WithGoModuleFunction(api.GoModuleFunc(writeLog), params, nil).Export(logName)
	if _, err := log.Instantiate(ctx); err != nil {
		return err
	}
	return errors.Join(h.offerFacts(ctx), h.offerKernels(ctx))
}

func offerHook(ctx context.Context, r wazero.Runtime) error {
	_, err := r.NewHostModuleBuilder(rewrite.HookModule).NewFunctionBuilder().
		WithGoModuleFunction(api.GoModuleFunc(func(ctx context.Context, _ api.Module, stack []uint64) {
			running(ctx).hook(uint32(stack[0]), uint32(stack[1]))
		}), []api.ValueType{api.ValueTypeI32, api.ValueTypeI32}, nil).Export(rewrite.HookName).Instantiate(ctx)
	return err
}

// stub runs a WASI function; one without a memory to answer into fails. The
// memory is the instance's: where a module exports an import as it is, the
// runtime's idea of the caller is not the guest.
func (in *Instance) stub(s stub, stack []uint64) uint32 {
	if !in.module.rewritten.HasMemory {
		return errnoFault
	}
	return s.call(in, in.wasm.Memory(), stack)
}

func valueTypes(s rewrite.Signature) (params, results []api.ValueType) {
	into := &params
	for i := range len(s) {
		switch s[i] {
		case '>':
			into = &results
		case 'i':
			*into = append(*into, api.ValueTypeI32)
		case 'I':
			*into = append(*into, api.ValueTypeI64)
		}
	}
	return params, results
}

func exit(_ context.Context, _ api.Module, stack []uint64) {
	panic(&guestExit{code: uint32(stack[0])})
}

// writeLog is ox:plugin/log#write(level: enum, message: string).
func writeLog(ctx context.Context, _ api.Module, stack []uint64) {
	in := running(ctx)
	level, ptr, size := uint32(stack[0]), uint32(stack[1]), uint32(stack[2])
	in.meter.charge(stubCost + byteCost(uint64(size)))
	in.meter.hostCall(uint64(size))
	if !in.module.rewritten.HasMemory {
		panic(badOutput("", "the module has no memory to take a log line from"))
	}
	message, ok := in.wasm.Memory().Read(ptr, size)
	if !ok {
		panic(badOutput("", "a log line at %d, length %d, is outside the memory", ptr, size))
	}
	if log := in.module.host.config.Log; log != nil {
		log(in.module.name, level, string(message))
	}
}
