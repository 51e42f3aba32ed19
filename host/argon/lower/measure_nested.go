package lower

import (
	"fmt"
	"maps"
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
)

// A nested body that goes by values which may be intervals becomes a rule of a
// relation of its own, with the slots that it shares with the rest as columns,
// and the rest asks for its tuples: a value is measured where its rule stands,
// and what is undefined of the nested body is undefined of the relation.

// maxNested bounds how deep such bodies stand in each other.
const maxNested = 64

// unnest does so for the nested bodies of a body, and reports whether there was
// one. outside are the slots that are used around it. A body that shares such a
// value with the rest, or that does not bind what it shares, stays.
func (m *measuring) unnest(body []abi.Atom, outside map[int]bool) (out []abi.Atom, changed bool) {
	out = slices.Clone(body)
	uncertain := m.mayBeHeld(body)
	for i := range body {
		a := &body[i]
		if a.Op == abi.AtomScan && a.Neg && m.column(a) >= 0 {
			denied := m.denied(*a)
			a = &denied
		}
		if a.Op != abi.AtomExists || !m.measures(a.Body) {
			continue
		}
		shared, around := map[int]bool{}, []abi.Atom(nil)
		maps.Copy(shared, outside)
		for j := range body {
			if j == i {
				continue
			}
			slots := open(func(w slotWalk) { w.atom(&body[j]) })
			maps.Copy(shared, slots)
			if body[j].Op != abi.AtomFold && !intersect(slots, uncertain) {
				around = append(around, body[j])
			}
		}
		inside := open(func(w slotWalk) { w.atoms(a.Body) })
		maps.DeleteFunc(shared, func(s int, _ bool) bool { return !inside[s] })
		if intersect(shared, uncertain) {
			continue
		}
		if atom, ok := m.apart(a, around, shared); ok {
			out[i], changed = atom, true
		}
	}
	return out, changed
}

// denied is the negation of a tuple of a relation with a measured column as one
// of a nested body, which compares the value.
func (m *measuring) denied(a abi.Atom) abi.Atom {
	there := copyAtoms([]abi.Atom{a})
	there[0].Neg = false
	if c := m.column(&a); a.Args[c].Op == abi.ArgSlot {
		value := slotArg(m.slot(m.b.env.Relations[a.Rel].Columns[c].Type))
		there[0].Args[c] = value
		there = append(there, abi.Atom{Op: abi.AtomCmp, Cmp: abi.CmpEq, Args: []abi.Arg{value, a.Args[c]}, Span: a.Span})
	}
	return abi.Atom{Op: abi.AtomExists, Neg: true, Body: there, Span: a.Span}
}

func intersect(a, b map[int]bool) bool {
	for s := range a {
		if b[s] {
			return true
		}
	}
	return false
}

// measures reports whether a nested body reads a measured column, or folds over
// what may be undefined.
func (m *measuring) measures(body []abi.Atom) bool {
	return slices.ContainsFunc(body, func(a abi.Atom) bool {
		return m.column(&a) >= 0 || m.foldsDoubtful(&a) || m.measures(a.Body)
	})
}

// certain is what a body says without the values that may be intervals: what
// these alone give a value is none to know a tuple by.
func (m *measuring) certain(body []abi.Atom) []abi.Atom {
	held := m.mayBeHeld(body)
	out := copyAtoms(body)
	for i := range out {
		if c := m.column(&out[i]); c >= 0 {
			out[i].Args[c] = abi.Arg{Op: abi.ArgWild}
		}
	}
	return slices.DeleteFunc(out, func(a abi.Atom) bool {
		return m.folds(&a) || intersect(open(func(w slotWalk) { w.atom(&a) }), held)
	})
}

// mayBeHeld are the slots of a body whose values may be intervals: of folds, of
// measured columns, and of what is computed of them or said to be the same.
func (m *measuring) mayBeHeld(body []abi.Atom) map[int]bool {
	out := map[int]bool{}
	for i := range body {
		switch c := m.column(&body[i]); {
		case m.folds(&body[i]):
			out[body[i].Slot] = true
		case c >= 0 && !body[i].Neg && body[i].Args[c].Op == abi.ArgSlot:
			out[body[i].Args[c].Index] = true
		}
	}
	for n := -1; n < len(out); {
		n = len(out)
		for i := range body {
			switch a := &body[i]; {
			case a.Op == abi.AtomLet && intersect(openExpr(a.Expr), out):
				out[a.Slot] = true
			case a.Op == abi.AtomCmp && a.Cmp == abi.CmpEq:
				if slots := open(func(w slotWalk) { w.atom(a) }); intersect(slots, out) {
					maps.Copy(out, slots)
				}
			}
		}
	}
	return out
}

// apart makes a relation of the body of a with the shared slots as columns, and
// returns the atom that takes the place of a.
func (m *measuring) apart(a *abi.Atom, around []abi.Atom, shared map[int]bool) (abi.Atom, bool) {
	b := m.b
	l := lifter{b: b, g: m.g, component: -1}
	if m.head >= 0 && m.head < len(m.g.component) {
		l.component = m.g.component[m.head]
	}
	body, certain := copyAtoms(a.Body), m.certain(a.Body)
	if !l.binds(certain, shared) {
		if len(m.g.component) == 0 {
			return abi.Atom{}, false // of an extension: what surely holds is not known
		}
		context := l.context(around)
		body = append(context, body...)
		if !l.binds(append(copyAtoms(context), certain...), shared) {
			return abi.Atom{}, false
		}
	}
	r := abi.Relation{Name: fmt.Sprintf("%s%s%d", m.name, liftMark, len(b.env.Relations)), Role: abi.Derived, Origin: abi.OriginAux, Span: a.Span}
	rule := abi.Rule{Name: r.Name, Slots: slices.Clone(*m.slots), Body: body, Span: a.Span}
	asked := abi.Atom{Op: abi.AtomScan, Neg: a.Neg, Span: a.Span}
	for _, s := range sorted(shared) {
		name := rule.Slots[s].Name
		if name == "" {
			name = fmt.Sprintf("v%d", s)
		}
		r.Columns = append(r.Columns, abi.Column{Name: name, Type: rule.Slots[s].Type})
		rule.Args, asked.Args = append(rule.Args, slotArg(s)), append(asked.Args, slotArg(s))
	}
	rule.Head = b.relation(r)
	asked.Rel = rule.Head
	b.rule(rule)
	b.lifted = true
	return asked, true
}
