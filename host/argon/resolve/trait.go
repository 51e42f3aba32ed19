package resolve

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// A member of a trait is a symbol inside it, as a constant is inside an enum.
// That of a derive has for its declarations the clauses of all
// implementations; a fn or mutate is, in each implementation, a symbol of its
// own, which a call finds by the type of its receiver.

// Impl is an implementation that holds.
type Impl struct {
	Trait, For *Symbol
	Types      map[string]syntax.Type // what the type parameters of the trait stand for
	Module     *Module
	Node       *syntax.Impl
	Members    []Member
}

// Member is a member of an implementation, or a signature of a trait, as an
// item like any other: Self stands for the type, and a clause begins with the
// test that its Self is of it.
type Member struct {
	Name   string
	Item   syntax.Item
	Symbol *Symbol
	Module *Module // in which its names are looked up: the trait's, of a member that the trait provides
}

// Member returns the member of that name of the trait sym, or nil.
func (sym *Symbol) Member(name string) *Symbol { return sym.members[name] }

// Impls returns the implementations of a trait, in the order of the workspace.
func (w *World) Impls(trait *Symbol) []*Impl { return w.impls[trait] }

// declareTrait enters the members of a trait of m.
func (w *World) declareTrait(m *Module, sym *Symbol, it *syntax.Trait) {
	sym.members = map[string]*Symbol{}
	for _, member := range it.Members {
		head := member.Head()
		name := head.Name.Name
		if name == "" {
			continue
		}
		one := &Symbol{
			Name: name, Qualified: sym.Qualified + "::" + name, Vis: sym.Vis, Module: m, Place: m.place(head.Name.Span),
			Trait: sym, Signature: member.Item,
		}
		switch member.Item.(type) {
		case *syntax.Derive:
			one.Kind = DeriveKind
		case *syntax.Fn:
			one.Kind = FnKind
		case *syntax.Mutate:
			one.Kind = MutateKind
		case *syntax.Check:
			one.Kind = CheckKind
		}
		if old := sym.members[name]; old != nil {
			w.duplicate(m, one, old)
			continue
		}
		sym.members[name] = one
		w.alias(one)
		if d, ok := member.Item.(*syntax.Derive); ok {
			d = signature(d)
			syntax.Substitute(d, everything(it.TypeParams, d.Name.Span))
			m.extra = append(m.extra, Member{name, d, one, m})
		}
	}
}

// signature is the declaration of a derived predicate that a trait makes: the
// type of Self is for the implementations to say.
func signature(d *syntax.Derive) *syntax.Derive {
	d = syntax.Clone(d)
	d.HasBody, d.Body, d.Attrs = false, nil, nil
	for i, p := range d.Params {
		switch {
		case isSelf(p):
			p.Name.Name = "self"
			p.Type = &syntax.NamedType{Span: p.Span, Path: syntax.Path{Span: p.Span, Parts: []syntax.Ident{{Span: p.Span, Name: "Top"}}}}
		case p.Type == nil:
			p.Type = &syntax.NamedType{Span: p.Span, Path: syntax.Path{Span: p.Span, Parts: []syntax.Ident{{Span: p.Span, Name: "Top"}}}}
			if p.Term != nil {
				p.Term, p.Name.Name = nil, fmt.Sprintf("a%d", i+1)
			}
		}
	}
	return d
}

// isSelf reports whether a parameter is of the implementing type.
func isSelf(p *syntax.Param) bool {
	if named, ok := p.Type.(*syntax.NamedType); ok {
		return named.Path.String() == "Self"
	}
	return p.Type == nil && p.Term == nil && p.Name.Name == "Self"
}

// selfPlace returns the place of Self in a member, or -1.
func selfPlace(item syntax.Item) int {
	for i, p := range paramsOf(item) {
		if isSelf(p) {
			return i
		}
	}
	return -1
}

func paramsOf(item syntax.Item) []*syntax.Param {
	switch it := item.(type) {
	case *syntax.Derive:
		return it.Params
	case *syntax.Fn:
		return it.Params
	case *syntax.Mutate:
		return it.Params
	case *syntax.Check:
		return it.Params
	}
	return nil
}

