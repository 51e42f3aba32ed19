package runtime_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/runtime"
)

var specExample = regexp.MustCompile("(?s)```argon\n(.*?)```")

// TestSpecifiedScenarios runs the scenarios of the examples of docs/spec.md
// and of the programs that were written from that page: what else these say,
// the tests of the language look at.
func TestSpecifiedScenarios(t *testing.T) {
	page, err := os.ReadFile("../../docs/spec.md")
	if err != nil {
		t.Fatal(err)
	}
	var sources []string
	for _, m := range specExample.FindAllStringSubmatch(string(page), -1) {
		sources = append(sources, m[1])
	}
	programs, err := filepath.Glob("../argon/testdata/spec_programs/*.ar")
	if err != nil || len(programs) == 0 {
		t.Fatal("no programs", err)
	}
	for _, name := range programs {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, string(text))
	}
	ran := 0
	for _, source := range sources {
		if !strings.Contains(source, "\n-- scenarios/") {
			continue
		}
		files := diag.Files(source)
		if _, ok := files["ox.toml"]; !ok {
			files["ox.toml"] = "[package]\nname = \"example\"\nprelude = [\"std::core::type\", \"std::core::rel\"]\n"
		}
		p := open(t, files, nil)
		for name := range files {
			if !strings.HasPrefix(name, "scenarios/") {
				continue
			}
			ran++
			res, err := p.RunScenario(t.Context(), runtime.ScenarioRequest{File: name})
			if err != nil {
				t.Fatal(name, err)
			}
			for i, step := range res.Steps {
				if step.Failure != "" {
					t.Errorf("%s, step %d: %s", name, i+1, step.Failure)
				}
			}
			if !res.OK {
				t.Errorf("%s is not as it says", name)
			}
		}
	}
	if ran < 2 {
		t.Errorf("%d scenarios were run", ran)
	}
}
