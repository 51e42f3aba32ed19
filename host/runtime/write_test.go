package runtime_test

import (
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/runtime"
)

func TestARefusedWriteLeavesNothing(t *testing.T) {
	p := open(t, portFiles(), nil)
	before := p.rows("ships", nil)
	for _, tc := range []struct {
		name, code, own string
		mutation        string
		args            runtime.Args
	}{
		{"a check", "ARGON_RUNTIME_CHECK_VIOLATION", "[Port::E001]", "moor", args("ship", "aurora", "berth", "quay")},
		{"a requirement after an insert", "ARGON_RUNTIME_WRITE_REFUSED", "[]", "half_done", args("name", "Bo")},
	} {
		t.Run(tc.name, func(t *testing.T) {
			res := p.mutate(tc.mutation, tc.args)
			same(t, "code", res.Code, tc.code)
			same(t, "own codes", res.DiagnosticCodes, tc.own)
			if res.Receipt != nil {
				t.Errorf("a refused write has a receipt: %+v", res.Receipt)
			}
			same(t, "ships", p.rows("ships", nil), before)
			same(t, "moorings", p.rows("moorings", nil), "[]")
			st, err := p.Status(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			same(t, "stamp", st.Stamp, 0)
		})
	}
}

func TestARefusalTracesTheFactsOfTheWrite(t *testing.T) {
	p := open(t, portFiles(), nil)
	res := p.mutate("moor", args("ship", "aurora", "berth", "quay"))
	if len(res.Trace) != 1 || !strings.Contains(res.Trace[0].Rendered, "LiesAt(aurora, quay)") || !strings.Contains(res.Trace[0].Rendered, "by this write") {
		t.Errorf("trace: %+v", res.Trace)
	}
	same(t, "message", res.Message, "Aurora does not fit")
	same(t, "next step", res.NextStep.Tool, "argon_mutate")
}

func TestTheNextStepOfARefusedWriteEnds(t *testing.T) {
	p := open(t, portFiles(), nil) // count_up, which has no end, is nothing that the write changes
	step := p.mutate("moor", args("ship", "aurora", "berth", "quay")).NextStep
	same(t, "dry run", step.Arguments["dryRun"], true)
	res, err := p.Mutate(t.Context(), runtime.MutateRequest{
		Name: step.Arguments["name"].(string), Args: step.Arguments["args"].(runtime.Args), DryRun: true, IncludeDerivedDelta: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "refused", res.Code, "ARGON_RUNTIME_CHECK_VIOLATION")
	if res.NextStep != nil || len(res.DerivedDelta) == 0 || len(res.Trace) == 0 {
		t.Errorf("the dry run must tell what there is, and end: %+v", res)
	}
	res, err = p.Mutate(t.Context(), runtime.MutateRequest{Body: "insert LiesAt(aurora, quay);"})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "ad hoc", res.NextStep.Tool, "argon_ad_hoc_mutate")
	if _, ok := res.NextStep.Arguments["args"]; ok {
		t.Errorf("arguments that nobody gave: %v", res.NextStep.Arguments)
	}
}

func TestADryRunWritesNothing(t *testing.T) {
	p := open(t, portFiles(), nil)
	res, err := p.Mutate(t.Context(), runtime.MutateRequest{Name: "moor", Args: args("ship", "aurora", "berth", "north"), DryRun: true, IncludeDerivedDelta: true})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "refused", res.Refused(), false)
	if res.Receipt != nil || !res.DryRun {
		t.Errorf("dry run: %+v", res)
	}
	heads := []string{}
	for _, d := range res.DerivedDelta {
		heads = append(heads, d.Head)
	}
	same(t, "delta", heads, "[LiesAt moored]")
	same(t, "moorings", p.rows("moorings", nil), "[]")
	// It refuses what the write would be refused for.
	res, err = p.Mutate(t.Context(), runtime.MutateRequest{Name: "moor", Args: args("ship", "aurora", "berth", "quay"), DryRun: true})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "code", res.Code, "ARGON_RUNTIME_CHECK_VIOLATION")
	same(t, "the next write's stamp", p.accepted("moor", args("ship", "aurora", "berth", "north")), 2)
	same(t, "moorings", p.rows("moorings", nil), "[(aurora)]")
}

