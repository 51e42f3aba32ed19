package lower

import (
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/types"
)

// paths adds the rules of the relations that quantified steps go along, for
// those from first on.
func (b *builder) paths(first int) {
	rel := func(p types.Path, least, most int) int {
		for i := range b.env.Paths {
			if q := &b.env.Paths[i]; q.Base == p.Base && q.Kind == types.PathRepeated && q.Min == least && q.Max == most {
				return q.Rel
			}
		}
		return p.Base // one step
	}
	for _, p := range b.env.Paths[first:] {
		r := &b.env.Relations[p.Rel]
		r.Columns = b.env.PathColumns(p) // the types of a predicate may have come late
		// Where a step may be missing a path may be, too.
		r.Open = b.env.Relations[p.Base].Open && p.Kind != types.PathBound
		w := pathRules{b: b, p: p}
		switch {
		case p.Kind == types.PathBound:
			w.bound()
		case p.Kind == types.PathCounted:
			w.counted(rel(p, p.Min, p.Min))
		case p.Max == 0:
			w.none()
		case p.Max < 0 && p.Min == 0:
			w.none()
			w.also(rel(p, 1, -1))
		case p.Max < 0:
			w.also(p.Base)
			w.step(p.Rel)
		case p.Min == p.Max:
			w.step(rel(p, p.Min-1, p.Min-1))
		default:
			for n := p.Min; n <= p.Max; n++ {
				w.also(rel(p, n, n))
			}
		}
	}
}

// PathText returns the name of a path's relation as its quantifier is written.
func PathText(r *abi.Relation) string {
	if r.Origin != abi.OriginAux {
		return r.Name
	}
	return strings.NewReplacer("{1, }", "+", "{0, }", "*").Replace(r.Name)
}

// pathRules writes the rules of one path.
type pathRules struct {
	b *builder
	p types.Path
}

func (w pathRules) rule(args []abi.Arg, slots []abi.Slot, body ...abi.Atom) {
	r := &w.b.env.Relations[w.p.Rel]
	for i := range body {
		body[i].Span = r.Span
	}
	w.b.rule(abi.Rule{Name: PathText(r), Head: w.p.Rel, Args: args, Slots: slots, Body: body, Span: r.Span})
}

func (w pathRules) slots() []abi.Slot {
	c := w.b.env.Relations[w.p.Base].Columns
	return []abi.Slot{{Name: "from", Type: c[0].Type}, {Name: "to", Type: c[1].Type}, {Name: "between", Type: c[1].Type}}
}

func pathScan(rel int, args ...abi.Arg) abi.Atom {
	return abi.Atom{Op: abi.AtomScan, Rel: rel, Args: args}
}

// also lets the path hold whatever rel does.
func (w pathRules) also(rel int) {
	w.rule([]abi.Arg{slotArg(0), slotArg(1)}, w.slots()[:2], pathScan(rel, slotArg(0), slotArg(1)))
}

// step lets the path go one step on from where rel leads.
func (w pathRules) step(rel int) {
	w.rule([]abi.Arg{slotArg(0), slotArg(1)}, w.slots(), pathScan(rel, slotArg(0), slotArg(2)), pathScan(w.p.Base, slotArg(2), slotArg(1)))
}

// none lets the path lead from each thing to itself: from the members of the
// concepts that the relation is between, and where a place is of no concept,
// from the values that stand there.
func (w pathRules) none() {
	done := map[int]bool{}
	for i, c := range w.b.env.Relations[w.p.Base].Columns[:2] {
		atom := pathScan(w.p.Base, abi.Arg{}, abi.Arg{})
		atom.Args[i] = slotArg(0)
		if concept := w.b.env.Concepts[c.Type.Name]; c.Type.Op == abi.TypeConcept && concept != nil {
			if done[concept.Rel] {
				continue
			}
			done[concept.Rel] = true
			atom = pathScan(concept.Rel, slotArg(0))
		}
		w.rule([]abi.Arg{slotArg(0), slotArg(0)}, []abi.Slot{{Name: "from", Type: c.Type}}, atom)
	}
}

// counted holds the numbers of steps, from the least one on, that lead from one
// to the other. A shortest way visits nothing twice, so numbers beyond the
// bound say nothing new, and circles come to an end.
func (w pathRules) counted(least int) {
	nat := func(name string) abi.Slot { return abi.Slot{Name: name, Type: types.Nat} }
	r := &w.b.env.Relations[w.p.Rel]
	first := abi.Arg{Op: abi.ArgConst, Index: w.b.env.Constants.Add(abi.IntValue(int64(w.p.Min)))}
	w.rule([]abi.Arg{slotArg(0), slotArg(1), first}, w.slots()[:2], pathScan(least, slotArg(0), slotArg(1)))
	next := abi.Expr{Op: abi.ExprAdd, Args: []abi.Expr{slotOf(3, r.Span), w.b.constant(abi.IntValue(1), r.Span)}, Span: r.Span}
	bound := -1
	for _, q := range w.b.env.Paths {
		if q.Base == w.p.Base && q.Kind == types.PathBound && q.Min == w.p.Min {
			bound = q.Rel
		}
	}
	w.rule([]abi.Arg{slotArg(0), slotArg(1), slotArg(4)}, append(w.slots(), nat("steps"), nat("next"), nat("bound")),
		pathScan(w.p.Rel, slotArg(0), slotArg(2), slotArg(3)),
		pathScan(w.p.Base, slotArg(2), slotArg(1)),
		abi.Atom{Op: abi.AtomLet, Slot: 4, Expr: &next},
		pathScan(bound, slotArg(5)),
		abi.Atom{Op: abi.AtomCmp, Cmp: abi.CmpLe, Args: []abi.Arg{slotArg(4), slotArg(5)}},
	)
}

// bound holds the least number of steps and one more for each thing that a step
// can lead to.
func (w pathRules) bound() {
	r := &w.b.env.Relations[w.p.Rel]
	c := w.b.env.Relations[w.p.Base].Columns
	sum := abi.Expr{Op: abi.ExprAdd, Args: []abi.Expr{slotOf(1, r.Span), w.b.constant(abi.IntValue(int64(w.p.Min)), r.Span)}, Span: r.Span}
	w.rule([]abi.Arg{slotArg(2)}, []abi.Slot{{Name: "to", Type: c[1].Type}, {Name: "ends", Type: types.Nat}, {Name: "steps", Type: types.Nat}},
		abi.Atom{Op: abi.AtomFold, Fold: abi.FoldCount, Slot: 1, Over: []int{0}, Body: []abi.Atom{pathScan(w.p.Base, abi.Arg{}, slotArg(0))}},
		abi.Atom{Op: abi.AtomLet, Slot: 2, Expr: &sum},
	)
}
