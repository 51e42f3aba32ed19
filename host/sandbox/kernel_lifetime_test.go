package sandbox

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/ox-mcp/ox-mcp/abi"
	. "github.com/ox-mcp/ox-mcp/host/sandbox/wasmtest"
)

// peek reads a word through the instance's kernel. It may be called from any
// goroutine.
func peek(in *Instance, address uint32) (uint32, error) {
	answer, _, err := in.Call(context.Background(), "call", kernelRequest(0, kernelPeek, uint64(address)), roomy())
	if err != nil {
		return 0, err
	}
	if s := statusOf(answer); s != abi.KernelOK {
		return 0, errors.New("the kernel was not called")
	}
	return binary.LittleEndian.Uint32(in.memory.bytes()[RequestAt+16:]), nil
}

func poke(in *Instance, address, value uint32) error {
	_, _, err := in.Call(context.Background(), "call", kernelRequest(0, kernelPoke, uint64(address), uint64(value)), roomy())
	return err
}

const farAway = mib + 64

// TestClonesHaveTheirKernels: a clone's kernels work on the clone's memory,
// also when the original is gone, and cost what the original's would have.
func TestClonesHaveTheirKernels(t *testing.T) {
	bothSnapshots(t, func(t *testing.T, h *Host) {
		m := admit(t, h, kernelOwner(32), "")
		for _, called := range []bool{false, true} {
			original, err := m.Instantiate(t.Context(), roomy())
			must(t, err)
			if s := loadInto(t, original, sampleKernel()); s != 0 {
				t.Fatalf("status %d", s)
			}
			if called {
				must(t, poke(original, farAway, 1))
			}
			clones := make([]*Instance, 3)
			for i := range clones {
				clones[i], err = original.Clone(t.Context())
				must(t, err)
				if clones[i].kernels.list[0].wasm != nil {
					t.Error("a kernel was made before it was called")
				}
			}
			want := callIn(t, original, kernelPoke, farAway, 7).Fuel
			if got := callIn(t, clones[0], kernelPoke, farAway, 8).Fuel; got != want {
				t.Errorf("the clone spends %d, the original %d", got, want)
			}
			if called {
				must(t, original.Close(t.Context()))
			}
			must(t, clones[1].Close(t.Context())) // without a call
			for i, in := range []*Instance{clones[0], clones[2]} {
				want := uint32(8)
				if i == 1 {
					want = binary.LittleEndian.Uint32(in.memory.bytes()[farAway:])
				}
				if got, err := peek(in, farAway); err != nil || got != want || i == 1 && called && got != 1 {
					t.Errorf("clone %d reads %d, want %d: %v", i, got, want, err)
				}
			}
			grandchild, err := clones[0].Clone(t.Context())
			must(t, err)
			must(t, clones[0].Close(t.Context()))
			if got, err := peek(grandchild, farAway); err != nil || got != 8 {
				t.Errorf("a clone's clone reads %d: %v", got, err)
			}
			if got := loadInto(t, grandchild, sampleKernel()); got != 0 {
				t.Errorf("the clone does not know its kernel: %d", got)
			}
			must(t, grandchild.Close(t.Context()))
			must(t, clones[2].Close(t.Context()))
			must(t, original.Close(t.Context()))
			if h.Memory() != 0 {
				t.Fatalf("%d bytes are held after the last close", h.Memory())
			}
		}
	})
}

