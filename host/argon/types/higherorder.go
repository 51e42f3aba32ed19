package types

import (
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// higherOrder types the methods of lists, sets and Options that take a
// function. A closure that is written there is no value: its body is written
// in its place.
func (s *scope) higherOrder(x *syntax.Method, recv abi.Expr, t, wanted abi.Type) (abi.Expr, abi.Type, bool) {
	name := x.Name.Name
	switch {
	case t.Op == abi.TypeOption && name == "map":
	case !collection(t):
		return abi.Expr{}, Top, false
	case name == "fold":
		if len(x.Args) != 2 {
			s.report("OE0258", x, ".fold(start, |so_far, item| …)", ".fold takes 2 arguments, and %d are given", len(x.Args))
			return abi.Expr{}, Top, true
		}
		out, rt := s.foldMethod(x, recv, t, wanted)
		return out, rt, true
	case name == "map", name == "filter", name == "any", name == "all", name == "find", name == "count":
	default:
		return abi.Expr{}, Top, false
	}
	if len(x.Args) != 1 {
		s.report("OE0258", x, "."+name+"(|item| …)", ".%s takes 1 argument, and %d are given", name, len(x.Args))
		return abi.Expr{}, Top, true
	}
	in := s.maybe()
	in.leaves = nil
	want := Bool
	if name == "map" {
		want = Top
	}
	slot, body, bt := in.inlined(x.Args[0], t.Args[0], want)
	span := s.span(x)
	each := abi.Expr{Op: abi.ExprFor, Index: slot, Span: span}
	truth := func(b bool) abi.Expr { return s.constant(abi.BoolValue(b), x) }
	switch {
	case t.Op == abi.TypeOption:
		none := s.constant(abi.NoneValue(), x)
		return abi.Expr{Op: abi.ExprMatch, Args: []abi.Expr{recv}, Span: span, Arms: []abi.Arm{
			{Pattern: abi.Pattern{Op: abi.PatNone}, Body: none},
			{Pattern: abi.Pattern{Op: abi.PatSome, Items: []abi.Pattern{{Op: abi.PatBind, Slot: slot}}}, Body: body},
		}}, Option(bt), true
	case name == "map":
		each.Args = []abi.Expr{recv, body}
		if t.Op == abi.TypeSet {
			return s.asSet(each), Set(bt), true
		}
		return each, List(bt), true
	case name == "any", name == "all":
		each.Args = []abi.Expr{recv, body}
		out := abi.Expr{Op: abi.ExprIn, Args: []abi.Expr{truth(name == "any"), each}, Span: span}
		if name == "all" {
			out = abi.Expr{Op: abi.ExprNot, Args: []abi.Expr{out}, Span: span}
		}
		return out, Bool, true
	}
	each.Args = []abi.Expr{recv, s.slotExpr(slot, x), body}
	switch {
	case name == "find":
		return abi.Expr{Op: abi.ExprBuiltin, Name: abi.BuiltinGet, Args: []abi.Expr{each, s.constant(abi.IntValue(0), x)}, Span: span}, Option(t.Args[0]), true
	case name == "count":
		return abi.Expr{Op: abi.ExprBuiltin, Name: abi.BuiltinLen, Args: []abi.Expr{each}, Span: span}, Nat, true
	case t.Op == abi.TypeSet:
		return s.asSet(each), t, true
	}
	return each, t, true
}

func (s *scope) asSet(list abi.Expr) abi.Expr {
	return abi.Expr{Op: abi.ExprBuiltin, Name: abi.BuiltinSetOf, Args: []abi.Expr{list}, Span: list.Span}
}

// inlined types f, a function of one parameter of type elem, as an expression
// over a slot of s.
func (s *scope) inlined(f syntax.Expr, elem, want abi.Type) (slot int, body abi.Expr, t abi.Type) {
	c, ok := f.(*syntax.Closure)
	if !ok || len(c.Params) != 1 {
		slot = s.slot("", elem)
		v, ft := s.value(f, FnOf([]abi.Type{elem}, want))
		if ft.Op != abi.TypeFn || !s.e.Fits(ft, FnOf([]abi.Type{elem}, want)) {
			if !unknown(ft) {
				s.mismatch(f, ft, FnOf([]abi.Type{elem}, want))
			}
			return slot, abi.Expr{}, want
		}
		return slot, s.applied([]abi.Expr{v, s.slotExpr(slot, f)}, f), result(ft)
	}
	if p := c.Params[0]; p.Type != nil {
		declared := s.e.resolveType(s.m, p.Type)
		if !s.e.Fits(elem, declared) {
			s.report("OE0257", p, "", "the items are of type %s, and %s is to be of type %s", Print(elem), p.Name.Name, Print(declared))
		}
		elem = declared
	}
	slot = s.declare(c.Params[0].Name.Name, elem)
	if c.Result != nil {
		want = s.e.resolveType(s.m, c.Result)
	}
	body, t = s.expr(c.Body, want)
	if c.Result != nil {
		t = want
	}
	return slot, body, t
}

// foldMethod types xs.fold(start, |so_far, item| …).
func (s *scope) foldMethod(x *syntax.Method, recv abi.Expr, t, wanted abi.Type) (abi.Expr, abi.Type) {
	start, st := s.value(x.Args[0], wanted)
	elem := t.Args[0]
	acc := st
	if !unknown(wanted) && s.e.Fits(st, wanted) {
		acc = wanted
	} else if numeric(st) {
		acc = unbounded(st)
		if st.Op == abi.TypeNat && !integral(elem) && numeric(elem) {
			acc = elem
		} else if st.Op == abi.TypeNat && elem.Op != abi.TypeNat {
			acc = Int
		}
	}
	step, ft := s.value(x.Args[1], FnOf([]abi.Type{acc, elem}, Top))
	want := FnOf([]abi.Type{acc, elem}, acc)
	if ft.Op != abi.TypeFn || !s.e.Fits(ft, want) {
		if !unknown(ft) {
			s.mismatch(x.Args[1], ft, want)
		}
		return abi.Expr{}, acc
	}
	list := abi.Expr{Op: abi.ExprBuiltin, Name: abi.BuiltinListOf, Args: []abi.Expr{recv}, Span: s.span(x)}
	items := s.slot("", List(elem))
	at := s.slotExpr(items, x)
	length := abi.Expr{Op: abi.ExprBuiltin, Name: abi.BuiltinLen, Args: []abi.Expr{at}, Span: s.span(x)}
	zero := s.constant(abi.IntValue(0), x)
	call := abi.Expr{
		Op: abi.ExprCall, Index: s.e.folding(s.span(x)).Index, Span: s.span(x),
		Args: []abi.Expr{at, zero, length, start, step},
	}
	return abi.Expr{Op: abi.ExprLet, Index: items, Args: []abi.Expr{list, call}, Span: s.span(x)}, acc
}

// folding is the function that folds the items from low to high of a list into
// what there is so far. It halves the list, so that its calls nest only as
// deep as the logarithm of its length.
func (e *Env) folding(span abi.Span) *Fn {
	if e.closures.fold != nil {
		return e.closures.fold
	}
	if e.spoils() {
		return &Fn{}
	}
	f := e.hiddenFn("|fold|", span)
	e.closures.fold = f
	slot := func(i int) abi.Expr { return abi.Expr{Op: abi.ExprSlot, Index: i, Span: span} }
	op := func(o abi.ExprOp, args ...abi.Expr) abi.Expr { return abi.Expr{Op: o, Args: args, Span: span} }
	number := func(n int64) abi.Expr {
		return abi.Expr{Op: abi.ExprConst, Index: e.Constants.Add(abi.IntValue(n)), Span: span}
	}
	const items, low, high, soFar, step, middle = 0, 1, 2, 3, 4, 5
	again := func(from, to, acc abi.Expr) abi.Expr {
		return abi.Expr{Op: abi.ExprCall, Index: f.Index, Args: []abi.Expr{slot(items), from, to, acc, slot(step)}, Span: span}
	}
	one := abi.Expr{
		Op: abi.ExprCall, Index: e.applying(2, span).Index, Span: span,
		Args: []abi.Expr{slot(step), slot(soFar), op(abi.ExprIndex, slot(items), slot(low))},
	}
	half := makeBuiltin(abi.BuiltinTrunc, op(abi.ExprDiv, op(abi.ExprAdd, slot(low), slot(high)), number(2)))
	half.Span = span
	both := abi.Expr{Op: abi.ExprLet, Index: middle, Span: span, Args: []abi.Expr{half, again(slot(middle), slot(high), again(slot(low), slot(middle), slot(soFar)))}}
	for _, name := range []string{"items", "low", "high", "so_far", "step"} {
		f.Params = append(f.Params, abi.Param{Name: name})
		f.Slots = append(f.Slots, abi.Slot{Name: name})
	}
	f.Slots = append(f.Slots, abi.Slot{})
	width := op(abi.ExprSub, slot(high), slot(low))
	f.Body = op(abi.ExprIf, op(abi.ExprLe, width, number(0)), slot(soFar), op(abi.ExprIf, op(abi.ExprEq, width, number(1)), one, both))
	return f
}

// valueMethod reports whether x.name(…) is a method of values, not a step along
// a relation: a relation of that name comes first.
func (s *scope) valueMethod(x *syntax.Method) bool {
	name := x.Name.Name
	if _, ok := builtins[name]; ok {
		return true
	}
	_, data := dataMethods[name]
	if !data && !methodsOfFunctions[name] && !methodsOfResults[name] {
		if _, ok := s.receiverCall(x, resolve.FnKind); !ok {
			return false
		}
	}
	path := syntax.Path{Span: x.Name.Span, Parts: []syntax.Ident{x.Name}}
	return s.e.World.Lookup(s.m, path, stepKinds) == nil
}

// methodsOfFunctions are the methods that take a function.
var methodsOfFunctions = map[string]bool{
	"map": true, "filter": true, "any": true, "all": true, "find": true, "count": true, "fold": true,
}

// methodsOfResults are the methods of a Result.
var methodsOfResults = map[string]bool{"or": true, "unwrap_or": true, "is_ok": true, "is_err": true, "ok": true, "err": true}
