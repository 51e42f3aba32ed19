package sandbox

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/sandbox/rewrite"
	. "github.com/ox-mcp/ox-mcp/host/sandbox/wasmtest"
)

// bothSnapshots runs a test with shared snapshots, where there are any, and
// with copies.
func bothSnapshots(t *testing.T, test func(t *testing.T, h *Host)) {
	for _, c := range []struct {
		name string
		take snapshots
	}{{"shared", sharing}, {"copied", noSnapshots}} {
		t.Run(c.name, func(t *testing.T) {
			h := newHost(t, nil)
			h.snapshots = c.take
			test(t, h)
		})
	}
}

// painter is a guest of 128 pages that writes where it is told: the request is
// an address, a length and a byte, in words.
func painter() []byte {
	g := NewGuest(128, nil)
	arg := func(n uint32) []byte { return concat(LocalGet(0), I32Load(4*n)) }
	g.Exchange("paint", nil, arg(0), arg(2), arg(1), Bulk(MemoryFill, 0))
	g.Exchange("grow", nil, arg(0), MemoryGrow(), Op(Drop))
	return g.Bytes()
}

func words(n ...uint32) (b []byte) {
	for _, w := range n {
		b = append(b, byte(w), byte(w>>8), byte(w>>16), byte(w>>24))
	}
	return b
}

// painted is an instance and what its memory must be.
type painted struct {
	in    *Instance
	model []byte
}

func (p *painted) call(t *testing.T, export string, args ...uint32) {
	t.Helper()
	if _, _, err := p.in.Call(t.Context(), export, words(args...), roomy()); err != nil {
		t.Fatal(explain(err))
	}
	copy(p.model[RequestAt:], words(args...))
	switch export {
	case "paint":
		copy(p.model[args[0]:], bytes.Repeat([]byte{byte(args[2])}, int(args[1])))
	case "grow":
		p.model = append(p.model, make([]byte, args[0]*rewrite.PageBytes)...)
	}
}

func (p *painted) check(t *testing.T) {
	t.Helper()
	if !bytes.Equal(p.in.memory.bytes(), p.model) {
		at := -1
		for i, b := range p.in.memory.bytes() {
			if b != p.model[i] {
				at = i
				break
			}
		}
		t.Fatalf("the memory differs from byte %#x on", at)
	}
}

func (p *painted) clone(t *testing.T) *painted {
	t.Helper()
	c, err := p.in.Clone(t.Context())
	must(t, err)
	return &painted{in: c, model: slices.Clone(p.model)}
}

// TestFamiliesOfClones makes clones of clones at random, lets them write and
// grow and go, and holds each memory to a model of its own.
func TestFamiliesOfClones(t *testing.T) {
	bothSnapshots(t, func(t *testing.T, h *Host) {
		m := admit(t, h, painter(), "")
		for seed := range uint64(2) {
			random := rand.New(rand.NewPCG(seed, 2))
			first := &painted{in: instantiate(t, m)}
			first.model = slices.Clone(first.in.memory.bytes())
			family := []*painted{first}
			for range 45 {
				i := random.IntN(len(family))
				p := family[i]
				switch random.IntN(8) {
				case 0, 1, 2:
					for range 1 + random.IntN(40) {
						size := 1 + random.Uint32N(20_000)
						p.call(t, "paint", 8192+random.Uint32N(uint32(len(p.model))-8192-size), size, random.Uint32N(256))
					}
				case 3:
					if len(p.model) < 16*mib {
						p.call(t, "grow", 1+random.Uint32N(8))
					}
				case 4:
					p.call(t, "paint", 65536, uint32(len(p.model))-65536, random.Uint32N(256))
				case 5:
					if len(family) > 1 {
						must(t, p.in.Close(t.Context()))
						family = slices.Delete(family, i, i+1)
					}
				default:
					if len(family) < 8 {
						family = append(family, p.clone(t))
					}
				}
				for _, p := range family {
					p.check(t)
				}
			}
			for _, p := range family {
				must(t, p.in.Close(t.Context()))
			}
			if h.Memory() != 0 {
				t.Fatalf("%d bytes are still counted", h.Memory())
			}
		}
	})
}

