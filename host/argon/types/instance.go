package types

import (
	"context"
	"slices"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// A concept may itself be a member of another: `type Cod : FishSpecies { … }`,
// `derive iof(Cod, FishSpecies);` and `fact FishSpecies(Cod);` all say that the
// reference to Cod is one. The first also gives it the values of its fields.

// instances finds the concepts that are members of others.
func (e *Env) instances(ctx context.Context) error {
	e.higher = map[string]bool{}
	err := e.items(ctx, func(m *resolve.Module, sym *resolve.Symbol, item syntax.Item) {
		switch it := item.(type) {
		case *syntax.Concept:
			if sym == nil {
				return
			}
			if c := e.Concepts[sym.Qualified]; c != nil {
				e.instanceOf(m, c, it)
			}
		case *syntax.Fact:
			if len(it.Args) == 1 {
				e.memberType(m, it.Args[0], it.Target)
			}
		case *syntax.Derive:
			if member, path, ok := membershipSeed(it); ok && !it.HasBody {
				e.memberType(m, member, path)
			} else if ok && refers(it.Params[0]) {
				e.memberRule(m, path)
			}
		}
	})
	e.instanceCycles()
	return err
}

func (e *Env) instanceOf(m *resolve.Module, c *Concept, it *syntax.Concept) {
	for _, path := range it.InstanceOf {
		sym := e.World.Resolve(m, path, resolve.Kinds(resolve.ConceptKind))
		if sym == nil || e.Concepts[sym.Qualified] == nil {
			continue
		}
		h := e.Concepts[sym.Qualified]
		if h.Abstract {
			e.report(m, "OE0233", path.Span, "name one of its subtypes", "%s is abstract: it has no direct instances", h.Name)
			continue
		}
		if e.newScope(m, "concept", false).defined(h, path) {
			continue
		}
		c.InstanceOf = append(c.InstanceOf, h)
		e.markHigher(h)
	}
}

// markHigher notes that h has types among its members.
func (e *Env) markHigher(h *Concept) {
	for _, up := range h.ancestors() {
		e.higher[up.Name] = true
	}
}

// memberType notes that the type member, if x names one, is put in the concept
// that path names.
func (e *Env) memberType(m *resolve.Module, x syntax.Expr, path syntax.Path) {
	n, ok := x.(*syntax.Name)
	if !ok || e.World.Lookup(m, n.Path, valueKinds) != nil {
		return
	}
	if _, _, ok := e.reference(m, n.Path); !ok {
		return
	}
	if sym := e.World.Lookup(m, path, resolve.Kinds(resolve.ConceptKind)); sym != nil && e.Concepts[sym.Qualified] != nil {
		e.markHigher(e.Concepts[sym.Qualified])
	}
}

// refers reports whether p is written as a reference: of a rule for iof, it
// says that the members are types.
func refers(p *syntax.Param) bool {
	named, ok := p.Type.(*syntax.NamedType)
	return ok && IsRef(sorts[named.Path.String()])
}

// memberRule notes that a rule puts types in the concept that path names.
func (e *Env) memberRule(m *resolve.Module, path syntax.Path) {
	if sym := e.World.Lookup(m, path, resolve.Kinds(resolve.ConceptKind)); sym != nil && e.Concepts[sym.Qualified] != nil {
		e.markHigher(e.Concepts[sym.Qualified])
	}
}

// instanceCycles reports concepts that are members of themselves by the way
// their declarations go: what a declaration says has a bottom. Where that is
// meant, a derive says so.
func (e *Env) instanceCycles() {
	const working, done = 1, 2
	state := map[*Concept]int{}
	for _, root := range e.ConceptList {
		if len(root.InstanceOf) == 0 || state[root] != 0 {
			continue
		}
		type frame struct {
			c  *Concept
			at int
		}
		state[root] = working
		stack := []frame{{root, 0}}
		for len(stack) > 0 {
			f := &stack[len(stack)-1]
			if f.at == len(f.c.InstanceOf) {
				state[f.c] = done
				stack = stack[:len(stack)-1]
				continue
			}
			next := f.c.InstanceOf[f.at]
			f.at++
			switch state[next] {
			case 0:
				state[next] = working
				stack = append(stack, frame{next, 0})
			case working:
				e.diags.Add(diag.Diagnostic{
					Code: "OE1953", Place: f.c.Symbol.Place, Message: f.c.Name + " is an instance of itself, by way of " + next.Name,
					Help: "take one of the instantiations out; where it is meant, say it with a derive: derive iof(" + f.c.Symbol.Name + ", " + next.Symbol.Name + ");",
				})
			}
		}
	}
}

// membershipSeed returns what `derive iof(member, Concept);` says.
func membershipSeed(it *syntax.Derive) (member syntax.Expr, concept syntax.Path, ok bool) {
	if it.Name.Name != "iof" || len(it.Params) != 2 {
		return nil, syntax.Path{}, false
	}
	term := func(p *syntax.Param) syntax.Expr {
		if p.Term != nil {
			return p.Term
		}
		return &syntax.Name{Span: p.Span, Path: syntax.Path{Span: p.Name.Span, Parts: []syntax.Ident{p.Name}}}
	}
	n, ok := term(it.Params[1]).(*syntax.Name)
	if !ok {
		return nil, syntax.Path{}, false
	}
	return term(it.Params[0]), n.Path, true
}

// membership types what declarations and seeds say of members.
func (e *Env) membership(m *resolve.Module, sym *resolve.Symbol, item syntax.Item) {
	switch it := item.(type) {
	case *syntax.Concept:
		if sym != nil {
			if c := e.Concepts[sym.Qualified]; c != nil {
				e.instanceFacts(m, c, it)
			}
		}
	case *syntax.Derive:
		if it.Name.Name == "iof" && len(it.Params) == 2 {
			e.membershipFact(m, it)
		}
	}
}

// membershipFact types derive iof(member, Concept);.
func (e *Env) membershipFact(m *resolve.Module, it *syntax.Derive) {
	s := e.newScope(m, "derive", false)
	member, path, ok := membershipSeed(it)
	of := resolve.Kinds(resolve.ConceptKind)
	if !ok || it.Params[1].Type != nil || it.HasBody && len(path.Parts) == 1 && e.World.Lookup(m, path, of) == nil {
		s.report("OE0212", it.Params[1], "derive iof(member, SomeConcept);", "a membership is of a named concept")
		return
	}
	h := e.World.Resolve(m, path, of)
	if h == nil || e.Concepts[h.Qualified] == nil {
		return
	}
	c := e.Concepts[h.Qualified]
	if p := it.Params[0]; p.Type != nil && !it.HasBody {
		s.report("OE1342", p, "declare the individual with a fact, or add a body", "%s is no declared individual, and a derive without a body needs concrete arguments", p.Name.Name)
		return
	}
	if c.Abstract {
		s.report("OE0233", it.Params[1], "name one of its subtypes", "%s is abstract: it has no direct instances", c.Name)
		return
	}
	if s.defined(c, it.Params[1]) {
		return
	}
	if it.HasBody {
		e.membershipRule(m, it, c)
		return
	}
	if n, ok := member.(*syntax.Name); ok && len(n.Path.Parts) == 1 && e.World.Lookup(m, n.Path, valueKinds|typeNames) == nil {
		s.report("OE1342", member, "declare the individual with a fact", "%s is no declared individual or type, and a derive without a body needs concrete arguments", n.Path)
		return
	}
	v, ok := s.constantExpr(member, c.Type())
	if !ok {
		return
	}
	at := place(m, it.Decl.Span)
	e.Facts = append(e.Facts, Fact{Relation: c.Plus, Tuple: []abi.Value{v}, Place: at})
	s.factFields(c.Name, c.AllFields(), Fact{Tuple: []abi.Value{v}, Layer: layer(s.m), Place: at}, nil)
}

// membershipRule types derive iof(x, Concept) :- body;: a clause of the concept
// itself, beside what is asserted of it.
func (e *Env) membershipRule(m *resolve.Module, it *syntax.Derive, c *Concept) {
	mark := e.errors()
	s := e.newScope(m, "derive", true)
	clause := &Clause{Name: c.Name, Head: c.Rel, Module: m, Span: it.Decl.Span}
	clause.Args, clause.Filters = s.head(it.Params[:1])
	clause.Body = s.body(it.Body)
	if arg := clause.Args[0]; arg.Op == abi.ArgSlot {
		if t := s.typeOf(arg.Index); !s.e.Comparable(t, c.Type()) {
			s.mismatch(it.Params[0], t, c.Type())
		}
	}
	for _, a := range it.Attrs {
		if a.Name.String() != "label" {
			s.unsupported(it.Name, "a rule for iof that may lose, or that defeats", "derive a predicate that does, and the membership from it")
		}
	}
	clause.Slots = s.frame.slots
	clause.Broken = e.errors() > mark || e.misread(m, it)
	e.Clauses = append(e.Clauses, clause)
}

// instanceFacts asserts what the declaration of c says of c itself.
func (e *Env) instanceFacts(m *resolve.Module, c *Concept, it *syntax.Concept) {
	var values []*syntax.FieldInit
	for _, member := range it.Members {
		if member.Value != nil {
			values = append(values, member.Value)
		}
	}
	s := e.newScope(m, "concept", false)
	if len(it.InstanceOf) == 0 {
		if len(values) > 0 {
			s.report("OE1951", values[0], "say what it is an instance of: "+c.Symbol.Name+" : SomeConcept; the default of a field has a type before it, f: T = e",
				"%s has a value for a field of its own, and is an instance of nothing", c.Name)
		}
		return
	}
	if len(c.InstanceOf) == 0 {
		return // reported
	}
	tuple := []abi.Value{abi.TypeValue(c.Name)}
	at := c.Symbol.Place
	var fields []*Field
	var names []string
	for _, h := range c.InstanceOf {
		names = append(names, h.Name)
		e.Facts = append(e.Facts, Fact{Relation: h.Plus, Tuple: tuple, Place: at})
		for _, f := range h.AllFields() {
			if !slices.Contains(fields, f) {
				fields = append(fields, f)
			}
		}
	}
	seen := map[string]bool{}
	for _, v := range values {
		if seen[v.Name.Name] {
			s.report("OE0262", v.Name, "", "the field %s has two values", v.Name.Name)
			return
		}
		seen[v.Name.Name] = true
	}
	s.factFields(strings.Join(names, ", "), fields, Fact{Tuple: tuple, Layer: layer(s.m), Place: at}, values)
	var missing []string
	misspelt := slices.ContainsFunc(values, func(v *syntax.FieldInit) bool {
		return !slices.ContainsFunc(fields, func(f *Field) bool { return f.Name == v.Name.Name })
	})
	for _, f := range fields {
		if f.Required() && !seen[f.Name] && !misspelt { // it may be the one meant
			missing = append(missing, f.Name)
		}
	}
	if len(missing) > 0 {
		e.diags.Add(diag.Diagnostic{
			Code: "OE1950", Place: at, Help: "add " + strings.Join(missing, " = …, ") + " = … to its body",
			Message: c.Name + " is an instance of " + strings.Join(names, ", ") + " and has no value for " + strings.Join(missing, ", "),
		})
	}
}
