package sandbox

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/sandbox/rewrite"
	. "github.com/ox-mcp/ox-mcp/host/sandbox/wasmtest"
)

// counting is a guest whose state is a global, a word of memory and its size:
// each call of next adds one to the first two and a page to the third, and
// answers with the sum of the first two and the pages.
func counting() []byte {
	g := NewGuest(1, nil)
	count := g.Global(I32, true, I32Const(0))
	const word = 128
	g.Exchange("next", nil,
		GlobalGet(count), I32Const(1), Op(I32Add), GlobalSet(count),
		I32Const(word), I32Const(word), I32Load(0), I32Const(1), Op(I32Add), I32Store(0),
		I32Const(1), MemoryGrow(), Op(Drop),
		I32Const(AnswerAt), GlobalGet(count), I32Const(word), I32Load(0), Op(I32Add), I32Store(0),
		I32Const(AnswerAt), MemorySize(), I32Store(4))
	return g.Bytes()
}

func next(t *testing.T, in *Instance) (sum, pages byte, u Usage) {
	t.Helper()
	answer, u, err := in.Call(t.Context(), "next", nil, roomy())
	must(t, err)
	return answer[0], answer[4], u
}

func TestCloneGoesItsOwnWay(t *testing.T) {
	engines(t, func(t *testing.T, engine func(*Config)) {
		h := newHost(t, engine)
		in := instantiate(t, admit(t, h, counting(), ""))
		next(t, in)
		next(t, in)
		clone, err := in.Clone(t.Context())
		must(t, err)
		closeLater(t, clone)
		for range 3 {
			next(t, in)
		}
		sum, pages, _ := next(t, clone)
		if sum != 6 || pages != 4 {
			t.Errorf("the clone's third call gives %d and %d pages, want 6 and 4", sum, pages)
		}
		if sum, pages, _ := next(t, in); sum != 12 || pages != 7 {
			t.Errorf("the original's sixth call gives %d and %d pages, want 12 and 7", sum, pages)
		}
		if want := uint64(7+4) * rewrite.PageBytes; h.Memory() != want {
			t.Errorf("%d bytes are counted, want %d", h.Memory(), want)
		}
	})
}

func TestClonesOfAGoGuestSpendTheSameFuel(t *testing.T) {
	m := admit(t, newHost(t, kept), goGuest(t, joinerPackage), abi.WorldReasoner)
	history := joinHistory(200)
	in := instantiate(t, m)
	for _, x := range history[:2] {
		_, _, err := in.Call(t.Context(), x.export, x.request, roomy())
		must(t, err)
	}
	finish := func(in *Instance) (answer []byte, sum Usage) {
		for _, x := range history[2:] {
			a, u, err := in.Call(t.Context(), x.export, x.request, roomy())
			must(t, err)
			answer, sum.Fuel, sum.MemoryBytes = a, sum.Fuel+u.Fuel, u.MemoryBytes
		}
		return answer, sum
	}
	a, err := in.Clone(t.Context())
	must(t, err)
	closeLater(t, a)
	b, err := a.Clone(t.Context())
	must(t, err)
	closeLater(t, b)
	wantAnswer, want := finish(in)
	for _, clone := range []*Instance{a, b} {
		if answer, u := finish(clone); u != want || !bytes.Equal(answer, wantAnswer) {
			t.Errorf("a clone used %+v, the original %+v; answers equal: %v", u, want, bytes.Equal(answer, wantAnswer))
		}
	}
	if len(wantAnswer) < 1000 {
		t.Errorf("the join gave %d bytes only", len(wantAnswer))
	}
}

// filling is a guest of two mebibytes and more: fill(a) writes byte a over its
// second half, sum answers with the bytes at some places.
func filling() []byte {
	g := NewGuest(32, nil)
	g.Exchange("fill", nil, I32Const(mib), LocalGet(0), I32Load8U(0), I32Const(mib), Bulk(MemoryFill, 0))
	g.Exchange("grow", nil, I32Const(16), MemoryGrow(), Op(Drop))
	g.Exchange("look", nil,
		I32Const(AnswerAt), I32Const(mib), I32Load(0), I32Store(0),
		I32Const(AnswerAt), I32Const(2*mib-4), I32Load(0), I32Store(4))
	return g.Bytes()
}

func TestClonesOfALargeMemoryShareNothingThatIsWritten(t *testing.T) {
	h := newHost(t, nil)
	in := instantiate(t, admit(t, h, filling(), ""))
	fill := func(in *Instance, b byte) {
		t.Helper()
		_, _, err := in.Call(t.Context(), "fill", []byte{b}, roomy())
		must(t, err)
	}
	look := func(in *Instance, want byte) {
		t.Helper()
		answer, _, err := in.Call(t.Context(), "look", nil, roomy())
		must(t, err)
		if !bytes.Equal(answer, bytes.Repeat([]byte{want}, 8)) {
			t.Errorf("%x, want %x everywhere", answer, want)
		}
	}
	clone := func(in *Instance) *Instance {
		t.Helper()
		c, err := in.Clone(t.Context())
		must(t, err)
		closeLater(t, c)
		return c
	}
	fill(in, 1)
	a, b := clone(in), clone(in)
	fill(a, 2)
	fill(in, 3)
	look(b, 1)
	c, d := clone(a), clone(in)
	_, _, err := c.Call(t.Context(), "grow", nil, roomy())
	must(t, err)
	look(c, 2)
	look(clone(c), 2)
	look(d, 3)
	must(t, in.Close(t.Context()))
	must(t, a.Close(t.Context()))
	look(c, 2)
	look(d, 3)
	look(clone(b), 1)
}

