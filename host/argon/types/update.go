package types

import (
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// update types update x set { f = e, … }.
func (s *scope) update(st *syntax.Update) []abi.Stmt {
	at := s.at(st.At)
	if call, ok := st.Target.(*syntax.Call); ok {
		if sym := s.e.World.Lookup(s.m, call.Path, resolve.Kinds(resolve.RelationKind)); sym != nil {
			return s.updateTuple(st, call, s.e.Rels[sym.Qualified], at)
		}
	}
	self, t := s.value(st.Target, Top)
	if st.Type != nil {
		t = s.e.resolveType(s.m, st.Type)
		if self.Op == abi.ExprSlot {
			s.bound(self.Index, t)
		}
	}
	if strip(t).Op != abi.TypeConcept && !(IsRef(strip(t)) && len(s.concepts(self, t)) > 0) {
		if !unknown(t) {
			s.report("OE0257", st.Target, "", "only an individual can be updated, and this is of type %s", Print(t))
		} else if self.Op == abi.ExprSlot && !s.lostSlot(self) {
			s.report("OE0259", st.Target, "write update x: Concept set { … }", "nothing says of which concept %s is", s.text(st.Target))
		}
		return nil
	}
	find := func(name string) *Field { return s.conceptField(self, t, name) }
	names := func() []string {
		var names []string
		for _, c := range s.concepts(self, t) {
			names = append(names, fieldNames(c.AllFields())...)
		}
		return names
	}
	return s.sets(st, Print(t), []abi.Expr{self}, at, find, names)
}

// updateTuple types update R(a, b) set { f = e, … }: own fields of a relation.
func (s *scope) updateTuple(st *syntax.Update, call *syntax.Call, r *Relation, at *abi.Expr) []abi.Stmt {
	if len(call.Args) != len(r.Columns) {
		s.arity(call, target{name: r.Name, rel: r.Rel, columns: r.Columns}, len(call.Args))
		return nil
	}
	var key []abi.Expr
	for i, arg := range call.Args {
		k, _ := s.expr(arg, r.Columns[i].Type)
		key = append(key, k)
	}
	return s.sets(st, r.Name, key, at, r.Field, func() []string { return fieldNames(r.AllFields()) })
}

// sets types the assignments of an update of owner.
func (s *scope) sets(st *syntax.Update, owner string, key []abi.Expr, at *abi.Expr, find func(string) *Field, names func() []string) []abi.Stmt {
	var out []abi.Stmt
	given := map[string]bool{}
	for _, set := range st.Sets {
		f := find(set.Name.Name)
		switch {
		case f == nil && s.e.partial(owner):
			continue // a report stands already
		case f == nil:
			s.report("OE0259", set.Name, s.e.nearest(set.Name.Name, names()), "%s has no field %s", owner, set.Name.Name)
			continue
		case given[f.Name]:
			s.report("OE0265", set.Name, "", "the field %s is given twice", f.Name)
			continue
		}
		given[f.Name] = true
		if s.viewed(f, set.Name) {
			continue
		}
		if !f.Mut {
			s.report("OE0256", set.Name, "declare it `mut "+f.Name+": …`", "the field %s is not mut, so an update cannot change it", f.Name)
			continue
		}
		out = append(out, s.set(f, key, set, at)...)
	}
	return out
}

func (s *scope) set(f *Field, key []abi.Expr, set *syntax.FieldInit, at *abi.Expr) []abi.Stmt {
	span := s.span(set)
	if set.Op == "+=" || set.Op == "-=" {
		return s.setBy(f, key, set, at)
	}
	v, t := s.initValue(set, f.Type)
	if f.Each {
		// The new items are read before the old ones go.
		items := s.slot("", t)
		item := s.slot("", f.Stored())
		return []abi.Stmt{
			{Op: abi.StmtLet, Slot: items, Exprs: []abi.Expr{v}, Span: span},
			s.clear(f, key, at, set),
			{Op: abi.StmtFor, Slot: item, Exprs: []abi.Expr{s.slotExpr(items, set)}, Span: span, Body: []abi.Stmt{
				{Op: abi.StmtAssert, Rel: f.Relation, Exprs: with(key, s.slotExpr(item, set)), At: at, Span: span},
			}},
		}
	}
	// A value that turns out to be none takes the field's value away.
	return []abi.Stmt{{Op: abi.StmtSet, Rel: f.Relation, Exprs: with(key, v), At: at, Span: span}}
}

func (s *scope) setBy(f *Field, key []abi.Expr, set *syntax.FieldInit, at *abi.Expr) []abi.Stmt {
	if f.Each {
		s.report("OE0257", set, "insert e into x."+f.Name+";", "%s takes a number, and %s holds a collection", set.Op, f.Name)
		return nil
	}
	v, t := s.value(set.Value, f.Stored())
	got, ok := s.e.Arithmetic(set.Op[:1], f.Stored(), t)
	if ok && set.Op == "-=" && Same(f.Stored(), Nat) && integral(got) {
		return s.lessen(f, key, v, t, set, at)
	}
	if !ok || !s.e.Fits(got, f.Stored()) {
		help := ""
		if bounded := f.Stored(); ok && integral(got) && integral(bounded) && bounded.Name != "" {
			// What comes out may be outside the bounds, whatever the operand is.
			help = "write `" + f.Name + " = " + Print(bounded) + "(x." + f.Name + " " + set.Op[:1] + " " + s.text(set.Value) + ")`, which is refused where that is no " + Print(bounded)
		}
		s.report("OE0257", set, help, "%s of type %s cannot change by %s %s", f.Name, Print(f.Stored()), set.Op, Print(t))
	}
	assign := abi.AssignAdd
	if set.Op == "-=" {
		assign = abi.AssignSub
	}
	return []abi.Stmt{{Op: abi.StmtSet, Rel: f.Relation, Assign: assign, Exprs: with(key, v), At: at, Span: s.span(set)}}
}

// lessen types f -= v of a Nat: the statements refuse what would go below zero,
// since only the value that the field has then says whether the rest is a Nat.
func (s *scope) lessen(f *Field, key []abi.Expr, v abi.Expr, t abi.Type, set *syntax.FieldInit, at *abi.Expr) []abi.Stmt {
	span := s.span(set)
	by := s.slot("", t)
	old := abi.Expr{Op: abi.ExprRead, Index: f.Relation, Args: key, Span: span}
	rest := abi.Expr{Op: abi.ExprSub, Args: []abi.Expr{old, s.slotExpr(by, set)}, Span: span}
	natural := abi.Expr{Op: abi.ExprGe, Args: []abi.Expr{rest, s.constant(abi.IntValue(0), set)}, Span: span}
	text := s.text(set.Value)
	if _, sum := set.Value.(*syntax.Binary); sum {
		text = "(" + text + ")"
	}
	return []abi.Stmt{
		{Op: abi.StmtLet, Slot: by, Exprs: []abi.Expr{v}, Span: span},
		{Op: abi.StmtRequire, Exprs: []abi.Expr{natural}, Text: f.Name + " - " + text + " >= 0, since " + f.Name + " is a Nat,", Span: span},
		{Op: abi.StmtSet, Rel: f.Relation, Assign: abi.AssignSub, Exprs: with(key, s.slotExpr(by, set)), At: at, Span: span},
	}
}

// clear takes every value of f from what key names.
func (s *scope) clear(f *Field, key []abi.Expr, at *abi.Expr, n syntax.Node) abi.Stmt {
	wild := make([]bool, len(key)+1)
	wild[len(key)] = true
	return abi.Stmt{
		Op: abi.StmtRetract, Rel: f.Relation, Exprs: with(key, s.constant(abi.NoneValue(), n)), Wild: wild, At: at, Span: s.span(n),
	}
}

// with returns key and value as a list of its own.
func with(key []abi.Expr, value abi.Expr) []abi.Expr {
	return append(append([]abi.Expr(nil), key...), value)
}
