package sandbox

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"

	"github.com/tetratelabs/wazero/api"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/sandbox/rewrite"
)

const (
	loadKernelName                   = "load"
	loadKernelType rewrite.Signature = "ii>i"

	callKernelName                   = "call"
	callKernelType rewrite.Signature = "iiii>i"
)

// offerKernels offers kernels to those that are granted them, and refusals to
// those that can do without.
func (h *Host) offerKernels(ctx context.Context) error {
	offer := func(module string, load, call api.GoModuleFunc) error {
		b := h.runtime.NewHostModuleBuilder(module)
		for _, f := range []struct {
			name string
			typ  rewrite.Signature
			do   api.GoModuleFunc
		}{{loadKernelName, loadKernelType, load}, {callKernelName, callKernelType, call}} {
			params, results := valueTypes(f.typ)
			b.NewFunctionBuilder().WithGoModuleFunction(f.do, params, results).Export(f.name)
		}
		_, err := b.Instantiate(ctx)
		return err
	}
	return errors.Join(offer(abi.ImportKernel, loadKernel, callKernel),
		offer(abi.ImportKernelIfGranted, answer(abi.KernelNotGranted), answer(abi.KernelUnknown)))
}

// answer is a function of kernels that does nothing else.
func answer(s abi.KernelStatus) api.GoModuleFunc {
	return func(ctx context.Context, _ api.Module, stack []uint64) {
		in := running(ctx)
		in.meter.charge(stubCost)
		in.meter.hostCall(0)
		stack[0] = status(s)
	}
}

// compileCost is the charge of checking and compiling a kernel of n bytes: some
// half a millisecond, and two microseconds a byte.
func compileCost(n uint64) uint64 { return 1<<19 + n<<11 }

// loadKernel is ox:plugin/kernel#load(module: list<u8>) -> s32.
func loadKernel(ctx context.Context, _ api.Module, stack []uint64) {
	in := running(ctx)
	ptr, size := uint32(stack[0]), uint32(stack[1])
	in.meter.charge(stubCost + byteCost(uint64(size)))
	in.meter.hostCall(uint64(size))
	in.wantMemory()
	view, ok := in.wasm.Memory().Read(ptr, size)
	if !ok {
		panic(badOutput("", "a kernel at %d, length %d, is outside the memory", ptr, size))
	}
	if size > abi.MaxKernelBytes {
		stack[0] = status(abi.KernelTooLarge)
		return
	}
	in.meter.charge(compileCost(uint64(size)))
	stack[0] = status(in.addKernel(ctx, append([]byte{}, view...)))
}

func status(s abi.KernelStatus) uint64 { return uint64(uint32(s)) }

// wantMemory ends the call of a guest that has nothing to share with a kernel.
func (in *Instance) wantMemory() {
	if in.module.rewritten.Memory == "" {
		panic(badOutput("", "the module uses kernels and exports no memory"))
	}
}

// addKernel gives the kernel's handle, or why there is none. What is loaded
// already keeps its handle.
func (in *Instance) addKernel(ctx context.Context, wasm []byte) abi.KernelStatus {
	hash := digest(wasm)
	at := slices.IndexFunc(in.kernels.list, func(k *kernel) bool { return k.code.hash == hash })
	if at >= 0 {
		return abi.KernelStatus(at)
	}
	if len(in.kernels.list) >= abi.MaxKernels {
		return abi.KernelTooMany
	}
	code, refusal := in.compileKernel(ctx, wasm, hash)
	if refusal != nil {
		return kernelStatus(refusal.Code)
	}
	in.kernels.list = append(in.kernels.list, &kernel{code: code})
	return abi.KernelStatus(len(in.kernels.list) - 1)
}

// kernelStatus sorts the codes of admission for the guest.
func kernelStatus(code rewrite.Code) abi.KernelStatus {
	switch code {
	case rewrite.CodeMalformed, rewrite.CodeIndexRange, rewrite.CodeOpcode, CodeInvalid, CodePanic:
		return abi.KernelInvalid
	case rewrite.CodeModuleSize, rewrite.CodeItemCount, rewrite.CodeBodySize, rewrite.CodeBlocks, rewrite.CodeNesting, rewrite.CodeLocals,
		rewrite.CodeBlockLocals, rewrite.CodeBranchTable, rewrite.CodeFanOut, rewrite.CodeWork:
		return abi.KernelTooLarge
	}
	return abi.KernelForbidden
}

// callKernel is ox:plugin/kernel#call(kernel: u32, function: u32, values: u32,
// count: u32) -> s32. The count words of eight bytes at values are the
// function's parameters, and then its results.
func callKernel(ctx context.Context, _ api.Module, stack []uint64) {
	in := running(ctx)
	handle, number, ptr, count := uint32(stack[0]), uint32(stack[1]), uint32(stack[2]), uint32(stack[3])
	moved := 8 * uint64(count)
	in.meter.charge(stubCost + byteCost(moved))
	in.meter.hostCall(moved)
	in.wantMemory()
	if uint64(handle) >= uint64(len(in.kernels.list)) {
		stack[0] = status(abi.KernelUnknown)
		return
	}
	k := in.kernels.list[handle]
	if uint64(number) >= uint64(len(k.code.functions)) {
		stack[0] = status(abi.KernelFunction)
		return
	}
	f := &k.code.functions[number]
	if int64(count) != int64(max(len(f.params), len(f.results))) {
		stack[0] = status(abi.KernelCount)
		return
	}
	memory := in.wasm.Memory()
	view, ok := memory.Read(ptr, count*8)
	if !ok {
		panic(badOutput("", "the values of a kernel at %d, %d of 8 bytes, are outside the memory", ptr, count))
	}
	values := make([]uint64, count)
	for i := range f.params {
		values[i] = fitted(f.params[i], binary.LittleEndian.Uint64(view[8*i:]))
	}
	if err := in.kernelFunction(ctx, handle, number).CallWithStack(ctx, values); err != nil {
		panic(in.trapOf(f.name, err))
	}
	// The kernel may have grown the memory: the view is of before.
	for i := range f.results {
		memory.WriteUint64Le(ptr+uint32(8*i), fitted(f.results[i], values[i]))
	}
	stack[0] = status(abi.KernelOK)
}

// fitted takes away what a value of the type has no room for.
func fitted(letter byte, v uint64) uint64 {
	if letter == 'i' {
		return uint64(uint32(v))
	}
	return v
}
