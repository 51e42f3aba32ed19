package load

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/ox-mcp/ox-mcp/host/argon/diag"
)

// Manifest is what an ox.toml says, checked for form.
type Manifest struct {
	Path        string
	Name        string // "" if it has none
	Version     string
	Edition     string
	Description string
	License     string
	Prelude     []string
	OpenWorld   bool
	MaxTier     string
	Entry       string // entry file, relative to the package; "" means to look in the usual places

	Dependencies []ManifestDependency // sorted by name
	Refused      []string             // names of [dependencies] whose entry was reported
	Facts        []*FactFile          // sorted by target, files not read
	Reasoner     *Pin
	Plugins      []Plugin       // sorted by name
	Settings     map[string]any // as decoded; the settings registry judges them

	doc *document
}

// ManifestDependency is one entry of [dependencies].
type ManifestDependency struct {
	Name  string
	Path  string // slash-separated, relative to the package
	Place diag.Place
}

// Pin names a WebAssembly file and the hash that it must have.
type Pin struct {
	Path   string // relative to the package
	Blake3 string // hexadecimal
	Place  diag.Place
}

// Plugin is one [plugins.<name>] table.
type Plugin struct {
	Pin
	Name   string
	Kind   string
	Grants []string
	Limits map[string]any
}

// SettingPlace returns where the manifest sets a setting, given its dotted key.
func (m *Manifest) SettingPlace(key string) diag.Place {
	if p, ok := m.doc.places["settings\x00"+key]; ok {
		return p
	}
	return m.doc.place(append([]string{"settings"}, strings.Split(key, ".")...)...)
}

// manifestKeys are the keys of each table with a fixed set of them.
var manifestKeys = map[string][]string{
	"":         {"package", "project", "schema", "dependencies", "facts", "reasoner", "plugins", "connectors", "settings"},
	"package":  {"name", "version", "edition", "description", "license", "prelude", "default_world", "max_tier"},
	"project":  {"name", "version", "edition", "entry", "root", "default-world"},
	"schema":   {"root"},
	"reasoner": {"path", "blake3"},
	"plugin":   {"path", "blake3", "kind", "grants", "limits"},
	"fact":     {"path", "format", "columns", "header"},
}

// manifestReader turns a document into a Manifest. One mistake is one
// diagnostic, and the rest of the file is still read.
type manifestReader struct {
	doc   *document
	diags *diag.List
}

// readManifest reads the text of an ox.toml. It returns nil, with a
// diagnostic, if the text is no TOML.
func readManifest(file, text string, diags *diag.List) *Manifest {
	doc, problem := parseTOML(file, text)
	if problem != nil {
		diags.Add(*problem)
		return nil
	}
	r := manifestReader{doc: doc, diags: diags}
	m := &Manifest{Path: file, doc: doc}
	r.unknown(doc.tree, "")

	pkg, project, schema := r.table(doc.tree, "package"), r.table(doc.tree, "project"), r.table(doc.tree, "schema")
	r.unknown(pkg, "package", "package")
	r.unknown(project, "project", "project")
	r.unknown(schema, "schema", "schema")
	either := func(key string) string {
		if s := r.text(pkg, "package", key); s != "" {
			return s
		}
		return r.text(project, "project", key)
	}
	m.Name, m.Version, m.Edition = either("name"), either("version"), either("edition")
	m.Description, m.License = r.text(pkg, "package", "description"), r.text(pkg, "package", "license")
	m.Prelude = r.texts(pkg, "package", "prelude")
	switch tier := pkg["max_tier"].(type) {
	case int64:
		m.MaxTier = fmt.Sprint(tier)
	default:
		m.MaxTier = r.text(pkg, "package", "max_tier")
	}
	m.OpenWorld = r.world(pkg, "package", "default_world") || r.world(project, "project", "default-world")
	m.Entry = r.entry(project, schema)
	if m.Name != "" && !plainName(m.Name) {
		r.wrong([]string{"package", "name"}, fmt.Sprintf("the package name %q is no identifier, so no path can begin with it", m.Name))
	}

	r.dependencies(m)
	r.facts(m)
	r.pins(m)
	m.Settings = r.table(doc.tree, "settings")
	if len(r.table(doc.tree, "connectors")) > 0 {
		diags.Add(diag.Diagnostic{Code: "OW1251", Severity: diag.Warning, Place: doc.place("connectors"),
			Message: "[connectors] is read by a later version and has no effect in this one"})
	}
	return m
}

func (r *manifestReader) entry(project, schema map[string]any) string {
	folder := r.text(project, "project", "root")
	from := []string{"project", "root"}
	if folder == "" {
		folder = r.text(schema, "schema", "root")
		from[0] = "schema"
	}
	entry := r.text(project, "project", "entry")
	if folder == "" && entry == "" {
		return ""
	}
	if strings.HasSuffix(folder, ".ar") && entry == "" {
		entry, folder = folder, ""
	}
	if entry == "" {
		entry = "root.ar"
	} else {
		from = []string{"project", "entry"}
	}
	full, ok := inside(folder, entry)
	if !ok {
		r.escape(from, entry)
		return ""
	}
	return full
}

