package runtime

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"unicode"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/lower"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// SourceLine returns a line (from 1) of a source or facts file, for an
// excerpt. Only files of those kinds are shown.
func (s *Service) SourceLine(file string, line int) (string, bool) {
	if s.cfg.Project == nil || line < 1 {
		return "", false
	}
	switch filepath.Ext(file) {
	case ".ar", ".toml", ".csv", ".tsv", ".jsonl":
	default:
		return "", false
	}
	if strings.HasPrefix(file, "std/") {
		return "", false
	}
	text, err := os.ReadFile(filepath.Join(s.cfg.Project.Folder(), filepath.FromSlash(file)))
	if err != nil {
		return "", false
	}
	lines := strings.Split(string(text), "\n")
	if line > len(lines) {
		return "", false
	}
	return strings.TrimSuffix(lines[line-1], "\r"), true
}

// NewFile is a file of a new package.
type NewFile struct {
	Path string
	Text string
}

// NewPackage returns the files of a small package to start from.
func NewPackage(name string) ([]NewFile, error) {
	for i, r := range name {
		if r != '_' && !unicode.IsLetter(r) && (i == 0 || !unicode.IsDigit(r)) {
			return nil, Invalid("NAME", "letters, digits and underscores, beginning with a letter", name, "")
		}
	}
	if name == "" {
		return nil, Invalid("NAME", "letters, digits and underscores, beginning with a letter", "nothing", "")
	}
	return []NewFile{
		{"ox.toml", fmt.Sprintf("[package]\nname = %q\nversion = \"0.1.0\"\nprelude = [\"std::core::type\", \"std::core::rel\"]\n", name)},
		{"root.ar", newRoot},
		{".gitignore", "target/\n.ox/\n"},
		{"demo.toml", newScenario},
	}, nil
}

const newRoot = `//! A first ontology: places, the roads between them, and where one can get to.

/// A place on the map.
pub type Place { mut beds: Nat = 0 }

/// A road leads from one place to another.
pub rel Road(from: Place, to: Place);

pub fact Place(harbour);
pub fact Place(mill);
pub fact Place(summit);
pub fact Road(harbour, mill);
pub fact Road(mill, summit);

/// One can get from a to b.
pub derive reach(a: Place, b: Place) :- Road(a, b);
pub derive reach(a: Place, b: Place) :- Road(a, m), reach(m, b);

/// Where one can get to from a place.
pub query reachable(a: Place) -> [Place] {
    select b from reach(a, b)
}

/// Everything that can be reached from anywhere.
pub query reach_all() -> reach;

/// Builds a road.
pub mutate build_road(a: Place, b: Place) {
    insert Road(a, b);
}

/// A road must not lead back to where it starts.
pub check no_loop(a: Place) :- Road(a, a)
    => Diagnostic { severity: Severity::Error, code: "Map::E001", message: "the road at {a} leads nowhere" };

test "the summit can be reached from the harbour" {
    assert derivable reach(harbour, summit);
    assert not derivable reach(summit, harbour);
    assert rejects (Map::E001) { insert Road(mill, mill); };
}
`

const newScenario = `[[step]]
do = "mutate"
path = "root::build_road"
args = { a = "summit", b = "harbour" }

[[step]]
do = "query"
path = "root::reachable"
args = { a = "summit" }
label = "the way back"
expect = { count = 3 }
`

// Dump prints what a stage of the compiler made of the package: "ast",
// "expanded" (the source with its macros expanded), "rules" or "program". What does not compile is in the findings.
func (s *Service) Dump(ctx context.Context, what string) (string, []Diagnostic, error) {
	stages := []string{"ast", "expanded", "rules", "program"}
	if !slices.Contains(stages, what) {
		return "", nil, Invalid("stage", "ast, expanded, rules or program", what, Nearest(what, stages))
	}
	if s.cfg.Project == nil || !s.cfg.Project.Sources() {
		return "", nil, &Error{Status: 400, Code: CodeNoProject, Message: "there are no sources here to dump"}
	}
	r, err := s.cfg.Project.Compile(ctx, nil, true)
	if err != nil {
		return "", nil, &Error{Status: 500, Code: "PROJECT_UNREADABLE", Message: err.Error()}
	}
	var findings []Diagnostic
	for _, d := range s.diagnostics(r) {
		if d.Severity == "Error" {
			findings = append(findings, d)
		}
	}
	var b strings.Builder
	if what == "ast" {
		seen := map[*syntax.File]bool{}
		for _, m := range r.Workspace.Main.Modules {
			if m.File != nil && !seen[m.File] {
				seen[m.File] = true
				fmt.Fprintf(&b, "// %s\n", m.File.Source.Path)
				syntax.Print(&b, m.File)
			}
		}
		return b.String(), findings, nil
	}
	if what == "expanded" {
		if r.Expanded == nil {
			return "", findings, nil
		}
		if err := r.Macros.Print(&b, r.Expanded.Main); err != nil {
			return "", nil, &Error{Status: 500, Code: "PRINT_FAILED", Message: err.Error()}
		}
		return b.String(), findings, nil
	}
	if r.Module == nil {
		return "", findings, nil
	}
	p := r.Module.Program
	if what == "rules" {
		p.Functions, p.Mutations, p.Queries, p.Tests, p.Checks, p.Types = nil, nil, nil, nil, nil, nil
	}
	if err := lower.Print(&b, &p); err != nil {
		return "", nil, &Error{Status: 500, Code: "PRINT_FAILED", Message: err.Error()}
	}
	return b.String(), findings, nil
}

// QueryNames lists the public queries without parameters, in source order.
func (s *Service) QueryNames(ctx context.Context) ([]string, Outcome, error) {
	ses, refused, err := s.begin(ctx, Common{})
	if ses == nil {
		if refused == nil {
			return nil, Outcome{}, err
		}
		return nil, refused.Outcome, err
	}
	defer ses.end()
	queries := make([]*abi.Query, 0, len(ses.m.program.Queries))
	for i := range ses.m.program.Queries {
		if q := &ses.m.program.Queries[i]; q.Public && len(q.Params) == 0 {
			queries = append(queries, q)
		}
	}
	sort.SliceStable(queries, func(i, j int) bool {
		a, b := queries[i].Span, queries[j].Span
		if a.File != b.File {
			return a.File < b.File
		}
		return a.Start < b.Start
	})
	names := []string{}
	for _, q := range queries {
		names = append(names, q.Name)
	}
	return names, Outcome{}, nil
}

// CatalogEntryOf explains one code.
func CatalogEntryOf(code string) (*CatalogEntry, error) {
	all := Catalog()
	var codes []string
	for i := range all {
		if all[i].Code == code {
			return &all[i], nil
		}
		codes = append(codes, all[i].Code)
	}
	near, _ := diag.Nearest(code, codes)
	return nil, Invalid("code", "a diagnostic code such as OE1303", code, near)
}

// SettingRow is one setting with its value.
type SettingRow struct {
	Key         string `json:"key"`
	Value       string `json:"value"`
	Origin      string `json:"origin"`
	Description string `json:"description"`
	Env         string `json:"env"`
}

// Settings lists the settings in the order of the documentation.
func (s *Service) Settings() []SettingRow {
	out := []SettingRow{}
	for _, r := range s.cfg.Settings.Table() {
		out = append(out, SettingRow{Key: r.Setting.Key, Value: r.Value, Origin: fmt.Sprintf("%s: %s", r.Origin.Layer, r.Origin.Source), Description: r.Setting.Description, Env: r.Setting.Env()})
	}
	return out
}
