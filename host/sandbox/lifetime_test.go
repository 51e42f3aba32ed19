package sandbox

import (
	"bytes"
	"context"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ox-mcp/ox-mcp/abi"
	. "github.com/ox-mcp/ox-mcp/host/sandbox/wasmtest"
)

// held is what a process holds of the system.
type held struct{ goroutines, mappings, descriptors int }

// holding counts, after a while in which what is closing may end.
func holding(t *testing.T) held {
	t.Helper()
	runtime.GC()
	h := held{goroutines: runtime.NumGoroutine()}
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Skipf("this system does not show what a process holds: %v", err)
	}
	for line := range strings.Lines(string(maps)) {
		// The Go runtime's own arenas come and go; ours have no name or that
		// of a snapshot, and the size of a reservation.
		if strings.Contains(line, "ox-snapshot") || strings.Contains(line, "---p 00000000 00:00 0") {
			h.mappings++
		}
	}
	files, err := os.ReadDir("/proc/self/fd")
	must(t, err)
	h.descriptors = len(files)
	return h
}

// rounds is how often the tests of leaks do a thing.
func rounds() int {
	if raceDetector {
		return 300
	}
	return 10_000
}

// TestNothingLeaks does each thing that makes and frees instances very often,
// and wants the process to hold no more at the end than after the first few.
func TestNothingLeaks(t *testing.T) {
	ctx := context.Background()
	h := newHost(t, nil)
	small := admit(t, h, hostile(), "")
	var broken Builder
	broken.Memory(40)
	broken.Data(1<<30, []byte("beyond the memory"))
	failing := admit(t, h, broken.Bytes(), "")
	startless := admit(t, h, described(abi.Description{ABI: abi.Version, World: abi.WorldReasoner, Name: "n", Version: "v"}, nil), abi.WorldReasoner)
	painting := admit(t, h, painter(), "")
	origin := &painted{in: instantiate(t, painting)}
	origin.model = bytes.Clone(origin.in.memory.bytes())
	short := roomy()
	short.Fuel = 1000
	var load Builder
	load.Export("f", KindFunc, load.Func(load.Type(nil, nil), nil, Op(Nop)))
	loaded := load.Bytes()
	for _, c := range []struct {
		what string
		do   func(t *testing.T, i int)
	}{
		{"loads", func(t *testing.T, _ int) {
			m, err := h.Admit(ctx, "load", loaded, AdmitOptions{Limits: roomy()})
			must(t, err)
			in, err := m.Instantiate(ctx, roomy())
			must(t, err)
			must(t, m.Close(ctx))
			must(t, in.Close(ctx))
		}},
		{"refused loads", func(t *testing.T, _ int) {
			_, err := h.Admit(ctx, "load", loaded[:len(loaded)-2], AdmitOptions{Limits: roomy()})
			if err == nil {
				t.Fatal("half a module was admitted")
			}
		}},
		{"failed instantiations", func(t *testing.T, _ int) {
			_, err := failing.Instantiate(ctx, roomy())
			trapped(t, err, Crash)
		}},
		{"described modules", func(t *testing.T, _ int) { must(t, instantiateAgain(t, startless)) }},
		{"traps", func(t *testing.T, _ int) {
			in, err := small.Instantiate(ctx, roomy())
			must(t, err)
			_, _, err = in.Call(ctx, "spin", nil, short)
			trapped(t, err, OutOfFuel)
			must(t, in.Close(ctx))
		}},
		{"clones", func(t *testing.T, i int) {
			a, err := origin.in.Clone(ctx)
			must(t, err)
			_, _, err = a.Call(ctx, "paint", words(mib, 5000, uint32(i)), roomy())
			must(t, err)
			b, err := a.Clone(ctx)
			must(t, err)
			must(t, a.Close(ctx))
			must(t, b.Close(ctx))
			if i%100 == 0 {
				origin.call(t, "paint", uint32(mib+i), 100, 7)
			}
		}},
	} {
		t.Run(c.what, func(t *testing.T) {
			for i := range 20 {
				c.do(t, i)
			}
			before, counted := holding(t), h.Memory()
			for i := range rounds() {
				c.do(t, i)
			}
			after := holding(t)
			for range 50 {
				if after.goroutines <= before.goroutines {
					break
				}
				time.Sleep(10 * time.Millisecond)
				after = holding(t)
			}
			// A few mappings are the runtime's own; a leak has hundreds.
			if after.goroutines > before.goroutines+2 || after.descriptors > before.descriptors+2 || after.mappings > before.mappings+20 {
				t.Errorf("the process holds %+v, before it held %+v", after, before)
			}
			if h.Memory() > counted+2*mib {
				t.Errorf("%d bytes are counted, before %d", h.Memory(), counted)
			}
		})
	}
	origin.check(t)
}

