package types

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

func (e *Env) mutation(m *resolve.Module, mu *Mutation, it *syntax.Mutate) {
	s := e.newScope(m, "mutate", false)
	for _, p := range mu.Params {
		s.declare(p.Name, p.Type)
	}
	s.loseParams(mu.Params, it.Params)
	s.result = mu.Result
	s.keeps = !slices.ContainsFunc(it.Attrs, func(a syntax.Attr) bool { return a.Name.String() == "allow_forget" })
	mu.Body = s.stmts(it.Body)
	if mu.Result != nil && !returnsSomewhere(mu.Body) {
		e.report(m, "OE0257", it.Result.Range(), "return a value, or take the result out", "%s declares the result %s and returns nothing", mu.Name, Print(*mu.Result))
	}
	mu.Slots = s.frame.slots
}

func returnsSomewhere(list []abi.Stmt) bool {
	return slices.ContainsFunc(list, func(s abi.Stmt) bool {
		return s.Op == abi.StmtReturn || returnsSomewhere(s.Body) || returnsSomewhere(s.Else)
	})
}

// stmts types statements. Each may need others before it: those of the
// `insert` expressions inside it.
func (s *scope) stmts(list []syntax.Stmt) []abi.Stmt {
	in := s.inner()
	var out []abi.Stmt
	in.writes = &out
	for _, st := range list {
		done := in.stmt(st)
		out = append(out, done...)
	}
	return out
}

func (s *scope) stmt(st syntax.Stmt) []abi.Stmt {
	if s.e.ended() {
		return nil
	}
	span := s.span(st)
	switch st := st.(type) {
	case *syntax.Require:
		cond, _ := s.expr(st.Cond, Bool)
		return []abi.Stmt{{Op: abi.StmtRequire, Exprs: []abi.Expr{cond}, Text: s.text(st.Cond), Span: span}}
	case *syntax.Let:
		return s.let(st)
	case *syntax.InsertStmt:
		s.insert(st.Insert, "")
	case *syntax.TupleStmt:
		return s.tuple(st)
	case *syntax.IntoStmt:
		return s.into(st)
	case *syntax.Update:
		return s.update(st)
	case *syntax.For:
		src, t := s.source(st.Source)
		elem := Top
		switch {
		case collection(t):
			elem = t.Args[0]
		case !unknown(t):
			s.report("OE0257", st.Source, "", "only a list, a set, a concept or a predicate has items, and this is of type %s", Print(t))
		}
		in := s.inner()
		slot := in.declare(st.Var.Name, elem)
		return []abi.Stmt{{Op: abi.StmtFor, Slot: slot, Exprs: []abi.Expr{src}, Body: in.stmts(st.Body), Span: span}}
	case *syntax.IfStmt:
		cond, _ := s.expr(st.Cond, Bool)
		return []abi.Stmt{{Op: abi.StmtIf, Exprs: []abi.Expr{cond}, Body: s.stmts(st.Then), Else: s.stmts(st.Else), Span: span}}
	case *syntax.Return:
		return s.returns(st)
	case *syntax.ExprStmt:
		if mu, call := s.mutateCall(st.X); mu != nil {
			return []abi.Stmt{{Op: abi.StmtCall, Slot: -1, Index: mu.Index, Exprs: s.arguments(call, mu.Name, mu.Params), Span: span}}
		}
		if m, ok := st.X.(*syntax.Match); ok && s.writes != nil {
			return s.matchStmt(m)
		}
		v, _ := s.value(st.X, Top)
		return []abi.Stmt{{Op: abi.StmtExpr, Exprs: []abi.Expr{v}, Span: span}}
	case *syntax.Assert, *syntax.AssertDerivable, *syntax.AssertRejects:
		s.report("OE0261", st, "use require", "assert belongs at the top level of a test")
	case *syntax.Forget:
		return s.forget(st)
	case *syntax.UnsupportedStmt:
		s.unsupported(st, st.What, "")
	}
	return nil
}

func (s *scope) returns(st *syntax.Return) []abi.Stmt {
	out := abi.Stmt{Op: abi.StmtReturn, Span: s.span(st)}
	switch {
	case s.result == nil && st.Value != nil:
		s.report("OE0257", st, "write -> T behind the parameters", "this %s declares no result", s.word)
	case s.result != nil && st.Value == nil:
		s.report("OE0257", st, "", "the result is of type %s, and nothing is returned", Print(*s.result))
	case st.Value != nil:
		v, _ := s.expr(st.Value, *s.result)
		out.Exprs = []abi.Expr{v}
	}
	return []abi.Stmt{out}
}

