package sandbox

import (
	"context"
	"fmt"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/sandbox/rewrite"
)

// Clone makes an instance with the same state: memory, globals, and the
// position of the stubs. It waits for the call that runs. The clone behaves,
// and spends fuel, as the original would.
//
// The first clone after a call takes a snapshot. On Linux clones share it until
// they write to it, and a snapshot of an instance that lives on an earlier one
// copies only the pages that were written since. Elsewhere a clone is a copy.
func (in *Instance) Clone(ctx context.Context) (*Instance, error) {
	if ok, why := in.module.Snapshotable(); !ok {
		return nil, fmt.Errorf("sandbox: instances of %s cannot be cloned: %s", in.module.name, why)
	}
	if err := in.take(ctx); err != nil {
		return nil, err
	}
	defer in.give()
	if in.dead != nil {
		return nil, in.dead
	}
	limits := abi.Limits{Fuel: 1, Memory: in.memory.ceiling, Deadline: 1, Depth: 1, OutputBytes: 1}
	limits.Memory = max(limits.Memory, rewrite.PageBytes)
	c, err := in.module.instantiate(ctx, limits)
	if err != nil {
		return nil, err
	}
	if err := c.copyFrom(in); err != nil {
		return nil, with(err, c.Close(ctx))
	}
	return c, nil
}

func (in *Instance) copyFrom(from *Instance) error {
	if from.memory.size > in.memory.size {
		pages := (from.memory.size - in.memory.size) / rewrite.PageBytes
		if _, ok := in.wasm.Memory().Grow(uint32(pages)); !ok {
			if r := in.memory.refused; r != nil {
				return breach(OutOfMemory, abi.LimitMemory, r.allowed, r.asked)
			}
			return breach(OutOfMemory, abi.LimitMemory, in.memory.size, from.memory.size)
		}
	}
	s, err := from.snapshot()
	if err != nil {
		return err
	}
	if err := s.restore(in.memory.bytes()); err != nil {
		return fmt.Errorf("sandbox: mapping the memory of a clone: %w", err)
	}
	if s.shared() {
		s.retain()
		in.origin = s
	}
	for _, name := range in.module.rewritten.Globals {
		in.global(name).Set(from.global(name).Get())
	}
	in.stubs, in.started, in.running = from.stubs, from.started, from.running
	in.kernels = from.kernels.again()
	return nil
}

// snapshot returns the instance's memory as it is, until the next call.
func (in *Instance) snapshot() (snapshot, error) {
	if in.snap != nil {
		return in.snap, nil
	}
	memory := in.memory.bytes()
	if len(memory) < snapshotLeast {
		return live{memory}, nil
	}
	h := in.module.host
	s, renewed := h.snapshots(&h.memory, memory, in.origin)
	if s == nil {
		return live{memory}, nil
	}
	in.snap = s
	if !renewed {
		return s, nil
	}
	// The instance lives on its own snapshot from now on: its next one then
	// copies only what it wrote.
	if err := s.restore(memory); err != nil {
		in.dead = fmt.Errorf("sandbox: mapping the memory of a snapshot: %w", err)
		return nil, in.dead
	}
	in.dropOrigin()
	s.retain()
	in.origin = s
	return s, nil
}

// dropSnapshot gives up the snapshot before the memory changes.
func (in *Instance) dropSnapshot() {
	if in.snap != nil {
		in.snap.release()
		in.snap = nil
	}
}

// dropOrigin says that the memory no longer lives on a snapshot.
func (in *Instance) dropOrigin() {
	if in.origin != nil {
		in.origin.release()
		in.origin = nil
	}
}
