package sandbox

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/sandbox/rewrite"
	. "github.com/ox-mcp/ox-mcp/host/sandbox/wasmtest"
)

// everything is each grant that there is.
func everything() []string { return []string{abi.GrantLog, abi.GrantFacts, abi.GrantKernel} }

const areaOfGuest = 16 // what wasmtest.Answer gives

// asker hands its request to ox:plugin/facts, as often as its first byte says,
// and answers with the last answer.
func asker() []byte {
	g := NewGuest(1, func(m *Builder) {
		m.Import(abi.ImportFacts, scanName, m.Type([]byte{I32, I32, I32}, nil))
	})
	g.Exchange("ask", []byte{I32}, LocalGet(0), I32Load8U(0), LocalSet(2),
		Loop(Empty), LocalGet(0), LocalGet(1), I32Const(areaOfGuest), Call(0),
		LocalGet(2), I32Const(1), Op(I32Sub), LocalTee(2), BrIf(0), Op(End))
	g.Exchange("outside", nil, LocalGet(0), I32Const(-1), I32Const(areaOfGuest), Call(0))
	g.Exchange("nowhere", nil, LocalGet(0), LocalGet(1), I32Const(-1), Call(0))
	return g.Bytes()
}

// echo answers a request with itself.
func echo(_ context.Context, request []byte) ([]byte, bool) { return request, false }

func TestFactsReachTheGuestThatAsks(t *testing.T) {
	engines(t, func(t *testing.T, engine func(*Config)) {
		in := instantiate(t, admit(t, newHost(t, engine), asker(), ""))
		answer, usage, err := in.Call(WithFacts(t.Context(), echo), "ask", []byte{3, 'a', 'b'}, roomy())
		must(t, err)
		if string(answer) != "\x03ab" || usage.Calls != 3 {
			t.Errorf("answer %q, %d host calls", answer, usage.Calls)
		}
		var failure *abi.Failure
		if _, _, err = in.Call(t.Context(), "ask", []byte{1}, roomy()); !errors.As(err, &failure) || failure.Code != abi.FailureState {
			t.Errorf("without facts: %v", err)
		}
		refuse := func(context.Context, []byte) ([]byte, bool) {
			f := abi.Failure{Code: abi.FailureRequest, Message: "no", Rule: -1}
			return f.AppendCBOR(nil), true
		}
		if _, _, err = in.Call(WithFacts(t.Context(), refuse), "ask", []byte{1}, roomy()); !errors.As(err, &failure) || failure.Message != "no" {
			t.Errorf("a refusal: %v", err)
		}
	})
}

func TestFactsAreOnTheBill(t *testing.T) {
	m := admit(t, newHost(t, nil), asker(), "")
	large := func(context.Context, []byte) ([]byte, bool) { return make([]byte, 800), false }
	call := func(scan Scan, adapt func(*abi.Limits)) (Usage, error) {
		limits := roomy()
		adapt(&limits)
		_, u, err := instantiate(t, m).Call(WithFacts(t.Context(), scan), "ask", []byte{2}, limits)
		return u, err
	}
	none := func(*abi.Limits) {}
	small, err := call(echo, none)
	must(t, err)
	big, err := call(large, none)
	must(t, err)
	// The guest's own answer is the second of the two, and is charged as well.
	if got, want := big.Fuel-small.Fuel, 3*byteCost(800); got != want {
		t.Errorf("800 bytes twice in and once out cost %d units more than 1 byte, want %d", got, want)
	}
	for _, c := range []struct {
		what  string
		limit string
		set   func(*abi.Limits)
	}{
		{"calls", abi.LimitHostCalls, func(l *abi.Limits) { l.HostCalls = 1 }},
		{"bytes of the answers", abi.LimitHostBytes, func(l *abi.Limits) { l.HostBytes = 1601 }},
	} {
		_, err := call(large, c.set)
		if trap := trapped(t, err, HostCalls); trap.Limit.Limit != c.limit {
			t.Errorf("%s: %v", c.what, trap)
		}
	}
	if _, err := call(large, func(l *abi.Limits) { l.HostBytes, l.HostCalls = 1602, 2 }); err != nil {
		t.Errorf("at the limits: %v", err)
	}
	_, err = call(large, func(l *abi.Limits) { l.Fuel = big.Fuel - 1 })
	trapped(t, err, OutOfFuel)
}

func TestBadAddressesOfFactsStopTheGuest(t *testing.T) {
	m := admit(t, newHost(t, nil), asker(), "")
	for _, export := range []string{"outside", "nowhere"} {
		limits := roomy()
		limits.HostBytes = 1 << 40
		_, _, err := instantiate(t, m).Call(WithFacts(t.Context(), echo), export, []byte{1}, limits)
		trapped(t, err, BadOutput)
	}
}

// TestFactsAreNotAskedForInsideTheirAnswer has a guest whose cabi_realloc asks
// again.
func TestFactsAreNotAskedForInsideTheirAnswer(t *testing.T) {
	engines(t, func(t *testing.T, engine func(*Config)) {
		var m Builder
		m.Import(abi.ImportFacts, scanName, m.Type([]byte{I32, I32, I32}, nil))
		m.Memory(1)
		m.Export("memory", KindMemory, 0)
		again := m.Func(m.Type([]byte{I32, I32, I32, I32}, []byte{I32}), nil, I32Const(64), I32Const(1), I32Const(areaOfGuest), Call(0), I32Const(4096))
		m.Export(exportRealloc, KindFunc, again)
		m.Export("go", KindFunc, m.Func(m.Type(nil, nil), nil, I32Const(64), I32Const(1), I32Const(areaOfGuest), Call(0)))
		in := instantiate(t, admit(t, newHost(t, engine), m.Bytes(), ""))
		_, _, err := in.raw(WithFacts(t.Context(), echo), roomy(), "go")
		trapped(t, err, BadOutput)
	})
}

func TestImportsNeedTheirGrant(t *testing.T) {
	h := newHost(t, nil)
	for _, c := range []struct {
		what    string
		wasm    []byte
		granted []string
		taken   bool
	}{
		{"log without a grant", hostile(), nil, false},
		{"log with another grant", hostile(), []string{abi.GrantFacts}, false},
		{"log", hostile(), []string{abi.GrantLog}, true},
		{"facts without a grant", asker(), nil, false},
		{"facts with an unknown grant", asker(), []string{"ox:plugin/facts", ""}, false},
		{"facts", asker(), []string{abi.GrantFacts}, true},
	} {
		m, err := h.Admit(t.Context(), c.what, slices.Clone(c.wasm), AdmitOptions{Grants: c.granted, Limits: roomy()})
		var refused *AdmissionError
		switch {
		case c.taken && err != nil:
			t.Errorf("%s: %v", c.what, err)
		case !c.taken && (!errors.As(err, &refused) || refused.Code != rewrite.CodeImport):
			t.Errorf("%s: %v", c.what, err)
		}
		if m != nil {
			must(t, m.Close(t.Context()))
		}
	}
}
