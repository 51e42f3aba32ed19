package syntax

import (
	"os"
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/argon/diag"
)

func TestEveryConstructParses(t *testing.T) {
	text, err := os.ReadFile("testdata/harbour.ar")
	if err != nil {
		t.Fatal(err)
	}
	src := &Source{Path: "harbour.ar", Text: string(text)}
	var diags diag.List
	f := ParseFile(src, &diags)
	for _, d := range diags.Items {
		line, col := src.Position(d.Place.Start)
		t.Errorf("%d:%d: %s %s", line, col, d.Code, d.Message)
	}
	for _, it := range f.Items {
		t.Logf("%T %s", it, it.Head().Name.Name)
	}
}

func printed(t testing.TB, text string) (string, diag.List) {
	t.Helper()
	var diags diag.List
	f := ParseFile(&Source{Path: "x.ar", Text: text}, &diags)
	var b strings.Builder
	if err := Print(&b, f); err != nil {
		t.Fatal(err)
	}
	return b.String(), diags
}

func TestWhatIsPrintedReadsTheSame(t *testing.T) {
	text, err := os.ReadFile("testdata/harbour.ar")
	if err != nil {
		t.Fatal(err)
	}
	once, _ := printed(t, string(text))
	t.Log(once)
	twice, diags := printed(t, once)
	for _, d := range diags.Items {
		line, col := (&Source{Text: once}).Position(d.Place.Start)
		t.Errorf("%d:%d: %s %s", line, col, d.Code, d.Message)
	}
	if once != twice {
		t.Errorf("printing what was printed gives another text:\n%s", twice)
	}
}
