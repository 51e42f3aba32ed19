package argon_test

import (
	"context"
	"maps"
	"reflect"
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/argon"
	"github.com/ox-mcp/ox-mcp/host/argon/load"
)

// editAndBack edits a package without mistakes in a session, and in another one
// takes the edit back. It holds what each says to a compilation from nothing, and
// hands it to each.
func editAndBack(t *testing.T, pack map[string]string, file, old, new string, each func(back bool, r *argon.Result)) {
	t.Helper()
	edited := strings.Replace(pack[file], old, new, 1)
	if edited == pack[file] {
		t.Fatalf("%s has no %q", file, old)
	}
	files := maps.Clone(pack)
	options := func() load.Options { return load.Options{Root: ".", Files: load.Memory(maps.Clone(files))} }
	for _, back := range []bool{false, true} {
		var s argon.Session
		check := func(text string) *argon.Result {
			files[file] = text
			r, err := s.Check(context.Background(), options())
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		from, to := pack[file], edited
		if back {
			from, to = to, from
		}
		if r := check(from); !back && len(r.Diagnostics) > 0 {
			t.Fatal(r.Diagnostics)
		}
		got := check(to)
		ws, err := load.Load(context.Background(), options())
		if err != nil {
			t.Fatal(err)
		}
		if want := argon.Compile(context.Background(), ws, argon.Options{}); !reflect.DeepEqual(got.Diagnostics, want.Diagnostics) {
			t.Errorf("%s: %q for %q (back: %t, in a part: %t): a session says\n%+v\nand a compilation from nothing\n%+v", file, new, old, back, got.Edit.Parted(), got.Diagnostics, want.Diagnostics)
		}
		each(back, got)
	}
}