func (s *scope) mutateCall(x syntax.Expr) (*Mutation, *syntax.Call) {
	call, ok := x.(*syntax.Call)
	if method, is := x.(*syntax.Method); is {
		call, ok = s.mutateMember(method)
	}
	if !ok {
		return nil, nil
	}
	sym := s.e.World.Lookup(s.m, call.Path, resolve.Kinds(resolve.MutateKind))
	if sym == nil {
		return nil, nil
	}
	name := sym.Qualified
	if sym.Trait != nil {
		name = s.memberOf(sym, call.Args, call)
	}
	return s.e.Mutations[name], call
}

// mutateValue types the call of a mutate inside an expression, as insertExpr
// does an insert: the call is made before the statement. ok is false where it
// has no place, or no result.
func (s *scope) mutateValue(x syntax.Expr) (v abi.Expr, t abi.Type, ok bool) {
	if s.writes == nil {
		return v, t, false
	}
	mu, call := s.mutateCall(x)
	if mu == nil {
		return v, Top, call != nil // reported
	}
	args := s.arguments(call, mu.Name, mu.Params)
	if mu.Result == nil {
		s.report("OE0257", x, "call it as a statement", "%s returns nothing", mu.Name)
		return v, Top, true
	}
	slot := s.slot("", *mu.Result)
	*s.writes = append(*s.writes, abi.Stmt{Op: abi.StmtCall, Slot: slot, Index: mu.Index, Exprs: args, Span: s.span(x)})
	return s.slotExpr(slot, x), *mu.Result, true
}

func (s *scope) let(st *syntax.Let) []abi.Stmt {
	span := s.span(st)
	want := Top
	if st.Type != nil {
		want = s.e.resolveType(s.m, st.Type)
	}
	if ins, ok := st.Value.(*syntax.Insert); ok {
		slot, t := s.insert(ins, st.Name.Name)
		if slot >= 0 && !s.e.Fits(t, want) {
			s.mismatch(st.Value, t, want)
		}
		return nil
	}
	if mu, call := s.mutateCall(st.Value); mu != nil {
		args := s.arguments(call, mu.Name, mu.Params)
		if mu.Result == nil {
			s.report("OE0257", st.Value, "call it without let", "%s returns nothing", mu.Name)
			return nil
		}
		if !s.e.Fits(*mu.Result, want) {
			s.mismatch(st.Value, *mu.Result, want)
		}
		slot := s.declare(st.Name.Name, *mu.Result)
		return []abi.Stmt{{Op: abi.StmtCall, Slot: slot, Index: mu.Index, Exprs: args, Span: span}}
	}
	mark := s.e.errors()
	v, t := s.expr(st.Value, want)
	switch {
	case st.Type == nil:
	case s.e.errors() > mark:
		t = Top // it is not certain which of the two is meant
	default:
		t = want
	}
	slot := s.declare(st.Name.Name, t)
	s.loseValue(slot, v, t, mark)
	return []abi.Stmt{{Op: abi.StmtLet, Slot: slot, Exprs: []abi.Expr{v}, Span: span}}
}

func (s *scope) insertExpr(x *syntax.Insert) (abi.Expr, abi.Type) {
	if s.writes == nil {
		if s.word == "mutate" || s.word == "test" {
			s.report("OE0261", x, "insert it in a statement of its own: let x = insert …; or under an if statement", "an insert inside an expression that may not be evaluated, or more than once")
		} else {
			s.report("OE0261", x, "insert in a mutate, and pass the individual on", "a %s changes nothing", s.word)
		}
		return abi.Expr{}, Top
	}
	slot, t := s.insert(x, "")
	if slot < 0 {
		return abi.Expr{}, t
	}
	return s.slotExpr(slot, x), t
}

// insert writes the statements that make a new individual and returns its
// slot, or -1 after a report.
func (s *scope) insert(x *syntax.Insert, name string) (int, abi.Type) {
	sym := s.e.World.Resolve(s.m, x.Concept, resolve.Kinds(resolve.ConceptKind))
	if sym == nil || s.e.Concepts[sym.Qualified] == nil {
		if name != "" {
			s.frame.lost[s.declare(name, Top)] = true
		}
		return -1, Top
	}
	c := s.e.Concepts[sym.Qualified]
	if s.defined(c, x) {
		if name != "" {
			s.declare(name, c.Type())
		}
		return -1, c.Type()
	}
	if c.Abstract {
		s.report("OE0233", x, "insert one of its subtypes", "%s is abstract: it has no direct instances", c.Name)
	}
	st := abi.Stmt{Op: abi.StmtNew, Type: c.Name, Rels: []int{c.Plus}, At: s.at(x.At), Span: s.span(x)}
	fields := c.AllFields()
	given := map[string]bool{}
	misspelt := s.e.partial(c.Name)
	for _, init := range x.Fields {
		f := c.Field(init.Name.Name)
		switch {
		case f == nil && misspelt:
			continue
		case f == nil:
			misspelt = true
			s.report("OE0259", init.Name, s.e.nearest(init.Name.Name, fieldNames(fields)), "%s has no field %s", c.Name, init.Name.Name)
			continue
		case given[f.Name]:
			s.report("OE0265", init.Name, "", "the field %s is given twice", f.Name)
			continue
		}
		given[f.Name] = true
		if s.viewed(f, init.Name) {
			continue
		}
		v, _ := s.initValue(init, f.Type)
		st.Fields = append(st.Fields, abi.FieldInit{Relation: f.Relation, Value: v, Each: f.Each})
	}
	for _, f := range fields {
		if given[f.Name] {
			continue
		}
		switch {
		case f.Default != nil:
			st.Fields = append(st.Fields, abi.FieldInit{Relation: f.Relation, Value: *f.Default, Each: f.Each})
		case f.Required() && !misspelt:
			s.report("OE0254", x, "add "+f.Name+": …", "insert %s needs the field %s", c.Name, f.Name)
		}
	}
	st.Slot = s.declare(name, c.Type())
	*s.writes = append(*s.writes, st)
	return st.Slot, c.Type()
}

