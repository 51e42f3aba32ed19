package host

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"testing"
)

const modulePath = "github.com/ox-mcp/ox-mcp"

// layers says what the packages of a folder may import of this module, beside
// the folder itself. The longest folder that fits a package is the one that
// counts. A folder that is not here may import nothing of this module.
var layers = map[string][]string{
	"abi":              {},
	"wit":              {"abi"},
	"plugins":          {},
	"plugins/internal": {"abi"},
	"plugins/reasoner": {"abi", "plugins/internal"},
	"plugins/checks":   {"abi", "plugins/internal"},
	"plugins/joiner":   {"abi", "plugins/internal"},

	"host/settings":  {"abi"},
	"host/argon":     {"abi"},
	"host/oxbin":     {"abi", "host/argon"},
	"host/store":     {"abi"},
	"host/sandbox":   {"abi"},
	"host/governor":  {"abi", "host/settings", "host/sandbox"},
	"host/coherence": {"abi", "host/argon", "host/oxbin", "host/settings"},
	"host/overtime":  {"abi", "host/argon"},
	"host/runtime":   {"abi", "host/argon", "host/overtime", "host/oxbin", "host/settings", "host/store", "host/sandbox", "host/governor", "host/coherence"},
	"host/mcp":       {"abi", "host/runtime", "host/settings"},
	"host/cli":       {"abi", "host/runtime", "host/settings"},
	"host/httpapi":   {"abi", "host/runtime", "host/settings"},

	"cmd":      {"abi", "host", "plugins"},
	"examples": {},
	"scripts":  {},

	"scripts/peers": {"abi", "plugins", "host/sandbox"},
}

// outside says which folders may import which modules that are not ours and
// not the standard library. A folder that is not here may import none.
var outside = map[string][]string{
	"host/settings":   {"github.com/pelletier/go-toml/v2", "github.com/spf13/viper"},
	"host/argon/load": {"github.com/pelletier/go-toml/v2", "lukechampine.com/blake3"},
	"host/oxbin":      {"github.com/fxamacker/cbor/v2", "lukechampine.com/blake3"},
	"host/store":      {"github.com/fxamacker/cbor/v2"},
	"host/sandbox":    {"github.com/tetratelabs/wazero", "lukechampine.com/blake3", "golang.org/x/sys"},
	"host/governor":   {},
	"host/coherence":  {"lukechampine.com/blake3", "github.com/fxamacker/cbor/v2", "github.com/pelletier/go-toml/v2", "github.com/fsnotify/fsnotify"},
	"host/runtime":    {"github.com/fxamacker/cbor/v2", "github.com/pelletier/go-toml/v2", "lukechampine.com/blake3"},
	"host/mcp":        {"github.com/modelcontextprotocol/go-sdk", "github.com/google/jsonschema-go"},
	"host/httpapi":    {"github.com/prometheus/client_golang"},
	"host/cli":        {"github.com/spf13/cobra", "github.com/spf13/pflag", "github.com/pelletier/go-toml/v2"},
	"cmd":             {"github.com/spf13/cobra", "golang.org/x/sys", "golang.org/x/term"},
	"examples/demo":   {"github.com/modelcontextprotocol/go-sdk"},
	"scripts/builds":  {"lukechampine.com/blake3"},
}

// inTests are modules that a test of any package may import as well.
var inTests = []string{
	"pgregory.net/rapid", "github.com/rogpeppe/go-internal", "github.com/fxamacker/cbor/v2", "github.com/tetratelabs/wazero",
	"github.com/google/jsonschema-go", "github.com/modelcontextprotocol/go-sdk", "go.bytecodealliance.org", "lukechampine.com/blake3",
}

type goFile struct {
	name    string // relative to the module's root
	folder  string
	test    bool
	imports []string
}

func TestDependenciesFollowTheArrows(t *testing.T) {
	for _, f := range goFiles(t) {
		if f.test || f.folder == "host" {
			continue // a test may look anywhere to build what it needs
		}
		for _, imported := range f.imports {
			other, ours := strings.CutPrefix(imported, modulePath+"/")
			if !ours {
				continue
			}
			if reason := arrow(f.folder, other); reason != "" {
				t.Errorf("%s imports %s: %s", f.name, other, reason)
			}
		}
	}
}

// arrow says why folder may not import other, or "".
func arrow(folder, other string) string {
	layer := longest(folder, layers)
	if layer == "" {
		return "the folder " + folder + " has no layer; give it one in layers"
	}
	if under(other, layer) {
		return ""
	}
	for _, allowed := range layers[layer] {
		if under(other, allowed) {
			return ""
		}
	}
	return layer + " may import " + list(layers[layer])
}

