package sandbox

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/sandbox/rewrite"
	. "github.com/ox-mcp/ox-mcp/host/sandbox/wasmtest"
)

// specimen is a hostile module, and how it must end: refused at admission, or
// stopped while its export "attack" is called.
type specimen struct {
	what    string
	wasm    []byte
	world   string       // of the admission
	refused rewrite.Code // empty: it is admitted
	stopped Kind         // empty with refused empty: it comes to nothing, and answers
	limit   string       // that stopped it; empty: none
	unpaid  bool         // it asked for one thing that cost more than all its fuel
}

// narrow are the budgets of the corpus.
func narrow() abi.Limits {
	return abi.Limits{
		Fuel: 3_000_000, Memory: 4 * mib, Deadline: 600_000, Depth: 200,
		HostCalls: 50, HostBytes: 10_000, OutputBytes: 4096,
	}
}

// attack is a guest whose export "attack" runs the code. Its request has 16
// bytes.
func attack(locals []byte, code ...[]byte) []byte {
	return attackWith(nil, func(g *Guest) { g.Exchange("attack", locals, code...) })
}

func attackWith(imports func(*Builder), add func(*Guest)) []byte {
	g := NewGuest(2, imports)
	add(g)
	g.Exchange("echo", nil)
	return g.Bytes()
}

// TestHostileModules gives each specimen its budget, and looks whether it is
// stopped inside it, by its own code, at the same bill in both engines, and
// whether everybody else goes on.
func TestHostileModules(t *testing.T) {
	corpus := append(append(refusedModules(), stoppedModules()...), lyingModules()...)
	seen := map[string]bool{}
	for _, s := range corpus {
		if seen[s.what] {
			t.Errorf("two specimens are called %q", s.what)
		}
		seen[s.what] = true
	}
	if len(corpus) < 60 {
		t.Errorf("%d specimens are no corpus", len(corpus))
	}
	ends := map[string]string{} // in the engine that was first
	engines(t, func(t *testing.T, engine func(*Config)) {
		h := newHost(t, engine)
		bystander := instantiate(t, admit(t, h, hostile(), ""))
		before := h.Memory()
		for _, s := range corpus {
			t.Run(s.what, func(t *testing.T) {
				end := examine(t, h, s)
				if first, ok := ends[s.what]; ok && first != end {
					t.Errorf("it ended with %s, and in the other engine with %s", end, first)
				}
				ends[s.what] = end
				if h.Memory() != before {
					t.Errorf("%d bytes are counted, %d before", h.Memory(), before)
				}
				_, _, err := bystander.Call(t.Context(), "count", []byte{0}, narrow())
				must(t, err)
			})
		}
	})
}

// examine gives what must be equal in both engines: the kind of the end, and
// the bill.
func examine(t *testing.T, h *Host, s specimen) (end string) {
	t.Helper()
	m, err := h.Admit(t.Context(), "specimen", s.wasm, AdmitOptions{World: s.world, Grants: everything(), Limits: narrow()})
	if s.refused != "" {
		if err == nil {
			must(t, m.Close(context.Background()))
			t.Fatalf("admitted, want %s", s.refused)
		}
		e := wantCode(t, err, s.refused)
		if s.stopped != "" {
			withinBudget(t, Usage{}, trapped(t, e, s.stopped), s)
		}
		return string(e.Code)
	}
	must(t, err)
	defer m.Close(context.Background())
	in, err := m.Instantiate(t.Context(), narrow())
	must(t, err)
	defer in.Close(context.Background())
	_, used, err := in.Call(t.Context(), "attack", make([]byte, 16), narrow())
	end = fmt.Sprintf("%s, started with %+v, used %+v", s.stopped, in.Started(), used)
	if s.stopped == "" {
		var failure *abi.Failure
		if err != nil && !errors.As(err, &failure) {
			t.Fatal(explain(err))
		}
		return end
	}
	withinBudget(t, used, trapped(t, err, s.stopped), s)
	if _, _, again := in.Call(t.Context(), "attack", nil, narrow()); !errors.Is(again, err) {
		t.Errorf("the instance lives on: %v", again)
	}
	// A fresh instance of the same module is not touched by it.
	fresh, err := m.Instantiate(t.Context(), narrow())
	must(t, err)
	defer fresh.Close(context.Background())
	if m.rewritten.Exports["echo"] == typeExchange {
		_, _, err = fresh.Call(t.Context(), "echo", nil, narrow())
		must(t, err)
	}
	return end
}

// withinBudget allows a tenth over each limit: fuel is tested at loops and
// functions, so a little straight code may run beyond it.
func withinBudget(t *testing.T, used Usage, trap *Trap, s specimen) {
	t.Helper()
	if trap.Limit.Limit != s.limit {
		t.Errorf("stopped by the limit %q, want %q: %s", trap.Limit.Limit, s.limit, explain(trap))
	}
	most := func(what string, n, limit uint64) {
		if n > limit+limit/10 {
			t.Errorf("%d of %s were used, %d allowed", n, what, limit)
		}
	}
	l := narrow()
	most("fuel", used.Fuel, l.Fuel)
	if trap.Kind == OutOfFuel && !s.unpaid {
		most("fuel", trap.Limit.Used, l.Fuel)
	}
	most("memory", used.MemoryBytes, l.Memory)
	most("host calls", used.Calls, l.HostCalls+1)
	most("bytes of output", uint64(len(trap.Output)), captureBytes+8)
	most("bytes of stack", uint64(len(trap.Stack)), stackBytes+8)
	most("bytes of detail", uint64(len(trap.Detail)), 4096)
}
