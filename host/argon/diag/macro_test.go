package diag

import (
	"fmt"
	"testing"
)

// A mistake of a macro's words points at the uses, up to a number of them.
func TestOncePerMacro(t *testing.T) {
	var items []Diagnostic
	for i := range 20 {
		items = append(items, Diagnostic{Code: "OE0101", Message: "there is no x", Macro: "m", Place: Place{"root.ar", i, i + 1}})
		items = append(items, Diagnostic{Code: "OE0101", Message: "there is no x", Place: Place{"root.ar", i, i + 1}})
	}
	got := OncePerMacro(items)
	if len(got) != 21 {
		t.Fatalf("%d diagnostics", len(got))
	}
	related := got[0].Related
	if len(related) != maxUses {
		t.Fatalf("%d uses", len(related))
	}
	for i, r := range related {
		if want := (Place{"root.ar", i + 1, i + 2}); r.Place != want {
			t.Errorf("use %d is at %v", i, r.Place)
		}
	}
	if last, want := related[maxUses-1].Message, fmt.Sprintf("and in this use, and in %d more", 19-maxUses); last != want {
		t.Errorf("%q, want %q", last, want)
	}
}