// implement enters the implementations of m.
func (w *World) implement(m *Module) {
	for _, item := range m.Items {
		it, ok := item.(*syntax.Impl)
		if !ok {
			continue
		}
		trait := w.Resolve(m, it.Trait, Kinds(TraitKind))
		of := w.Resolve(m, it.For, Kinds(ConceptKind, StructKind, EnumKind))
		if trait == nil || of == nil {
			continue
		}
		if of.Kind != ConceptKind && !onlyFns(trait) {
			w.report(m, "OE1350", it.For.Span, "an implementation for a "+of.Kind.String()+" of a trait that has more than fn members: not supported yet", "implement it for concepts, or give the fn members a trait of their own")
			continue
		}
		if len(it.Where) > 0 && !onlyRules(trait) {
			w.report(m, "OE1350", it.Where[0].Range(), "an implementation under a condition of a trait that has more than rule members: not supported yet", "put the condition into the bodies of the members")
			continue
		}
		if of.Module.Package != m.Package && trait.Module.Package != m.Package {
			w.report(m, "OE1361", it.Trait.Span, fmt.Sprintf("neither the trait %s nor the type %s is of this package", trait.Qualified, of.Qualified),
				"implement a trait of your own, or for a type of your own: a subtype of "+of.Name+", say")
			continue
		}
		if old := w.implementation(trait, of); old != nil {
			w.report(m, "OE1362", it.For.Span, fmt.Sprintf("%s implements %s already", of.Qualified, trait.Qualified), "leave one of the two",
				diag.Related{Place: old.Module.place(old.Node.Span), Message: "the other implementation"})
			continue
		}
		types, ok := w.traitTypes(m, trait, it)
		if !ok {
			continue
		}
		im := &Impl{Trait: trait, For: of, Types: types, Module: m, Node: it}
		w.impls[trait] = append(w.impls[trait], im)
		w.implOf[implKey{trait, of}] = im
		m.impls = append(m.impls, im)
	}
}

// onlyFns reports whether every member of a trait is a fn.
func onlyFns(trait *Symbol) bool {
	for _, one := range trait.members {
		if one.Kind != FnKind {
			return false
		}
	}
	return true
}

// onlyRules reports whether every member of a trait is a derive: where a
// condition does not hold, it just gives nothing.
func onlyRules(trait *Symbol) bool {
	for _, one := range trait.members {
		if one.Kind != DeriveKind {
			return false
		}
	}
	return true
}

func (w *World) implementation(trait, of *Symbol) *Impl {
	return w.implOf[implKey{trait, of}]
}

type implKey struct{ trait, of *Symbol }

// Implementation returns what implements the trait for the type itself, or nil.
func (w *World) Implementation(trait, of *Symbol) *Impl { return w.implementation(trait, of) }

// fill gives the implementations of m their members.
func (w *World) fill(m *Module) {
	for _, im := range m.impls {
		given := map[string]bool{}
		for _, member := range im.Node.Members {
			name := member.Head().Name.Name
			want := im.Trait.members[name]
			switch {
			case name == "":
				continue
			case want == nil:
				var names []string
				for n := range im.Trait.members {
					names = append(names, n)
				}
				slices.Sort(names)
				help := diag.DidYouMean(name, names)
				w.report(m, "OE1363", member.Head().Name.Span, fmt.Sprintf("the trait %s has no member %s", im.Trait.Qualified, name), help,
					diag.Related{Place: im.Trait.Place, Message: "the trait"})
				continue
			case !w.fits(m, member, want):
				given[name] = true
				continue
			}
			if _, clause := member.Item.(*syntax.Derive); given[name] && !clause {
				w.report(m, "OE0262", member.Head().Name.Span, fmt.Sprintf("%s is declared twice in this implementation", name), "leave one of the two")
				continue
			}
			given[name] = true
			w.give(im, name, member.Item, want, m)
		}
		for _, declared := range im.Trait.Items[0].(*syntax.Trait).Members {
			name := declared.Head().Name.Name
			want := im.Trait.members[name]
			switch {
			case want == nil || given[name] || want.Signature != declared.Item:
			case declared.Provided:
				w.give(im, name, declared.Item, want, im.Trait.Module)
			default:
				w.report(m, "OE1360", im.Node.For.Span, fmt.Sprintf("%s does not give the member %s that %s asks for", im.For.Qualified, name, im.Trait.Qualified),
					"add a "+want.Kind.String()+" "+name+" to the implementation", diag.Related{Place: want.Place, Message: "the trait asks for it here"})
			}
		}
	}
}

