package plugins

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// Each skeleton is built as its README says, and decides as its package says;
// they decide the same.
func TestSkeletonsWork(t *testing.T) {
	p := newPerson(t)
	found := map[string][]finding{}
	for _, lang := range []string{"go", "c", "rust"} {
		t.Run(lang, func(t *testing.T) {
			if why := missing(lang); why != "" {
				t.Skip(why)
			}
			p.must(p.home, "plugin", "new", lang+"/digits", "--lang", lang)
			folder := filepath.Join(p.home, lang, "digits")
			var env []string
			if lang == "rust" {
				env = append(env, "PATH="+rustc()+string(os.PathListSeparator)+os.Getenv("PATH"))
			}
			buildAsTold(t, folder, env...)
			file := filepath.Join(folder, "digits.wasm")
			if out := p.must(p.home, "plugin", "inspect", file); !strings.Contains(out, "digits 0.1.0") {
				t.Error(out)
			}
			p.pin(file, "digits", "")
			if out := p.must(folder, "test", "try"); !strings.Contains(out, "1 passed, 0 failed") {
				t.Error(out)
			}
			appendTo(t, filepath.Join(folder, "try", "root.ar"), `
pub fact Item(c) { serial: "x1" };
pub fact Item(d) { serial: "" };
pub fact Item(e);
`)
			var status int
			found[lang], status = p.check(filepath.Join(folder, "try"))
			want := []finding{{"SUM", "Error", "the digits of x1 add up to 1 (c)"}}
			if status != 1 || !reflect.DeepEqual(found[lang], want) {
				t.Errorf("status %d, found %v", status, found[lang])
			}
		})
	}
}
