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
// The first clone after a call copies the memory; on Linux, further clones
// share that copy until they write to it.
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
	memory := in.memory.bytes()
	if im := from.imageOf(); im == nil {
		copy(memory, from.memory.bytes())
	} else if err := im.mapOver(memory); err != nil {
		return fmt.Errorf("sandbox: mapping the memory of a clone: %w", err)
	}
	for _, name := range in.module.rewritten.Globals {
		in.global(name).Set(from.global(name).Get())
	}
	in.stubs, in.started = from.stubs, from.started
	return nil
}

// imageLeast is the size in bytes below which copying is as cheap as mapping.
const imageLeast = 1 << 20

// imageOf returns an image of the instance's memory, or nil if a copy must do.
// It is kept until the next call, and counts as memory.
func (in *Instance) imageOf() *image {
	if in.image != nil || in.memory.size < imageLeast {
		return in.image
	}
	pool := &in.module.host.memory
	if !pool.take(in.memory.size) {
		return nil
	}
	if in.image = newImage(in.memory.bytes()); in.image == nil {
		pool.give(in.memory.size)
	}
	return in.image
}

// dropImage gives up the image before the memory changes.
func (in *Instance) dropImage() {
	if in.image != nil {
		in.image.close()
		in.module.host.memory.give(in.image.size)
		in.image = nil
	}
}