// TestKernelClosedFirst does what the sandbox itself never does: the runtime
// frees a memory with the first module that closes, and the owner must live
// on.
func TestKernelClosedFirst(t *testing.T) {
	engines(t, func(t *testing.T, engine func(*Config)) {
		h := newHost(t, engine)
		for _, first := range []string{"owner", "kernel"} {
			t.Run(first, func(t *testing.T) {
				in, err := admit(t, h, kernelOwner(2), "").Instantiate(t.Context(), roomy())
				must(t, err)
				loadInto(t, in, sampleKernel())
				must(t, poke(in, 0x8000, 7))
				kernel := in.kernels.list[0].wasm
				view := in.memory.bytes()
				if first == "kernel" {
					must(t, kernel.Close(t.Context()))
				} else {
					must(t, in.wasm.Close(t.Context()))
				}
				view[0x9000] = view[0x8000] // faults if the memory is gone
				if view[0x9000] != 7 {
					t.Error("the memory has changed")
				}
				if first == "kernel" {
					_, _, err := in.Call(t.Context(), "count", words(10, 0), roomy())
					must(t, err)
				}
				if h.Memory() < 2*65536 {
					t.Errorf("%d bytes are counted under an open instance", h.Memory())
				}
				must(t, in.Close(t.Context()))
				if !kernel.IsClosed() || h.Memory() != 0 {
					t.Errorf("kernel closed: %v; %d bytes are held", kernel.IsClosed(), h.Memory())
				}
			})
		}
	})
}

// TestCloseWaitsForAKernel closes an instance while its kernel runs: the call
// ends as it would have.
func TestCloseWaitsForAKernel(t *testing.T) {
	h := newHost(t, nil)
	in := ownerWith(t, h)
	began := make(chan struct{})
	ended := make(chan error, 1)
	go func() {
		close(began)
		_, _, err := in.Call(context.Background(), "call", kernelRequest(0, kernelCount, 20_000_000), roomy())
		ended <- err
	}()
	<-began
	time.Sleep(time.Millisecond)
	must(t, in.Close(t.Context()))
	if err := <-ended; err != nil && !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
}

