package load_test

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/load"
)

// manyFiles is a package whose modules nest, whose files have mistakes, and of
// which some files are not there.
func manyFiles() map[string]string {
	var root, deep strings.Builder
	files := map[string]string{"ox.toml": manifest}
	for i := range 20 {
		fmt.Fprintf(&root, "mod m%d;\n", i)
		switch {
		case i%7 == 3:
			continue // no file
		case i%5 == 2:
			files[fmt.Sprintf("m%d.ar", i)] = fmt.Sprintf("pub type T%d { size Int }\nmod m%d_below;\n", i, i)
			files[fmt.Sprintf("m%d_below.ar", i)] = "pub derive :- ;\n"
		default:
			files[fmt.Sprintf("m%d.ar", i)] = fmt.Sprintf("// no model of its own\npub type T%d { size: }\npub derive (;\n", i)
		}
	}
	deep.WriteString("standpoint Here { pub fact A(a); }\n")
	files["root.ar"] = root.String() + deep.String() + "pub type Root { }\n"
	return files
}

func TestTheNumberOfWorkersChangesNothing(t *testing.T) {
	type seen struct {
		modules []string
		items   [][]any
		found   []diag.Diagnostic
	}
	look := func(count int) (s seen) {
		ws, err := load.Load(context.Background(), load.Options{Root: ".", Files: load.Memory(manyFiles()), Workers: count})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range ws.Main.Modules {
			s.modules = append(s.modules, m.Path+" of "+m.File.Source.Path)
			var items []any
			for _, it := range m.Items {
				items = append(items, it)
			}
			s.items = append(s.items, items)
			if ws.Sources[m.File.Source.Path] != m.File.Source {
				t.Errorf("%s: the source is another than that of the tree", m.Path)
			}
		}
		s.found = ws.Diagnostics
		return s
	}
	one := look(1)
	if len(one.modules) < 20 || len(one.found) < 20 {
		t.Fatalf("%d modules and %d diagnostics: the package is too simple", len(one.modules), len(one.found))
	}
	for _, count := range []int{2, 8} {
		if got := look(count); !reflect.DeepEqual(got, one) {
			t.Errorf("with %d workers:\n%v\nwith one:\n%v", count, got, one)
		}
	}
}

func TestWhatTheParserSaysStandsWhereTheFileIsNamed(t *testing.T) {
	ws, err := load.Load(context.Background(), load.Options{Root: ".", Files: load.Memory(manyFiles())})
	if err != nil {
		t.Fatal(err)
	}
	last := -1
	for _, d := range ws.Diagnostics {
		var n int
		if d.Code == "OE0150" {
			fmt.Sscanf(d.Message, "the module m%d", &n)
		} else if _, err := fmt.Sscanf(d.Place.Path, "m%d", &n); err != nil {
			continue
		}
		if n < last {
			t.Errorf("what is wrong with m%d comes behind m%d: %s %s", n, last, d.Code, d.Message)
		}
		last = n
	}
	if last != 19 {
		t.Errorf("the last module with a mistake is m%d", last)
	}
}
