package settings

import (
	"fmt"
	"maps"
	"strings"
	"time"
)

// Origin is a value with where it came from.
type Origin struct {
	Value     Value
	Given     bool // false: no layer set it and it has no default
	Layer     Layer
	Source    string  // where the layer's values stand
	Displaced *Origin // what held before, or nil
}

// Resolved is one consistent set of values. It is never changed: With gives a
// new one.
type Resolved struct {
	values map[string]Origin
}

// Origin returns the value of key with its provenance. The key must be one of
// All: a setting that is read but not declared is a fault of the program.
func (r *Resolved) Origin(key string) Origin {
	o, ok := r.values[key]
	if !ok {
		panic("settings: " + key + " is read but not declared")
	}
	return o
}

// Bool returns the value of a Bool setting.
func (r *Resolved) Bool(key string) bool { return r.typed(key, Bool).Bool }

// Int returns the value of an Int or Bytes setting.
func (r *Resolved) Int(key string) int64 { return r.typed(key, Int, Bytes).Int }

// Uint is Int for settings whose lower bound is not negative.
func (r *Resolved) Uint(key string) uint64 { return uint64(r.typed(key, Int, Bytes).Int) }

// Duration returns the value of a Duration setting.
func (r *Resolved) Duration(key string) time.Duration {
	return time.Duration(r.typed(key, Duration).Int)
}

// Text returns the value of a String or Enum setting; empty if nothing set it.
func (r *Resolved) Text(key string) string { return r.typed(key, String, Enum).Text }

// List returns the words of a List setting.
func (r *Resolved) List(key string) []string { return r.typed(key, List).List }

func (r *Resolved) typed(key string, kinds ...Kind) Value {
	o := r.Origin(key)
	s, _ := Lookup(key)
	for _, k := range kinds {
		if s.Kind == k {
			return o.Value
		}
	}
	panic(fmt.Sprintf("settings: %s is read as %s and declared as %s", key, kinds[0], s.Kind))
}

// With returns a copy in which the run-time layer sets key to the value that
// text spells. by names who set it. The error says what is wrong with key or
// text.
func (r *Resolved) With(key, text, by string) (*Resolved, error) {
	next := &Resolved{values: maps.Clone(r.values)}
	if p := next.apply(Source{Layer: LayerRunTime, Name: by}, key, text); p != nil {
		return nil, fmt.Errorf("set %s: %s", key, p.Message)
	}
	return next, nil
}

// Without returns a copy in which key has the value that it had before any
// run-time change.
func (r *Resolved) Without(key string) *Resolved {
	next := &Resolved{values: maps.Clone(r.values)}
	o, ok := next.values[key]
	for ok && o.Layer == LayerRunTime && o.Displaced != nil {
		o = *o.Displaced
		next.values[key] = o
	}
	return next
}

// Row is one line of a table of settings.
type Row struct {
	Setting *Setting
	Value   string // as Parse reads it; empty if nothing set it
	Origin  Origin
}

// Table lists every setting with its value, in the order of All.
func (r *Resolved) Table() []Row {
	rows := make([]Row, len(All))
	for i := range All {
		s := &All[i]
		o := r.values[s.Key]
		rows[i] = Row{Setting: s, Origin: o}
		if o.Given {
			rows[i].Value = s.Format(o.Value)
		}
	}
	return rows
}

// Markdown writes the documentation's table of all settings.
func Markdown() string {
	var b strings.Builder
	b.WriteString("| Key | Kind | Default | Bounds | A package may | Variable | Flag | Meaning |\n|---|---|---|---|---|---|---|---|\n")
	for i := range All {
		s := &All[i]
		bounds, flag := "", ""
		if s.Numeric() {
			bounds = s.Format(Value{Int: s.Min}) + " to " + s.Format(Value{Int: s.Max})
		} else {
			bounds = strings.Join(s.Choices, ", ")
		}
		if s.Flag != "" {
			flag = "`--" + s.Flag + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | `%s` | %s | %s |\n",
			s.Key, s.Kind, s.Default, bounds, s.PackageMay, s.Env(), flag, s.Description)
	}
	return b.String()
}
