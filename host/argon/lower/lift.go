package lower

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
)

// The well-founded model is that of rules whose negations are of single atoms.
// A rule that negates a whole body that depends on its own head is brought to
// that form here: the body becomes a rule of a relation of its own, with the
// slots that it shares with the rest as columns, and its absence is asked.

// liftMark stands in the name of such a relation behind that of the rule's head.
const liftMark = "~"

// Lifted reports whether r holds where a negated body of the source, at r.Span,
// has a solution.
func Lifted(r *abi.Relation) bool {
	return r.Origin == abi.OriginAux && strings.Contains(r.Name, liftMark)
}

// maxLifts bounds how deep negated bodies stand in each other.
const maxLifts = 64

// lift does this for the builder's rules. What it cannot do, components
// reports.
func (b *builder) lift() {
	for range maxLifts {
		if !b.buries() {
			return
		}
		g := b.reading()
		var cyclic []int
		for i := range b.rules {
			head := b.rules[i].Head
			inCycle := false
			readsOf(b.rules[i].Body, positive, func(rel int, kind uint8) {
				inCycle = inCycle || kind == buried && g.component[rel] == g.component[head]
			})
			if inCycle {
				cyclic = append(cyclic, i)
			}
		}
		changed := false
		for _, i := range cyclic {
			l := lifter{b: b, g: g, rule: i, component: g.component[b.rules[i].Head]}
			body := l.body(b.rules[i].Body, nil)
			b.rules[i].Body = body
			changed = changed || l.changed
		}
		if !changed {
			return
		}
		b.lifted = true
	}
}

// buries reports whether a negated body reads a derived relation at all.
func (b *builder) buries() bool {
	found := false
	for i := range b.rules {
		readsOf(b.rules[i].Body, positive, func(rel int, kind uint8) {
			found = found || kind == buried && b.env.Relations[rel].Role == abi.Derived
		})
		if found {
			return true
		}
	}
	return false
}

// reading says which relations read each other, and which may have undefined
// tuples.
type reading struct {
	component []int
	undefined []bool
	circles   [][]int  // relations by component, those first that others read
	edges     [][]edge // by relation
}

func (b *builder) reading() *reading {
	n := len(b.env.Relations)
	g := &reading{component: make([]int, n), undefined: make([]bool, n)}
	edges := b.graph()
	g.edges, g.circles = edges, connected(n, edges)
	for i := range g.component {
		g.component[i] = -1
	}
	for at, scc := range g.circles {
		for _, rel := range scc {
			g.component[rel] = at
		}
		open := false
		for _, rel := range scc {
			for _, e := range edges[rel] {
				denies := e.kind == negated || e.kind == buried // a circle through a fold is evaluated for the best value, or refused
				open = open || g.undefined[e.to] || denies && g.component[e.to] == at
			}
		}
		for _, rel := range scc {
			g.undefined[rel] = open
		}
	}
	return g
}

type lifter struct {
	b         *builder
	g         *reading
	rule      int
	component int
	changed   bool
}

// body lifts the negated bodies of atoms that read the component; around are
// the atoms around this body.
func (l *lifter) body(atoms, around []abi.Atom) []abi.Atom {
	out := slices.Clone(atoms)
	for i := range out {
		a := &out[i]
		if a.Op != abi.AtomExists || !l.reads(a.Body) {
			continue
		}
		others := append(slices.Clone(around), out[:i]...)
		others = append(others, out[i+1:]...)
		if !a.Neg {
			a.Body = l.body(a.Body, others)
			continue
		}
		if not, ok := l.absence(a, others); ok {
			out[i] = not
			l.changed = true
		}
	}
	return out
}

func (l *lifter) reads(body []abi.Atom) bool {
	found := false
	readsOf(body, positive, func(rel int, _ uint8) { found = found || l.g.component[rel] == l.component })
	return found
}

// absence makes a relation of the body of a, and returns the atom that takes
// the place of a. The body may need what stands around it to bind a slot: only
// what is never undefined may come with it, or the absence would be less certain
// than it was.
func (l *lifter) absence(a *abi.Atom, around []abi.Atom) (abi.Atom, bool) {
	rule := &l.b.rules[l.rule]
	outside := map[int]bool{}
	for _, x := range rule.Args {
		if x.Op == abi.ArgSlot {
			outside[x.Index] = true
		}
	}
	for i := range around {
		maps.Copy(outside, open(func(w slotWalk) { w.atom(&around[i]) }))
	}
	shared := open(func(w slotWalk) { w.atoms(a.Body) })
	for s := range shared {
		if !outside[s] {
			delete(shared, s)
		}
	}
	body := copyAtoms(a.Body)
	if !l.binds(body, shared) {
		body = append(l.context(around), body...)
		if !l.binds(body, shared) {
			return abi.Atom{}, false
		}
	}
	head := &l.b.env.Relations[rule.Head]
	r := abi.Relation{Name: fmt.Sprintf("%s%s%d", head.Name, liftMark, len(l.b.env.Relations)), Role: abi.Derived, Origin: abi.OriginAux, Span: a.Span}
	lifted := abi.Rule{Name: r.Name, Slots: slices.Clone(rule.Slots), Body: body, Span: a.Span}
	not := abi.Atom{Op: abi.AtomScan, Neg: true, Span: a.Span}
	for _, s := range sorted(shared) {
		name := rule.Slots[s].Name
		if name == "" {
			name = fmt.Sprintf("v%d", s)
		}
		r.Columns = append(r.Columns, abi.Column{Name: name, Type: rule.Slots[s].Type})
		lifted.Args = append(lifted.Args, slotArg(s))
		not.Args = append(not.Args, slotArg(s))
	}
	lifted.Head = l.b.relation(r)
	not.Rel = lifted.Head
	l.b.rule(lifted)
	return not, true
}

// binds reports whether body binds shared and everything that it reads itself.
func (l *lifter) binds(body []abi.Atom, shared map[int]bool) bool {
	uses := useCount(body)
	for s := range shared {
		uses[s]++
	}
	bound, ok := map[int]bool{}, true
	l.b.bind(body, bound, uses, func(int, abi.Span, string) { ok = false })
	for s := range shared {
		ok = ok && bound[s]
	}
	return ok
}

// context returns the atoms of around that bind slots and are never undefined,
// each after those that it needs.
func (l *lifter) context(around []abi.Atom) []abi.Atom {
	var out []abi.Atom
	bound := map[int]bool{}
	uses := map[int]int{}
	taken := make([]bool, len(around))
	for changed := true; changed; {
		changed = false
		for i := range around {
			a := &around[i]
			if taken[i] || !l.definite(a) || len(l.b.missing(a, bound, uses)) > 0 {
				continue
			}
			taken[i], changed = true, true
			out = append(out, copyAtoms(around[i : i+1])[0])
			for _, s := range l.b.gives(a, bound, uses, func(int, abi.Span, string) {}) {
				bound[s] = true
			}
		}
	}
	return out
}

// definite reports whether a binds without a nested body, and is true or false.
func (l *lifter) definite(a *abi.Atom) bool {
	switch a.Op {
	case abi.AtomScan:
		return !a.Neg && !l.g.undefined[a.Rel] && l.g.component[a.Rel] != l.component
	case abi.AtomLet, abi.AtomCmp, abi.AtomMatch, abi.AtomIn:
		return true
	}
	return false
}
