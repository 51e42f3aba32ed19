package types

import (
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// The relations of the catalog: what is declared, as tuples of references.
// Package lower fills those that something reads.
const (
	CatalogSub        = "$sub"        // (t, u): t is u or below it; of everything also (t, Top)
	CatalogMeta       = "$meta"       // (t, m): m introduced t
	CatalogIof        = "$iof"        // (x, t): x is a member of the concept t
	CatalogIofTypes   = "$iof/types"  // $iof of the members that are types
	CatalogRel        = "$rel"        // (r, m): the metarel m introduced the relation r
	CatalogArm        = "$arm"        // (r, i, t): t is the type of r's endpoint i, from 0
	CatalogImplements = "$implements" // (t, trait)
	CatalogMetas      = "$metatype"   // (m): m is a metatype or metarel
	CatalogAxis       = "$axis::"     // with the name of an axis: (t, value)
	CatalogRank       = "$rank::"     // with the name of a chain: (t, the value's place in it, from 0)
)

// ReservedPlace returns the column of r that has to be bound by something
// else: what is reflected on.
func ReservedPlace(r *abi.Relation) (column int, ok bool) {
	switch {
	case r.Name == CatalogMeta || strings.HasPrefix(r.Name, CatalogAxis) || strings.HasPrefix(r.Name, CatalogRank):
		return 0, true
	case r.Name == CatalogIof, r.Name == CatalogIofTypes:
		return 1, true
	}
	return 0, false
}

// catalog returns the relation of the catalog with the name; making it if
// nothing has read it yet.
func (e *Env) catalog(name string) int {
	if i, ok := e.Catalog[name]; ok {
		return i
	}
	if e.spoils() {
		return 0
	}
	columns := catalogColumns[name]
	r := abi.Relation{Name: name, Origin: abi.OriginAux, Columns: columns}
	switch name {
	case CatalogMeta:
		r.Key = []int{0}
	case CatalogIof, CatalogIofTypes:
		r.Role, r.Asserted = abi.Derived, -1
	}
	e.Catalog[name] = e.relation(r)
	return e.Catalog[name]
}

var catalogColumns = map[string][]abi.Column{
	CatalogSub:        {{Name: "type", Type: TypeRef}, {Name: "super", Type: TypeRef}},
	CatalogMeta:       {{Name: "type", Type: TypeRef}, {Name: "metatype", Type: Metatype}},
	CatalogIof:        {{Name: "member", Type: Top}, {Name: "type", Type: TypeRef}},
	CatalogIofTypes:   {{Name: "member", Type: TypeRef}, {Name: "type", Type: TypeRef}},
	CatalogRel:        {{Name: "relation", Type: TypeRef}, {Name: "metarel", Type: Metatype}},
	CatalogArm:        {{Name: "relation", Type: TypeRef}, {Name: "position", Type: Nat}, {Name: "type", Type: TypeRef}},
	CatalogImplements: {{Name: "type", Type: TypeRef}, {Name: "trait", Type: TraitRef}},
	CatalogMetas:      {{Name: "metatype", Type: Metatype}},
}

// axisRelation returns the relation from a type to its value on the axis, or
// to the value's place in it.
func (e *Env) axisRelation(prefix string, a *Axis) int {
	name := prefix + a.Name
	if i, ok := e.Catalog[name]; ok {
		return i
	}
	if e.spoils() {
		return 0
	}
	value := a.Type
	if prefix == CatalogRank {
		value = Nat
	}
	e.Catalog[name] = e.relation(abi.Relation{
		Name: name, Origin: abi.OriginAux, Key: []int{0}, Span: e.Span(a.Symbol.Module, a.Node.Name.Span),
		Columns: []abi.Column{{Name: "type", Type: TypeRef}, {Name: a.Symbol.Name, Type: value}},
	})
	return e.Catalog[name]
}

// reflectionPredicates are the built-in predicates over declarations.
var reflectionPredicates = map[string]string{
	"specializes": CatalogSub, "rel": CatalogRel, "arm": CatalogArm, "implements": CatalogImplements,
}

// reflect returns the predicate over declarations that path calls; ok is false
// if it is none, or if something of that name is declared.
func (s *scope) reflect(path syntax.Path) (t target, ok bool) {
	if len(path.Parts) != 1 {
		return target{}, false
	}
	name := path.Parts[0].Name
	rel, ok := reflectionPredicates[name]
	if !ok || s.e.World.Lookup(s.m, path, callKinds) != nil {
		return target{}, false
	}
	return target{name: name, rel: s.e.catalog(rel), columns: catalogColumns[rel]}, true
}

// iof is iof(x, T): membership. T is a concept, or a variable that something
// else binds.
func (s *scope) iof(args []syntax.Expr, n syntax.Node) []abi.Atom {
	if c := s.concept(args[1]); c != nil {
		t := target{name: c.Name, rel: c.Rel, columns: []abi.Column{{Name: "self", Type: c.Type()}}, concept: c}
		return s.scan(t, args[:1], n, false)
	}
	switch args[1].(type) {
	case *syntax.Wild, *syntax.Lit, *syntax.Text:
		s.report("OE0212", args[1], "name the concept, or a variable that another atom binds", "iof asks of a certain type whether it has a member")
		return nil
	}
	atoms := s.scan(target{name: "iof", rel: s.e.catalog(CatalogIof), columns: catalogColumns[CatalogIof]}, args, n, false)
	last := &atoms[len(atoms)-1]
	if s.isRef(last.Args[0]) {
		last.Rel = s.e.catalog(CatalogIofTypes)
	}
	s.boundMember(last.Args[0], last.Args[1])
	return atoms
}

// boundMember notes that a member of a type at or below C is one of C.
func (s *scope) boundMember(x, t abi.Arg) {
	if x.Op != abi.ArgSlot || t.Op != abi.ArgSlot || s.isRef(x) {
		return
	}
	if of := s.typeOf(t.Index); IsRef(of) && len(of.Args) > 0 {
		s.bound(x.Index, of.Args[0])
	}
}

// isRef reports whether what stands at a is known to be a reference.
func (s *scope) isRef(a abi.Arg) bool {
	switch a.Op {
	case abi.ArgSlot:
		return IsRef(s.typeOf(a.Index))
	case abi.ArgConst:
		v, ok := s.e.constant(&abi.Expr{Op: abi.ExprConst, Index: a.Index})
		return ok && v.Kind == abi.KindType
	}
	return false
}

// Higher reports whether c has types among its members.
func (e *Env) Higher(c *Concept) bool { return e.higher[c.Name] }

// concept returns the concept that x names, if it is no variable.
func (s *scope) concept(x syntax.Expr) *Concept {
	n, ok := x.(*syntax.Name)
	if !ok || s.isVariable(n) {
		return nil
	}
	if sym := s.e.World.Lookup(s.m, n.Path, resolve.Kinds(resolve.ConceptKind)); sym != nil {
		return s.e.Concepts[sym.Qualified]
	}
	return nil
}

func (s *scope) isVariable(n *syntax.Name) bool {
	if len(n.Path.Parts) != 1 {
		return false
	}
	_, ok := s.find(n.Path.Parts[0].Name)
	return ok
}

// metaCall is meta(t): the metatype or metarel that introduced t.
func (s *scope) metaCall(x *syntax.Call) (abi.Expr, abi.Type) {
	arg, ok := s.reflected(x)
	if !ok {
		return abi.Expr{}, Top
	}
	return abi.Expr{Op: abi.ExprRead, Index: s.e.catalog(CatalogMeta), Args: []abi.Expr{arg}, Span: s.span(x)}, Metatype
}

// reflected types the only argument of meta, which has to be a reference.
func (s *scope) reflected(x *syntax.Call) (abi.Expr, bool) {
	name := x.Path.String()
	if len(x.Args) != 1 {
		s.report("OE0258", x, name+"(t)", "%s has 1 argument, and %d are given", name, len(x.Args))
		return abi.Expr{}, false
	}
	if s.noType(x.Args[0]) {
		return abi.Expr{}, false
	}
	if _, wild := x.Args[0].(*syntax.Wild); wild {
		s.report("OE0212", x.Args[0], "name the type, or a variable that another atom binds", "%s asks about a certain type", name)
		return abi.Expr{}, false
	}
	arg, t := s.value(x.Args[0], TypeRef)
	switch {
	case s.e.Fits(strip(t), TypeRef) || unknown(t):
		if arg.Op == abi.ExprSlot && unknown(t) {
			s.bound(arg.Index, TypeRef)
		}
		return arg, true
	case IsIndividual(strip(t)):
		help := "it is in several concepts: compare it, " + name + "(x) == m, with m: Metatype to go through them"
		if !plainAccess(x.Args[0]) {
			help = "name the individual first, and compare: x = …, " + name + "(x) == m"
		}
		s.unsupported(x, name+" of an individual as a value", help)
	default:
		s.report("OE0654", x.Args[0], "", "%s asks about a type, and this is a value of type %s", name, Print(t))
	}
	return abi.Expr{}, false
}

// noType reports a name of a struct or enum where a reference has to stand.
func (s *scope) noType(x syntax.Expr) bool {
	n, ok := x.(*syntax.Name)
	if !ok || s.isVariable(n) || s.e.World.Lookup(s.m, n.Path, typeNames) != nil {
		return false
	}
	sym := s.e.World.Lookup(s.m, n.Path, resolve.Kinds(resolve.StructKind, resolve.EnumKind))
	if sym == nil {
		return false
	}
	s.report("OE0654", x, "ask about a concept", "%s is a %s: its values have no identity and no metatype, and nothing reflects on it", sym.Qualified, sym.Kind)
	return true
}

// axisRead is meta(t).axis: what t says on the axis itself, or else what
// introduced it says; or m.axis of a metatype m.
func (s *scope) axisRead(of abi.Expr, name syntax.Ident, n syntax.Node) (abi.Expr, abi.Type) {
	path := syntax.Path{Span: name.Span, Parts: []syntax.Ident{name}}
	sym := s.e.World.Lookup(s.m, path, resolve.Kinds(resolve.MetaxisKind))
	if sym == nil {
		help := s.e.nearest(name.Name, s.e.World.Names(s.m, nil, resolve.Kinds(resolve.MetaxisKind)))
		s.e.noAxis(s.m, name, help)
		return abi.Expr{}, Top
	}
	a := s.e.Axes[sym.Qualified]
	return abi.Expr{
		Op: abi.ExprRead, Index: s.e.axisRelation(CatalogAxis, a), Name: OptionalRead, Args: []abi.Expr{of}, Span: s.span(n),
	}, Option(a.Type)
}

// isReflection reports whether x calls the built-in of that name.
func (s *scope) isReflection(x syntax.Expr, name string) (*syntax.Call, bool) {
	call, ok := x.(*syntax.Call)
	if !ok || call.Path.String() != name || s.e.World.Lookup(s.m, call.Path, callKinds) != nil {
		return nil, false
	}
	return call, true
}

// reflects reports whether x calls a built-in over declarations that holds or
// does not.
func (s *scope) reflects(x *syntax.Call) bool {
	if _, iof := s.isReflection(x, "iof"); iof {
		return true
	}
	_, ok := reflectionPredicates[x.Path.String()]
	return ok && s.e.World.Lookup(s.m, x.Path, callKinds) == nil
}

// reflectCall types a call of a built-in over declarations in an expression.
func (s *scope) reflectCall(x *syntax.Call) (abi.Expr, abi.Type, bool) {
	if len(x.Path.Parts) != 1 {
		return abi.Expr{}, Top, false
	}
	switch x.Path.Parts[0].Name {
	case "meta":
		v, t := s.metaCall(x)
		return v, t, true
	case "extent":
		v, t := s.source(x)
		return v, t, true
	case "iof":
		if len(x.Args) != 2 {
			break
		}
		body := s.inner().iof(x.Args, x)
		return abi.Expr{Op: abi.ExprSub_, Sub: &abi.Sub{Op: abi.SubExists, Body: body}, Span: s.span(x)}, Bool, true
	}
	t, ok := s.reflect(x.Path)
	if !ok {
		return abi.Expr{}, Top, false
	}
	if len(t.columns) != len(x.Args) {
		s.arity(x, t, len(x.Args))
		return abi.Expr{}, Top, true
	}
	body := s.inner().scan(t, x.Args, x, false)
	return abi.Expr{Op: abi.ExprSub_, Sub: &abi.Sub{Op: abi.SubExists, Body: body}, Span: s.span(x)}, Bool, true
}

// extent returns the atoms that let slot range over the members of x's type.
func (s *scope) extent(x *syntax.Call, slot int) ([]abi.Atom, abi.Type) {
	if len(x.Args) != 1 {
		s.report("OE0258", x, "extent(t)", "extent has 1 argument, and %d are given", len(x.Args))
		return nil, Top
	}
	member := abi.Arg{Op: abi.ArgSlot, Index: slot}
	if c := s.concept(x.Args[0]); c != nil {
		return []abi.Atom{{Op: abi.AtomScan, Rel: c.Rel, Args: []abi.Arg{member}, Span: s.span(x)}}, c.Type()
	}
	of, ok := s.reflected(x)
	if !ok {
		return nil, Top
	}
	arg, before := s.argOf(of, TypeRef, x)
	return append(before, abi.Atom{Op: abi.AtomScan, Rel: s.e.catalog(CatalogIof), Args: []abi.Arg{member, arg}, Span: s.span(x)}), Top
}

// refTest is the test that got is a reference of sort t. A member of TypeRef
// is found among the declarations where binds says so; else it only filters.
func (s *scope) refTest(got abi.Arg, t abi.Type, n syntax.Node, binds bool) []abi.Atom {
	span := s.span(n)
	constant := func(v abi.Value) abi.Arg { return abi.Arg{Op: abi.ArgConst, Index: s.e.Constants.Add(v)} }
	switch {
	case t.Name == Metatype.Name:
		if got.Op == abi.ArgSlot && !binds && Same(s.typeOf(got.Index), Metatype) {
			return nil
		}
		return []abi.Atom{{Op: abi.AtomScan, Rel: s.e.catalog(CatalogMetas), Args: []abi.Arg{got}, Span: span}}
	case len(t.Args) > 0:
		return []abi.Atom{{Op: abi.AtomScan, Rel: s.e.catalog(CatalogSub), Args: []abi.Arg{got, constant(abi.TypeValue(t.Args[0].Name))}, Span: span}}
	case t.Name == "" && binds:
		return []abi.Atom{{Op: abi.AtomScan, Rel: s.e.catalog(CatalogSub), Args: []abi.Arg{got, constant(abi.TypeValue("Top"))}, Span: span}}
	}
	return nil
}
