package sandbox

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/sandbox/rewrite"
	. "github.com/ox-mcp/ox-mcp/host/sandbox/wasmtest"
)

// engines runs a test in the compiler and in the interpreter.
func engines(t *testing.T, test func(t *testing.T, interpreter func(*Config))) {
	for _, c := range []struct {
		name        string
		interpreter bool
	}{{"compiler", false}, {"interpreter", true}} {
		t.Run(c.name, func(t *testing.T) {
			test(t, func(config *Config) { config.Interpreter = c.interpreter })
		})
	}
}

// forever is a body that does not end.
func forever() []byte { return concat(Loop(Empty), Br(0), Op(End)) }

// hostile is a guest with one way to break each limit.
func hostile() []byte {
	g := NewGuest(1, func(m *Builder) {
		m.Import(abi.ImportLog, "write", m.Type([]byte{I32, I32, I32}, nil))
	})
	g.Exchange("spin", nil, forever())
	g.Exchange("count", []byte{I32}, Loop(Empty), LocalGet(2), I32Const(1), Op(I32Add), LocalTee(2),
		I32Const(1000), Op(I32LtU), BrIf(0), Op(End))
	g.Exchange("fill", nil, I32Const(8192), I32Const(1), I32Const(32768), Bulk(MemoryFill, 0))
	// grow asks for one page more than the request's first byte says.
	g.Exchange("grow", nil, LocalGet(0), I32Load8U(0), MemoryGrow(), I32Const(-1), Op(I32Eq),
		If(Empty), Op(Unreachable), Op(End))
	// down calls itself as often as the request's first byte says; that call
	// and the export's own are two frames more.
	i := g.Type([]byte{I32}, nil)
	down := g.Next()
	g.Func(i, nil, LocalGet(0), If(Empty), LocalGet(0), I32Const(1), Op(I32Sub), Call(down), Op(End))
	g.Exchange("deep", nil, LocalGet(0), I32Load8U(0), Call(down))
	// log writes as often as the request's first byte says, four bytes each.
	g.Exchange("log", []byte{I32}, LocalGet(0), I32Load8U(0), LocalSet(2),
		Loop(Empty), I32Const(1), I32Const(0), I32Const(4), Call(0),
		LocalGet(2), I32Const(1), Op(I32Sub), LocalTee(2), BrIf(0), Op(End))
	g.Exchange("echo", nil)
	return g.Bytes()
}

func TestEachLimitHoldsByOne(t *testing.T) {
	engines(t, func(t *testing.T, engine func(*Config)) {
		h := newHost(t, engine)
		m := admit(t, h, hostile(), "")
		for _, c := range []struct {
			what    string
			export  string
			request byte
			kind    Kind
			limit   string
			allowed func(*abi.Limits) *uint64
			need    uint64 // 0: what a run with roomy limits used
		}{
			{"fuel", "count", 0, OutOfFuel, abi.LimitFuel, func(l *abi.Limits) *uint64 { return &l.Fuel }, 0},
			{"fuel of a bulk instruction", "fill", 0, OutOfFuel, abi.LimitFuel, func(l *abi.Limits) *uint64 { return &l.Fuel }, 0},
			{"memory", "grow", 3, OutOfMemory, abi.LimitMemory, func(l *abi.Limits) *uint64 { return &l.Memory }, 4 * rewrite.PageBytes},
			{"depth", "deep", 40, Depth, abi.LimitDepth, func(l *abi.Limits) *uint64 { return &l.Depth }, 42},
			{"host calls", "log", 5, HostCalls, abi.LimitHostCalls, func(l *abi.Limits) *uint64 { return &l.HostCalls }, 5},
			{"host bytes", "log", 5, HostCalls, abi.LimitHostBytes, func(l *abi.Limits) *uint64 { return &l.HostBytes }, 20},
			{"output", "echo", 0, Output, abi.LimitOutput, func(l *abi.Limits) *uint64 { return &l.OutputBytes }, 8},
		} {
			t.Run(c.what, func(t *testing.T) {
				need := c.need
				if need == 0 {
					_, u, err := instantiate(t, m).Call(t.Context(), c.export, []byte{c.request}, roomy())
					must(t, err)
					need = u.Fuel
				}
				limits := roomy()
				*c.allowed(&limits) = need
				if _, _, err := instantiate(t, m).Call(t.Context(), c.export, []byte{c.request}, limits); err != nil {
					t.Fatalf("at the limit: %s", explain(err))
				}
				*c.allowed(&limits) = need - 1
				in := instantiate(t, m)
				_, _, err := in.Call(t.Context(), c.export, []byte{c.request}, limits)
				trap := trapped(t, err, c.kind)
				if trap.Limit.Limit != c.limit || trap.Limit.Allowed != need-1 || trap.Limit.Used <= trap.Limit.Allowed {
					t.Errorf("breach %+v, want %s over %d", trap.Limit, c.limit, need-1)
				}
				if _, _, again := in.Call(t.Context(), "echo", nil, roomy()); !errors.Is(again, err) {
					t.Errorf("a dead instance answered %v", again)
				}
			})
		}
	})
}

