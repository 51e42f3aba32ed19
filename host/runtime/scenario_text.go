package runtime

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// scenarioKinds are what the keys of a step take, in words.
var scenarioKinds = map[string]string{
	"step": "tables, each below [[step]]", "do": "text", "path": "text", "name": "text", "label": "text",
	"args": "a table", "explain": "true or false", "standpoints": "a list of texts",
	"expect": "a table", "rows": "a list of rows; how many there are is count", "count": "a whole number", "refused": "the text of a code",
}

// structField finds the key that is the field of a step in what the decoder
// says, which speaks of Go types, and of an inline table gives no more of the
// key than the table's own.
var structField = regexp.MustCompile(`into struct field \w+\.\w+\.(\w+) `)

// undecoded says of a value of the wrong kind which key it stands at and what
// goes there.
func undecoded(err *toml.DecodeError) string {
	text := strings.TrimPrefix(err.Error(), "toml: ")
	key := ""
	if path := err.Key(); len(path) > 0 {
		key = path[len(path)-1]
	}
	if m := structField.FindStringSubmatch(text); m != nil && scenarioKinds[strings.ToLower(m[1])] != "" {
		key = strings.ToLower(m[1])
	}
	if kind := scenarioKinds[key]; kind != "" && strings.Contains(text, "cannot decode") {
		return key + " takes " + kind
	}
	return text
}

// Scenarios lists the scenario files of the package: demo.toml, and those of the
// folder scenarios, sorted.
func (s *Service) Scenarios() []string {
	if s.cfg.Project == nil {
		return nil
	}
	folder, list := s.cfg.Project.Folder(), []string(nil)
	if _, err := os.Stat(filepath.Join(folder, demoScenario)); err == nil {
		list = append(list, demoScenario)
	}
	for _, name := range inScenarios(folder) {
		list = append(list, "scenarios/"+name)
	}
	return list
}

// inScenarios lists the scenario files of the folder scenarios of a package's
// folder, sorted.
func inScenarios(folder string) []string {
	files, _ := filepath.Glob(filepath.Join(folder, "scenarios", "*.toml"))
	for i, f := range files {
		files[i] = filepath.Base(f)
	}
	return files
}

// others names the scenarios that a package has where the one asked for is not
// there.
func others(folder string) string {
	names := inScenarios(folder)
	if len(names) == 0 {
		return ""
	}
	return "; the package has " + strings.Join(names[:min(len(names), 8)], ", ")
}