// TestSiblingsWriteSideBySide lets clones of one instance write different
// bytes to the same places at the same time.
func TestSiblingsWriteSideBySide(t *testing.T) {
	bothSnapshots(t, func(t *testing.T, h *Host) {
		first := &painted{in: instantiate(t, admit(t, h, painter(), ""))}
		first.model = slices.Clone(first.in.memory.bytes())
		first.call(t, "paint", mib, mib, 7)
		var group sync.WaitGroup
		for n := range uint32(6) {
			group.Go(func() {
				c, err := first.in.Clone(context.Background())
				if err != nil {
					t.Error(err)
					return
				}
				defer c.Close(context.Background())
				want := slices.Clone(first.model)
				for range 20 {
					args := words(mib+4096*n, mib/2, n)
					if _, _, err := c.Call(context.Background(), "paint", args, roomy()); err != nil {
						t.Error(err)
						return
					}
					copy(want[RequestAt:], args)
					copy(want[mib+4096*n:], bytes.Repeat([]byte{byte(n)}, mib/2))
					if !bytes.Equal(c.memory.bytes(), want) {
						t.Errorf("clone %d sees what it did not write", n)
						return
					}
				}
			})
		}
		group.Wait()
		first.check(t)
	})
}

// TestSnapshotAfterAWriteCopiesWhatWasWritten looks at what counts as memory.
func TestSnapshotAfterAWriteCopiesWhatWasWritten(t *testing.T) {
	h := newHost(t, nil)
	first := &painted{in: instantiate(t, admit(t, h, painter(), ""))}
	first.model = slices.Clone(first.in.memory.bytes())
	size := uint64(len(first.model))
	a := first.clone(t)
	closeLater(t, a.in)
	if h.Memory() != 3*size {
		t.Skipf("%d bytes are counted for two instances of %d: no shared snapshots here", h.Memory(), size)
	}
	a.call(t, "paint", 5*mib, 100_000, 9)
	b := a.clone(t)
	closeLater(t, b.in)
	b.check(t)
	if extra := h.Memory() - 4*size; extra < 100_000 || extra > 300_000 {
		t.Errorf("the snapshot after a write of 100,000 bytes takes %d", extra)
	}
	b.call(t, "paint", 6*mib, 50_000, 3)
	c := b.clone(t)
	closeLater(t, c.in)
	for _, p := range []*painted{first, a, b, c} {
		p.check(t)
	}
	// Much that was written makes a root of its own.
	c.call(t, "paint", mib, 4*mib, 3)
	d := c.clone(t)
	closeLater(t, d.in)
	if d.in.origin == nil || d.in.origin != c.in.origin {
		t.Error("the clone of an instance that was written all over lives on the old root")
	}
	d.check(t)
	c.check(t)
}

func TestRunsAreJoinedNearestFirst(t *testing.T) {
	for _, c := range []struct {
		runs []run
		most int
		want string
	}{
		{nil, 4, "[]"},
		{[]run{{8, 12}, {0, 4}}, 4, "[{0 4} {8 12}]"},
		{[]run{{0, 4}, {4, 8}, {6, 7}}, 4, "[{0 8}]"},
		{[]run{{0, 1}, {3, 4}, {5, 6}, {16, 17}}, 3, "[{0 1} {3 6} {16 17}]"},
		{[]run{{0, 1}, {3, 4}, {5, 6}, {16, 17}}, 2, "[{0 6} {16 17}]"},
		{[]run{{0, 1}, {2, 3}, {4, 5}, {6, 7}}, 2, "[{0 7}]"},
	} {
		if got := fmt.Sprint(joined(c.runs, c.most)); got != c.want {
			t.Errorf("joined(%v, %d) = %s, want %s", c.runs, c.most, got, c.want)
		}
	}
}
