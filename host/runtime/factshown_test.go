package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/runtime"
)

// A head with a tuple takes what a proof shows: of a check the values that are
// printed, and of an individual made at run time its name.
func TestHeadWithATupleTakesWhatIsShown(t *testing.T) {
	p := open(t, map[string]string{
		"ox.toml": "[package]\nname = \"clinic\"\nprelude = [\"std::core::type\", \"std::core::rel\"]\n",
		"root.ar": `pub type Drug;
pub type Person { name: String }
pub rel Takes(p: Person, d: Drug);
pub fact Drug(aspirin);
pub fact Drug(ether);
pub check clashing(p: Person, d: Drug) :- Takes(p, d), n = p.name
    => Diagnostic { severity: Severity::Warning, code: "Clinic::E001", message: "{n} takes {d}" };
pub mutate admit(name: String, d: Drug) { let p = insert Person { name: name }; insert Takes(p, d); }
`,
	}, nil)
	p.accepted("admit", args("name", "Ann", "d", "aspirin"))
	ask := func(values ...string) (*runtime.ExplainResult, error) {
		req := runtime.ExplainRequest{Head: "clashing"}
		for _, v := range values {
			req.Tuple = append(req.Tuple, json.RawMessage(v))
		}
		return p.Explain(context.Background(), req)
	}
	for _, values := range [][]string{{`"Ann"`, `"aspirin"`}, {`"Ann"`, `"aspirin"`, `"Ann"`}} {
		res, err := ask(values...)
		if err != nil {
			t.Fatalf("%q: %v", values, err)
		}
		if !res.Derived || res.Fact != "clashing(Ann, aspirin)" {
			t.Errorf("%q: %s, derived %v", values, res.Fact, res.Derived)
		}
	}
	for what, values := range map[string][]string{
		"no violation with these values": {`"Ann"`, `"ether"`},
		"2, or 3 with those":             {`"Ann"`},
	} {
		_, err := ask(values...)
		var invalid *runtime.InvalidArguments
		if !errors.As(err, &invalid) || invalid.Problems[0].Path != "tuple" || !strings.Contains(invalid.Problems[0].Expected+invalid.Problems[0].Got, what) {
			t.Errorf("%q: %v", values, err)
		}
	}
}
