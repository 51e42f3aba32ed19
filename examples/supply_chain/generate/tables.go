package main

import (
	"sort"
	"strconv"
	"strings"
	"time"
)

// module is what is kept of go list -m -json, and Dir to find the licence.
type module struct {
	Path      string
	Version   string
	Time      *time.Time
	GoVersion string
	Indirect  bool
	Main      bool
	Dir       string
}

// tables makes the rows of each facts file, sorted, the header first.
//
// An edge counts where the module that requires is in the version that the
// build selects; it then leads to the selected version of what is required.
// What the main module requires only for others (// indirect) is no edge: the
// go command writes it there to prune the graph.
func tables(modules []module, graph []byte, licence func(module) []string) map[string][][]string {
	selected := map[string]module{}
	for _, m := range modules {
		selected[m.Path] = m
	}
	var project, list, licences, owners [][]string
	for _, m := range modules {
		released := ""
		if m.Time != nil {
			released = m.Time.UTC().Format(time.DateOnly)
		}
		version := m.Version
		if m.Main {
			project = append(project, []string{m.Path})
			version = "main"
		}
		list = append(list, []string{m.Path, version, released, m.GoVersion, strconv.FormatBool(m.Indirect)})
		owners = append(owners, []string{owner(m.Path), m.Path})
		for _, id := range licence(m) {
			licences = append(licences, []string{m.Path, id})
		}
	}
	return map[string][][]string{
		"project.csv":        sorted([]string{"module"}, project),
		"modules.csv":        sorted([]string{"path", "version", "released", "go", "indirect"}, list),
		"requires.csv":       sorted([]string{"dependent", "dependency"}, edges(selected, graph)),
		"licensed_under.csv": sorted([]string{"module", "licence"}, licences),
		"owners.csv":         sorted([]string{"owner", "module"}, owners),
	}
}

func edges(selected map[string]module, graph []byte) [][]string {
	var rows [][]string
	for line := range strings.Lines(string(graph)) {
		from, to, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok {
			continue
		}
		fromPath, fromVersion, _ := strings.Cut(from, "@")
		toPath, _, _ := strings.Cut(to, "@")
		a, known := selected[fromPath]
		b, alsoKnown := selected[toPath]
		if !known || !alsoKnown || a.Version != fromVersion || a.Main && b.Indirect {
			continue
		}
		rows = append(rows, []string{fromPath, toPath})
	}
	return rows
}

// requiresAnything reports whether an edge leaves the main module.
func requiresAnything(modules []module, requires [][]string) bool {
	for _, m := range modules {
		for _, edge := range requires {
			if m.Main && edge[0] == m.Path {
				return true
			}
		}
	}
	return false
}

// owner tells from a path who speaks for a module: on a forge the account,
// elsewhere the host.
func owner(path string) string {
	parts := strings.Split(path, "/")
	if len(parts) > 1 && (parts[0] == "github.com" || parts[0] == "gitlab.com") {
		return parts[0] + "/" + parts[1]
	}
	return parts[0]
}

// sorted orders the rows, drops repeated ones and puts the header in front.
func sorted(header []string, rows [][]string) [][]string {
	sort.Slice(rows, func(i, j int) bool { return strings.Join(rows[i], "\x00") < strings.Join(rows[j], "\x00") })
	out := [][]string{header}
	for i, r := range rows {
		if i == 0 || strings.Join(r, "\x00") != strings.Join(rows[i-1], "\x00") {
			out = append(out, r)
		}
	}
	return out
}