func TestAWarningIsObserved(t *testing.T) {
	p := open(t, portFiles(), nil)
	res := p.mutate("arrive", args("name", "Mini", "length", 3))
	if res.Refused() || len(res.Observed) != 1 || res.Observed[0].Code != "Port::W001" || res.Observed[0].Message != "Mini is tiny" {
		t.Errorf("observed: %+v", res)
	}
	// It was there before the next write, which does not cause it.
	res = p.mutate("arrive", args("name", "Bo", "length", 7))
	same(t, "observed again", len(res.Observed), 0)
}

func TestAViolationThatWasThereDoesNotBlock(t *testing.T) {
	p := open(t, portFiles(), nil)
	p.accepted("arrive", args("name", "Giant", "length", 500))
	// A check that comes later finds the fact that is already there.
	p.write("root.ar", portSource+`
pub check huge(s: Ship) :- s: Ship, s.length > 300
    => Diagnostic { severity: Severity::Error, code: "Port::E002", message: "{s.name} is huge" };
`)
	same(t, "an unrelated write", p.accepted("arrive", args("name", "Bo", "length", 7)), 4)
	ch, err := p.Checks(t.Context(), runtime.ChecksRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if ch.Clean || ch.Total != 1 || ch.Violations[0].Code != "Port::E002" || ch.Violations[0].Message != "Giant is huge" {
		t.Errorf("checks: %+v", ch)
	}
	res := p.mutate("arrive", args("name", "Vast", "length", 600))
	same(t, "a further one is refused", res.DiagnosticCodes, "[Port::E002]")
	same(t, "with its own message only", res.Message, "Vast is huge")
}

func TestAnIdempotencyKeyIsRecordedOnce(t *testing.T) {
	p := open(t, portFiles(), nil)
	write := func(key, name string) (*runtime.MutateResult, error) {
		return p.Mutate(t.Context(), runtime.MutateRequest{Name: "arrive", Args: args("name", name, "length", 7), IdempotencyKey: key})
	}
	first, err := write("k1", "Bo")
	if err != nil || first.Receipt == nil {
		t.Fatal(first, err)
	}
	again, err := write("k1", "Bo")
	if err != nil || again.Receipt == nil {
		t.Fatal(again, err)
	}
	same(t, "the receipt", *again.Receipt, *first.Receipt)
	same(t, "ships", p.rows("ships", nil), "[(Bo) (aurora)]")
	if _, err := write("k1", "Cy"); err == nil {
		t.Error("a key of another call is taken")
	}
	other, err := write("k2", "Bo")
	if err != nil {
		t.Fatal(err)
	}
	same(t, "another key", other.Receipt.TT, 4)
}

func TestAdHocWrites(t *testing.T) {
	p := open(t, portFiles(), nil)
	res, err := p.Mutate(t.Context(), runtime.MutateRequest{Body: `let s = insert Ship { name: "Bo", length: 7 }; insert LiesAt(s, berth);`, Args: args("berth", "north")})
	if err != nil || res.Receipt == nil {
		t.Fatal(res, err)
	}
	same(t, "minted", len(res.Minted), 1)
	same(t, "moorings", p.rows("moorings", nil), "[(Bo)]")
	res, err = p.Mutate(t.Context(), runtime.MutateRequest{Body: `insert Ship { name: 7, length: 7 };`})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "ill-typed", res.Code, "ILL_TYPED")
	if _, err = p.Mutate(t.Context(), runtime.MutateRequest{Name: "arrive", Body: "insert Ship {}"}); err == nil {
		t.Error("a name and a body together are taken")
	}
}

func TestAMintedIndividualCanBePassedBack(t *testing.T) {
	p := open(t, portFiles(), nil)
	res := p.mutate("arrive", args("name", "Bo", "length", 7))
	id := res.Minted[0].ID
	p.accepted("moor", args("ship", id, "berth", "quay"))
	same(t, "moorings", p.rows("moorings", nil), "[(Bo)]")
	p.accepted("lengthen", args("ship", map[string]any{"id": id}, "length", 30))
	same(t, "too long for the quay", p.mutate("lengthen", args("ship", id, "length", 41)).DiagnosticCodes, "[Port::E001]")
}
