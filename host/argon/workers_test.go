package argon_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/argon"
	"github.com/ox-mcp/ox-mcp/host/argon/generated"
	"github.com/ox-mcp/ox-mcp/host/argon/load"
)

// misspelt is a package with more mistakes than suggestions are made for.
func misspelt() map[string]string {
	var b strings.Builder
	b.WriteString("use std::core::{type, rel};\npub type Vessel { tonnage: Int }\npub derive laden(v: Vessel) :- v: Vessel;\n")
	for i := range 130 {
		fmt.Fprintf(&b, "pub derive d%d(v: Vessel) :- ladn(v), v.tonage > %d;\n", i, i)
		if i%9 == 0 {
			fmt.Fprintf(&b, "pub fn f%d(n: Int) -> List<Int> = [1, n].fold([], |all, x| all + [x, %d]);\ntest \"t%d\" { assert f%d(%d) == []; }\n", i, i+1000, i, i, i)
		}
	}
	return map[string]string{"root.ar": b.String()}
}

// TestTheNumberOfWorkersChangesNothing compiles packages with several goroutines
// and holds what comes out, to the byte, to what one makes of them.
func TestTheNumberOfWorkersChangesNothing(t *testing.T) {
	packages := editedPackages(t)
	packages["misspelt"] = load.Options{Root: "root.ar", Files: load.Memory(misspelt())}
	packages["generated"] = load.Options{Root: "root.ar", Files: load.Memory(generated.Package(6000, 20))}
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			one := allOf(t, packages[name], 1)
			counts := []int{2, 8}
			if testing.Short() {
				counts = counts[1:]
			}
			for _, count := range counts {
				if got := allOf(t, packages[name], count); got != one {
					t.Errorf("%d workers make something else than one:\n%s", count, firstDifference(got, one))
				}
			}
		})
	}
}

// allOf is all that a compilation gives, as text.
func allOf(t *testing.T, from load.Options, count int) string {
	from.Workers = count
	ws, err := load.Load(context.Background(), from)
	if err != nil {
		t.Fatal(err)
	}
	r := argon.Compile(context.Background(), ws, argon.Options{TestMode: true, Workers: count})
	all := []any{r.Diagnostics}
	if m := r.Module; m != nil {
		all = append(all, m.Program.AppendCBOR(nil), m.Schema, m.Facts, m.Periods, m.Tiers, m.Standpoints, m.Measures)
	}
	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func firstDifference(a, b string) string {
	at := 0
	for at < len(a) && at < len(b) && a[at] == b[at] {
		at++
	}
	from := max(at-100, 0)
	return fmt.Sprintf("at byte %d: %q\nand %q", at, a[from:min(at+100, len(a))], b[from:min(at+100, len(b))])
}
