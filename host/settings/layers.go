package settings

import (
	"fmt"
	"maps"
	"slices"

	"github.com/pelletier/go-toml/v2"
)

// Layer is where a value comes from. A later layer displaces an earlier one.
type Layer uint8

// The layers, from low to high.
const (
	LayerDefault Layer = iota
	LayerPackage
	LayerUser
	LayerEnvironment
	LayerFlag
	LayerRunTime
)

func (l Layer) String() string {
	return [...]string{"default", "package", "user", "environment", "flag", "run time"}[l]
}

// Source is the values of one layer. Name says where they stand, for people:
// "ox.toml", "the environment".
type Source struct {
	Layer  Layer
	Name   string
	Values map[string]any // by key; bool, int64, string, or []any of string
}

// Problem is a value that was not taken. The setting keeps what it had.
type Problem struct {
	Key     string
	Layer   Layer
	Source  string
	Unknown bool // there is no such setting; Keys lists those that there are
	Message string
}

// FromTree makes a Source of a decoded TOML table: nested tables are joined
// with dots, so that [limits] fuel and "limits.fuel" are the same key.
func FromTree(layer Layer, name string, tree map[string]any) Source {
	s := Source{Layer: layer, Name: name, Values: map[string]any{}}
	flatten(s.Values, "", tree)
	return s
}

func flatten(into map[string]any, prefix string, tree map[string]any) {
	for key, v := range tree {
		if sub, ok := v.(map[string]any); ok {
			flatten(into, prefix+key+".", sub)
		} else {
			into[prefix+key] = v
		}
	}
}

// FromTOML makes a Source of a configuration file's text. The tables
// [plugins.*] and [connectors.*] of such a file declare things by name and
// are no settings: they are left to their own readers.
func FromTOML(layer Layer, name string, text []byte) (Source, error) {
	var tree map[string]any
	if err := toml.Unmarshal(text, &tree); err != nil {
		return Source{}, fmt.Errorf("read settings %s: %w", name, err)
	}
	delete(tree, "plugins")
	delete(tree, "connectors")
	return FromTree(layer, name, tree), nil
}

// FromEnvironment makes a Source of the variables OX_MCP_…; lookup gives the
// empty string for a variable that is not set.
func FromEnvironment(lookup func(string) string) Source {
	s := Source{Layer: LayerEnvironment, Name: "the environment", Values: map[string]any{}}
	for i := range All {
		if v := lookup(All[i].Env()); v != "" {
			s.Values[All[i].Key] = v
		}
	}
	return s
}

// FromFlags makes a Source of the command line's values, by key.
func FromFlags(values map[string]string) Source {
	s := Source{Layer: LayerFlag, Name: "the command line", Values: map[string]any{}}
	for k, v := range values {
		s.Values[k] = v
	}
	return s
}

// Resolve puts sources over the defaults, lowest layer first whatever the
// order of the arguments. A value that is unknown, out of bounds or not the
// layer's to set is reported and left out. Problems are in order of layer and
// key.
func Resolve(sources ...Source) (*Resolved, []Problem) {
	r := &Resolved{values: map[string]Origin{}}
	for i := range All {
		s := &All[i]
		o := Origin{Layer: LayerDefault, Source: "default"}
		// The test of All proves that every default parses.
		if s.Default != "" {
			o.Value, _ = s.Parse(s.Default)
			o.Given = true
		}
		r.values[s.Key] = o
	}
	ordered := slices.Clone(sources)
	slices.SortStableFunc(ordered, func(a, b Source) int { return int(a.Layer) - int(b.Layer) })
	var problems []Problem
	for _, src := range ordered {
		for _, key := range slices.Sorted(maps.Keys(src.Values)) {
			if p := r.apply(src, key, src.Values[key]); p != nil {
				problems = append(problems, *p)
			}
		}
	}
	return r, problems
}

func (r *Resolved) apply(src Source, key string, raw any) *Problem {
	problem := func(unknown bool, message string) *Problem {
		return &Problem{Key: key, Layer: src.Layer, Source: src.Name, Unknown: unknown, Message: message}
	}
	s, ok := Lookup(key)
	if !ok {
		return problem(true, fmt.Sprintf("there is no setting %q", key))
	}
	if src.Layer == LayerPackage && s.PackageMay == PackageNothing {
		return problem(false, fmt.Sprintf("a package may not set %s: set it in your own configuration or with %s", key, s.Env()))
	}
	v, err := s.Accept(raw)
	if err != nil {
		return problem(false, err.Error())
	}
	old := r.values[key]
	if src.Layer == LayerPackage && s.PackageMay == PackageNarrows && v.Int > old.Value.Int {
		return problem(false, fmt.Sprintf("a package may only lower %s: %s is above %s", key, s.Format(v), s.Format(old.Value)))
	}
	r.values[key] = Origin{Value: v, Given: true, Layer: src.Layer, Source: src.Name, Displaced: &old}
	return nil
}
