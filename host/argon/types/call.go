package types

import (
	"fmt"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

var callKinds = resolve.Kinds(resolve.FnKind, resolve.VariantKind, resolve.QueryKind, resolve.DeriveKind,
	resolve.RelationKind, resolve.ConceptKind, resolve.MutateKind, resolve.CheckKind)

func (s *scope) call(x *syntax.Call, want abi.Type) (abi.Expr, abi.Type) {
	if out, t, ok := s.callLocal(x); ok {
		return out, t
	}
	sym := s.e.World.Lookup(s.m, x.Path, callKinds)
	if sym == nil {
		if v := s.e.resultTag(x.Path); v != nil {
			return s.construct(x, s.e.Enums[resultEnum], v, want)
		}
		if t, ok := s.conversion(x.Path); ok {
			return s.convert(x, t)
		}
		if s.inexactCall(x) {
			return abi.Expr{}, Top
		}
	}
	if sym == nil && len(x.Path.Parts) == 1 {
		name := x.Path.Parts[0].Name
		if out, t, ok := s.builtin(name, x.Args, x, false); ok {
			return out, t
		}
		if atoms, ok := s.refinementPredicate(x.Path, x.Args, x); ok {
			return abi.Expr{Op: abi.ExprSub_, Sub: &abi.Sub{Op: abi.SubExists, Body: atoms}, Span: s.span(x)}, Bool
		}
		if v, t, ok := s.reflectCall(x); ok {
			return v, t
		}
		if name == "implementors" {
			return s.implementors(x)
		}
	}
	if sym == nil {
		if s.e.World.Resolve(s.m, x.Path, callKinds) == nil {
			for _, a := range x.Args {
				if _, wild := a.(*syntax.Wild); !wild {
					s.value(a, Top)
				}
			}
		}
		return abi.Expr{}, Top
	}
	switch sym.Kind {
	case resolve.FnKind:
		name := sym.Qualified
		if sym.Trait != nil {
			if name = s.memberOf(sym, x.Args, x); name == "" {
				return abi.Expr{}, Top
			}
		}
		return s.callFn(x, s.e.Fns[name], want)
	case resolve.VariantKind:
		if n := s.e.Enums[sym.Enum.Qualified]; n != nil {
			if v := n.Variant(sym.Name); v != nil {
				return s.construct(x, n, v, want)
			}
		}
		return abi.Expr{}, Top
	case resolve.QueryKind:
		return s.callQuery(x, s.e.Queries[sym.Qualified])
	case resolve.ConceptKind, resolve.RelationKind, resolve.DeriveKind:
		return s.callPredicate(x, sym)
	case resolve.MutateKind:
		if v, t, ok := s.mutateValue(x); ok {
			return v, t
		}
		help := "call it as a statement of a mutate or test"
		if s.word == "mutate" || s.word == "test" {
			help = "call it in a statement of its own, and give its result a name: let r = " + x.Path.String() + "(…);"
		}
		s.report("OE0261", x, help, "%s is a mutate, and this expression changes nothing", sym.Qualified)
	default:
		s.report("OE0261", x, "", "%s is a %s and cannot be called", sym.Qualified, sym.Kind)
	}
	return abi.Expr{}, Top
}

func (s *scope) arguments(x *syntax.Call, name string, params []abi.Param) []abi.Expr {
	if len(x.Args) != len(params) {
		s.report("OE0258", x, name+"("+paramList(params)+")", "%s takes %s, and %d are given", name, plural(len(params), "argument"), len(x.Args))
	}
	var args []abi.Expr
	for i, a := range x.Args {
		want := Top
		if i < len(params) {
			want = params[i].Type
		}
		v, _ := s.expr(a, want)
		args = append(args, v)
	}
	return args
}

func paramList(params []abi.Param) string {
	var list []string
	for _, p := range params {
		list = append(list, p.Name+": "+Print(p.Type))
	}
	return strings.Join(list, ", ")
}

func (s *scope) callFn(x *syntax.Call, f *Fn, want abi.Type) (abi.Expr, abi.Type) {
	if f == nil {
		return abi.Expr{}, Top
	}
	if len(f.Vars) > 0 {
		args, t := s.genericArguments(x, f.Name, f.Params, f.Vars, f.Result, want)
		return abi.Expr{Op: abi.ExprCall, Index: f.Index, Args: args, Span: s.span(x)}, t
	}
	return abi.Expr{Op: abi.ExprCall, Index: f.Index, Args: s.arguments(x, f.Name, f.Params), Span: s.span(x)}, f.Result
}

func (s *scope) construct(x *syntax.Call, n *Enum, v *Variant, want abi.Type) (abi.Expr, abi.Type) {
	if v.Named {
		s.report("OE0258", x, "write "+v.Short+" { … }", "the payload of %s has names", v.Name)
		return abi.Expr{}, Top
	}
	var params []abi.Param
	for i, f := range v.Fields {
		params = append(params, abi.Param{Name: fmt.Sprintf("_%d", i), Type: f.Type})
	}
	args, t := s.genericArguments(x, v.Name, params, n.Params, n.of(n.Params), want)
	out := abi.Expr{Op: abi.ExprVariant, Name: v.Name, Args: args, Span: s.span(x)}
	if len(params) == 0 {
		return s.constant(abi.SymbolValue(v.Name), x), t
	}
	return out, t
}

// target is a relation that a body can read.
type target struct {
	name    string
	rel     int
	columns []abi.Column
	concept *Concept
	member  *resolve.Symbol // of a trait, that this is
}

// predicate returns what the call of sym with n arguments reads. Where no
// clause has n parameters, a derive gives its first predicate.
func (e *Env) predicate(sym *resolve.Symbol, n int) (target, bool) {
	switch sym.Kind {
	case resolve.ConceptKind:
		if c := e.Concepts[sym.Qualified]; c != nil {
			return target{name: c.Name, rel: c.Rel, columns: []abi.Column{{Name: "self", Type: c.Type()}}, concept: c}, true
		}
	case resolve.RelationKind:
		if r := e.Rels[sym.Qualified]; r != nil {
			return target{name: r.Name, rel: r.Rel, columns: r.Columns}, true
		}
	case resolve.DeriveKind:
		p := e.Predicates[predicateKey(sym.Qualified, n)]
		if p == nil {
			p = e.Predicates[predicateKey(sym.Qualified, n+1)]
		}
		for _, item := range sym.Items {
			if p == nil {
				p = e.Predicates[predicateKey(sym.Qualified, len(item.(*syntax.Derive).Params))]
			}
		}
		if p != nil {
			t := target{name: p.Name, rel: p.Rel, columns: p.Columns}
			if sym.Trait != nil {
				t.member = sym
			}
			return t, true
		}
	}
	return target{}, false
}

func predicateKey(qualified string, arity int) string { return fmt.Sprintf("%s/%d", qualified, arity) }

// callPredicate types a predicate in an expression: with all arguments whether
// it holds, without the last one the value of the last column.
func (s *scope) callPredicate(x *syntax.Call, sym *resolve.Symbol) (abi.Expr, abi.Type) {
	t, ok := s.e.predicate(sym, len(x.Args))
	if !ok {
		return abi.Expr{}, Top
	}
	span := s.span(x)
	switch len(x.Args) {
	case len(t.columns):
		body := s.inner().scan(t, x.Args, x, false) // a name that means nothing is a mistake here, not a variable
		return abi.Expr{Op: abi.ExprSub_, Sub: &abi.Sub{Op: abi.SubExists, Body: body}, Span: span}, Bool
	case len(t.columns) - 1:
		sub, last := s.lastColumn(x, t)
		sub.Op = abi.SubOne
		return abi.Expr{Op: abi.ExprSub_, Name: KeyedCall, Sub: &sub, Span: span}, last
	}
	s.arity(x, t, len(x.Args))
	return abi.Expr{}, Top
}

// KeyedCall marks, as the Name of an ExprSub_, the call of a predicate without
// its last argument. In a rule it is a join, not a demand for one value.
const KeyedCall = "keyed"

// lastColumn is the subquery for the values of t's last column beside the
// arguments of x.
func (s *scope) lastColumn(x *syntax.Call, t target) (abi.Sub, abi.Type) {
	in := s.inner()
	last := t.columns[len(t.columns)-1].Type
	out := in.slot("", last)
	atoms := in.scan(target{name: t.name, rel: t.rel, columns: t.columns[:len(t.columns)-1], member: t.member}, x.Args, x, false)
	scan := &atoms[len(atoms)-1]
	scan.Args = append(scan.Args, abi.Arg{Op: abi.ArgSlot, Index: out})
	value := s.slotExpr(out, x)
	return abi.Sub{Body: atoms, Over: []int{out}, Out: &value}, last
}

func (s *scope) arity(n syntax.Node, t target, got int) {
	var names []string
	for _, c := range t.columns {
		names = append(names, c.Name)
	}
	s.report("OE0258", n, t.name+"("+strings.Join(names, ", ")+")", "%s has %s, and %d are given", t.name, plural(len(t.columns), "argument"), got)
}

// QueryCall marks, as the Name of an ExprSub_, the call of the query Index with
// Args. Package lower writes the query's body in its place.
const QueryCall = "query"

// callQuery types the call of a declared query: its rows as a list or set, or
// its only row where the result is no collection.
func (s *scope) callQuery(x *syntax.Call, q *Query) (abi.Expr, abi.Type) {
	if q == nil {
		return abi.Expr{}, Top
	}
	args := s.arguments(x, q.Name, q.Params)
	t := q.Result
	if q.Node.Short {
		t = s.e.extentType(q)
	}
	if q.Node.AsOf != nil || len(q.Node.Across) > 0 || withoutTruth(q.Node.Result) != q.Node.Result || t.Op == abi.TypeOption || unknown(t) {
		s.unsupported(x, "the call of a query of this form from another body", "read the predicate that the query reads")
		return abi.Expr{}, Top
	}
	op := abi.SubOne
	switch t.Op {
	case abi.TypeList:
		op = abi.SubList
	case abi.TypeSet:
		op = abi.SubSet
	}
	return abi.Expr{Op: abi.ExprSub_, Name: QueryCall, Index: q.Index, Args: args, Sub: &abi.Sub{Op: op}, Span: s.span(x)}, t
}

// extentType is the result of a query in the short form, as a value: the list
// of a single column. Top if there are more.
func (e *Env) extentType(q *Query) abi.Type {
	named, ok := extentOf(q.Node.Result)
	if !ok {
		return Top
	}
	sym := e.World.Lookup(q.Module, named.Path, extentKinds)
	if sym == nil {
		return Top
	}
	t, ok := e.predicate(sym, -1)
	if !ok || len(t.columns) != 1 {
		return Top
	}
	return List(t.columns[0].Type)
}
