package argon_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/argon/diag"
)

// TestSpecPrograms runs the files of testdata/spec_programs as the examples of
// docs/spec.md are run. They were written from that page alone, before any of
// them was run; the README there says which were not as their author expected.
func TestSpecPrograms(t *testing.T) {
	names, err := filepath.Glob("testdata/spec_programs/*.ar")
	if err != nil || len(names) < 50 {
		t.Fatal("files are missing", len(names), err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".ar"), func(t *testing.T) {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			files := diag.Files(string(text))
			if _, ok := files["ox.toml"]; !ok {
				files["ox.toml"] = "[package]\nname = \"example\"\nprelude = [\"std::core::type\", \"std::core::rel\"]\n"
			}
			specDiagnostics(t, files)
			updated := specMeaning(t, string(text), files)
			specViolations(t, files)
			if *update && updated != string(text) {
				if err := os.WriteFile(name, []byte(updated), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}
