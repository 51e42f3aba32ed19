package types

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// A rule member of a trait is one derived predicate, the union of the clauses
// of all implementations, each of which begins with the test that its Self is
// of the implementing type. A call of a fn or mutate member is a call of what
// the implementation for its receiver's type gives. An implementation for a
// concept is one for everything below it.

// memberUse is an atom about a member of a trait, whose receiver's type is
// looked at when the whole body is known.
type memberUse struct {
	member *resolve.Symbol
	slot   int
	at     syntax.Node
}

// traits settles the type of each trait's Self, and reports implementations that meet: for a concept and for one above it.
func (e *Env) traits() {
	for _, p := range e.World.Packages {
		for _, m := range p.Modules {
			for _, sym := range m.SymbolsOf(resolve.Kinds(resolve.TraitKind)) {
				e.selves[sym] = e.commonType(sym) // what compiles ad hoc only reads it
				e.signatures(sym)
			}
		}
	}
	circular := e.traitCircles()
	for _, im := range e.impls() {
		if !circular[im.Trait] {
			e.supertraits(im)
		}
		of := e.Concepts[im.For.Qualified]
		if of == nil {
			continue
		}
		for _, up := range of.ancestors()[1:] {
			if e.World.Implementation(im.Trait, up.Symbol) != nil {
				e.report(im.Module, "OE1362", im.Node.For.Span, "take it out, or implement the trait for the subtypes only",
					"%s is a subtype of %s, whose implementation of %s is there for both", of.Name, up.Name, im.Trait.Qualified)
				e.needless[im] = true
				break
			}
		}
	}
}

// supertraits reports what the trait of im rests on and its type lacks.
func (e *Env) supertraits(im *resolve.Impl) {
	for _, super := range e.supersOf(im.Trait) {
		if e.World.Implementation(super, im.For) != nil {
			continue
		}
		if of := e.Concepts[im.For.Qualified]; of != nil && len(e.implementation(super, []*Concept{of})) > 0 {
			continue
		}
		e.diags.Add(diag.Diagnostic{
			Code: "OE1364", Place: place(im.Module, im.Node.For.Span), Help: "add impl " + super.Name + " for " + im.For.Name,
			Message: fmt.Sprintf("%s is to implement %s, and does not implement %s, which that trait rests on", im.For.Qualified, im.Trait.Qualified, super.Qualified),
			Related: []diag.Related{{Place: im.Trait.Place, Message: "the trait"}},
		})
	}
}

// impls returns every implementation, in the order of the workspace.
func (e *Env) impls() []*resolve.Impl {
	var all []*resolve.Impl
	for _, p := range e.World.Packages {
		for _, m := range p.Modules {
			all = append(all, m.Impls()...)
		}
	}
	return all
}

// Implementing calls do for each trait and each concept that implements it: for
// which there is an implementation, and what is below it; also of the traits
// that it rests on.
func (e *Env) Implementing(do func(c *Concept, trait *resolve.Symbol)) {
	type pair struct {
		c     *Concept
		trait *resolve.Symbol
	}
	seen := map[pair]bool{}
	var add func(c *Concept, trait *resolve.Symbol)
	add = func(c *Concept, trait *resolve.Symbol) {
		if seen[pair{c, trait}] {
			return
		}
		seen[pair{c, trait}] = true
		do(c, trait)
		for _, path := range trait.Items[0].(*syntax.Trait).Supers {
			if super := e.World.Lookup(trait.Module, path, resolve.Kinds(resolve.TraitKind)); super != nil {
				add(c, super)
			}
		}
	}
	own := map[*Concept][]*resolve.Symbol{}
	for _, im := range e.impls() {
		if of := e.Concepts[im.For.Qualified]; of != nil {
			own[of] = append(own[of], im.Trait)
		}
	}
	for _, c := range e.ConceptList {
		for _, up := range c.ancestors() {
			for _, trait := range own[up] {
				add(c, trait)
			}
		}
	}
}

// selfType is the type of the Self of a trait's rule members: what is above
// every type that implements it.
func (e *Env) selfType(trait *resolve.Symbol) abi.Type {
	if t, ok := e.selves[trait]; ok {
		return t
	}
	if e.spoils() {
		return e.commonType(trait)
	}
	e.selves[trait] = e.commonType(trait)
	return e.selves[trait]
}

func (e *Env) commonType(trait *resolve.Symbol) abi.Type {
	var all []*Concept
	for _, im := range e.World.Impls(trait) {
		if c := e.Concepts[im.For.Qualified]; c != nil {
			all = append(all, c)
		}
	}
	if len(all) == 0 {
		return anyIndividual
	}
	for _, up := range all[0].ancestors() {
		common := true
		for _, c := range all {
			common = common && c.Is(up)
		}
		if common {
			return up.Type()
		}
	}
	return anyIndividual
}

