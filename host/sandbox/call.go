package sandbox

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/ox-mcp/ox-mcp/abi"
)

// Call sends a request to an export and returns the guest's answer. An export
// without parameters (describe, stats) gets no request. All that the exchange
// makes the guest do (taking the request in, the call, freeing the answer) is
// on one bill.
//
// The error is a *Trap, or the guest's own *abi.Failure, or ErrClosed. After a
// Trap the instance is dead: later calls give the same Trap.
func (in *Instance) Call(ctx context.Context, export string, request []byte, limits abi.Limits) ([]byte, Usage, error) {
	plain, err := in.module.convention(export)
	if err != nil {
		return nil, Usage{}, err
	}
	if err := checkLimits(limits); err != nil {
		return nil, Usage{}, err
	}
	if err := in.take(ctx); err != nil {
		return nil, Usage{}, err
	}
	defer in.give()
	if in.dead != nil {
		return nil, Usage{}, in.dead
	}
	in.begin(ctx, limits)
	if t := in.meter.stopped(); t != nil {
		t.Export = export
		return nil, Usage{}, t
	}
	answer, err := in.exchange(export, plain, request)
	u := in.usage()
	if t, ok := err.(*Trap); ok {
		in.dead = t
	}
	return answer, u, err
}

// convention checks that an export follows the calling convention. plain
// says that it takes nothing and cannot fail.
func (m *Module) convention(export string) (plain bool, err error) {
	r := m.rewritten
	switch signature := r.Exports[export]; {
	case !r.HasMemory:
	case signature == typeGive:
		return true, nil
	case signature == typeExchange && r.Exports[exportRealloc] == typeRealloc:
		return false, nil
	}
	return false, fmt.Errorf("sandbox: %s has no export %s that follows the calling convention", m.name, export)
}

// begin opens the account of a call.
func (in *Instance) begin(ctx context.Context, limits abi.Limits) {
	in.dropSnapshot()
	in.output.reset()
	in.meter = in.newMeter(context.WithValue(ctx, instanceKey{}, in), limits)
}

// usage is the bill. What a guest could not pay for was not done.
func (in *Instance) usage() Usage {
	return Usage{Fuel: min(in.meter.used(), in.meter.limits.Fuel), MemoryBytes: in.memory.size, Calls: in.meter.calls}
}

// invoke calls a function of the guest inside the current account.
func (in *Instance) invoke(name string, args ...uint64) ([]uint64, error) {
	f := in.functions[name]
	if f == nil {
		f = in.wasm.ExportedFunction(name)
		in.functions[name] = f
	}
	results, err := f.Call(in.meter.ctx, args...)
	if err != nil {
		return nil, in.trapOf(name, err)
	}
	return results, nil
}

// exchange is the calling convention of a function from list<u8> to
// result<list<u8>, list<u8>>, or of one from nothing to list<u8>.
func (in *Instance) exchange(export string, plain bool, request []byte) ([]byte, error) {
	if err := in.findRunning(); err != nil {
		return nil, err
	}
	var args []uint64
	if !plain {
		ptr, err := in.lower(export, request)
		if err != nil {
			return nil, err
		}
		args = []uint64{uint64(ptr), uint64(len(request))}
	}
	results, err := in.invoke(export, args...)
	if err != nil {
		return nil, err
	}
	area := uint32(results[0])
	answer, failed, err := in.lift(export, area, plain)
	if err != nil {
		return nil, err
	}
	if post := postPrefix + export; in.module.rewritten.Exports[post] == typePost {
		if _, err := in.invoke(post, uint64(area)); err != nil {
			return nil, err
		}
	}
	if t := in.meter.overrun(export); t != nil {
		return nil, t
	}
	if !failed {
		return answer, nil
	}
	failure := new(abi.Failure)
	if err := failure.DecodeCBOR(answer); err != nil {
		return nil, badOutput(export, "the failure does not decode: %s", err)
	}
	return nil, failure
}

// overrun catches fuel that was overspent after the last test.
func (m *meter) overrun(export string) *Trap {
	if used := m.used(); used > m.limits.Fuel {
		t := breach(OutOfFuel, abi.LimitFuel, m.limits.Fuel, used)
		t.Export = export
		return t
	}
	return nil
}

// lower writes the request into memory that the guest gives.
func (in *Instance) lower(export string, request []byte) (uint32, error) {
	if uint64(len(request)) > maxPages*65536 {
		return 0, breach(OutOfMemory, abi.LimitMemory, in.meter.limits.Memory, uint64(len(request)))
	}
	if t := in.meter.take(byteCost(uint64(len(request)))); t != nil {
		t.Export = export
		return 0, t
	}
	results, err := in.invoke(exportRealloc, 0, 0, 1, uint64(len(request)))
	if err != nil {
		return 0, err
	}
	ptr := uint32(results[0])
	if len(request) > 0 && !in.wasm.Memory().Write(ptr, request) {
		return 0, badOutput(export, "cabi_realloc gave address %d for %d bytes, the memory has %d", ptr, len(request), in.memory.size)
	}
	return ptr, nil
}

// lift copies the answer out of the guest's memory.
func (in *Instance) lift(export string, area uint32, plain bool) (answer []byte, failed bool, err error) {
	size := uint32(12)
	if plain {
		size = 8
	}
	memory := in.wasm.Memory()
	words, ok := memory.Read(area, size)
	if !ok {
		return nil, false, badOutput(export, "the return area at %d is outside the memory of %d bytes", area, in.memory.size)
	}
	if !plain {
		if words[0] > 1 {
			return nil, false, badOutput(export, "the result has the discriminant %d, it must be 0 or 1", words[0])
		}
		failed = words[0] == 1
		words = words[4:]
	}
	ptr, length := binary.LittleEndian.Uint32(words), binary.LittleEndian.Uint32(words[4:])
	if most := in.meter.limits.OutputBytes; uint64(length) > most {
		t := breach(Output, abi.LimitOutput, most, uint64(length))
		t.Export = export
		return nil, false, t
	}
	if t := in.meter.take(byteCost(uint64(length))); t != nil {
		t.Export = export
		return nil, false, t
	}
	view, ok := memory.Read(ptr, length)
	if !ok && length > 0 {
		return nil, false, badOutput(export, "the answer at %d, length %d, is outside the memory of %d bytes", ptr, length, in.memory.size)
	}
	return append([]byte{}, view...), failed, nil
}

func badOutput(export, format string, args ...any) *Trap {
	return &Trap{Kind: BadOutput, Export: export, Detail: fmt.Sprintf(format, args...)}
}
