package lower

import (
	"maps"
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
)

// users says what goes by each relation and each function of a program.
type users struct {
	readers [][]int32       // by relation: the relations whose rules read it
	calls   map[int][]int32 // by function: the relations whose rules call it
	within  map[int][]int   // by function: the functions that call it
	said    map[int][]int   // by function: the checks whose payloads call it
	clock   bool            // something asks for the time
}

// users are those of m, the module of the Draft. They are found once.
func (d *Draft) users(m *Module) *users {
	d.once.Do(func() {
		u := &users{calls: map[int][]int32{}, within: map[int][]int{}, said: map[int][]int{}}
		d.used = u
		clock := func(name string) { u.clock = u.clock || name == abi.BuiltinToday || name == abi.BuiltinNow }
		counts := make([]int32, len(d.b.edges))
		for _, list := range d.b.edges {
			for _, e := range list {
				counts[e.to]++
			}
		}
		u.readers = make([][]int32, len(counts))
		for rel, n := range counts {
			u.readers[rel] = make([]int32, 0, n)
		}
		for rel, list := range d.b.edges {
			for _, e := range list {
				u.readers[e.to] = append(u.readers[e.to], int32(rel))
			}
		}
		for i := range m.Program.Rules {
			r := &m.Program.Rules[i]
			abi.References{Builtin: clock, Function: func(f *int) { u.calls[*f] = append(u.calls[*f], int32(r.Head)) }}.Atoms(r.Body)
		}
		for i := range m.Program.Functions {
			abi.References{Builtin: clock, Function: func(f *int) { u.within[*f] = append(u.within[*f], i) }}.Expr(&m.Program.Functions[i].Body)
		}
		for i := range m.Program.Checks {
			abi.References{Builtin: clock, Function: func(f *int) { u.said[*f] = append(u.said[*f], i) }}.Payload(&m.Program.Checks[i].Payload)
		}
	})
	return d.used
}

// affected returns the checks of m that may find something else, or say it in
// other words, after the edits, in order.
func (d *Draft) affected(r *Redrawn, m *Module) []int {
	u := d.users(m)
	relations := map[int]bool{}
	checks := map[int]bool{}
	queue := slices.Clone(r.heads)
	functions := slices.Clone(r.functions)
	known := map[int]bool{}
	for at := 0; at < len(functions); at++ {
		f := functions[at]
		if known[f] {
			continue
		}
		known[f] = true
		functions = append(functions, u.within[f]...)
		for _, head := range u.calls[f] {
			queue = append(queue, int(head))
		}
		for _, c := range u.said[f] {
			checks[c] = true
		}
	}
	for at := 0; at < len(queue); at++ {
		rel := queue[at]
		if relations[rel] {
			continue
		}
		relations[rel] = true
		if rel < len(u.readers) {
			for _, up := range u.readers[rel] {
				queue = append(queue, int(up))
			}
		}
	}
	for i := range m.Program.Checks {
		if relations[m.Program.Checks[i].Relation] {
			checks[i] = true
		}
	}
	for i := range r.checks {
		checks[i] = true
	}
	return slices.Sorted(maps.Keys(checks))
}

// Timeless reports whether what the checks of m, the module of the Draft, find
// over its declared facts is the same at any time, and is said by an evaluator
// that every build has; and whether each check has a name that says nothing of
// the others.
func (d *Draft) Timeless(m *Module) bool {
	if len(m.Periods) > 0 || d.users(m).clock {
		return false
	}
	for i := range m.Program.Checks {
		if c := &m.Program.Checks[i]; c.Evaluator != "" || c.Code == "OW0158" {
			return false
		}
	}
	return true
}
