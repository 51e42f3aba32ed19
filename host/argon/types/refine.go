package types

import (
	"maps"
	"slices"

	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// Defined reports whether c has an `iff`: its members are then derived, and
// none is asserted.
func (c *Concept) Defined() bool { return c.Node.Refinement != nil && c.Node.Refinement.Iff }

// refinement types the condition of c on its members.
func (e *Env) refinement(m *resolve.Module, c *Concept, it *syntax.Concept) {
	r := it.Refinement
	if r == nil || c == nil {
		return
	}
	if c.Defined() && len(it.Supers) == 0 {
		e.report(m, "OE0280", it.Name.Span, "add the concept that its members are taken from: "+it.Name.Name+" <: SomeConcept iff { … }", "%s has an `iff` and no supertype, so there is nothing that it could find its members among", c.Name)
		return
	}
	if len(r.Body) == 0 {
		e.report(m, "OE0280", r.Span, "give a condition, or leave the refinement out", "the refinement of %s says nothing", c.Name)
		return
	}
	if len(c.Supers) < len(it.Supers) {
		return // reported: what the condition reads is not known
	}
	mark := e.errors()
	s := e.newScope(m, "refinement", true)
	self := s.declare("self", c.Type())
	for _, up := range c.Supers {
		s.bound(self, up.Type())
	}
	cl := &Clause{Name: c.Name, Head: c.Rel, Module: m, Span: r.Span}
	cl.Body = s.body(r.Body)
	s.withoutSelf(c, r.Body)
	cl.Slots = s.frame.slots
	cl.Broken = e.errors() > mark || e.misread(m, it)
	c.Refined = cl
	if !c.Defined() {
		return
	}
	for _, f := range c.Fields {
		if f.Node.Default != nil {
			e.unsupported(m, f.Node.Default.Range(), "a default of a field of a concept with an `iff`", "give the field to a supertype: a default is stored when an individual is made, and no individual is made a member of this")
		}
	}
}

// withoutSelf reports fields of c that are written without self: taken for
// variables, nothing gives them a value.
func (s *scope) withoutSelf(c *Concept, body []syntax.Atom) {
	given := map[string]bool{} // names that an atom may give a value
	w := nameWalk{visit: func(id syntax.Ident) { given[id.Name] = true }}
	var condition func(syntax.Expr)
	condition = func(x syntax.Expr) {
		switch x, _ := x.(*syntax.Binary); {
		case x == nil:
		case x.Op == "&&":
			condition(x.X)
			condition(x.Y)
		case x.Op == "==" || x.Op == "in":
			w.expr(x)
		}
	}
	for _, a := range body {
		if compare, ok := a.(*syntax.CompareAtom); ok {
			condition(compare.Expr)
		} else {
			w.atom(a)
		}
	}
	for _, slot := range slices.Sorted(maps.Keys(s.frame.free)) {
		at, name := s.frame.free[slot], s.frame.slots[slot].Name
		if !given[name] && c.Field(name) != nil {
			s.e.report(s.m, "OE1303", at, "write self."+name, "nothing in the refinement binds %s", name)
		}
	}
}

// defined reports a write of the membership of c if c is defined.
func (s *scope) defined(c *Concept, n syntax.Node) bool {
	if !c.Defined() {
		return false
	}
	s.report("OE0211", n, "write a supertype and the fields that its `iff` reads", "%s has exactly the members that its `iff` finds: none is put in or taken out by hand", c.Name)
	return true
}