// TestDepthLimitIsBelowTheRuntimes asks for more frames than the interpreter
// has: both engines stop at the same one, by our limit.
func TestDepthLimitIsBelowTheRuntimes(t *testing.T) {
	engines(t, func(t *testing.T, engine func(*Config)) {
		var m Builder
		count := m.Type([]byte{I32}, []byte{I32})
		leaf := m.Func(count, nil, LocalGet(0))
		down := m.Next()
		m.Export("down", KindFunc, m.Func(count, nil,
			LocalGet(0), If(I32), LocalGet(0), I32Const(1), Op(I32Sub), Call(down), Op(Else), I32Const(5), Call(leaf), Op(End)))
		module := admit(t, newHost(t, engine), m.Bytes(), "")
		limits := roomy()
		limits.Depth = 1 << 40
		_, _, err := instantiate(t, module).raw(t.Context(), limits, "down", MaxDepth-1)
		must(t, err)
		_, _, err = instantiate(t, module).raw(t.Context(), limits, "down", MaxDepth)
		trap := trapped(t, err, Depth)
		if trap.Limit != (abi.Breach{Limit: abi.LimitDepth, Allowed: MaxDepth, Used: MaxDepth + 1}) {
			t.Errorf("breach %+v", trap.Limit)
		}
		if n := strings.Count(trap.Stack, "\n"); n < 10 || n > 50 {
			t.Errorf("%d lines of stack", n)
		}
	})
}

func TestEndlessLoopEndsByFuelInSlices(t *testing.T) {
	engines(t, func(t *testing.T, engine func(*Config)) {
		in := instantiate(t, admit(t, newHost(t, engine), hostile(), ""))
		limits := roomy()
		limits.Fuel = 2*slice + slice/2
		_, u, err := in.Call(t.Context(), "spin", nil, limits)
		trap := trapped(t, err, OutOfFuel)
		if u.Fuel != limits.Fuel || trap.Limit.Used <= limits.Fuel || trap.Limit.Used > limits.Fuel+10 {
			t.Errorf("usage says %d, the trap %d, allowed are %d", u.Fuel, trap.Limit.Used, limits.Fuel)
		}
	})
}

// ticking is a clock that moves on by step each time it is read.
type ticking struct {
	at   time.Time
	step time.Duration
}

func (c *ticking) now() time.Time {
	c.at = c.at.Add(c.step)
	return c.at
}

func TestDeadline(t *testing.T) {
	engines(t, func(t *testing.T, engine func(*Config)) {
		clock := &ticking{at: time.Unix(0, 0), step: 10 * time.Millisecond}
		h := newHost(t, func(c *Config) { engine(c); c.Now = clock.now })
		m := admit(t, h, hostile(), "")
		limits := roomy()
		limits.Deadline = 35
		// The clock is read when the call begins, before it, and at each slice
		// or host call: three readings are in time.
		for _, c := range []struct {
			export  string
			request byte
			inTime  bool
		}{{"log", 2, true}, {"log", 3, false}, {"spin", 0, false}} {
			in := instantiate(t, m)
			_, _, err := in.Call(t.Context(), c.export, []byte{c.request}, limits)
			if c.inTime {
				must(t, err)
				continue
			}
			if trap := trapped(t, err, Deadline); trap.Limit != (abi.Breach{Limit: abi.LimitDeadline, Allowed: 35, Used: 40}) {
				t.Errorf("breach %+v", trap.Limit)
			}
		}
	})
}

func TestCancellationStopsARunningGuest(t *testing.T) {
	engines(t, func(t *testing.T, engine func(*Config)) {
		reads := 0
		var cancel context.CancelFunc = func() {}
		h := newHost(t, func(c *Config) {
			engine(c)
			c.Now = func() time.Time {
				if reads++; reads == 6 {
					cancel()
				}
				return time.Unix(0, 0)
			}
		})
		in := instantiate(t, admit(t, h, hostile(), ""))
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		reads, cancel = 0, stop
		_, u, err := in.Call(ctx, "spin", nil, roomy())
		trap := trapped(t, err, Cancelled)
		if !errors.Is(err, context.Canceled) || trap.IsLimit() {
			t.Errorf("%v: not the context's error, or a limit", err)
		}
		if u.Fuel < slice {
			t.Errorf("the guest was stopped after %d units: it never ran", u.Fuel)
		}
	})
}

// TestStopEndsLoopsAndRecursion asks for the end after 200 ms of real time. How
// soon after them it comes is for BenchmarkStop; that it comes is all a test
// can say on a machine that is shared.
func TestStopEndsLoopsAndRecursion(t *testing.T) {
	h := newHost(t, nil)
	for name, wasm := range map[string][]byte{"loop": attack(nil, forever()), "recursion": callTree()} {
		m := admit(t, h, wasm, "")
		t.Run(name+" by deadline", func(t *testing.T) {
			limits := roomy()
			limits.Deadline = 200
			_, _, err := instantiate(t, m).Call(t.Context(), "attack", nil, limits)
			trapped(t, err, Deadline)
		})
		t.Run(name+" by cancellation", func(t *testing.T) {
			ctx, stop := context.WithTimeout(t.Context(), 200*time.Millisecond)
			defer stop()
			_, _, err := instantiate(t, m).Call(ctx, "attack", nil, roomy())
			trapped(t, err, Cancelled)
		})
	}
}

