package types

import (
	"maps"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// In a rule body a lone name that means no value is a variable. The name of a
// concept never is one. That of a relation, metatype or metarel, which is
// often an everyday word, is a reference in a body that uses it where a
// reference has to stand, and a variable elsewhere.

// referred adds to s.refs the names that atoms use as references.
func (s *scope) referred(atoms []syntax.Atom) {
	f := refFinder{s: s, found: maps.Clone(s.refs)}
	if f.found == nil {
		f.found = map[string]bool{}
	}
	for _, a := range atoms {
		f.typed(a)
	}
	for _, a := range atoms {
		f.atom(a)
	}
	s.refs = f.found
}

type refFinder struct {
	s      *scope
	found  map[string]bool
	sorted map[string]bool // variables that a type test says are references
}

func (f *refFinder) typed(a syntax.Atom) {
	switch a := a.(type) {
	case *syntax.TypeAtom:
		if named, ok := a.Type.(*syntax.NamedType); ok && sorts[named.Path.String()].Op == abi.TypeRef {
			f.sort(a.Expr)
		}
	case *syntax.BindAtom:
		if _, ok := f.s.isReflection(a.Value, "meta"); ok {
			f.sort(&syntax.Name{Path: syntax.Path{Parts: []syntax.Ident{a.Name}}})
		}
	case *syntax.CallAtom:
		for i, x := range a.Args {
			if f.referencePlace(a.Path, len(a.Args), i) {
				f.sort(x)
			}
		}
	}
}

// sort notes that x, if it is a variable, is a reference.
func (f *refFinder) sort(x syntax.Expr) {
	n, ok := x.(*syntax.Name)
	if !ok || len(n.Path.Parts) != 1 {
		return
	}
	if f.named(n) {
		return
	}
	if f.sorted == nil {
		f.sorted = map[string]bool{}
	}
	f.sorted[n.Path.Parts[0].Name] = true
}

// referencePlace reports whether argument i of a call with n arguments has to
// be a reference.
func (f *refFinder) referencePlace(path syntax.Path, n, i int) bool {
	sym := f.s.e.World.Lookup(f.s.m, path, callKinds)
	if sym == nil {
		switch path.String() {
		case "meta", "extent", "specializes", "rel", "implements", "implementors":
			return true
		case "iof":
			return i == 1
		case "arm":
			return i != 1
		}
		return false
	}
	if sym.Kind == resolve.DeriveKind || sym.Kind == resolve.RelationKind {
		t, ok := f.s.e.predicate(sym, n)
		return ok && len(t.columns) == n && IsRef(t.columns[i].Type)
	}
	return false
}

// refer notes that x stands where a reference has to.
func (f *refFinder) refer(x syntax.Expr) {
	n, ok := x.(*syntax.Name)
	if !ok || len(n.Path.Parts) != 1 || f.s.isVariable(n) || f.sorted[n.Path.Parts[0].Name] {
		return
	}
	if f.named(n) {
		f.found[n.Path.Parts[0].Name] = true
	}
}

// named reports whether n names a declaration; a struct or enum, too, which is
// to be refused and no variable.
func (f *refFinder) named(n *syntax.Name) bool {
	_, _, ok := f.s.e.reference(f.s.m, n.Path)
	return ok || f.s.e.World.Lookup(f.s.m, n.Path, resolve.Kinds(resolve.StructKind, resolve.EnumKind)) != nil
}

// reflective reports whether x, as far as its form says, is a reference.
func (f *refFinder) reflective(x syntax.Expr) bool {
	if _, ok := f.s.isReflection(x, "meta"); ok {
		return true
	}
	n, ok := x.(*syntax.Name)
	if !ok || len(n.Path.Parts) != 1 {
		return false
	}
	if i, ok := f.s.find(n.Path.Parts[0].Name); ok {
		return IsRef(f.s.typeOf(i))
	}
	return f.sorted[n.Path.Parts[0].Name]
}

func (f *refFinder) atom(a syntax.Atom) {
	switch a := a.(type) {
	case *syntax.CallAtom:
		f.call(a.Path, a.Args)
	case *syntax.TypeAtom:
		f.expr(a.Expr)
	case *syntax.CompareAtom:
		f.expr(a.Expr)
	case *syntax.BindAtom:
		if i, ok := f.s.find(a.Name.Name); f.sorted[a.Name.Name] || ok && IsRef(f.s.typeOf(i)) {
			f.refer(a.Value)
		}
		f.expr(a.Value)
	case *syntax.NotAtom:
		f.atom(a.Atom)
	}
}

func (f *refFinder) call(path syntax.Path, args []syntax.Expr) {
	for _, x := range args {
		f.expr(x)
	}
	for i, x := range args {
		if f.referencePlace(path, len(args), i) {
			f.refer(x)
		}
	}
}

func (f *refFinder) expr(x syntax.Expr) {
	switch x := x.(type) {
	case *syntax.Unary:
		f.expr(x.X)
	case *syntax.Binary:
		f.expr(x.X)
		f.expr(x.Y)
		if x.Op == "==" || x.Op == "!=" {
			if f.reflective(x.X) {
				f.refer(x.Y)
			}
			if f.reflective(x.Y) {
				f.refer(x.X)
			}
		}
		if list, ok := x.Y.(*syntax.List); ok && (x.Op == "in" || x.Op == "not in") && f.reflective(x.X) {
			for _, item := range list.Items {
				f.refer(item)
			}
		}
	case *syntax.Call:
		f.call(x.Path, x.Args)
	case *syntax.Method:
		f.expr(x.X)
	}
}

// isReference reports whether the lone name id, which means no value, is a
// reference in this body.
func (s *scope) isReference(id syntax.Ident) bool {
	if s.refs[id.Name] || id.Name == "Top" {
		return true
	}
	path := syntax.Path{Span: id.Span, Parts: []syntax.Ident{id}}
	return s.e.World.Lookup(s.m, path, resolve.Kinds(resolve.ConceptKind)) != nil
}

// referenceTo types a name as a reference; ok is false where it is none here.
func (s *scope) referenceTo(x *syntax.Name, want abi.Type) (abi.Expr, abi.Type, bool) {
	if len(x.Path.Parts) == 1 && s.rule && !IsRef(strip(want)) && !s.isReference(x.Path.Parts[0]) {
		return abi.Expr{}, Top, false
	}
	v, t, ok := s.e.reference(s.m, x.Path)
	if !ok {
		return abi.Expr{}, Top, false
	}
	return s.constant(v, x), t, true
}

// referencePattern returns what p, matched against a value of type t, refers
// to; ok is false where it binds the value or is a constant.
func (s *scope) referencePattern(p *syntax.NamePattern, t abi.Type) (abi.Value, bool) {
	if t = strip(t); !IsRef(t) && !(t.Op == abi.TypeConcept && s.e.higher[t.Name]) {
		return abi.Value{}, false
	}
	v, sort, ok := s.e.reference(s.m, p.Path)
	if ok && !s.e.Comparable(sort, t) {
		s.holdPattern(p, sort, t)
	}
	return v, ok
}

// spokenType is the type that a string of an ad-hoc body names, where want may
// be one and no individual has that name.
func (s *scope) spokenType(x *syntax.Lit, want abi.Type) (abi.Expr, bool) {
	if !IsRef(want) && !(want.Op == abi.TypeConcept && s.e.higher[want.Name] && len(s.e.World.Individuals(x.Text)) == 0) {
		return abi.Expr{}, false
	}
	sort := want
	if !IsRef(want) {
		sort = TypeRef
	}
	v, _, problem := s.e.readReference(x.Text, sort)
	if problem != "" {
		return abi.Expr{}, false
	}
	return s.constant(v, x), true
}
