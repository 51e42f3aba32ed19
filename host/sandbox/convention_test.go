package sandbox

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/sandbox/rewrite"
	. "github.com/ox-mcp/ox-mcp/host/sandbox/wasmtest"
)

// store writes the words to memory, one after another.
func store(at int32, words ...int32) []byte {
	var code []byte
	for i, w := range words {
		code = append(code, concat(I32Const(at), I32Const(w), I32Store(uint32(4*i)))...)
	}
	return code
}

func TestAnswersThatBreakTheConvention(t *testing.T) {
	failure := (&abi.Failure{Code: abi.FailureEval, Message: "no", Rule: -1}).AppendCBOR(nil)
	const area, failureAt = 16, 512
	g := NewGuest(1, nil)
	g.Data(failureAt, failure)
	g.Exchange("discriminant", nil, store(area, 2))
	g.Exchange("pointer", nil, store(area, 0, 65530, 8))
	g.Exchange("wrapping pointer", nil, store(area, 0, -1, 8))
	g.Exchange("empty answer anywhere", nil, store(area, 0, -1, 0))
	g.Exchange("failure", nil, store(area, 1, failureAt, int32(len(failure))))
	g.Exchange("failure that is none", nil, store(area, 1, AnswerAt, 8))
	exchange := g.Type([]byte{I32, I32}, []byte{I32})
	g.Export("area", KindFunc, g.Func(exchange, nil, I32Const(65530)))
	g.Export("far area", KindFunc, g.Func(exchange, nil, I32Const(-4)))
	give := g.Type(nil, []byte{I32})
	g.Export("plain", KindFunc, g.Func(give, nil, store(256, failureAt, 4), I32Const(256)))
	post := g.Type([]byte{I32}, nil)
	g.Exchange("crash after the answer", nil)
	g.Export(postPrefix+"crash after the answer", KindFunc, g.Func(post, nil, Op(Unreachable)))
	g.Export("other type", KindFunc, g.Func(post, nil))
	m := admit(t, newHost(t, nil), g.Bytes(), "")

	for _, c := range []struct {
		export string
		kind   Kind // empty: no trap
		answer string
	}{
		{"discriminant", BadOutput, ""},
		{"pointer", BadOutput, ""},
		{"wrapping pointer", BadOutput, ""},
		{"area", BadOutput, ""},
		{"far area", BadOutput, ""},
		{"failure that is none", BadOutput, ""},
		{"crash after the answer", Crash, ""},
		{"empty answer anywhere", "", ""},
		{"plain", "", string(failure[:4])},
	} {
		in := instantiate(t, m)
		answer, _, err := in.Call(t.Context(), c.export, []byte("request"), roomy())
		if c.kind == "" {
			must(t, err)
			if string(answer) != c.answer {
				t.Errorf("%s: %q, want %q", c.export, answer, c.answer)
			}
			continue
		}
		if trap := trapped(t, err, c.kind); !strings.HasSuffix(trap.Export, c.export) {
			t.Errorf("the trap is in %q, not in %q", trap.Export, c.export)
		}
	}

	in := instantiate(t, m)
	_, _, err := in.Call(t.Context(), "failure", nil, roomy())
	var f *abi.Failure
	if !errors.As(err, &f) || f.Code != abi.FailureEval {
		t.Errorf("%v, want the guest's failure", err)
	}
	if _, _, err := in.Call(t.Context(), "plain", nil, roomy()); err != nil {
		t.Errorf("a failure killed the instance: %s", err)
	}
	for _, export := range []string{"other type", "no such export", "memory"} {
		if _, _, err := in.Call(t.Context(), export, nil, roomy()); err == nil {
			t.Errorf("%q was called", export)
		}
	}
}

func TestReallocOutsideTheMemory(t *testing.T) {
	var m Builder
	m.Memory(1)
	m.Export("memory", KindMemory, 0)
	m.Export(exportRealloc, KindFunc, m.Func(m.Type([]byte{I32, I32, I32, I32}, []byte{I32}), nil, I32Const(65533)))
	m.Export("f", KindFunc, m.Func(m.Type([]byte{I32, I32}, []byte{I32}), nil, Op(Unreachable)))
	in := instantiate(t, admit(t, newHost(t, nil), m.Bytes(), ""))
	_, _, err := in.Call(t.Context(), "f", []byte("four"), roomy())
	trapped(t, err, BadOutput)
}

