package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestImplNamesWhatIsThere looks up the files and folders that impl.md names.
func TestImplNamesWhatIsThere(t *testing.T) {
	text, err := os.ReadFile("impl.md")
	if err != nil {
		t.Fatal(err)
	}
	named := 0
	for _, m := range regexp.MustCompile("`((?:abi|cmd|docs|host|plugins)(?:/[\\w.-]+)*)`").FindAllStringSubmatch(string(text), -1) {
		named++
		if _, err := os.Stat(filepath.Join("..", filepath.FromSlash(m[1]))); err != nil {
			t.Errorf("impl.md names %s: %v", m[1], err)
		}
	}
	if named < 30 {
		t.Errorf("impl.md names %d files: does the test still read them?", named)
	}
	if lines := strings.Count(string(text), "\n"); lines > 200 {
		t.Errorf("impl.md has %d lines: it is an overview", lines)
	}
}
