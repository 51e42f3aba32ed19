package sandbox

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/sandbox/rewrite"
	. "github.com/ox-mcp/ox-mcp/host/sandbox/wasmtest"
	"github.com/ox-mcp/ox-mcp/plugins"
)

// mutant changes a module in one to four places.
func mutant(r *rand.Rand, wasm []byte) []byte {
	b := slices.Clone(wasm)
	for range 1 + r.IntN(4) {
		at := 8 + r.IntN(len(b)-8)
		switch r.IntN(7) {
		case 0:
			b[at] ^= 1 << r.IntN(8)
		case 1:
			b[at] = byte(r.Uint32())
		case 2:
			b[at]++
		case 3: // an instruction that takes nothing and gives nothing, or a frequent one
			b[at] = []byte{Nop, Unreachable, Return, Drop, End, Else, Select, 0x6A, 0x20, 0x41}[r.IntN(10)]
		case 4: // a stretch from elsewhere
			from, n := 8+r.IntN(len(b)-8), 1+r.IntN(12)
			copy(b[at:], b[from:min(from+n, len(b))])
		case 5: // two neighbours change places
			if at+1 < len(b) {
				b[at], b[at+1] = b[at+1], b[at]
			}
		case 6: // the number gets longer and says the same
			if r.IntN(8) == 0 {
				b = slices.Insert(b, at, b[at]|0x80)
			} else {
				b[at] |= 0x80
			}
		}
	}
	return b
}

// checkMutant admits a mutant, or wants a reason that speaks of the module. A
// module that is valid as it came and not when it is metered is our mistake.
func checkMutant(t *testing.T, h *Host, wasm []byte) (admitted bool) {
	t.Helper()
	m, err := h.Admit(t.Context(), "mutant", wasm, AdmitOptions{Grants: everything(), Limits: tight()})
	if err != nil {
		var e *AdmissionError
		if !errors.As(err, &e) || e.Code == CodePanic || e.Code == CodeCompile || e.Code == CodeCompileDeadline {
			t.Fatalf("%v\n%x", err, wasm)
		}
		return false
	}
	defer m.Close(context.Background())
	for name, signature := range m.rewritten.Exports {
		in, err := m.Instantiate(t.Context(), tight())
		if err != nil {
			continue
		}
		params, _ := valueTypes(signature)
		args := make([]uint64, len(params))
		for i := range args {
			args[i] = 12
		}
		if _, u, _ := in.raw(t.Context(), tight(), name, args...); u.Fuel > tight().Fuel || u.MemoryBytes > tight().Memory {
			t.Errorf("%s used %+v\n%x", name, u, wasm)
		}
		must(t, in.Close(t.Context()))
	}
	return true
}

// TestMutationsOfRealModules does for a fixed set of mutants what
// FuzzMutation does for others.
func TestMutationsOfRealModules(t *testing.T) {
	h := newHost(t, nil)
	for _, c := range []struct {
		name string
		wasm func(t testing.TB) []byte
	}{
		{"hostile", func(testing.TB) []byte { return hostile() }},
		{"random", func(testing.TB) []byte { return Random(slices.Repeat([]byte{3, 31, 41, 59, 26, 53}, 90)) }},
		{"c", clangGuest},
	} {
		t.Run(c.name, func(t *testing.T) {
			wasm := c.wasm(t)
			r := rand.New(rand.NewPCG(1, 3))
			admitted := 0
			for range 600 {
				if checkMutant(t, h, mutant(r, wasm)) {
					admitted++
				}
			}
			if admitted < 20 || admitted > 590 {
				t.Errorf("%d of 600 mutants were admitted: the mutations show nothing", admitted)
			}
		})
	}
	if h.Memory() != 0 {
		t.Errorf("%d bytes are still counted", h.Memory())
	}
}

// TestMutationsOfTheReasoner looks only whether what was valid is valid when
// it is metered: compiling each mutant would take seconds.
func TestMutationsOfTheReasoner(t *testing.T) {
	wasm := built(t, plugins.Reasoner)
	h := newHost(t, nil)
	r := rand.New(rand.NewPCG(2, 3))
	kept := 0
	for range 20 {
		m := mutant(r, wasm)
		out, err := rewrite.Rewrite(m, rewrite.Options{Limits: rewrite.DefaultLimits(), MemoryPages: 1000, Grants: grants(everything()...), Instead: instead(everything())})
		if err != nil || h.validate(t.Context(), m) != nil {
			continue
		}
		kept++
		if e := h.validate(t.Context(), out.Wasm); e != nil {
			t.Fatalf("a mutant is valid, and not when it is metered: %s", e)
		}
	}
	if kept == 0 {
		t.Error("no mutant was valid")
	}
}

// FuzzMutation mutates real modules.
func FuzzMutation(f *testing.F) {
	h := newHost(f, nil)
	for seed := range uint64(4) {
		f.Add(seed, uint8(seed))
	}
	modules := [][]byte{hostile(), counting(), painter(), wasiGuest(), Random(slices.Repeat([]byte{3, 31, 41, 59, 26, 53}, 90))}
	f.Fuzz(func(t *testing.T, seed uint64, which uint8) {
		checkMutant(t, h, mutant(rand.New(rand.NewPCG(seed, 4)), modules[int(which)%len(modules)]))
	})
}