func TestRequestAndAnswerPass(t *testing.T) {
	// The guest answers with the request itself.
	g := NewGuest(2, nil)
	g.Exchange("echo", nil,
		I32Const(16), I32Const(0), I32Store(0),
		I32Const(16), LocalGet(0), I32Store(4),
		I32Const(16), LocalGet(1), I32Store(8))
	in := instantiate(t, admit(t, newHost(t, nil), g.Bytes(), ""))
	for _, request := range [][]byte{nil, {1}, bytes.Repeat([]byte("abc"), 20_000)} {
		answer, _, err := in.Call(t.Context(), "echo", request, roomy())
		must(t, err)
		if !bytes.Equal(answer, request) {
			t.Errorf("%d bytes came back for %d", len(answer), len(request))
		}
	}
}

// TestIndexesAreShifted runs code through every place that names a function,
// with imports before it and names in the trap's stack.
func TestIndexesAreShifted(t *testing.T) {
	engines(t, func(t *testing.T, engine func(*Config)) {
		var m Builder
		exit := m.Type([]byte{I32}, nil)
		unit := m.Type(nil, nil)
		number := m.Type(nil, []byte{I32})
		m.Import(wasiModule, exitName, exit)
		m.Table(0, 4)
		one := m.Func(number, nil, I32Const(1))
		ten := m.Func(number, nil, I32Const(10))
		hundred := m.Func(number, nil, I32Const(100))
		m.Global(Funcref, false, RefFunc(hundred))
		m.Element(1, one, ten)
		m.RawElement(4, 0x41, 3, 0x0B, 1, 0xD2, byte(hundred), 0x0B) // expressions
		m.Export("sum", KindFunc, m.Func(number, nil,
			Call(one), Call(ten), Op(I32Add),
			I32Const(1), CallIndirect(number, 0), Op(I32Add),
			I32Const(2), CallIndirect(number, 0), Op(I32Add),
			I32Const(3), CallIndirect(number, 0), Op(I32Add)))
		crash := m.Func(unit, nil, Op(Unreachable))
		outer := m.Func(unit, nil, Call(crash))
		m.Export("outer", KindFunc, outer)
		m.Export("quit", KindFunc, m.Func(unit, nil, I32Const(7), Call(0)))
		m.FuncNames(FuncName{Index: 0, Name: "exit"}, FuncName{Index: crash, Name: "the_crash"}, FuncName{Index: outer, Name: "the_caller"})
		module := admit(t, newHost(t, engine), m.Bytes(), "")

		results, _, err := instantiate(t, module).raw(t.Context(), roomy(), "sum")
		must(t, err)
		if results[0] != 122 {
			t.Errorf("sum %d, want 122", results[0])
		}
		_, _, err = instantiate(t, module).raw(t.Context(), roomy(), "outer")
		stack := strings.Split(trapped(t, err, Crash).Stack, "\n")
		if len(stack) != 2 || !strings.HasPrefix(stack[0], "the_crash(") || !strings.HasPrefix(stack[1], "the_caller(") {
			t.Errorf("stack %q", stack)
		}
		_, _, err = instantiate(t, module).raw(t.Context(), roomy(), "quit")
		if trap := trapped(t, err, Crash); !strings.Contains(trap.Detail, "code 7") {
			t.Errorf("%s", trap)
		}
	})
}

func TestSeveralResults(t *testing.T) {
	var m Builder
	pair := m.Type(nil, []byte{I32, I64})
	m.Func(pair, nil, I32Const(1), I64Const(2), Op(Return))
	m.Export("f", KindFunc, m.Func(pair, nil, Call(0)))
	in := instantiate(t, admit(t, newHost(t, nil), m.Bytes(), ""))
	results, _, err := in.raw(t.Context(), roomy(), "f")
	must(t, err)
	if results[0] != 1 || results[1] != 2 {
		t.Errorf("%v", results)
	}
}

