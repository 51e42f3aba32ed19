package runtime

import (
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/governor"
	"github.com/ox-mcp/ox-mcp/host/settings"
)

// KindEvaluator is the kind of a plugin that decides the violations of checks.
const KindEvaluator = "check-evaluator"

// PluginTable is one [plugins.<name>] table, as it is written.
type PluginTable struct {
	Name   string
	Kind   string
	Path   string // of the WebAssembly file, relative to Folder or absolute
	Blake3 string // its BLAKE3-256 in hexadecimal; empty: not pinned
	Grants []string
	Limits map[string]any // by the names of PluginLimits; as a TOML decoder gives them
	// AcceptDiff is the BLAKE3-256 of a build that may take the place of another
	// one while serving although its verdicts differ. A package cannot say it.
	AcceptDiff string
	Layer      settings.Layer // LayerUser or LayerPackage
	File       string         // where the table stands
	Folder     string         // that Path is relative to; of LayerPackage the path stays inside it, also after links

	wasm []byte // the file, where it was read already
}

// fromPackage says that the declaration is a package's own.
func (d *PluginTable) fromPackage() bool { return d.Layer == settings.LayerPackage }

// Grants lists what a plugin may be granted.
func Grants() []string { return []string{abi.GrantFacts, abi.GrantLog} }

// pluginLimit is a limit that a plugin's table may narrow.
type pluginLimit struct {
	name    string // in the table
	setting string // that gives the form and the bounds of its values
	limit   string // of abi
	perUnit int64  // of the setting's value in one of abi's
}

func pluginLimits() []pluginLimit {
	const millisecond = 1_000_000
	return []pluginLimit{
		{"fuel", "evaluator.fuel", abi.LimitFuel, 1},
		{"memory", "evaluator.memory", abi.LimitMemory, 1},
		{"deadline", "evaluator.deadline", abi.LimitDeadline, millisecond},
		{"depth", "limits.depth", abi.LimitDepth, 1},
		{"hostCalls", "limits.hostCalls", abi.LimitHostCalls, 1},
		{"hostBytes", "limits.hostBytes", abi.LimitHostBytes, 1},
		{"outputBytes", "limits.outputBytes", abi.LimitOutput, 1},
	}
}

// PluginLimits lists the names of the limits that a plugin's table may narrow.
func PluginLimits() []string {
	var out []string
	for _, l := range pluginLimits() {
		out = append(out, l.name)
	}
	return out
}

// PluginTables reads the [plugins.*] tables of the operator's own file. The
// operator means what it says: the first thing that is wrong is the error.
func PluginTables(plugins map[string]any, file, folder string) ([]PluginTable, error) {
	out := []PluginTable{}
	for _, name := range slices.Sorted(maps.Keys(plugins)) {
		table, ok := plugins[name].(map[string]any)
		if !ok {
			return nil, fmt.Errorf("%s: [plugins.%s] is a table", file, name)
		}
		d := PluginTable{Name: name, Layer: settings.LayerUser, File: file, Folder: folder}
		for _, key := range slices.Sorted(maps.Keys(table)) {
			if err := d.take(key, table[key]); err != nil {
				return nil, fmt.Errorf("%s: [plugins.%s]: %w", file, name, err)
			}
		}
		out = append(out, d)
	}
	return out, nil
}

func (d *PluginTable) take(key string, v any) error {
	text := func(into *string) error {
		s, ok := v.(string)
		if !ok {
			return fmt.Errorf("%s is a text", key)
		}
		*into = s
		return nil
	}
	switch key {
	case "path":
		return text(&d.Path)
	case "blake3":
		return text(&d.Blake3)
	case "kind":
		return text(&d.Kind)
	case "acceptDiff":
		return text(&d.AcceptDiff)
	case "grants":
		list, ok := v.([]any)
		for _, x := range list {
			s, isText := x.(string)
			ok = ok && isText
			d.Grants = append(d.Grants, s)
		}
		if !ok {
			return fmt.Errorf("grants is a list of texts, of %s", strings.Join(Grants(), ", "))
		}
		return nil
	case "limits":
		table, ok := v.(map[string]any)
		if !ok {
			return fmt.Errorf("limits is a table, of %s", strings.Join(PluginLimits(), ", "))
		}
		d.Limits = table
		return nil
	}
	return fmt.Errorf("there is no key %q; the keys are path, blake3, kind, grants, limits and acceptDiff", key)
}

// check judges everything that can be judged without opening the file. The
// error is for people, without the plugin's name.
func (d *PluginTable) check(dev bool) error {
	switch {
	case !pluginName(d.Name):
		return fmt.Errorf("%q cannot be the name of a plugin: up to 64 of a-z, A-Z, 0-9, _ and -, beginning with a letter or _", d.Name)
	case d.Kind == "":
		return fmt.Errorf("it has no kind: write kind = %q", KindEvaluator)
	case d.Kind != KindEvaluator:
		return fmt.Errorf("there is no kind %q of plugins; there is %q", d.Kind, KindEvaluator)
	case d.Path == "":
		return fmt.Errorf("it has no path: name its WebAssembly file")
	case strings.Contains(d.Path, "://"):
		return fmt.Errorf("the path %q is an address: nothing is fetched; download the file, look at it, and name it here", d.Path)
	case d.Blake3 == "" && !dev:
		return fmt.Errorf("it has no pin: `ox-mcp plugin pin FILE` prints the table with its blake3, or run with --dev")
	}
	if b, err := hex.DecodeString(d.Blake3); err != nil || d.Blake3 != "" && len(b) != 32 {
		return fmt.Errorf("the pin %q is no BLAKE3-256: 64 hexadecimal digits", abridge(d.Blake3))
	}
	for _, g := range d.Grants {
		if !slices.Contains(Grants(), g) {
			return fmt.Errorf("there is no grant %q; a plugin can be granted %s", abridge(g), strings.Join(Grants(), " and "))
		}
	}
	return nil
}

// narrowed applies the declaration's limits to the operator's. lowered names
// those that asked for more than the ceiling and got the ceiling.
func (d *PluginTable) narrowed(ceiling abi.Limits) (effective abi.Limits, lowered []string, err error) {
	wishes := map[string]uint64{}
	known := map[string]pluginLimit{}
	for _, l := range pluginLimits() {
		known[l.name] = l
	}
	for _, name := range slices.Sorted(maps.Keys(d.Limits)) {
		l, ok := known[name]
		if !ok {
			return ceiling, nil, fmt.Errorf("there is no limit %q of a plugin; there are %s", abridge(name), strings.Join(PluginLimits(), ", "))
		}
		s, _ := settings.Lookup(l.setting)
		v, err := s.Accept(d.Limits[name])
		if err != nil {
			return ceiling, nil, fmt.Errorf("limits.%s: %w", name, err)
		}
		if wishes[l.limit] = uint64(v.Int / l.perUnit); v.Int == 0 {
			return ceiling, nil, fmt.Errorf("limits.%s is 0: leave the grant out instead", name)
		}
	}
	wish, err := governor.Wishes(wishes)
	if err != nil {
		return ceiling, nil, err
	}
	effective, lowered = governor.Narrow(ceiling, wish)
	return effective, lowered, nil
}

// pluginName reports whether s can name a plugin. Letters that look like
// others would let one name pass for another, so that only ASCII is taken.
func pluginName(s string) bool {
	for i, c := range s {
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c != '-' && (c < '0' || c > '9')) {
			return false
		}
	}
	return s != "" && len(s) <= 64
}

// abridge cuts a text that somebody else wrote to what fits a message.
func abridge(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return s
}