// fits reports whether a member has the form that the trait says.
func (w *World) fits(m *Module, member syntax.TraitMember, want *Symbol) bool {
	head := member.Head()
	bad := func(format string, args ...any) bool {
		w.report(m, "OE1363", head.Name.Span, fmt.Sprintf(format, args...), "write it as the trait says", diag.Related{Place: want.Place, Message: "the trait's member"})
		return false
	}
	kind := map[bool]string{}
	switch member.Item.(type) {
	case *syntax.Derive:
		kind[want.Kind == DeriveKind] = "derive"
	case *syntax.Fn:
		kind[want.Kind == FnKind] = "fn"
	case *syntax.Mutate:
		kind[want.Kind == MutateKind] = "mutate"
	case *syntax.Check:
		return bad("the check %s is given by the trait and for every type", head.Name.Name)
	}
	if word := kind[false]; word != "" {
		return bad("%s is a %s, and the trait says a %s", head.Name.Name, word, want.Kind)
	}
	if !member.Provided {
		return bad("the %s %s of an implementation needs a body", want.Kind, head.Name.Name)
	}
	got, asked := paramsOf(member.Item), paramsOf(want.Signature)
	if len(got) != len(asked) {
		return bad("%s has %d parameters, and the trait says %d", head.Name.Name, len(got), len(asked))
	}
	at := selfPlace(want.Signature)
	if at >= 0 && got[at].Term != nil {
		return bad("the trait has Self in place %d of %s, and this is no variable", at, head.Name.Name)
	}
	for i, p := range got {
		if want.Kind == DeriveKind || p.Type == nil || asked[i].Type == nil {
			continue
		}
		if isSelf(p) != isSelf(asked[i]) {
			return bad("the parameter %s of %s is not of the type that the trait says", p.Name.Name, head.Name.Name)
		}
	}
	return true
}

// give enters a member of im. scope is where its names are looked up.
func (w *World) give(im *Impl, name string, item syntax.Item, want *Symbol, scope *Module) {
	item = syntax.Clone(item)
	syntax.Substitute(item, im.Types)
	self := w.alias(im.For)
	at := selfPlace(want.Signature)
	head := item.Head()
	head.Vis = max(head.Vis, want.Vis)
	if d, ok := item.(*syntax.Derive); ok && at >= 0 && at < len(d.Params) && d.Params[at].Term == nil {
		p := d.Params[at]
		if p.Name.Name == "Self" {
			p.Name.Name = "self"
		}
		p.Type = &syntax.NamedType{Span: p.Span, Path: syntax.Path{Span: p.Span, Parts: []syntax.Ident{{Span: p.Span, Name: self}}}}
		v := &syntax.Name{Span: p.Name.Span, Path: syntax.Path{Span: p.Name.Span, Parts: []syntax.Ident{p.Name}}}
		d.HasBody = true
		d.Body = append([]syntax.Atom{&syntax.TypeAtom{Span: d.Name.Span, Expr: v, Type: p.Type}}, d.Body...)
		for _, cond := range im.Node.Where {
			cond = syntax.Clone(cond)
			w.condition(im, cond, p.Name.Name)
			d.Body = append(d.Body, cond)
		}
	}
	if c, ok := item.(*syntax.Check); ok {
		for _, p := range c.Params {
			if isSelf(p) && p.Type == nil {
				p.Name.Name = "self"
			}
			if isSelf(p) || p.Type == nil && p.Name.Name == "self" {
				p.Type = &syntax.NamedType{Span: p.Span, Path: syntax.Path{Span: p.Span, Parts: []syntax.Ident{{Span: p.Span, Name: self}}}}
				v := &syntax.Name{Span: p.Name.Span, Path: syntax.Path{Span: p.Name.Span, Parts: []syntax.Ident{p.Name}}}
				c.Body = append([]syntax.Atom{&syntax.TypeAtom{Span: c.Name.Span, Expr: v, Type: p.Type}}, c.Body...)
			}
		}
	}
	syntax.Visit(item, func(part any) bool {
		if path, ok := part.(*syntax.Path); ok && len(path.Parts) > 0 && path.Parts[0].Name == "Self" {
			path.Parts[0].Name = self
		}
		return true
	})
	sym := want
	if want.Kind != DeriveKind {
		sym = &Symbol{
			Kind: want.Kind, Name: name, Qualified: im.For.Qualified + "::" + name, Vis: want.Vis, Module: im.Module,
			Items: []syntax.Item{item}, Place: scope.place(head.Name.Span),
		}
		if w.given[sym.Qualified] {
			sym.Qualified = im.For.Qualified + "::" + im.Trait.Name + "::" + name
		}
		w.given[sym.Qualified] = true
	} else {
		want.Items = append(want.Items, item)
	}
	one := Member{name, item, sym, scope}
	im.Members = append(im.Members, one)
	im.Module.extra = append(im.Module.extra, one)
}

