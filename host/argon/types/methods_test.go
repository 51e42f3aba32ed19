package types

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestMethodsAreDocumented holds the table of methods to the methods there are.
func TestMethodsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../../docs/values.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(text), "\n## Methods\n")
	if !ok {
		t.Fatal("docs/values.md has no methods")
	}
	documented := map[string]bool{}
	name := regexp.MustCompile("`([a-z_]+)[`(]")
	for line := range strings.Lines(strings.ReplaceAll(table, `\|`, " ")) {
		cells := strings.Split(line, "|")
		if len(cells) < 4 {
			continue
		}
		for _, m := range name.FindAllStringSubmatch(cells[2], -1) {
			documented[m[1]] = true
		}
	}
	there := map[string]bool{"map": true, "filter": true, "find": true, "any": true, "all": true, "count": true, "fold": true}
	for _, name := range []string{"or", "is_ok", "is_err", "ok", "err", "from", "to"} {
		there[name] = true
	}
	for name := range dataMethods {
		there[name] = true
	}
	for name := range there {
		if !documented[name] {
			t.Errorf("docs/values.md has no %s", name)
		}
	}
	for name := range documented {
		if !there[name] && !builtins[name].method {
			t.Errorf("docs/values.md has %s, which is no method", name)
		}
	}
}