// at types the instant of a write.
func (s *scope) at(x syntax.Expr) *abi.Expr {
	if x == nil {
		return nil
	}
	v, t := s.value(x, Top)
	if !moment(t) && !unknown(t) {
		s.report("OE0257", x, "", "at takes a Date or DateTime, not %s", Print(t))
	}
	return &v
}

// tuple types insert|delete R(args) and insert|delete iof(x, C).
func (s *scope) tuple(st *syntax.TupleStmt) []abi.Stmt {
	args := st.Args
	path := st.Path
	if path.String() == "iof" && s.e.World.Lookup(s.m, path, callKinds) == nil {
		if len(args) != 2 {
			s.report("OE0258", st, "iof(x, Concept)", "iof takes 2 arguments, and %d are given", len(args))
			return nil
		}
		n, ok := args[1].(*syntax.Name)
		if !ok || s.isVariable(n) {
			s.report("OE0212", args[1], "name the concept; for several, ask which it is with if", "what is written has to say of which concept the member is")
			return nil
		}
		path, args = n.Path, args[:1]
	}
	sym := s.e.World.Resolve(s.m, path, extentKinds)
	if sym == nil {
		return nil
	}
	var columns []abi.Column
	out := abi.Stmt{Op: abi.StmtAssert, Span: s.span(st)}
	var concept *Concept
	var rel *Relation
	var fields []*Field // of what it writes
	switch sym.Kind {
	case resolve.DeriveKind:
		s.report("OE0270", st, "write what it is derived from", "%s is derived, and only what is asserted can be written", sym.Qualified)
		return nil
	case resolve.ConceptKind:
		concept = s.e.Concepts[sym.Qualified]
		columns = []abi.Column{{Name: "self", Type: concept.Type()}}
		if s.defined(concept, st) {
			return nil
		}
		out.Rel = concept.Plus
		if concept.Fixed {
			s.report("OE0251", st, "", "%s is introduced by a fixed metatype: membership never changes", concept.Name)
		}
		if concept.Abstract && !st.Delete {
			s.report("OE0233", st, "insert into one of its subtypes", "%s is abstract: it has no direct instances", concept.Name)
		}
		fields = concept.AllFields()
	default:
		r := s.e.Rels[sym.Qualified]
		rel, columns, out.Rel, fields = r, r.Columns, r.Plus, r.AllFields()
	}
	if len(args) != len(columns) {
		s.arity(st, target{name: sym.Qualified, rel: out.Rel, columns: columns}, len(args))
		return nil
	}
	for i, arg := range args {
		if _, ok := arg.(*syntax.Wild); ok && st.Delete {
			out.Exprs = append(out.Exprs, s.constant(abi.NoneValue(), arg))
			out.Wild = append(out.Wild, true)
			continue
		}
		v, _ := s.expr(arg, columns[i].Type)
		out.Exprs = append(out.Exprs, v)
		out.Wild = append(out.Wild, false)
	}
	out.At = s.at(st.At)
	var before []abi.Stmt
	if concept != nil && len(fixedAbove(concept)) > 0 || !st.Delete && len(fields) > 0 {
		before = s.once(&out, columns, st)
	}
	if st.Delete {
		out.Op = abi.StmtRetract
		if concept != nil && out.Wild[0] && len(fixedAbove(concept)) > 0 {
			s.report("OE0251", st, "for each of them, delete iof(x, "+concept.Symbol.Name+")", "%s is below a concept whose membership never changes, and who they are has to be said", concept.Name)
			return nil
		}
		if concept != nil {
			before = append(before, s.leaving(concept, &out.Exprs[0], out.At, st)...)
			return append(before, out)
		}
		return s.withFields(out, rel, st)
	}
	out.Wild = nil
	if concept != nil {
		before = append(before, s.entering(concept, out.Exprs[0], st)...)
	}
	list := append(append(before, out), s.behind(sym.Qualified, fields, out.Exprs, out.At, st)...)
	return append(list, s.defaults(fields, st.Fields, out.Exprs, out.At, st)...)
}