// TestWhatIsHandedOutOutlivesTheInstance keeps an answer and a line of the log
// while the guest writes on, and after its memory is gone. A view of the
// guest's memory would change, and then crash.
func TestWhatIsHandedOutOutlivesTheInstance(t *testing.T) {
	var line string
	h := newHost(t, func(c *Config) { c.Log = func(_ string, _ uint32, s string) { line = s } })
	wasm := attackWith(importLog, func(g *Guest) {
		g.Data(1024, []byte("what the guest says"))
		g.Exchange("say", nil, I32Const(1), I32Const(1024), I32Const(19), Call(0), store(16, 0, 1024, 19))
		g.Exchange("fill", nil, I32Const(1024), I32Const(0), I32Const(4096), Bulk(MemoryFill, 0))
	})
	m := admit(t, h, wasm, "")
	in, err := m.Instantiate(t.Context(), roomy())
	must(t, err)
	answer, _, err := in.Call(t.Context(), "say", nil, roomy())
	must(t, err)
	_, _, err = in.Call(t.Context(), "fill", nil, roomy())
	must(t, err)
	check := func(when string) {
		t.Helper()
		if string(answer) != "what the guest says" || line != "what the guest says" {
			t.Errorf("%s: the answer is %q, the line %q", when, answer, line)
		}
	}
	check("after the next call")
	must(t, in.Close(t.Context()))
	check("after the close")
	must(t, instantiateAgain(t, m))
	check("after another instance took the place")
}

// TestHostCloseWaitsForInstances: closing the host frees nothing that an open
// instance needs.
func TestHostCloseWaitsForInstances(t *testing.T) {
	h, err := New(t.Context(), Config{TotalMemory: 64 * mib, Now: time.Now})
	must(t, err)
	m, err := h.Admit(t.Context(), "guest", hostile(), AdmitOptions{Grants: everything(), Limits: roomy()})
	must(t, err)
	in, err := m.Instantiate(t.Context(), roomy())
	must(t, err)
	closed := make(chan error, 1)
	go func() { closed <- h.Close(context.Background()) }()
	for range 20 {
		_, _, err := in.Call(t.Context(), "count", []byte{0}, roomy())
		must(t, err)
	}
	select {
	case err := <-closed:
		t.Fatalf("the host closed under an open instance: %v", err)
	default:
	}
	must(t, in.Close(t.Context()))
	must(t, <-closed)
	if _, err := m.Instantiate(t.Context(), roomy()); err == nil {
		t.Error("a closed host made an instance")
	}
}

// TestCloneAndCallsAtTheSameTime clones an instance while others call and
// close clones: each clone has the state of some moment between two calls.
func TestCloneAndCallsAtTheSameTime(t *testing.T) {
	bothSnapshots(t, func(t *testing.T, h *Host) {
		g := NewGuest(32, nil)
		// next writes its new number to the first and the last word that it owns.
		n := g.Global(I32, true, I32Const(0))
		g.Exchange("next", nil, GlobalGet(n), I32Const(1), Op(I32Add), GlobalSet(n),
			I32Const(mib), GlobalGet(n), I32Store(0), I32Const(2*mib-4), GlobalGet(n), I32Store(0))
		g.Exchange("look", nil,
			I32Const(AnswerAt), I32Const(mib), I32Load(0), I32Store(0),
			I32Const(AnswerAt), I32Const(2*mib-4), I32Load(0), I32Store(4))
		in := instantiate(t, admit(t, h, g.Bytes(), ""))
		done := make(chan struct{})
		for range 3 {
			go func() {
				defer func() { done <- struct{}{} }()
				for range 30 {
					c, err := in.Clone(context.Background())
					if err != nil {
						t.Error(err)
						return
					}
					answer, _, err := c.Call(context.Background(), "look", nil, roomy())
					if err != nil || !bytes.Equal(answer[:4], answer[4:]) {
						t.Errorf("half a call: %x, %v", answer, err)
					}
					if err := c.Close(context.Background()); err != nil {
						t.Error(err)
					}
				}
			}()
		}
		for range 100 {
			_, _, err := in.Call(t.Context(), "next", nil, roomy())
			must(t, err)
		}
		for range 3 {
			<-done
		}
	})
}
