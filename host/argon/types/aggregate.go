package types

import (
	"sort"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

var folds = map[string]abi.FoldOp{
	"count": abi.FoldCount, "sum": abi.FoldSum, "min": abi.FoldMin, "max": abi.FoldMax, "avg": abi.FoldAvg,
}

// aggregate types sum(e), and sum(e for x in source where c, atoms). Over a
// list every item counts, equal ones too; over anything else each x is one
// solution.
func (s *scope) aggregate(x *syntax.Aggregate) (abi.Expr, abi.Type) {
	fold, ok := folds[x.Func]
	if !ok {
		return s.noAggregate(x)
	}
	if x.Var == nil {
		return s.foldCollection(x, fold)
	}
	in := s.variables()
	var body []abi.Atom
	var slot int
	if s.relationSource(x.Source) {
		slot = in.declare(x.Var.Name, Top)
		var t abi.Type
		body, t = s.iterate(x.Source, slot)
		in.bound(slot, t)
	} else {
		mark := s.e.errors()
		src, t := s.items(x.Source)
		if t.Op == abi.TypeList && len(x.Atoms) == 0 {
			return s.foldList(x, fold, src, t)
		}
		elem := Top
		if collection(t) {
			elem = t.Args[0]
		}
		slot = in.declare(x.Var.Name, elem)
		in.frame.lost[slot] = s.noSource(x.Source, src, t, len(x.Atoms) == 0)
		in.loseValue(slot, src, t, mark)
		body = []abi.Atom{{Op: abi.AtomIn, Slot: slot, Expr: &src, Span: s.span(x.Source)}}
	}
	atoms := append([]syntax.Atom(nil), x.Atoms...)
	if x.Where != nil {
		atoms = append([]syntax.Atom{&syntax.CompareAtom{Span: x.Where.Range(), Expr: x.Where}}, atoms...)
	}
	body = append(body, in.body(atoms)...)
	elem, et := in.value(x.Elem, Top)
	sub := &abi.Sub{Op: abi.SubFold, Fold: fold, Body: body, Over: in.over(slot, &elem), Out: &elem}
	return abi.Expr{Op: abi.ExprSub_, Sub: sub, Span: s.span(x)}, s.foldType(x, fold, et)
}

// foldList folds over a list, where every item counts.
func (s *scope) foldList(x *syntax.Aggregate, fold abi.FoldOp, src abi.Expr, t abi.Type) (abi.Expr, abi.Type) {
	in := s.maybe()
	slot := in.declare(x.Var.Name, t.Args[0])
	elem, et := in.value(x.Elem, Top)
	out := abi.Expr{Op: abi.ExprFold, Fold: fold, Index: slot, Args: []abi.Expr{src, elem}, Span: s.span(x)}
	if x.Where != nil {
		cond, _ := in.expr(x.Where, Bool)
		out.Args = append(out.Args, cond)
	}
	return out, s.foldType(x, fold, et)
}

// items types x, which has to be a list or a set.
func (s *scope) items(x syntax.Expr) (abi.Expr, abi.Type) {
	v, t := s.value(x, Top)
	if !collection(t) && !unknown(t) {
		s.report("OE0257", x, "", "only a list, a set, a concept or a predicate has items, and this is of type %s", Print(t))
	}
	return v, t
}

func (s *scope) foldCollection(x *syntax.Aggregate, fold abi.FoldOp) (abi.Expr, abi.Type) {
	v, t := s.source(x.Elem)
	switch {
	case t.Op == abi.TypeList:
		return abi.Expr{Op: abi.ExprFold, Fold: fold, Args: []abi.Expr{v}, Span: s.span(x)}, s.foldType(x, fold, t.Args[0])
	case t.Op == abi.TypeSet:
		in := s.variables()
		slot := in.slot("", t.Args[0])
		item := in.slotExpr(slot, x.Elem)
		sub := &abi.Sub{
			Op: abi.SubFold, Fold: fold, Over: []int{slot}, Out: &item,
			Body: []abi.Atom{{Op: abi.AtomIn, Slot: slot, Expr: &v, Span: s.span(x.Elem)}},
		}
		return abi.Expr{Op: abi.ExprSub_, Sub: sub, Span: s.span(x)}, s.foldType(x, fold, t.Args[0])
	case !unknown(t):
		s.report("OE0257", x.Elem, "say over what: "+x.Func+"(e for x in …)", "%s of a value of type %s has no meaning", x.Func, Print(t))
	}
	return abi.Expr{}, Top
}

func (s *scope) foldType(x *syntax.Aggregate, fold abi.FoldOp, t abi.Type) abi.Type {
	t = strip(t)
	switch fold {
	case abi.FoldCount:
		return Nat
	case abi.FoldMin, abi.FoldMax:
		if !s.e.Ordered(t, t) {
			s.report("OE0257", x.Elem, "", "%s needs values that have an order, and %s has none", x.Func, Print(t))
		}
		return t
	}
	if !unknown(t) && !amount(t) && t.Op != abi.TypeDuration && t.Op != abi.TypeBot {
		s.report("OE0257", x.Elem, "", "%s needs numbers, and this is of type %s", x.Func, Print(t))
	}
	if fold == abi.FoldAvg && numeric(t) {
		return Real
	}
	return t
}

// over returns the slots that make a solution of a fold: the variable that it
// ranges over, and what the folded expression reads of the scope's own. What
// only the atoms mention restricts the fold and does not multiply it.
func (s *scope) over(slot int, elem *abi.Expr) []int {
	over := []int{slot}
	for _, i := range s.own() {
		if i != slot && mentions(elem, i) {
			over = append(over, i)
		}
	}
	return over
}

// mentions reports whether x reads slot.
func mentions(x *abi.Expr, slot int) bool {
	if x.Op == abi.ExprSlot && x.Index == slot {
		return true
	}
	for i := range x.Args {
		if mentions(&x.Args[i], slot) {
			return true
		}
	}
	for i := range x.Arms {
		if mentions(&x.Arms[i].Body, slot) || x.Arms[i].Guard != nil && mentions(x.Arms[i].Guard, slot) {
			return true
		}
	}
	return x.Sub != nil // a subquery may
}

// own returns the slots that the scope itself has named, in order.
func (s *scope) own() []int {
	var slots []int
	for _, i := range s.names {
		slots = append(slots, i)
	}
	sort.Ints(slots)
	return slots
}

func (s *scope) relationSource(x syntax.Expr) bool {
	switch x := x.(type) {
	case *syntax.Name:
		if len(x.Path.Parts) == 1 {
			if _, ok := s.find(x.Path.Parts[0].Name); ok {
				return false
			}
		}
		return s.e.World.Lookup(s.m, x.Path, resolve.Kinds(resolve.ConceptKind)) != nil
	case *syntax.Call:
		if _, ok := s.isReflection(x, "extent"); ok {
			return true
		}
		sym := s.e.World.Lookup(s.m, x.Path, callKinds)
		return sym != nil && (sym.Kind == resolve.DeriveKind || sym.Kind == resolve.RelationKind || sym.Kind == resolve.ConceptKind)
	}
	return false
}

// iterate returns the atoms that let slot range over x: a concept, or the last
// column of a predicate.
func (s *scope) iterate(x syntax.Expr, slot int) ([]abi.Atom, abi.Type) {
	switch x := x.(type) {
	case *syntax.Name:
		sym := s.e.World.Lookup(s.m, x.Path, resolve.Kinds(resolve.ConceptKind))
		if t, ok := s.e.predicate(sym, 1); ok {
			return []abi.Atom{{Op: abi.AtomScan, Rel: t.rel, Args: []abi.Arg{{Op: abi.ArgSlot, Index: slot}}, Span: s.span(x)}}, t.columns[0].Type
		}
	case *syntax.Call:
		if _, ok := s.isReflection(x, "extent"); ok {
			return s.extent(x, slot)
		}
		sym := s.e.World.Lookup(s.m, x.Path, callKinds)
		t, ok := s.e.predicate(sym, len(x.Args)+1)
		if !ok {
			return nil, Top
		}
		if len(t.columns) != len(x.Args)+1 {
			s.report("OE0258", x, "", "%s has %s, of which a range gives all but the last, and %d are given", t.name, plural(len(t.columns), "argument"), len(x.Args))
			return nil, Top
		}
		sub, last := s.lastColumn(x, t)
		scan := &sub.Body[len(sub.Body)-1]
		scan.Args[len(scan.Args)-1].Index = slot
		return sub.Body, last
	}
	return nil, Top
}

// source types what a `for` or `in` ranges over, as a collection.
func (s *scope) source(x syntax.Expr) (abi.Expr, abi.Type) {
	if !s.relationSource(x) {
		return s.value(x, Top)
	}
	in := s.variables()
	slot := in.slot("", Top)
	body, elem := in.iterate(x, slot)
	in.bound(slot, elem)
	out := in.slotExpr(slot, x)
	return abi.Expr{Op: abi.ExprSub_, Sub: &abi.Sub{Op: abi.SubSet, Body: body, Over: []int{slot}, Out: &out}, Span: s.span(x)}, Set(elem)
}

var subqueries = map[string]abi.SubOp{
	"count": abi.SubCount, "exists": abi.SubExists, "set": abi.SubSet, "one": abi.SubOne, "collect": abi.SubList,
}

func (s *scope) subquery(x *syntax.Subquery) (abi.Expr, abi.Type) {
	op, ok := subqueries[x.Func]
	if !ok {
		s.unsupported(x, "the subquery "+x.Func+" { … }", "")
		return abi.Expr{}, Top
	}
	in := s.variables()
	sub := &abi.Sub{Op: op, Body: in.body(x.Body)}
	sub.Over = in.own()
	out := abi.Expr{Op: abi.ExprSub_, Sub: sub, Span: s.span(x)}
	switch op {
	case abi.SubExists:
		return out, Bool
	case abi.SubCount:
		in.countWild(sub)
		return out, Nat
	}
	var t abi.Type
	switch {
	case x.Select != nil:
		v, vt := in.value(x.Select, Top)
		sub.Out, t = &v, vt
	case len(sub.Over) == 1:
		v := in.slotExpr(sub.Over[0], x)
		sub.Out, t = &v, in.typeOf(sub.Over[0])
	default:
		s.report("OE0257", x, "write "+x.Func+" { select x from … }", "%s { … } with %s has to say which value it gives", x.Func, plural(len(sub.Over), "variable"))
		return abi.Expr{}, Top
	}
	switch op {
	case abi.SubSet:
		return out, Set(t)
	case abi.SubList:
		return out, List(t)
	}
	return out, t
}

// countWild gives each _ of a counted body a slot: what it stands for makes a
// solution of its own.
func (s *scope) countWild(sub *abi.Sub) {
	for i := range sub.Body {
		a := &sub.Body[i]
		if a.Op != abi.AtomScan || a.Neg {
			continue
		}
		for j := range a.Args {
			if a.Args[j].Op == abi.ArgWild {
				slot := s.slot("", s.e.Relations[a.Rel].Columns[j].Type)
				a.Args[j] = abi.Arg{Op: abi.ArgSlot, Index: slot}
				sub.Over = append(sub.Over, slot)
			}
		}
	}
}

func (s *scope) comprehension(x *syntax.Comprehension) (abi.Expr, abi.Type) {
	mark := s.e.errors()
	src, t := s.source(x.Source)
	in := s.maybe()
	elem := Top
	switch {
	case collection(t):
		elem = t.Args[0]
	case !unknown(t):
		s.report("OE0257", x.Source, "", "only a list or a set has items, and this is of type %s", Print(t))
	}
	slot := in.declare(x.Var.Name, elem)
	in.loseValue(slot, src, t, mark)
	item, it := in.value(x.Elem, Top)
	out := abi.Expr{Op: abi.ExprFor, Index: slot, Args: []abi.Expr{src, item}, Span: s.span(x)}
	if x.Where != nil {
		cond, _ := in.expr(x.Where, Bool)
		out.Args = append(out.Args, cond)
	}
	return out, List(it)
}
