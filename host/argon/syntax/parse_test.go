package syntax

import (
	"os"
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