func TestImagesCountAsMemory(t *testing.T) {
	h := newHost(t, func(c *Config) { c.TotalMemory = 5 * mib })
	in := instantiate(t, admit(t, h, filling(), ""))
	clone, err := in.Clone(t.Context()) // two instances fit; their image does not
	must(t, err)
	if h.Memory() != 4*mib {
		t.Errorf("%d bytes are counted", h.Memory())
	}
	must(t, clone.Close(t.Context()))
	must(t, in.Close(t.Context()))
	if h.Memory() != 0 {
		t.Errorf("%d bytes are still counted", h.Memory())
	}
}

func TestModulesThatCannotBeCloned(t *testing.T) {
	for _, c := range []struct {
		what string
		code []byte
		add  func(*Builder)
	}{
		{"table.set", concat(I32Const(0), []byte{0xD0, Funcref}, []byte{0x26, 0}), nil},
		{"table.fill", concat(I32Const(0), []byte{0xD0, Funcref}, I32Const(1), Bulk(TableFill, 0)), nil},
		{"table.copy", concat(I32Const(0), I32Const(0), I32Const(1), Bulk(TableCopy, 0, 0)), nil},
		{"elem.drop", Bulk(ElemDrop, 0), nil},
		{"table.init", concat(I32Const(0), I32Const(0), I32Const(0), Bulk(TableInit, 0, 0)), nil},
		{"data.drop", Bulk(DataDrop, 0), nil},
		{"mutable reference", nil, func(m *Builder) { m.Global(Funcref, true, []byte{0xD0, Funcref}) }},
	} {
		t.Run(c.what, func(t *testing.T) {
			var m Builder
			m.Table(0, 1)
			m.Memory(1)
			m.Func(m.Type(nil, nil), nil, c.code)
			m.RawElement(1, 0, 1, 0)
			m.PassiveData([]byte("x"))
			if c.add != nil {
				c.add(&m)
			}
			in := instantiate(t, admit(t, newHost(t, nil), m.Bytes(), ""))
			if _, err := in.Clone(t.Context()); err == nil || !strings.Contains(err.Error(), "cannot be cloned") {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestDeadInstanceIsNotCloned(t *testing.T) {
	in := instantiate(t, admit(t, newHost(t, nil), hostile(), ""))
	limits := roomy()
	limits.Fuel = 100
	_, _, err := in.Call(t.Context(), "spin", nil, limits)
	trapped(t, err, OutOfFuel)
	if _, again := in.Clone(t.Context()); !errors.Is(again, err) {
		t.Errorf("%v", again)
	}
}

// TestCloseWaitsForTheCall holds a guest inside a host call while Close is
// asked for: the call ends well, and only then does Close return.
func TestCloseWaitsForTheCall(t *testing.T) {
	inside, leave := make(chan struct{}), make(chan struct{})
	var mu sync.Mutex
	var order []string
	note := func(s string) {
		mu.Lock()
		defer mu.Unlock()
		order = append(order, s)
	}
	h := newHost(t, func(c *Config) {
		c.Log = func(string, uint32, string) {
			close(inside)
			<-leave
			note("call")
		}
	})
	in, err := admit(t, h, hostile(), "").Instantiate(t.Context(), roomy())
	must(t, err)
	called, closed := make(chan error), make(chan error)
	go func() {
		_, _, err := in.Call(context.Background(), "log", []byte{1}, roomy())
		called <- err
	}()
	<-inside
	go func() {
		err := in.Close(context.Background())
		note("close")
		closed <- err
	}()
	ctx, stop := context.WithCancel(t.Context())
	stop()
	_, _, err = in.Call(ctx, "echo", nil, roomy())
	if t2 := trapped(t, err, Cancelled); !strings.Contains(t2.Detail, "busy") {
		t.Errorf("%s", t2)
	}
	close(leave)
	must(t, <-called)
	must(t, <-closed)
	if !slices.Equal(order, []string{"call", "close"}) {
		t.Errorf("order %v", order)
	}
	if _, _, err := in.Call(t.Context(), "echo", nil, roomy()); !errors.Is(err, ErrClosed) {
		t.Errorf("a closed instance answered %v", err)
	}
	must(t, in.Close(t.Context()))
	if h.Memory() != 0 {
		t.Errorf("%d bytes are still counted", h.Memory())
	}
}

func TestInstanceOutlivesItsModulesClose(t *testing.T) {
	m := admit(t, newHost(t, nil), hostile(), "")
	in := instantiate(t, m)
	must(t, m.Close(t.Context()))
	_, _, err := in.Call(t.Context(), "count", []byte{0}, roomy())
	must(t, err)
	if _, err := m.Instantiate(t.Context(), roomy()); err == nil {
		t.Error("a closed module made an instance")
	}
}

func TestInstancesRunSideBySide(t *testing.T) {
	m := admit(t, newHost(t, nil), counting(), "")
	var wg sync.WaitGroup
	for range 4 {
		in := instantiate(t, m)
		wg.Go(func() {
			for i := range 20 {
				answer, _, err := in.Call(context.Background(), "next", nil, roomy())
				if err != nil || answer[0] != byte(2*(i+1)) {
					t.Errorf("call %d: %v, %v", i, answer, err)
					return
				}
			}
		})
	}
	wg.Wait()
}

func TestFailedInstantiationLeavesNothingBehind(t *testing.T) {
	var m Builder
	m.Memory(1)
	m.Data(65536, []byte("beyond the memory"))
	h := newHost(t, nil)
	module := admit(t, h, m.Bytes(), "")
	_, err := module.Instantiate(t.Context(), roomy())
	trapped(t, err, Crash)
	if h.Memory() != 0 {
		t.Errorf("%d bytes are still counted", h.Memory())
	}
}
