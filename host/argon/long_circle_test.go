package argon_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/argon"
)

// A circle of supertypes is one mistake, however long it is.
func TestLongCircleIsOneMistake(t *testing.T) {
	for _, kind := range []string{"type C%d", "rel C%d(a: Top)"} {
		var src strings.Builder
		const n = 3000
		for i := range n {
			fmt.Fprintf(&src, "pub "+kind+" <: C%d;\n", i, (i+1)%n)
		}
		found := argon.Check(src.String())
		if len(found) != 1 || found[0].Code != "OE0105" {
			t.Errorf("%s: %v", kind, found[:min(len(found), 3)])
		}
	}
}
