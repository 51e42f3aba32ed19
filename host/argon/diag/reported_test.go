package diag

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestCodesInTheSourcesAreInTheCatalog reads the host's sources: each code in
// them has an entry that is not reserved, and each entry that is not reserved
// is reported somewhere.
func TestCodesInTheSourcesAreInTheCatalog(t *testing.T) {
	code := regexp.MustCompile(`"(O[EW][0-9]{4})"`)
	reported := map[string]string{}
	err := filepath.WalkDir(filepath.Join("..", ".."), func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && e.Name() == "diag" {
			return fs.SkipDir
		}
		if filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(name)
		for _, m := range code.FindAllStringSubmatch(string(text), -1) {
			reported[m[1]] = name
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for c, file := range reported {
		if e, ok := Lookup(c); !ok {
			t.Errorf("%s reports %s, which has no entry", file, c)
		} else if e.Reserved != "" {
			t.Errorf("%s reports %s, which the catalog says is reserved: %s", file, c, e.Reserved)
		}
	}
	var silent []string
	for _, e := range All() {
		if _, ok := reported[e.Code]; !ok && e.Reserved == "" {
			silent = append(silent, e.Code)
		}
	}
	slices.Sort(silent)
	if len(silent) > 0 {
		t.Errorf("nothing reports %q: mark them as reserved", silent)
	}
}
