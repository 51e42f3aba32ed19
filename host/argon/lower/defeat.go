package lower

import (
	"slices"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/types"
)

// Defeat is compiled onto negation. What is attacked, a head or one labelled
// clause of it, has a relation of the tuples that it loses; each attack is a
// rule of that relation with the attacker's own body, and each default clause
// ends in the condition that its tuple is not there. An attacker that is
// itself a default clause brings that condition with it: where it is defeated,
// it does not attack.

// defeatMark stands in the name of such a relation between the head and the
// label.
const defeatMark = "!"

// Defeated is what a relation of lost tuples is about.
type Defeated struct {
	Head  string // qualified name of the relation that loses
	Label string // of the clause; empty: every default clause
	Given []bool // by place of the head: whether the relation has a column for it. Nil: it has all
}

// DefeatedBy takes the name of a relation of lost tuples apart; ok is false for
// any other relation.
func DefeatedBy(r *abi.Relation) (d Defeated, ok bool) {
	head, rest, found := strings.Cut(r.Name, defeatMark)
	if !found || r.Origin != abi.OriginAux {
		return d, false
	}
	label, places, open := strings.Cut(strings.TrimSuffix(rest, ")"), "(")
	d = Defeated{Head: head, Label: label}
	if open {
		for _, p := range strings.Split(places, ", ") {
			d.Given = append(d.Given, p != "_")
		}
	}
	return d, true
}

// IsDefault reports whether r is a clause that may be defeated.
func IsDefault(p *abi.Program, r *abi.Rule) bool {
	for i := range r.Body {
		if a := &r.Body[i]; a.Op == abi.AtomScan && a.Neg {
			if _, ok := DefeatedBy(&p.Relations[a.Rel]); ok {
				return true
			}
		}
	}
	return false
}

// aim is what attacks aim at.
type aim struct {
	head  int
	label string
}

// loss is a relation of lost tuples: its columns are those places of the head.
type loss struct {
	rel    int
	places []int
}

// maxShapes bounds the ways in which attacks on one aim leave places open: each
// is another condition of every default clause there.
const maxShapes = 16

// losses makes the relations that the attacks and default clauses need. A
// default clause that nothing attacks has one too, so that its proofs say what
// they rest on.
func (b *builder) losses() {
	b.lost = map[aim][]loss{}
	for _, c := range b.env.Clauses {
		for i := range c.Attacks {
			a := &c.Attacks[i]
			to := aim{a.Head.Rel, a.Label}
			places := given(a.Args)
			if b.loss(to, places) >= 0 {
				continue
			}
			if len(b.lost[to]) == maxShapes {
				b.unsupported(b.env.Span(c.Module, a.Span), "attacks on one clause that leave arguments open in more than 16 ways", "give more of the arguments")
				continue
			}
			b.addLoss(to, places)
		}
	}
	for _, c := range b.env.Clauses {
		if c.Default && len(b.lost[aim{c.Head, ""}]) == 0 && len(b.lost[aim{c.Head, c.Label}]) == 0 {
			var all []int
			for i := range b.env.Relations[c.Head].Columns {
				all = append(all, i)
			}
			b.addLoss(aim{c.Head, c.Label}, all)
		}
	}
}

// given returns the places of args that are not wild.
func given(args []abi.Arg) []int {
	var places []int
	for i, a := range args {
		if a.Op != abi.ArgWild {
			places = append(places, i)
		}
	}
	return places
}

func (b *builder) loss(to aim, places []int) int {
	for _, l := range b.lost[to] {
		if slices.Equal(l.places, places) {
			return l.rel
		}
	}
	return -1
}

func (b *builder) addLoss(to aim, places []int) {
	head := &b.env.Relations[to.head]
	r := abi.Relation{Name: head.Name + defeatMark + to.label, Role: abi.Derived, Origin: abi.OriginAux, Span: head.Span}
	for _, i := range places {
		r.Columns = append(r.Columns, head.Columns[i])
	}
	if len(places) < len(head.Columns) {
		names := make([]string, len(head.Columns))
		for i, c := range head.Columns {
			names[i] = "_"
			if slices.Contains(places, i) {
				names[i] = c.Name
			}
		}
		r.Name += "(" + strings.Join(names, ", ") + ")"
	}
	b.lost[to] = append(b.lost[to], loss{b.relation(r), places})
}

// undefeated returns the conditions under which the default clause c keeps the
// tuple args.
func (b *builder) undefeated(c *types.Clause, args []abi.Arg) []abi.Atom {
	var out []abi.Atom
	add := func(to aim) {
		for _, l := range b.lost[to] {
			a := abi.Atom{Op: abi.AtomScan, Rel: l.rel, Neg: true, Span: b.env.Span(c.Module, c.Marked)}
			for _, i := range l.places {
				a.Args = append(a.Args, args[i])
			}
			out = append(out, a)
		}
	}
	add(aim{c.Head, ""})
	if c.Label != "" {
		add(aim{c.Head, c.Label})
	}
	return out
}

// attacks adds the rules by which c, lowered to r, defeats others.
func (b *builder) attacks(c *types.Clause, r abi.Rule) {
	for _, a := range c.Attacks {
		places := given(a.Args)
		rel := b.loss(aim{a.Head.Rel, a.Label}, places)
		if rel < 0 {
			continue // reported
		}
		attack := r
		attack.Head, attack.Args = rel, nil
		for _, i := range places {
			attack.Args = append(attack.Args, a.Args[i])
		}
		attack.Slots = slices.Clone(r.Slots)
		attack.Body = copyAtoms(r.Body)
		b.rule(attack)
	}
}
