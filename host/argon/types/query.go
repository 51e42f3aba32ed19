package types

import (
	"strconv"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

func (e *Env) query(m *resolve.Module, q *Query, it *syntax.Query) {
	mark := e.errors()
	s := e.newScope(m, "query", true)
	for _, p := range q.Params {
		s.declare(p.Name, p.Type)
	}
	s.loseParams(q.Params, it.Params)
	e.across(m, q, it.Across)
	q.AsOf = s.asOf(it.AsOf)
	for _, r := range it.Refused {
		e.report(m, r.Code, r.Span, "take it out; order and cut the rows where they are used", "%s: not supported yet", r.What)
	}
	if it.Short {
		s.extentQuery(q, it)
	} else {
		s.selectQuery(q, it, true)
	}
	q.Slots, q.Modal = s.frame.slots, s.frame.modal
	q.Bound = e.TierBound(m, it.Attrs)
	q.Broken = e.errors() > mark || e.misread(m, it)
}

func (s *scope) asOf(x syntax.Expr) *abi.AsOf {
	lit, ok := x.(*syntax.Lit)
	if !ok {
		if x != nil {
			s.report("OE0257", x, "as_of 2, or as_of #2031-07-04#", "as_of takes a number or a date, written out")
		}
		return nil
	}
	switch lit.Kind {
	case syntax.IntLit:
		if n, err := strconv.ParseInt(lit.Text, 10, 64); err == nil {
			return &abi.AsOf{TT: n}
		}
	case syntax.DateLit, syntax.DateTimeLit:
		if v, _, ok := Literal(lit.Kind, lit.Text); ok {
			return &abi.AsOf{VT: &v, ByVT: true}
		}
	}
	s.report("OE0257", x, "as_of 2, or as_of #2031-07-04#", "as_of takes a number or a date")
	return nil
}

var extentKinds = resolve.Kinds(resolve.ConceptKind, resolve.RelationKind, resolve.DeriveKind)

// extentOf returns the name behind the arrow of a query in the short form: T,
// [T], Set<T> or List<T>.
func extentOf(result syntax.Type) (*syntax.NamedType, bool) {
	result = withoutTruth(result)
	if l, ok := result.(*syntax.ListType); ok {
		result = l.Elem
	}
	named, ok := result.(*syntax.NamedType)
	if ok && len(named.Args) == 1 && (named.Path.String() == "Set" || named.Path.String() == "List") {
		named, ok = named.Args[0].(*syntax.NamedType)
	}
	return named, ok
}

// extentQuery is the short form: the rows of a concept, relation or derived
// predicate. A parameter named like a column selects by it.
func (s *scope) extentQuery(q *Query, it *syntax.Query) {
	named, ok := extentOf(it.Result)
	if !ok {
		if _, bad := it.Result.(*syntax.BadType); !bad && it.Result != nil {
			s.report("OE0257", it.Result, "name a concept or a derived predicate", "a query without a body gives the rows of a concept or predicate")
		}
		return
	}
	sym := s.e.World.Resolve(s.m, named.Path, extentKinds)
	if sym == nil {
		return
	}
	t, ok := s.e.predicate(sym, -1)
	if !ok {
		return
	}
	for _, item := range sym.Items {
		if d, ok := item.(*syntax.Derive); ok && len(d.Params) != len(t.columns) {
			s.report("OE0258", it.Result, "write which one is meant: select … from "+sym.Name+"(…)", "there are %s of %s and of %d, and the short form does not say which", sym.Qualified, plural(len(t.columns), "argument"), len(d.Params))
			return
		}
	}
	q.Truth = t.rel
	scan := abi.Atom{Op: abi.AtomScan, Rel: t.rel, Span: s.span(it.Result)}
	for _, c := range t.columns {
		slot, ok := s.names[c.Name]
		if !ok {
			slot = s.declare(c.Name, c.Type)
		} else {
			q.Truth = -1
			if !s.bound(slot, c.Type) {
				s.mismatch(it.Result, s.typeOf(slot), c.Type)
			}
		}
		arg := abi.Arg{Op: abi.ArgSlot, Index: slot}
		scan.Args = append(scan.Args, arg)
		q.Out = append(q.Out, arg)
		q.Columns = append(q.Columns, c)
	}
	if t.concept != nil {
		q.Columns[0].Name = t.concept.Symbol.Name
	}
	q.Body = []abi.Atom{scan}
	for i, p := range q.Params {
		used := false
		for _, c := range t.columns {
			used = used || c.Name == p.Name
		}
		if !used && p.Name != "" {
			s.report("OE0259", it.Params[i], "name it after a column, or write the query with select … from …", "%s has no column %s", t.name, p.Name)
		}
	}
}

// selectQuery is the form with a body, which is typed here unless it has been.
func (s *scope) selectQuery(q *Query, it *syntax.Query, body bool) {
	if body {
		q.Body = s.body(append(append([]syntax.Atom(nil), it.From...), it.Where...))
	}
	elem := q.Result
	switch elem.Op {
	case abi.TypeList, abi.TypeSet, abi.TypeOption:
		elem = elem.Args[0]
	}
	if it.Select == nil {
		return
	}
	if _, path := it.Select.Expr.(*syntax.UnsupportedExpr); path && len(it.Refused) > 0 {
		return // it was refused by its own code
	}
	if it.Select.Expr != nil {
		s.column(q, columnName(it.Select.Expr), it.Select.Expr, elem)
		return
	}
	st := s.e.Structs[elem.Name]
	if !unknown(elem) && elem.Op != abi.TypeStruct {
		s.report("OE0257", it.Select, "declare a struct with these fields, and let the query give a list of it", "a row of named columns is no %s", Print(elem))
	}
	for _, init := range it.Select.Columns {
		want := Top
		if elem.Op == abi.TypeStruct && st != nil {
			found := false
			for _, f := range st.Fields {
				if f.Name == init.Name.Name {
					want, found = f.Type, true
				}
			}
			if !found {
				s.report("OE0259", init.Name, s.e.nearest(init.Name.Name, fieldNames(st.Fields)), "%s has no field %s", st.Name, init.Name.Name)
			}
		}
		value := init.Value
		if value == nil {
			value = &syntax.Name{Span: init.Name.Span, Path: syntax.Path{Span: init.Name.Span, Parts: []syntax.Ident{init.Name}}}
		}
		s.column(q, init.Name.Name, value, want)
	}
}

func columnName(x syntax.Expr) string {
	switch x := x.(type) {
	case *syntax.Name:
		return x.Path.Parts[len(x.Path.Parts)-1].Name
	case *syntax.Method:
		return x.Name.Name
	}
	return "value"
}

// column adds a result column for x.
func (s *scope) column(q *Query, name string, x syntax.Expr, want abi.Type) {
	v, t := s.expr(x, want)
	arg := abi.Arg{Op: abi.ArgSlot, Index: v.Index}
	switch v.Op {
	case abi.ExprSlot:
	case abi.ExprConst:
		arg.Op = abi.ArgConst
	default:
		arg.Index = s.slot("", t)
		q.Body = append(q.Body, abi.Atom{Op: abi.AtomLet, Slot: arg.Index, Expr: &v, Span: s.span(x)})
	}
	if unknown(t) {
		t = want
	}
	q.Out = append(q.Out, arg)
	q.Columns = append(q.Columns, abi.Column{Name: name, Type: strip(t)})
}
