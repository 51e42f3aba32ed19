package argon_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/argon"
	"github.com/ox-mcp/ox-mcp/host/argon/load"
)

// An edit that changes what many others are is seen in a part of a package only
// as long as it is less work to find them than to compile the package.
func TestAWideEditOfALongTextIsCompiled(t *testing.T) {
	for _, c := range []struct {
		remarks int // bytes
		parted  bool
	}{{0, true}, {3 << 20, false}} {
		var b strings.Builder
		b.WriteString("use std::core::{type, rel};\npub type Hull { size: Int }\npub derive d0(v: Hull) :- v: Hull;\n")
		for i := range 120 {
			fmt.Fprintf(&b, "pub derive d%d(v: Hull) :- d%d(v);\n", i+1, i)
		}
		b.WriteString(strings.Repeat("// "+strings.Repeat("remark ", 100)+"\n", c.remarks/700))
		var s argon.Session
		check := func(text string) *argon.Result {
			r, err := s.Check(context.Background(), load.Options{Root: "root.ar", Files: load.Memory(map[string]string{"root.ar": text})})
			if err != nil || len(r.Diagnostics) > 0 {
				t.Fatal(err, r.Diagnostics)
			}
			return r
		}
		check(b.String())
		edited := check(strings.Replace(b.String(), "pub derive d0", "#[label(first)] pub derive d0", 1))
		if got := edited.Edit.Parted(); got != c.parted {
			t.Errorf("%d bytes of remarks: in a part is %t, want %t", c.remarks, got, c.parted)
		}
	}
}