// callTree is a guest that calls itself twice, a hundred deep.
func callTree() []byte {
	return attackWith(nil, func(g *Guest) {
		n := g.Type([]byte{I32}, nil)
		tree := g.Next()
		down := concat(LocalGet(0), I32Const(1), Op(I32Sub), Call(tree))
		g.Func(n, nil, LocalGet(0), If(Empty), down, down, Op(End))
		g.Exchange("attack", nil, I32Const(100), Call(tree))
	})
}

func TestCancelledCallLeavesTheInstanceAsItWas(t *testing.T) {
	in := instantiate(t, admit(t, newHost(t, nil), hostile(), ""))
	ctx, stop := context.WithCancel(t.Context())
	stop()
	_, _, err := in.Call(ctx, "echo", nil, roomy())
	trapped(t, err, Cancelled)
	_, _, err = in.Call(t.Context(), "echo", nil, roomy())
	must(t, err)
}

func TestCompileBombIsRefused(t *testing.T) {
	h := newHost(t, nil)
	var m Builder
	typ := m.Type([]byte{I32}, nil)
	// A few kilobytes with many blocks, each left by many branches.
	var code []byte
	for range 4000 {
		code = append(code, concat(Block(Empty), LocalGet(0), BrIf(0), Op(End))...)
	}
	for range 8 {
		m.Func(typ, nil, code)
	}
	_, err := h.Admit(t.Context(), "bomb", m.Bytes(), AdmitOptions{Limits: roomy()})
	wantCode(t, err, rewrite.CodeWork)
}

func TestMemoryOfAllInstancesIsLimited(t *testing.T) {
	h := newHost(t, func(c *Config) { c.TotalMemory = 3 * rewrite.PageBytes })
	m := admit(t, h, hostile(), "")
	a, b := instantiate(t, m), instantiate(t, m)
	_, _, err := a.Call(t.Context(), "grow", []byte{1}, roomy())
	must(t, err)
	if got := h.Memory(); got != 3*rewrite.PageBytes {
		t.Errorf("%d bytes are counted", got)
	}
	_, _, err = b.Call(t.Context(), "grow", []byte{1}, roomy())
	trap := trapped(t, err, OutOfMemory)
	if trap.Limit.Allowed != 3*rewrite.PageBytes || trap.Limit.Used != 4*rewrite.PageBytes {
		t.Errorf("breach %+v", trap.Limit)
	}
	_, err = m.Instantiate(t.Context(), roomy())
	trapped(t, err, OutOfMemory)
	must(t, a.Close(t.Context()))
	must(t, instantiateAgain(t, m))
}

func instantiateAgain(t testing.TB, m *Module) error {
	in, err := m.Instantiate(t.Context(), roomy())
	if err != nil {
		return err
	}
	return in.Close(t.Context())
}

func TestGrowthAboveTheModulesOwnMaximumIsItsOwnAffair(t *testing.T) {
	g := &Builder{}
	g.BoundedMemory(1, 2)
	g.Export("memory", KindMemory, 0)
	t0 := g.Type([]byte{I32}, nil)
	g.Export("grow", KindFunc, g.Func(t0, nil, LocalGet(0), MemoryGrow(), I32Const(-1), Op(I32Eq), If(Empty), Op(Unreachable), Op(End)))
	m := admit(t, newHost(t, nil), g.Bytes(), "")
	_, _, err := instantiate(t, m).raw(t.Context(), roomy(), "grow", 1)
	must(t, err)
	_, _, err = instantiate(t, m).raw(t.Context(), roomy(), "grow", 2)
	trapped(t, err, Crash)
}

func TestLimitsMustBeSet(t *testing.T) {
	m := admit(t, newHost(t, nil), hostile(), "")
	in := instantiate(t, m)
	for _, zero := range []func(*abi.Limits){
		func(l *abi.Limits) { l.Fuel = 0 },
		func(l *abi.Limits) { l.Memory = 0 },
		func(l *abi.Limits) { l.Deadline = 0 },
		func(l *abi.Limits) { l.Depth = 0 },
		func(l *abi.Limits) { l.OutputBytes = 0 },
		func(l *abi.Limits) { l.Fuel = 1<<62 + 1 },
	} {
		limits := roomy()
		zero(&limits)
		if _, _, err := in.Call(t.Context(), "echo", nil, limits); err == nil {
			t.Errorf("a call ran under %+v", limits)
		}
		if _, err := m.Instantiate(t.Context(), limits); err == nil {
			t.Errorf("an instance was made under %+v", limits)
		}
	}
}
