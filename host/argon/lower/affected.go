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
	timed   timed
}

// timed is what differs from one time to another by itself: relations whose
// rules ask for the time or that have facts with a period, functions that ask
// for it, and checks whose payloads do.
type timed struct{ relations, functions, checks []int }

// users are those of m, the module of the Draft. They are found once.
func (d *Draft) users(m *Module) *users {
	d.once.Do(func() {
		u := &users{calls: map[int][]int32{}, within: map[int][]int{}, said: map[int][]int{}}
		d.used = u
		asks := func(of *[]int, i int) func(string) {
			return func(name string) {
				if name == abi.BuiltinToday || name == abi.BuiltinNow {
					*of = append(*of, i)
				}
			}
		}
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
			abi.References{Builtin: asks(&u.timed.relations, r.Head), Function: func(f *int) { u.calls[*f] = append(u.calls[*f], int32(r.Head)) }}.Atoms(r.Body)
		}
		for i := range m.Program.Functions {
			abi.References{Builtin: asks(&u.timed.functions, i), Function: func(f *int) { u.within[*f] = append(u.within[*f], i) }}.Expr(&m.Program.Functions[i].Body)
		}
		for i := range m.Program.Checks {
			abi.References{Builtin: asks(&u.timed.checks, i), Function: func(f *int) { u.said[*f] = append(u.said[*f], i) }}.Payload(&m.Program.Checks[i].Payload)
		}
		dated := map[int]bool{}
		for i := range m.Periods {
			dated[m.Periods[i].Relation] = true
		}
		for i := range m.Program.Relations {
			if r := &m.Program.Relations[i]; dated[i] || dated[r.Asserted] || dated[r.Refuted] {
				u.timed.relations = append(u.timed.relations, i)
			}
		}
	})
	return d.used
}

// affected returns the checks of m that may find something else, or say it in
// other words, after the edits or at another time, in order.
func (d *Draft) affected(r *Redrawn, m *Module) []int {
	t := d.users(m).timed
	checks := slices.AppendSeq(slices.Clone(t.checks), maps.Keys(r.checks))
	return d.within(m, timed{slices.Concat(r.heads, t.relations), slices.Concat(r.functions, t.functions), checks})
}

// Timed returns the checks of m, the module of the Draft, that may find
// something else over its declared facts at another time, in order.
func (d *Draft) Timed(m *Module) []int { return d.within(m, d.users(m).timed) }

// within returns the checks of m that go by one of the relations or functions,
// and those of the list, in order.
func (d *Draft) within(m *Module, t timed) []int {
	u := d.users(m)
	relations := map[int]bool{}
	checks := map[int]bool{}
	for _, i := range t.checks {
		checks[i] = true
	}
	queue, functions := slices.Clone(t.relations), slices.Clone(t.functions)
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
	return slices.Sorted(maps.Keys(checks))
}

// Apart reports whether what a check of m finds is said by an evaluator that
// every build has, and each check has a name that says nothing of the others.
func Apart(m *Module) bool {
	return !slices.ContainsFunc(m.Program.Checks, func(c abi.Check) bool { return c.Evaluator != "" || c.Code == "OW0158" })
}