// selfPlace returns the parameter of a member that is of the type Self, or -1.
func selfPlace(member *resolve.Symbol) int {
	var params []*syntax.Param
	switch it := member.Signature.(type) {
	case *syntax.Derive:
		params = it.Params
	case *syntax.Fn:
		params = it.Params
	case *syntax.Mutate:
		params = it.Params
	}
	for i, p := range params {
		if named, ok := p.Type.(*syntax.NamedType); ok && named.Path.String() == "Self" || p.Type == nil && p.Name.Name == "Self" {
			return i
		}
	}
	return -1
}

// implementation returns what implements the trait for something of which the
// concepts are known.
func (e *Env) implementation(trait *resolve.Symbol, concepts []*Concept) (found []*resolve.Impl) {
	for _, c := range concepts {
		for _, up := range c.ancestors() {
			if im := e.World.Implementation(trait, up.Symbol); im != nil && !e.needless[im] && !slices.Contains(found, im) {
				found = append(found, im)
			}
		}
	}
	return found
}

// coveredBelow reports whether every member of c is of a type that implements
// the trait: because c is abstract or covered, and each type below it does.
func (e *Env) coveredBelow(trait *resolve.Symbol, c *Concept, seen map[*Concept]bool) bool {
	if seen[c] {
		return false
	}
	seen[c] = true
	if len(e.implementation(trait, []*Concept{c})) > 0 {
		return true
	}
	all := func(list []*Concept) bool {
		for _, m := range list {
			if !e.coveredBelow(trait, m, seen) {
				return false
			}
		}
		return len(list) > 0
	}
	for _, g := range e.GroupList {
		if g.Parent == c && all(g.Members) {
			return true
		}
	}
	if !c.Abstract {
		return false
	}
	var below []*Concept
	for _, d := range e.ConceptList {
		if slices.Contains(d.Supers, c) {
			below = append(below, d)
		}
	}
	return all(below)
}

// within returns the types below concepts that implement the trait.
func (e *Env) within(trait *resolve.Symbol, concepts []*Concept) (within []string) {
	for _, im := range e.World.Impls(trait) {
		of := e.Concepts[im.For.Qualified]
		if of != nil && slices.ContainsFunc(concepts, of.Is) {
			within = append(within, of.Symbol.Name)
		}
	}
	return within
}

// uncovered reports a receiver whose type implements no trait with the member,
// or only in part.
func (s *scope) uncovered(member *resolve.Symbol, concepts []*Concept, at syntax.Node) {
	within := s.e.within(member.Trait, concepts)
	if len(within) > 3 {
		within = append(within[:3], "others")
	}
	var known []string
	for _, c := range concepts {
		known = append(known, c.Name)
	}
	name := strings.Join(known, " and ")
	if len(within) > 0 {
		s.report("OE1327", at, "test for one of them first: x: "+within[0]+", or implement "+member.Trait.Name+" for "+name,
			"of %s only %s, so %s is not there for all", name, strings.Join(within, ", ")+map[bool]string{true: " implements ", false: " implement "}[len(within) == 1]+member.Trait.Qualified, member.Name)
		return
	}
	s.report("OE1327", at, "add impl "+member.Trait.Name+" for "+name, "%s does not implement %s, which has %s", name, member.Trait.Qualified, member.Name)
}

// noteMember notes an atom of a member of a trait for covered.
func (s *scope) noteMember(member *resolve.Symbol, args []abi.Arg, at syntax.Node) {
	if i := selfPlace(member); i >= 0 && i < len(args) && args[i].Op == abi.ArgSlot {
		s.frame.members = append(s.frame.members, memberUse{member, args[i].Index, at})
	}
}

// covered looks at the receivers of the atoms that noteMember noted. Where a
// type test says of what type one is, the trait has to be there for all of that
// type. Where the other atoms only suggest a type, it is enough that something
// of it can be meant: the atom goes through all that implements the trait.
func (s *scope) covered() {
	for _, use := range s.frame.members {
		trait := use.member.Trait
		covered := func(c *Concept) bool { return s.e.coveredBelow(trait, c, map[*Concept]bool{}) }
		if said := s.frame.said[use.slot]; len(said) > 0 {
			if !slices.ContainsFunc(said, covered) {
				s.uncovered(use.member, said, use.at)
			}
			continue
		}
		var suggested []*Concept
		for _, c := range s.frame.bounds[use.slot] {
			if c.Name != s.e.selfType(trait).Name { // that is what the atom itself says
				suggested = append(suggested, c)
			}
		}
		if len(suggested) > 0 && !slices.ContainsFunc(suggested, covered) && len(s.e.within(trait, suggested)) == 0 {
			s.uncovered(use.member, suggested, use.at)
		}
	}
	s.frame.members = nil
}