func TestAdmission(t *testing.T) {
	h := newHost(t, nil)
	described := func(d abi.Description, more func(*Guest)) []byte {
		b := d.AppendCBOR(nil)
		g := NewGuest(1, nil)
		g.Data(1024, b)
		give := g.Type(nil, []byte{I32})
		g.Export(abi.ExportDescribe, KindFunc, g.Func(give, nil, store(256, 1024, int32(len(b))), I32Const(256)))
		if more != nil {
			more(g)
		}
		return g.Bytes()
	}
	good := abi.Description{ABI: abi.Version, World: abi.WorldReasoner, Name: "n", Version: "v"}
	other := good
	other.ABI = "9.9.9"
	evaluator := good
	evaluator.World = abi.WorldEvaluator
	var noMemory, ill, wrongInit Builder
	ill.Func(ill.Type(nil, []byte{I32}), nil)
	wrongInit.Func(wrongInit.Type([]byte{I32}, nil), nil)

	for _, c := range []struct {
		what  string
		wasm  []byte
		world string
		code  rewrite.Code
	}{
		{"wrong types inside", ill.Bytes(), "", CodeInvalid},
		{"refusal of the rewriter", []byte("x"), "", rewrite.CodeMalformed},
		{"no exports", noMemory.Bytes(), abi.WorldReasoner, CodeExport},
		{"another world's exports", described(good, nil), abi.WorldEvaluator, CodeExport},
		{"unknown world", described(good, nil), "kernel", CodeWorld},
		{"another version of the contract", described(other, nil), abi.WorldReasoner, CodeABI},
		{"another world's description", described(evaluator, nil), abi.WorldReasoner, CodeWorld},
		{"start-up that traps", described(good, func(g *Guest) {
			g.Export(exportInitialize, KindFunc, g.Func(g.Type(nil, nil), nil, Op(Unreachable)))
		}), abi.WorldReasoner, CodeDescribe},
		{"start-up of another type", described(good, func(g *Guest) {
			g.Export(exportInitialize, KindFunc, g.Func(g.Type([]byte{I32}, nil), nil))
		}), abi.WorldReasoner, CodeExport},
		{"data outside the memory", described(good, func(g *Guest) { g.Data(1<<20, []byte("x")) }), abi.WorldReasoner, CodeDescribe},
	} {
		_, err := h.Admit(t.Context(), c.what, c.wasm, AdmitOptions{World: c.world, Limits: roomy()})
		if err == nil {
			t.Errorf("%s: admitted", c.what)
			continue
		}
		t.Run(c.what, func(t *testing.T) { wantCode(t, err, c.code) })
	}

	limits := roomy()
	limits.Fuel = 10_000
	_, err := h.Admit(t.Context(), "spins", described(good, func(g *Guest) {
		g.Export(exportInitialize, KindFunc, g.Func(g.Type(nil, nil), nil, forever()))
	}), AdmitOptions{World: abi.WorldReasoner, Limits: limits})
	wantCode(t, err, CodeDescribe)
	trapped(t, err, OutOfFuel)

	wasm := described(good, nil)
	m := admit(t, h, wasm, abi.WorldReasoner)
	if m.Description() != good || m.Name() != "guest" || !m.Exports(abi.ExportDescribe) || m.Exports("x") {
		t.Errorf("module %+v", m.Description())
	}
	if m.Hash() != digest(wasm) || m.MeteredHash() == m.Hash() || len(m.MeteredHash()) != 64 {
		t.Errorf("hashes %s, %s", m.Hash(), m.MeteredHash())
	}
}

func TestCompilationEndsInTime(t *testing.T) {
	h := newHost(t, func(c *Config) { c.CompileTime = 1 })
	_, err := h.Admit(t.Context(), "slow", hostile(), AdmitOptions{Grants: everything(), Limits: roomy()})
	wantCode(t, err, CodeCompileDeadline)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	_, err = h.Admit(ctx, "nobody waits", hostile(), AdmitOptions{Grants: everything(), Limits: roomy()})
	wantCode(t, err, CodeCompile)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%s is not the context's error", err)
	}
}

func TestAdmissionUnderAMemoryCap(t *testing.T) {
	h := newHost(t, nil)
	g := NewGuest(3, nil)
	_, err := h.Admit(t.Context(), "big", g.Bytes(), AdmitOptions{MemoryCap: 2 * rewrite.PageBytes, Limits: roomy()})
	wantCode(t, err, rewrite.CodeMemoryMin)
	m, err := h.Admit(t.Context(), "fits", g.Bytes(), AdmitOptions{MemoryCap: 3 * rewrite.PageBytes, Limits: roomy()})
	must(t, err)
	defer m.Close(t.Context())
	limits := roomy()
	limits.Memory = 2 * rewrite.PageBytes
	_, err = m.Instantiate(t.Context(), limits)
	trapped(t, err, OutOfMemory)
}

// TestTrapShowsItsLimit is what the governor makes its payload from.
func TestTrapShowsItsLimit(t *testing.T) {
	b, ok := breach(Output, abi.LimitOutput, 1, 2).Breach()
	if !ok || b != (abi.Breach{Limit: abi.LimitOutput, Allowed: 1, Used: 2}) {
		t.Errorf("%+v, %v", b, ok)
	}
	if b, ok := (&Trap{Kind: Crash}).Breach(); ok {
		t.Errorf("a crash shows the limit %+v", b)
	}
}