// behind types the fields that are written behind the arguments of an insert.
// Where the tuple was there before with another value, one that is not mut
// refuses the write: one at another time the host judges, which knows what there
// is then.
func (s *scope) behind(owner string, fields []*Field, key []abi.Expr, at *abi.Expr, st *syntax.TupleStmt) []abi.Stmt {
	var out []abi.Stmt
	given := map[string]bool{}
	for _, init := range st.Fields {
		i := slices.IndexFunc(fields, func(f *Field) bool { return f.Name == init.Name.Name })
		switch {
		case i < 0 && s.e.partial(owner):
			continue // a report stands already
		case i < 0:
			s.report("OE0259", init.Name, s.e.nearest(init.Name.Name, fieldNames(fields)), "%s has no field %s", owner, init.Name.Name)
			continue
		case given[init.Name.Name]:
			s.report("OE0265", init.Name, "", "the field %s is given twice", init.Name.Name)
			continue
		}
		given[init.Name.Name] = true
		f := fields[i]
		if s.viewed(f, init.Name) {
			continue
		}
		if !f.Mut && (at == nil || f.Each || f.Type.Op == abi.TypeOption) {
			free := abi.Expr{Op: abi.ExprNot, Args: []abi.Expr{s.has(f, key, init)}, Span: s.span(init)}
			out = append(out, abi.Stmt{Op: abi.StmtRequire, Exprs: []abi.Expr{free}, Text: "no value of " + f.Name + " yet", Span: s.span(init)})
		}
		out = append(out, s.set(f, key, init, at)...)
	}
	return out
}

// defaults gives an individual that becomes a member, or a tuple, the default
// of each field that is not given and that it has no value of.
func (s *scope) defaults(fields []*Field, given []*syntax.FieldInit, key []abi.Expr, at *abi.Expr, n syntax.Node) []abi.Stmt {
	var out []abi.Stmt
	for _, f := range fields {
		if f.Default == nil || f.Each || slices.ContainsFunc(given, func(x *syntax.FieldInit) bool { return x.Name.Name == f.Name }) {
			continue
		}
		if value, ok := s.e.constant(f.Default); ok && value.Kind == abi.KindNone {
			continue
		}
		out = append(out, abi.Stmt{Op: abi.StmtSet, Assign: abi.AssignDefault, Rel: f.Relation, Exprs: with(key, *f.Default), At: at, Span: s.span(n)})
	}
	return out
}

// has is whether what key names has a value of f.
func (s *scope) has(f *Field, key []abi.Expr, n syntax.Node) abi.Expr {
	var body []abi.Atom
	var args []abi.Arg
	for i := range key {
		slot := s.slot("", Top)
		body = append(body, abi.Atom{Op: abi.AtomLet, Slot: slot, Expr: &key[i], Span: s.span(n)})
		args = append(args, abi.Arg{Op: abi.ArgSlot, Index: slot})
	}
	body = append(body, abi.Atom{Op: abi.AtomScan, Rel: f.Relation, Args: append(args, abi.Arg{}), Span: s.span(n)})
	return abi.Expr{Op: abi.ExprSub_, Sub: &abi.Sub{Op: abi.SubExists, Body: body}, Span: s.span(n)}
}

// into types insert e into x.f and delete e from x.f.
func (s *scope) into(st *syntax.IntoStmt) []abi.Stmt {
	method, ok := st.Target.(*syntax.Method)
	if !ok || method.Parens {
		s.report("OE0257", st.Target, "write x.field", "here stands a field that holds a collection")
		return nil
	}
	self, t := s.value(method.X, Top)
	f := s.conceptField(self, t, method.Name.Name)
	if f == nil {
		s.unknownField(method, self, t)
		return nil
	}
	if s.viewed(f, method.Name) {
		return nil
	}
	if !f.Each {
		s.report("OE0257", st.Target, "update it with set", "%s holds one value, not a collection", f.Name)
		return nil
	}
	v, _ := s.expr(st.Value, f.Stored())
	out := abi.Stmt{Op: abi.StmtAssert, Rel: f.Relation, Exprs: []abi.Expr{self, v}, At: s.at(st.At), Span: s.span(st)}
	if st.Delete {
		out.Op = abi.StmtRetract
		out.Wild = []bool{false, false}
	}
	return []abi.Stmt{out}
}
