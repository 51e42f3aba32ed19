package types

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// Group is an axiom about the members of concepts.
type Group struct {
	Disjoint bool
	Parent   *Concept // of a cover: each member of it is in one of Members. Nil: no cover
	Members  []*Concept
	Module   *resolve.Module
	Text     string // as it begins in source: "partition P"
	Span     syntax.Span
}

// named returns the concept that p names, or nil after a report.
func (e *Env) named(m *resolve.Module, p syntax.Path) *Concept {
	if p.String() == "" {
		return nil
	}
	if sym := e.World.Resolve(m, p, resolve.Kinds(resolve.ConceptKind)); sym != nil {
		return e.Concepts[sym.Qualified]
	}
	return nil
}

// covers puts what a concept lists as its cover below it, as the constants of an
// enum are. A defined concept has its supertypes for its definition: those stay
// as they are.
func (e *Env) covers() {
	for _, parent := range e.ConceptList {
		m := parent.Symbol.Module
		for _, p := range parent.Node.Cover {
			speak := e.World.Hush() // group reports
			c := e.named(m, p)
			speak()
			if c != nil && c != parent && !c.Defined() && !slices.Contains(c.Supers, parent) {
				c.Supers = append(c.Supers, parent)
			}
		}
	}
}

// group types a group axiom, or the cover of a concept.
func (e *Env) group(m *resolve.Module, sym *resolve.Symbol, item syntax.Item) {
	switch it := item.(type) {
	case *syntax.GroupAxiom:
		g := &Group{Disjoint: it.Word != "complete", Module: m, Text: it.Word, Span: it.Decl.Span}
		if it.Word != "disjoint" {
			g.Text += " " + it.Parent.String()
			if g.Parent = e.named(m, it.Parent); g.Parent == nil {
				return
			}
		}
		e.members(g, it, it.Members)
	case *syntax.Concept:
		if sym != nil && len(it.Cover) > 0 {
			e.members(&Group{Parent: e.Concepts[sym.Qualified], Module: m, Text: "cover " + sym.Name, Span: it.Decl.Span}, it, it.Cover)
		}
	}
}

// members gives g the concepts that paths name, if it can have them.
func (e *Env) members(g *Group, it syntax.Item, paths []syntax.Path) {
	mark := e.errors()
	var at []syntax.Span
	listed := map[*Concept]bool{}
	for _, p := range paths {
		c := e.named(g.Module, p)
		switch {
		case c == nil:
			continue
		case listed[c]:
			e.report(g.Module, "OE0282", p.Span, "leave one", "%s is listed twice", c.Name)
			continue
		case g.Parent != nil && (c == g.Parent || !c.Is(g.Parent)):
			e.report(g.Module, "OE0243", p.Span, "declare it below the parent: "+c.Symbol.Name+" <: "+g.Parent.Symbol.Name, "%s does not specialise %s, so it cannot cover any of its members", c.Name, g.Parent.Name)
			continue
		}
		listed[c] = true
		g.Members = append(g.Members, c)
		at = append(at, p.Span)
	}
	if e.errors() > mark || e.misread(g.Module, it) {
		return
	}
	if len(g.Members) == 0 || len(g.Members) == 1 && g.Parent == nil {
		e.report(g.Module, "OE0282", it.Head().Span, "list the concepts between the braces", "`%s` has nothing to say of so few concepts", g.Text)
		return
	}
	if g.Disjoint {
		e.overlap(g, at)
	}
	if g.Parent != nil {
		e.outside(g)
	}
	e.GroupList = append(e.GroupList, g)
}

// overlap reports members of a disjoint group of which one is below another:
// it could have no members.
func (e *Env) overlap(g *Group, at []syntax.Span) {
	index := map[*Concept]bool{}
	for _, c := range g.Members {
		index[c] = true
	}
	for i, c := range g.Members {
		for _, up := range c.ancestors() {
			if up != c && index[up] {
				e.report(g.Module, "OE0282", at[i], "leave one of the two out", "%s specialises %s, so the two cannot be disjoint", c.Name, up.Name)
				return
			}
		}
	}
	for _, c := range e.beneath(g.Members) {
		var in []*Concept
		for _, up := range c.ancestors() {
			if index[up] {
				in = append(in, up)
			}
		}
		if len(in) > 1 && !slices.ContainsFunc(c.Supers, func(up *Concept) bool { return up.Is(in[0]) && up.Is(in[1]) }) {
			e.report(c.Symbol.Module, "OE0282", c.Node.Name.Span, "take one of its supertypes away, or one of the two out of the group", "%s specialises %s and %s, which `%s` keeps apart, so it can have no members", c.Name, in[0].Name, in[1].Name, g.Text)
		}
	}
}

// beneath returns the concepts of list and those below them, in the order of
// their declarations.
func (e *Env) beneath(list []*Concept) []*Concept {
	if e.subs == nil {
		e.subs, e.places = map[*Concept][]*Concept{}, map[*Concept]int{}
		for i, c := range e.ConceptList {
			e.places[c] = i
			for _, up := range c.Supers {
				e.subs[up] = append(e.subs[up], c)
			}
		}
	}
	seen := map[*Concept]bool{}
	for _, c := range list {
		seen[c] = true
	}
	out := slices.Clone(list)
	for i := 0; i < len(out); i++ {
		for _, sub := range e.subs[out[i]] {
			if !seen[sub] {
				seen[sub] = true
				out = append(out, sub)
			}
		}
	}
	slices.SortFunc(out, func(a, b *Concept) int { return e.places[a] - e.places[b] })
	return out
}

// outside reports concepts in the file of a cover that can have members of
// their own and are below the parent, but below none of the members. Where a
// member is defined by its condition, what is in it shows at run time only.
func (e *Env) outside(g *Group) {
	if slices.ContainsFunc(g.Members, (*Concept).Defined) {
		return
	}
	covering := map[*Concept]bool{}
	for _, c := range g.Members {
		covering[c] = true
	}
	outside := func(c *Concept) bool {
		return c.Symbol.Module.Source == g.Module.Source && c != g.Parent && !c.Abstract && !c.Defined() && c.Is(g.Parent) &&
			!slices.ContainsFunc(c.ancestors(), func(up *Concept) bool { return covering[up] })
	}
	for _, c := range e.beneath([]*Concept{g.Parent}) {
		if outside(c) && !slices.ContainsFunc(c.ancestors()[1:], outside) { // what is below follows from it
			e.report(c.Symbol.Module, "OE0242", c.Node.Name.Span, "list it, put it below a listed concept, or introduce it with an abstract metatype",
				"%s can have members of its own and specialises none of the concepts that cover %s", c.Name, g.Parent.Name)
		}
	}
}
