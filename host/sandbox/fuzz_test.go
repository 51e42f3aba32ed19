package sandbox

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/sandbox/rewrite"
	. "github.com/ox-mcp/ox-mcp/host/sandbox/wasmtest"
)

// tight are limits for guests that nobody wrote.
func tight() abi.Limits {
	return abi.Limits{
		Fuel: 2_000_000, Memory: 4 * mib, Deadline: 60_000, Depth: 200,
		HostCalls: 10, HostBytes: 1000, OutputBytes: 4096,
	}
}

// FuzzAdmit gives the sandbox any bytes. It must refuse them with an
// AdmissionError, or run every export of the calling convention to some end.
func FuzzAdmit(f *testing.F) {
	f.Add([]byte{})
	f.Add(hostile())
	f.Add(counting())
	for seed := range byte(8) {
		f.Add(Random(slices.Repeat([]byte{seed, 3, 14, 15, 92, 65, 35, 89, 79}, 20)))
	}
	h, err := New(context.Background(), Config{TotalMemory: 64 * mib, Now: time.Now})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, wasm []byte) {
		m, err := h.Admit(t.Context(), "fuzz", wasm, AdmitOptions{Grants: everything(), Limits: tight()})
		if err != nil {
			var e *AdmissionError
			if !errors.As(err, &e) {
				t.Fatalf("%T: %s", err, err)
			}
			if e.Code == CodeCompileDeadline || e.Code == CodePanic || e.Code == CodeCompile {
				t.Fatal(err)
			}
			return
		}
		defer m.Close(context.Background())
		for name := range m.rewritten.Exports {
			if _, err := m.convention(name); err != nil {
				continue
			}
			in, err := m.Instantiate(t.Context(), tight())
			if err != nil {
				continue
			}
			_, _, _ = in.Call(t.Context(), name, []byte("request"), tight())
			must(t, in.Close(t.Context()))
		}
		if h.Memory() != 0 {
			t.Fatalf("%d bytes are still counted", h.Memory())
		}
	})
}

// FuzzMetering makes a valid module of the choices, and wants it admitted,
// with the same results and traps as the module has without the meter, the
// same fuel in both engines, and no less than its instructions cost.
func FuzzMetering(f *testing.F) {
	for seed := range byte(4) {
		f.Add(slices.Repeat([]byte{seed, 31, 41, 59, 26, 53}, 30))
	}
	var hosts [2]*Host
	for i := range hosts {
		h, err := New(context.Background(), Config{TotalMemory: 64 * mib, Now: time.Now, Interpreter: i == 1})
		if err != nil {
			f.Fatal(err)
		}
		hosts[i] = h
	}
	f.Fuzz(func(t *testing.T, choices []byte) { checkMetering(t, hosts, choices) })
}

// TestMeteringKeepsMeaning does for a fixed set of modules what FuzzMetering
// does for others.
func TestMeteringKeepsMeaning(t *testing.T) {
	hosts := [2]*Host{newHost(t, nil), newHost(t, func(c *Config) { c.Interpreter = true })}
	seen := map[string]int{}
	for seed := range uint64(150) {
		source := rand.New(rand.NewPCG(seed, 1))
		choices := make([]byte, 600)
		for i := range choices {
			choices[i] = byte(source.Uint32())
		}
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			for _, outcome := range checkMetering(t, hosts, choices) {
				seen[outcome]++
			}
		})
	}
	// The generator is worth something only if it reaches these.
	for _, outcome := range []string{"value", "integer divide by zero"} {
		if seen[outcome] < 10 {
			t.Errorf("outcome %q came up %d times: %v", outcome, seen[outcome], seen)
		}
	}
}

// checkMetering returns how each call ended.
func checkMetering(t *testing.T, hosts [2]*Host, choices []byte) (outcomes []string) {
	wasm := Random(choices)
	plain := map[string]string{}
	unpaid := tight() // the same guest must meet the same limit on memory and depth
	unpaid.Fuel = roomy().Fuel
	var logs [2]string
	for i, h := range hosts {
		m, err := h.Admit(t.Context(), "random", wasm, AdmitOptions{Grants: everything(), Limits: tight()})
		if err != nil {
			t.Fatalf("a valid module was refused: %s", err)
		}
		func() {
			defer m.Close(context.Background())
			in, each := instantiate(t, m), instantiate(t, exact(t, h, wasm))
			for f := 0; f < 5; f++ {
				name := fmt.Sprintf("f%d", f)
				if !m.Exports(name) {
					break
				}
				results, u, err := in.raw(t.Context(), tight(), name, 3, 1<<40)
				outcome := outcomeOf(results, err)
				state := outcome + " " + digest(slices.Clone(in.memory.bytes()))
				logs[i] += fmt.Sprintf("%s %s %+v\n", name, state, u)
				if outcome != string(OutOfFuel) {
					plain[name] = state
				}
				if _, x, _ := each.raw(t.Context(), unpaid, name, 3, 1<<40); x.Fuel > u.Fuel && outcome != string(OutOfFuel) {
					t.Fatalf("%s is charged %d units, its instructions cost %d", name, u.Fuel, x.Fuel)
				}
				if i == 0 {
					outcomes = append(outcomes, strings.Split(outcome, ":")[0])
				}
				if err != nil {
					// What follows would run on a state that no call can see.
					break
				}
			}
		}()
	}
	if logs[0] != logs[1] {
		t.Fatalf("the engines differ:\n%s\n%s", logs[0], logs[1])
	}
	in := unmetered(t, hosts[0], wasm)
	for f := range len(plain) {
		name := fmt.Sprintf("f%d", f)
		results, _, err := in.raw(t.Context(), tight(), name, 3, 1<<40)
		if got := outcomeOf(results, err) + " " + digest(slices.Clone(in.memory.bytes())); got != plain[name] {
			t.Fatalf("%s is %s metered, %s as it came", name, plain[name], got)
		}
	}
	return outcomes
}

func outcomeOf(results []uint64, err error) string {
	var trap *Trap
	switch {
	case err == nil:
		return fmt.Sprintf("value: %d", results)
	case errors.As(err, &trap) && trap.Kind == Crash:
		return trap.Detail
	case errors.As(err, &trap):
		return string(trap.Kind)
	}
	return err.Error()
}

func FuzzRewrite(f *testing.F) {
	f.Add(hostile())
	f.Add(Random([]byte("some choices of a random module, long enough")))
	o := rewrite.Options{Limits: rewrite.DefaultLimits(), MemoryPages: 16, Grants: grants(everything()...), Instead: instead(everything())}
	f.Fuzz(func(t *testing.T, wasm []byte) {
		first, err := rewrite.Rewrite(wasm, o)
		if err != nil {
			return
		}
		again, err := rewrite.Rewrite(slices.Clone(wasm), o)
		if err != nil || !slices.Equal(first.Wasm, again.Wasm) {
			t.Fatalf("two rewrites of the same bytes differ: %v", err)
		}
		if _, err := rewrite.Rewrite(first.Wasm, o); err == nil {
			t.Fatal("a metered module was admitted again")
		}
	})
}