func (r *manifestReader) dependencies(m *Manifest) {
	table := r.table(r.doc.tree, "dependencies")
	for _, name := range slices.Sorted(maps.Keys(table)) {
		place := r.doc.place("dependencies", name)
		t, isTable := table[name].(map[string]any)
		where, hasPath := t["path"].(string)
		var others []string
		for k := range t {
			if k != "path" {
				others = append(others, k)
			}
		}
		slices.Sort(others)
		switch {
		case !isTable:
			r.form(m, place, name, fmt.Sprintf("%q is a version", fmt.Sprint(table[name])))
		case len(others) > 0:
			r.form(m, place, name, fmt.Sprintf("%q is no key of a path dependency", others[0]))
		case !hasPath || where == "":
			r.form(m, place, name, "it has no path")
		case reservedName(name) || !plainName(name):
			r.wrong([]string{"dependencies", name}, fmt.Sprintf("%q cannot be the name of a dependency", name))
		case absolute(where):
			r.escape([]string{"dependencies", name, "path"}, where)
		default:
			m.Dependencies = append(m.Dependencies, ManifestDependency{Name: name, Path: path.Clean(where), Place: place})
		}
	}
}

func (r *manifestReader) form(m *Manifest, place diag.Place, name, why string) {
	m.Refused = append(m.Refused, name)
	r.diags.Add(diag.Diagnostic{Code: "OE1240", Place: place,
		Message: fmt.Sprintf("the dependency %s has a form that is not supported: %s", name, why),
		Help:    fmt.Sprintf("write %s = { path = \"…\" }: a dependency is a folder with an ox.toml", name)})
}

func (r *manifestReader) facts(m *Manifest) {
	table := r.table(r.doc.tree, "facts")
	for _, target := range slices.Sorted(maps.Keys(table)) {
		f := &FactFile{Target: target, Place: r.doc.place("facts", target)}
		key := []string{"facts", target}
		var format string
		f.Header = true
		switch v := table[target].(type) {
		case string:
			f.Path = v
		case map[string]any:
			r.unknown(v, "fact", key...)
			f.Path, format = r.text(v, "facts", target, "path"), r.text(v, "facts", target, "format")
			if _, ok := v["header"]; ok {
				f.Header = r.bool(v, "facts", target, "header")
			}
			f.Columns = r.columns(v, target)
		default:
			r.wrong(key, "a facts entry is the path of a file, or a table with a path")
			continue
		}
		if f.Path == "" {
			r.wrong(key, fmt.Sprintf("the facts entry %s has no path", target))
			continue
		}
		full, ok := inside("", f.Path)
		if !ok {
			r.escape(append(key, "path"), f.Path)
			continue
		}
		f.Path = full
		if f.Format, ok = formatOf(format, full); !ok {
			r.wrong(append(key, "format"), fmt.Sprintf("the format of %s is not known", f.Path),
				`write format = "csv", "tsv" or "jsonl"`)
			continue
		}
		m.Facts = append(m.Facts, f)
	}
}

func (r *manifestReader) columns(entry map[string]any, target string) map[string]string {
	t, ok := entry["columns"]
	if !ok {
		return nil
	}
	table, ok := t.(map[string]any)
	if !ok {
		r.wrong([]string{"facts", target, "columns"}, "columns is a table from endpoint or field to the name of a column")
		return nil
	}
	columns := map[string]string{}
	for name, v := range table {
		switch c := v.(type) {
		case string:
			columns[name] = c
		case int64:
			columns[name] = fmt.Sprint(c)
		default:
			r.wrong([]string{"facts", target, "columns", name}, "a column is named by a text, or by its number where there is no header")
		}
	}
	return columns
}

func formatOf(format, file string) (Format, bool) {
	if format == "" {
		format = strings.TrimPrefix(path.Ext(file), ".")
	}
	switch strings.ToLower(format) {
	case "csv":
		return CSV, true
	case "tsv", "tab":
		return TSV, true
	case "jsonl", "ndjson", "jsonlines":
		return JSONLines, true
	}
	return 0, false
}

func (r *manifestReader) pins(m *Manifest) {
	if t := r.table(r.doc.tree, "reasoner"); len(t) > 0 {
		r.unknown(t, "reasoner", "reasoner")
		if pin, ok := r.pin(t, "reasoner"); ok {
			m.Reasoner = &pin
		}
	}
	plugins := r.table(r.doc.tree, "plugins")
	for _, name := range slices.Sorted(maps.Keys(plugins)) {
		t := r.table(plugins, "plugins", name)
		if t == nil {
			continue
		}
		r.unknown(t, "plugin", "plugins", name)
		p := Plugin{Name: name, Kind: r.text(t, "plugins", name, "kind"), Grants: r.texts(t, "plugins", name, "grants")}
		p.Limits = r.table(t, "plugins", name, "limits")
		var ok bool
		if p.Pin, ok = r.pin(t, "plugins", name); ok {
			m.Plugins = append(m.Plugins, p)
		}
	}
}

func (r *manifestReader) pin(t map[string]any, key ...string) (Pin, bool) {
	at := func(k string) []string { return append(slices.Clone(key), k) }
	p := Pin{Path: r.text(t, at("path")...), Blake3: r.text(t, at("blake3")...), Place: r.doc.place(key...)}
	if p.Path == "" {
		r.wrong(key, fmt.Sprintf("[%s] has no path", strings.Join(key, ".")))
		return p, false
	}
	full, ok := inside("", p.Path)
	if !ok {
		r.escape(at("path"), p.Path)
		return p, false
	}
	p.Path = full
	return p, true
}
