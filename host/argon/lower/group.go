package lower

import (
	"fmt"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/types"
)

// groups adds the guards of group axioms: no member of two disjoint concepts
// (OE0240), no member of a parent that none of its covering concepts has
// (OE0241). The members that an `iff` finds count like any other.
func (b *builder) groups(p *abi.Program) {
	taken := map[string]int{}
	name := func(g *types.Group, what string) string {
		about := g.Parent
		if about == nil {
			about = g.Members[0]
		}
		n := about.Name + "[" + what + "]"
		if taken[n]++; taken[n] > 1 {
			n += fmt.Sprintf("#%d", taken[n])
		}
		return n
	}
	for _, g := range b.env.GroupList {
		if g.Disjoint {
			p.Checks = append(p.Checks, b.apart(g, name(g, "disjoint")))
		}
		if g.Parent != nil {
			p.Checks = append(p.Checks, b.covered(g, name(g, "complete")))
		}
	}
}

// apart is violated by an individual in two members of g. What is in which
// member is a relation of its own, so that the rules do not grow with the square
// of the members.
func (b *builder) apart(g *types.Group, name string) abi.Check {
	span := b.env.Span(g.Module, g.Span)
	self := abi.Slot{Name: "self", Type: abi.Type{Op: abi.TypeConcept, Name: g.Members[0].Name}}
	in := b.relation(abi.Relation{
		Name: name + ".in", Role: abi.Derived, Origin: abi.OriginAux, Span: span,
		Columns: []abi.Column{{Name: "self", Type: self.Type}, {Name: "in", Type: types.String}},
	})
	names := map[string]int{}
	for _, c := range g.Members {
		names[short(c.Name)]++
	}
	for _, c := range g.Members {
		shown := short(c.Name)
		if names[shown] > 1 {
			shown = c.Name
		}
		b.rule(abi.Rule{
			Name: name + ".in", Head: in, Slots: []abi.Slot{self}, Span: span,
			Args: []abi.Arg{slotArg(0), {Op: abi.ArgConst, Index: b.env.Constants.Add(abi.StringValue(shown))}},
			Body: []abi.Atom{{Op: abi.AtomScan, Rel: c.Rel, Args: []abi.Arg{slotArg(0)}, Span: span}},
		})
	}
	r := abi.Rule{
		Name: name, Args: []abi.Arg{slotArg(0), slotArg(1), slotArg(2)}, Span: span,
		Slots: []abi.Slot{self, {Name: "a", Type: types.String}, {Name: "b", Type: types.String}},
		Body: []abi.Atom{
			{Op: abi.AtomScan, Rel: in, Args: []abi.Arg{slotArg(0), slotArg(1)}, Span: span},
			{Op: abi.AtomScan, Rel: in, Args: []abi.Arg{slotArg(0), slotArg(2)}, Span: span},
			{Op: abi.AtomCmp, Cmp: abi.CmpLt, Args: []abi.Arg{slotArg(1), slotArg(2)}, Span: span},
		},
	}
	return b.guard(r, "OE0240", abi.SeverityError, 0, " is in ", 1, " and in ", 2, ", which are disjoint")
}

// covered is violated by a member of g's parent that is in none of its members.
func (b *builder) covered(g *types.Group, name string) abi.Check {
	span := b.env.Span(g.Module, g.Span)
	scan := func(c *types.Concept, neg bool) abi.Atom {
		return abi.Atom{Op: abi.AtomScan, Rel: c.Rel, Neg: neg, Args: []abi.Arg{slotArg(0)}, Span: span}
	}
	r := abi.Rule{
		Name: name, Args: []abi.Arg{slotArg(0)}, Slots: []abi.Slot{{Name: "self", Type: g.Parent.Type()}}, Span: span,
		Body: []abi.Atom{scan(g.Parent, false)},
	}
	const most = 8 // names in the message
	var names []string
	for i, c := range g.Members {
		r.Body = append(r.Body, scan(c, true))
		if i < most {
			names = append(names, short(c.Name))
		}
	}
	list := strings.Join(names, ", ")
	if n := len(g.Members) - most; n > 0 {
		list += fmt.Sprintf(" and %d more", n)
	}
	return b.guard(r, "OE0241", abi.SeverityError, 0, " is in "+short(g.Parent.Name)+" and in none of the concepts that cover it: "+list)
}