func TestModulesOfOthersAreImportedWhereTheyBelong(t *testing.T) {
	for _, f := range goFiles(t) {
		allowed := append([]string(nil), outside[longest(f.folder, outside)]...)
		if f.test {
			allowed = append(allowed, inTests...)
		}
		for _, imported := range f.imports {
			first, _, _ := strings.Cut(imported, "/")
			if !strings.Contains(first, ".") || strings.HasPrefix(imported, modulePath) {
				continue
			}
			fits := false
			for _, a := range allowed {
				fits = fits || under(imported, a)
			}
			if !fits {
				t.Errorf("%s imports %s; %s may import %s of other modules", f.name, imported, f.folder, list(allowed))
			}
		}
	}
}

// A guest that links one of these is twice as large, or does not run without
// a machine around it.
func TestGuestsAreLean(t *testing.T) {
	heavy := map[string]string{
		"encoding/json": "use the codec of abi", "net": "a guest has no network", "net/http": "a guest has no network",
		"os/exec": "a guest starts nothing", "math/rand": "a guest draws from the call's seed", "math/rand/v2": "a guest draws from the call's seed",
		"fmt": "abi/phrase writes messages", "reflect": "a guest has the codec of abi", "encoding/hex": "it brings fmt", "crypto/sha256": "it brings a certified module of 100 kB",
	}
	seen := 0
	for _, f := range goFiles(t) {
		if f.test || !under(f.folder, "plugins") && !under(f.folder, "abi") || f.folder == "plugins" || f.folder == "plugins/reasoner/workload" || strings.Contains(f.folder, "testdata") {
			continue
		}
		seen++
		for _, imported := range f.imports {
			if why, ok := heavy[imported]; ok {
				t.Errorf("%s imports %s: %s", f.name, imported, why)
			}
		}
	}
	if seen == 0 {
		t.Error("no file of a guest was found, so that nothing was tested")
	}
}

// A path of somebody's machine is of no use to anybody else in a committed
// file.
func TestNoFileNamesAMachine(t *testing.T) {
	machine := regexp.MustCompile(`(^|[\s"'=(:` + "`" + `])/(work|home|root|Users|private)/[A-Za-z0-9_.-]+`)
	for _, name := range texts(t) {
		if strings.HasSuffix(name, "_test.go") || strings.Contains(name, "/testdata/") {
			continue
		}
		text, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			if found := machine.FindString(line); found != "" {
				t.Errorf("%s:%d names what only one machine has: %s", name, i+1, strings.TrimSpace(found))
			}
		}
	}
}

func TestArrowsAreRefusedAndTaken(t *testing.T) {
	cases := []struct {
		from, to string
		fits     bool
	}{
		{"host/runtime", "host/sandbox", true},
		{"host/runtime", "host/mcp", false},
		{"host/sandbox/rewrite", "host/sandbox", true},
		{"host/argon/lower", "host/runtime", false},
		{"host/argon/lower", "host/argon/types", true},
		{"plugins/reasoner/engine", "host/argon", false},
		{"plugins/reasoner/engine", "plugins/internal/term", true},
		{"abi", "host/settings", false},
		{"cmd/ox-mcp", "plugins", true},
		{"nowhere", "abi", false},
		{"host/storefront", "abi", false},
	}
	for _, c := range cases {
		if reason := arrow(c.from, c.to); (reason == "") != c.fits {
			t.Errorf("%s imports %s: %q", c.from, c.to, reason)
		}
	}
}

func under(name, folder string) bool {
	return name == folder || strings.HasPrefix(name, folder+"/")
}

func longest[V any](folder string, of map[string]V) string {
	for at := folder; at != "."; at = path.Dir(at) {
		if _, ok := of[at]; ok {
			return at
		}
	}
	return ""
}

func list(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	names = append([]string(nil), names...)
	sort.Strings(names)
	return strings.Join(names, ", ")
}

func goFiles(t *testing.T) []goFile {
	t.Helper()
	var files []goFile
	for _, name := range texts(t) {
		if !strings.HasSuffix(name, ".go") {
			continue
		}
		f := goFile{name: name, folder: path.Dir(name), test: strings.HasSuffix(name, "_test.go") || strings.Contains(name, "/testdata/") || strings.Contains(name, "/wasmtest/")}
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", name), nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range parsed.Imports {
			imported, err := strconv.Unquote(s.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			f.imports = append(f.imports, imported)
		}
		files = append(files, f)
	}
	if len(files) < 50 {
		t.Fatalf("only %d Go files were found", len(files))
	}
	return files
}

// texts lists the files of the module that are of text, relative to its root.
func texts(t *testing.T) []string {
	t.Helper()
	kinds := map[string]bool{".go": true, ".md": true, ".ar": true, ".toml": true, ".txt": true, ".csv": true, ".wit": true, ".txtar": true, "": true}
	var names []string
	err := filepath.WalkDir("..", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel("..", file)
		if d.IsDir() && (d.Name() == ".git" || d.Name() == "bin" || d.Name() == "target" || d.Name() == ".ox") {
			return filepath.SkipDir
		}
		if d.Type().IsRegular() && kinds[filepath.Ext(name)] {
			names = append(names, filepath.ToSlash(name))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