// TestKernelsSideBySide has clones of one instance load, call and close at the
// same time, while the original goes on.
func TestKernelsSideBySide(t *testing.T) {
	h := newHost(t, nil)
	in := instantiate(t, admit(t, h, kernelOwner(32), ""))
	loadInto(t, in, sampleKernel())
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			for i := range 10 {
				c, err := in.Clone(context.Background())
				if err != nil {
					t.Error(err)
					return
				}
				value := uint32(100*g + i)
				if err := poke(c, farAway, value); err != nil {
					t.Error(err)
				}
				if _, _, err := c.Call(context.Background(), "load", numbered(i), roomy()); err != nil {
					t.Error(err)
				}
				if got, err := peek(c, farAway); err != nil || got != value {
					t.Errorf("%d, want %d: %v", got, value, err)
				}
				if err := c.Close(context.Background()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for i := range 20 {
		if err := poke(in, farAway, uint32(1_000_000+i)); err != nil {
			t.Error(err)
		}
	}
	all.Wait()
	if got, err := peek(in, farAway); err != nil || got != 1_000_019 {
		t.Errorf("the original reads %d: %v", got, err)
	}
}

// TestKernelsDoNotLeak loads a thousand different kernels, refused and trapped
// ones among them, in instances and in their clones.
func TestKernelsDoNotLeak(t *testing.T) {
	ctx := context.Background()
	h := newHost(t, nil)
	m := admit(t, h, kernelOwner(2), "")
	short := roomy()
	short.Fuel = 1_000_000
	do := func(i int) {
		in, err := m.Instantiate(ctx, roomy())
		must(t, err)
		loadInto(t, in, bytes.Clone(sampleKernel()[:50]))
		if s := loadInto(t, in, numbered(i)); s != 0 {
			t.Fatalf("status %d", s)
		}
		_, _, err = in.Call(ctx, "call", kernelRequest(0, 0, 0), roomy())
		must(t, err)
		c, err := in.Clone(ctx)
		must(t, err)
		if i%4 == 0 {
			loadInto(t, c, sampleKernel())
			_, _, err = c.Call(ctx, "call", kernelRequest(1, kernelSpin), short)
			trapped(t, err, OutOfFuel)
		} else {
			_, _, err = c.Call(ctx, "call", kernelRequest(0, 0, 0), roomy())
			must(t, err)
		}
		if i%2 == 0 {
			must(t, in.Close(ctx))
			must(t, c.Close(ctx))
		} else {
			must(t, c.Close(ctx))
			must(t, in.Close(ctx))
		}
	}
	for i := range 20 {
		do(i)
	}
	before, counted := holding(t), h.Memory()
	for i := range 1000 {
		do(i)
	}
	after := holding(t)
	for range 50 {
		if after.goroutines <= before.goroutines {
			break
		}
		time.Sleep(10 * time.Millisecond)
		after = holding(t)
	}
	if after.goroutines > before.goroutines+2 || after.descriptors > before.descriptors+2 || after.mappings > before.mappings+20 {
		t.Errorf("the process holds %+v, before it held %+v", after, before)
	}
	if h.Memory() != counted {
		t.Errorf("%d bytes are counted, before %d", h.Memory(), counted)
	}
}

// TestKernelsCountAsMemory: where all instances together are at their limit, a
// kernel has no room either.
func TestKernelsCountAsMemory(t *testing.T) {
	h := newHost(t, func(c *Config) { c.TotalMemory = 3 * 65536 })
	limits := roomy()
	limits.Memory = 2 * 65536
	m, err := h.Admit(t.Context(), "guest", kernelOwner(2), AdmitOptions{Grants: everything(), Limits: limits})
	must(t, err)
	in, err := m.Instantiate(t.Context(), limits)
	must(t, err)
	padded := concat(numbered(1), Section(nil, 0, make([]byte, 65536/kernelWeight)))
	_, _, err = in.Call(t.Context(), "load", padded, roomy())
	trap := trapped(t, err, OutOfMemory)
	if trap.Limit.Allowed != 3*65536 || trap.Limit.Used <= trap.Limit.Allowed {
		t.Errorf("%v", trap)
	}
	must(t, in.Close(t.Context()))
	must(t, m.Close(t.Context()))
	if h.Memory() != 0 {
		t.Errorf("%d bytes are held", h.Memory())
	}
}

// TestKernelsAreCompiledInTime: the deadline of compilation ends the call; no
// guest learns by an answer how fast the machine is.
func TestKernelsAreCompiledInTime(t *testing.T) {
	h := newHost(t, nil)
	in := instantiate(t, admit(t, h, kernelOwner(2), ""))
	h.config.CompileTime = time.Nanosecond
	_, _, err := in.Call(t.Context(), "load", sampleKernel(), roomy())
	trapped(t, err, Deadline)
	if h.Memory() != in.memory.size {
		t.Errorf("%d bytes are held, the instance has %d", h.Memory(), in.memory.size)
	}
}

// TestKernelFuelIsTheSameEveryTime runs one history twenty times in each
// engine.
func TestKernelFuelIsTheSameEveryTime(t *testing.T) {
	bills := map[uint64]bool{}
	engines(t, func(t *testing.T, engine func(*Config)) {
		h := newHost(t, engine)
		m := admit(t, h, kernelOwner(2), "")
		for range 20 {
			in, err := m.Instantiate(t.Context(), roomy())
			must(t, err)
			sum := uint64(0)
			for _, call := range []struct {
				export  string
				request []byte
			}{
				{"load", sampleKernel()}, {"load", []byte("no kernel")}, {"load", numbered(3)},
				{"call", kernelRequest(0, kernelCount, 1000)}, {"call", kernelRequest(1, 0, 0)},
				{"call", kernelRequest(0, kernelGrow, 1)}, {"call", kernelRequest(0, kernelPeek, 70000)}, {"grow", nil},
			} {
				_, u, err := in.Call(t.Context(), call.export, call.request, roomy())
				must(t, err)
				sum += u.Fuel
			}
			bills[sum] = true
			must(t, in.Close(t.Context()))
		}
	})
	if len(bills) != 1 {
		t.Errorf("the same history cost %v", bills)
	}
}
