package argon_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/argon"
	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/load"
)

// withoutExample are codes of check that no small text can give.
var withoutExample = []string{
	"OE1266", // needs sources beyond the limit; the tests of load have one
	"OE1351", // needs a context that ends
	"OE1352", // needs a registry of plugins; the tests of runtime have one
	"OW1252", // needs an operator's ceilings; the tests of runtime have them
}

// TestCatalogExamples runs both forms of each entry's example: the failing one
// gives the code, the repaired one gives no error at all.
func TestCatalogExamples(t *testing.T) {
	for _, e := range diag.All() {
		if e.Reserved != "" || e.Stage != diag.StageCheck || slices.Contains(withoutExample, e.Code) {
			continue
		}
		t.Run(e.Code, func(t *testing.T) {
			if e.Failing == "" {
				t.Fatal("the entry has no example")
			}
			if got := codesOf(checkExample(t, e.Failing)); !slices.Contains(got, e.Code) {
				t.Errorf("the failing form gives %q", got)
			}
			for _, d := range checkExample(t, e.Repaired) {
				if d.Code == e.Code || d.Severity == diag.Error {
					t.Errorf("the repaired form gives %s: %s", d.Code, d.Message)
				}
			}
		})
	}
}

func checkExample(t *testing.T, example string) []diag.Diagnostic {
	t.Helper()
	if !strings.HasPrefix(example, "-- ") {
		return argon.Check(example)
	}
	ctx := context.Background()
	w, err := load.Load(ctx, load.Options{Files: load.Memory(diag.Files(example))})
	if err != nil {
		t.Fatal(err)
	}
	return argon.Compile(ctx, w, argon.Options{}).Diagnostics
}

func codesOf(diagnostics []diag.Diagnostic) []string {
	var codes []string
	for _, d := range diagnostics {
		codes = append(codes, d.Code)
	}
	return codes
}