// Impls returns the implementations that m holds.
func (m *Module) Impls() []*Impl { return m.impls }

// Alias is a name that means the member of a trait in every module.
func (w *World) Alias(member *Symbol) string { return aliasOf(member) }

// condition makes a condition of im one about the variable self of a clause,
// which may stand in another module: its names mean what they mean in im's, and
// its own variables are none of the clause's.
func (w *World) condition(im *Impl, cond syntax.Atom, self string) {
	rename := func(id *syntax.Ident) {
		switch {
		case id.Name == "self":
			id.Name = self
		case id.Name != "_" && w.Lookup(im.Module, syntax.Path{Parts: []syntax.Ident{*id}}, AnyKind) == nil:
			id.Name += "′"
		}
	}
	syntax.Visit(cond, func(part any) bool {
		switch n := part.(type) {
		case *syntax.Name:
			if len(n.Path.Parts) == 1 {
				rename(&n.Path.Parts[0])
			}
		case *syntax.NamePattern:
			if len(n.Path.Parts) == 1 {
				rename(&n.Path.Parts[0])
			}
		case *syntax.BindAtom:
			rename(&n.Name)
		case *syntax.Path:
			if sym := w.Lookup(im.Module, *n, AnyKind); sym != nil && sym.Kind != ModuleKind {
				n.Parts = []syntax.Ident{{Span: n.Span, Name: w.alias(sym)}}
			}
		}
		return true
	})
}

// alias is a name that means sym in every module.
func (w *World) alias(sym *Symbol) string {
	w.aliases[aliasOf(sym)] = sym
	return aliasOf(sym)
}

func aliasOf(sym *Symbol) string { return "$" + sym.Qualified }

// aliased returns what an alias means.
func (w *World) aliased(name string) *Symbol {
	if !strings.HasPrefix(name, "$") {
		return nil
	}
	return w.aliases[name]
}

// Extra returns the members of the implementations and traits of m, which are
// items beside its own.
func (m *Module) Extra() []Member { return m.extra }

// traitAt returns the trait that parts name.
func (w *World) traitAt(m *Module, parts []syntax.Ident, from *use) *Symbol {
	found, _ := w.walk(m, parts, Kinds(TraitKind), from)
	if len(found) == 1 {
		return found[0]
	}
	return nil
}

// traitMember looks for a lone name among the members of the traits that m
// declares or imports.
func (w *World) traitMember(m *Module, name string, want Want) (found []*Symbol) {
	for _, t := range w.TraitsWith(m, name) {
		if one := t.members[name]; want.has(one.Kind) && !contains(found, one) {
			found = append(found, one)
		}
	}
	return found
}

// inScope notes the traits that m declares or imports.
func (w *World) inScope(m *Module) {
	for _, s := range m.names {
		if s.Kind == TraitKind {
			m.traits = append(m.traits, s)
		}
	}
	for _, u := range m.uses {
		for _, s := range u.found {
			if s.Kind == TraitKind {
				m.traits = append(m.traits, s)
			}
		}
	}
	for _, g := range m.globs {
		for _, s := range g.found {
			if s.Kind == ModuleKind && s.Target != nil {
				for _, t := range s.Target.names {
					if t.Kind == TraitKind && visible(t.Vis, t.Module, m) {
						m.traits = append(m.traits, t)
					}
				}
			}
		}
	}
	slices.SortFunc(m.traits, func(a, b *Symbol) int { return strings.Compare(a.Qualified, b.Qualified) })
	m.traits = slices.Compact(m.traits)
	m.byMember = map[string][]*Symbol{}
	for _, t := range m.traits {
		for name := range t.members {
			m.byMember[name] = append(m.byMember[name], t)
		}
	}
}

// TraitsWith returns the traits in scope of m that have the member.
func (w *World) TraitsWith(m *Module, member string) []*Symbol {
	if m.byMember != nil {
		return m.byMember[member]
	}
	var out []*Symbol
	for _, t := range m.traits {
		if t.members[member] != nil {
			out = append(out, t)
		}
	}
	return out
}