// memberOf returns the qualified name of what a member of a trait is for its
// receiver, or nothing after a report.
func (s *scope) memberOf(member *resolve.Symbol, args []syntax.Expr, at syntax.Node) string {
	i := selfPlace(member)
	if i < 0 || i >= len(args) {
		s.report("OE0258", at, "", "%s needs its receiver", member.Qualified)
		return ""
	}
	mark := s.e.errors()
	slots := len(s.frame.slots)
	v, t := s.inner().value(args[i], Top)
	if s.e.errors() > mark {
		return ""
	}
	concepts := s.concepts(v, t)
	if isVar(strip(t)) && s.e.hasTrait(strip(t), member.Trait) {
		return member.Qualified
	}
	if name := s.valueMember(member, strip(t)); name != "" {
		s.frame.slots, s.frame.bounds = s.frame.slots[:slots], s.frame.bounds[:slots]
		return name
	}
	s.frame.slots, s.frame.bounds = s.frame.slots[:slots], s.frame.bounds[:slots]
	if len(concepts) == 0 {
		s.report("OE1327", args[i], "say of which type it is", "nothing says whether this implements %s, which has %s", member.Trait.Qualified, member.Name)
		return ""
	}
	found := s.e.implementation(member.Trait, concepts)
	switch {
	case len(found) == 0 && slices.ContainsFunc(concepts, func(c *Concept) bool { return s.e.coveredBelow(member.Trait, c, map[*Concept]bool{}) }):
		return member.Qualified
	case len(found) == 0:
		s.uncovered(member, concepts, args[i])
		return ""
	case len(found) > 1:
		s.report("OE1327", args[i], "test for one of them only", "%s implements %s in two ways: as %s and as %s", concepts[0].Name, member.Trait.Qualified, found[0].For.Name, found[1].For.Name)
		return ""
	}
	return given(found[0], member.Name) // if it is missing, that was reported
}

// valueMember returns what a member is for a struct or enum, or nothing.
func (s *scope) valueMember(member *resolve.Symbol, t abi.Type) string {
	if im := s.e.World.Implementation(member.Trait, s.e.valueDecl(t)); im != nil {
		return given(im, member.Name)
	}
	return ""
}

// valueDecl returns the declaration of a struct or enum, or nil.
func (e *Env) valueDecl(t abi.Type) *resolve.Symbol {
	if st := e.Structs[t.Name]; st != nil && t.Op == abi.TypeStruct {
		return st.Symbol
	}
	if n := e.Enums[t.Name]; n != nil && t.Op == abi.TypeEnum {
		return n.Symbol
	}
	return nil
}

// receiverCall is x.name(args) as a call of a member, of one of the kinds, of a
// trait in scope; ok is false where it is none.
func (s *scope) receiverCall(x *syntax.Method, kinds ...resolve.Kind) (call *syntax.Call, ok bool) {
	traits := s.e.World.TraitsWith(s.m, x.Name.Name)
	if len(traits) != 1 {
		return nil, false
	}
	member := traits[0].Member(x.Name.Name)
	at := selfPlace(member)
	if at < 0 || at > len(x.Args) || !slices.Contains(kinds, member.Kind) {
		return nil, false
	}
	args := slices.Insert(slices.Clone(x.Args), at, x.X)
	name := syntax.Ident{Span: x.Name.Span, Name: s.e.World.Alias(member)}
	return &syntax.Call{Span: x.Span, Args: args, Path: syntax.Path{Span: x.Name.Span, Parts: []syntax.Ident{name}}}, true
}

// mutateMember is x.name(args) where name is a mutate of a trait.
func (s *scope) mutateMember(x *syntax.Method) (*syntax.Call, bool) {
	return s.receiverCall(x, resolve.MutateKind)
}

// memberCall types x.name(args) where name is a member of a trait in scope; ok
// is false where it is none.
func (s *scope) memberCall(x *syntax.Method) (v abi.Expr, t abi.Type, ok bool) {
	call, ok := s.receiverCall(x, resolve.FnKind, resolve.DeriveKind)
	if !ok {
		return v, t, false
	}
	v, t = s.call(call, Top)
	return v, t, true
}

// implementors types implementors(Trait): the set of the types that implement it.
func (s *scope) implementors(x *syntax.Call) (abi.Expr, abi.Type) {
	if len(x.Args) != 1 {
		s.report("OE0258", x, "implementors(SomeTrait)", "implementors has 1 argument, and %d are given", len(x.Args))
		return abi.Expr{}, Top
	}
	in := s.variables()
	slot := in.slot("", TypeRef)
	trait, t := in.value(x.Args[0], TraitRef)
	if !unknown(t) && !s.e.Fits(strip(t), TraitRef) {
		s.report("OE0257", x.Args[0], "name a trait", "implementors asks about a trait, and this is of type %s", Print(t))
		return abi.Expr{}, Top
	}
	arg, body := in.argOf(trait, TraitRef, x.Args[0])
	body = append(body, abi.Atom{Op: abi.AtomScan, Rel: s.e.catalog(CatalogImplements), Args: []abi.Arg{{Op: abi.ArgSlot, Index: slot}, arg}, Span: s.span(x)})
	out := in.slotExpr(slot, x)
	return abi.Expr{Op: abi.ExprSub_, Sub: &abi.Sub{Op: abi.SubSet, Body: body, Over: []int{slot}, Out: &out}, Span: s.span(x)}, Set(TypeRef)
}
