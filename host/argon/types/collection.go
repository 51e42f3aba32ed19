package types

import (
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// mapLit types Map { key: value, … }.
func (s *scope) mapLit(x *syntax.MapLit, want abi.Type) (abi.Expr, abi.Type) {
	key, value := abi.Type{Op: abi.TypeBot}, abi.Type{Op: abi.TypeBot}
	hintKey, hintValue := Top, Top
	if w := strip(want); w.Op == abi.TypeMap {
		hintKey, hintValue = w.Args[0], w.Args[1]
	}
	out := abi.Expr{Op: abi.ExprBuiltin, Name: abi.BuiltinMap, Span: s.span(x)}
	for i := range x.Keys {
		k := s.member(x.Keys[i], hintKey, &key)
		v := s.member(x.Values[i], hintValue, &value)
		out.Args = append(out.Args, k, v)
	}
	return out, Map(key, value)
}

// setLit types Set { item, … }.
func (s *scope) setLit(x *syntax.SetLit, want abi.Type) (abi.Expr, abi.Type) {
	elem, hint := abi.Type{Op: abi.TypeBot}, Top
	if w := strip(want); collection(w) {
		hint = w.Args[0]
	}
	out := abi.Expr{Op: abi.ExprSet, Span: s.span(x)}
	for _, item := range x.Items {
		out.Args = append(out.Args, s.member(item, hint, &elem))
	}
	return out, Set(elem)
}

// member types one item of a collection, of which all is the type so far.
func (s *scope) member(x syntax.Expr, hint abi.Type, all *abi.Type) abi.Expr {
	v, t := s.hinted(x, hint)
	joined, ok := s.e.Join(*all, t)
	if !ok {
		s.report("OE0257", x, "", "the items before are of type %s, and this is of type %s", Print(*all), Print(t))
	}
	*all = joined
	return v
}

// meansRange tells Range { from, to } from the literal of a struct of that
// name: the one of std::core has no such fields.
func (s *scope) meansRange(x *syntax.StructLit) bool {
	if x.Path.String() != "Range" || x.Base != nil {
		return false
	}
	sym := s.e.World.Lookup(s.m, x.Path, resolve.Kinds(resolve.StructKind))
	if sym == nil {
		return true
	}
	for _, f := range x.Fields {
		if sym.Module.Package == s.e.World.Std && (f.Name.Name == "from" || f.Name.Name == "to") {
			return true
		}
	}
	return false
}

// rangeLit types Range { from: a, to: b }; ok is false where Range is a struct.
func (s *scope) rangeLit(x *syntax.StructLit, want abi.Type) (abi.Expr, abi.Type, bool) {
	if !s.meansRange(x) {
		return abi.Expr{}, Top, false
	}
	elem, hint := abi.Type{Op: abi.TypeBot}, Top
	if w := strip(want); w.Op == abi.TypeRange {
		hint = w.Args[0]
	}
	out := abi.Expr{Op: abi.ExprBuiltin, Name: abi.BuiltinRange, Args: make([]abi.Expr, 2), Span: s.span(x)}
	var given [2]bool
	for _, init := range x.Fields {
		at := map[string]int{"from": 0, "to": 1}
		i, ok := at[init.Name.Name]
		if !ok {
			s.report("OE0259", init.Name, "", "a Range has the fields from and to, and no field %s", init.Name.Name)
			continue
		}
		if given[i] {
			s.report("OE0265", init.Name, "", "the field %s is given twice", init.Name.Name)
			continue
		}
		given[i] = true
		var v syntax.Expr = init.Value
		if init.Value == nil {
			v = &syntax.Name{Span: init.Name.Span, Path: syntax.Path{Span: init.Name.Span, Parts: []syntax.Ident{init.Name}}}
		}
		out.Args[i] = s.member(v, hint, &elem)
	}
	if !given[0] || !given[1] {
		s.report("OE0264", x, "write Range { from: …, to: … }", "a Range needs both of its ends")
	} else if !s.e.Ordered(elem, elem) {
		s.report("OE0257", x, "", "the ends of a Range need an order, and %s has none", Print(elem))
	}
	return out, Range(elem), true
}

// dataMethod types the methods of collections, ranges, times and Results. ok
// is false where x is none of them.
func (s *scope) dataMethod(x *syntax.Method, recv abi.Expr, t, want abi.Type) (abi.Expr, abi.Type, bool) {
	if t.Op == abi.TypeStruct {
		return s.fnField(x, recv, t)
	}
	if x.Parens {
		if out, t, ok := s.higherOrder(x, recv, t, want); ok {
			return out, t, true
		}
	}
	if isResult(t) {
		return s.resultMethod(x, recv, t)
	}
	if t.Op == abi.TypeRange && !x.Parens && (x.Name.Name == "from" || x.Name.Name == "to") {
		at := 0
		if x.Name.Name == "to" {
			at = 1
		}
		return abi.Expr{Op: abi.ExprField, Index: at, Args: []abi.Expr{recv}, Span: s.span(x)}, t.Args[0], true
	}
	for _, m := range dataMethods[x.Name.Name] {
		if m.of(t) {
			out, rt := s.callMethod(x, recv, t, m)
			return out, rt, true
		}
	}
	return abi.Expr{}, Top, false
}

// fnField is x.f(args), where f is a field that holds a function.
func (s *scope) fnField(x *syntax.Method, recv abi.Expr, t abi.Type) (abi.Expr, abi.Type, bool) {
	st := s.e.Structs[t.Name]
	if st == nil || !x.Parens {
		return abi.Expr{}, Top, false
	}
	for i, f := range st.Fields {
		if f.Name == x.Name.Name && f.Type.Op == abi.TypeFn {
			field := abi.Expr{Op: abi.ExprField, Index: i, Args: []abi.Expr{recv}, Span: s.span(x)}
			out, rt := s.apply(field, payload(f.Type, st.Params, t), x.Args, x)
			return out, rt, true
		}
	}
	return abi.Expr{}, Top, false
}

// dataMethod is a method that is a builtin of the reasoner. make, where there
// is one, builds the call from the receiver and the arguments.
type dataMethod struct {
	of      func(abi.Type) bool
	builtin string
	params  func(t abi.Type) []abi.Type
	result  func(t abi.Type) abi.Type
	make    func(s *scope, x syntax.Node, args []abi.Expr) abi.Expr
}

func ofOp(ops ...abi.TypeOp) func(abi.Type) bool {
	return func(t abi.Type) bool {
		for _, op := range ops {
			if t.Op == op {
				return true
			}
		}
		return false
	}
}

func nothing(abi.Type) []abi.Type      { return nil }
func itself(t abi.Type) abi.Type       { return t }
func anotherOne(t abi.Type) []abi.Type { return []abi.Type{t} }
func anItem(t abi.Type) []abi.Type     { return []abi.Type{t.Args[0]} }
func maybeItem(t abi.Type) abi.Type    { return Option(t.Args[0]) }
func gives(r abi.Type) func(abi.Type) abi.Type {
	return func(abi.Type) abi.Type { return r }
}

func makeBuiltin(name string, args ...abi.Expr) abi.Expr {
	return abi.Expr{Op: abi.ExprBuiltin, Name: name, Args: args}
}

var (
	aList    = ofOp(abi.TypeList)
	aSet     = ofOp(abi.TypeSet)
	aMap     = ofOp(abi.TypeMap)
	ofClock  = ofOp(abi.TypeDateTime, abi.TypeTime)
	ofMoment = ofOp(abi.TypeDateTime)
)

func aWholeRange(t abi.Type) bool { return t.Op == abi.TypeRange && integral(t.Args[0]) }

// dataMethods are the methods by name.
var dataMethods = map[string][]dataMethod{
	"len":      {{of: aMap, builtin: abi.BuiltinLen, params: nothing, result: gives(Nat)}},
	"is_empty": {{of: ofOp(abi.TypeList, abi.TypeSet, abi.TypeMap), params: nothing, result: gives(Bool), make: emptyTest}},
	"get": {
		{of: aList, builtin: abi.BuiltinGet, params: func(abi.Type) []abi.Type { return []abi.Type{Int} }, result: maybeItem},
		{of: aMap, builtin: abi.BuiltinGet, params: anItem, result: func(t abi.Type) abi.Type { return Option(t.Args[1]) }},
	},
	"contains": {{of: ofOp(abi.TypeList, abi.TypeSet, abi.TypeMap, abi.TypeRange), builtin: abi.BuiltinHas, params: anItem, result: gives(Bool)}},
	"first":    {{of: aList, params: nothing, result: maybeItem, make: firstItem}},
	"last":     {{of: aList, params: nothing, result: maybeItem, make: lastItem}},
	"reversed": {{of: aList, builtin: abi.BuiltinReversed, params: nothing, result: itself}},
	"sorted":   {{of: collection, builtin: abi.BuiltinSorted, params: nothing, result: func(t abi.Type) abi.Type { return List(t.Args[0]) }}},
	"concat":   {{of: aList, builtin: abi.BuiltinUnion, params: anotherOne, result: itself}},
	"to_set":   {{of: collection, builtin: abi.BuiltinSetOf, params: nothing, result: func(t abi.Type) abi.Type { return Set(t.Args[0]) }}},
	"to_list": {
		{of: collection, builtin: abi.BuiltinListOf, params: nothing, result: func(t abi.Type) abi.Type { return List(t.Args[0]) }},
		{of: aWholeRange, builtin: abi.BuiltinListOf, params: nothing, result: func(t abi.Type) abi.Type { return List(t.Args[0]) }},
	},
	"union": {
		{of: aSet, builtin: abi.BuiltinUnion, params: anotherOne, result: itself},
		{of: aMap, builtin: abi.BuiltinUnion, params: anotherOne, result: itself},
	},
	"intersection": {{of: aSet, builtin: abi.BuiltinIntersect, params: anotherOne, result: itself}},
	"difference":   {{of: aSet, builtin: abi.BuiltinWithout, params: anotherOne, result: itself}},
	"is_subset":    {{of: aSet, params: anotherOne, result: gives(Bool), make: subsetTest}},
	"with": {
		{of: aSet, params: anItem, result: itself, make: withItem},
		{of: aMap, builtin: abi.BuiltinPut, params: func(t abi.Type) []abi.Type { return t.Args }, result: itself},
	},
	"without": {{of: ofOp(abi.TypeSet, abi.TypeMap), builtin: abi.BuiltinDrop, params: anItem, result: itself}},
	"keys":    {{of: aMap, builtin: abi.BuiltinKeys, params: nothing, result: func(t abi.Type) abi.Type { return Set(t.Args[0]) }}},
	"values":  {{of: aMap, builtin: abi.BuiltinValues, params: nothing, result: func(t abi.Type) abi.Type { return List(t.Args[1]) }}},
	"time":    {{of: ofMoment, builtin: abi.BuiltinTimeOf, params: nothing, result: gives(Time)}},
	"date":    {{of: ofMoment, builtin: abi.BuiltinDateOf, params: nothing, result: gives(Date)}},
	"hour":    {{of: ofClock, builtin: abi.BuiltinHour, params: nothing, result: gives(Nat)}},
	"minute":  {{of: ofClock, builtin: abi.BuiltinMinute, params: nothing, result: gives(Nat)}},
	"second":  {{of: ofClock, builtin: abi.BuiltinSecond, params: nothing, result: gives(Nat)}},
}

func emptyTest(s *scope, x syntax.Node, args []abi.Expr) abi.Expr {
	return abi.Expr{Op: abi.ExprEq, Args: []abi.Expr{makeBuiltin(abi.BuiltinLen, args[0]), s.constant(abi.IntValue(0), x)}}
}

func firstItem(s *scope, x syntax.Node, args []abi.Expr) abi.Expr {
	return makeBuiltin(abi.BuiltinGet, args[0], s.constant(abi.IntValue(0), x))
}

func lastItem(s *scope, x syntax.Node, args []abi.Expr) abi.Expr {
	return firstItem(s, x, []abi.Expr{makeBuiltin(abi.BuiltinReversed, args[0])})
}

func subsetTest(s *scope, x syntax.Node, args []abi.Expr) abi.Expr {
	return emptyTest(s, x, []abi.Expr{makeBuiltin(abi.BuiltinWithout, args...)})
}

func withItem(_ *scope, _ syntax.Node, args []abi.Expr) abi.Expr {
	return makeBuiltin(abi.BuiltinUnion, args[0], abi.Expr{Op: abi.ExprSet, Args: args[1:]})
}

func (s *scope) callMethod(x *syntax.Method, recv abi.Expr, t abi.Type, m dataMethod) (abi.Expr, abi.Type) {
	params := m.params(t)
	if len(x.Args) != len(params) {
		s.report("OE0258", x, "", ".%s of %s takes %s, and %d are given", x.Name.Name, Print(t), plural(len(params), "argument"), len(x.Args))
		return abi.Expr{}, m.result(t)
	}
	out := m.result(t)
	args := []abi.Expr{recv}
	for i, a := range x.Args {
		v, at := s.hinted(a, params[i])
		joined, ok := s.e.Join(params[i], at)
		switch {
		case s.e.Fits(at, params[i]):
		case ok && Same(out, t) && !Same(params[i], t) && t.Op == abi.TypeSet:
			out = Set(joined) // of one item more
		case ok && Same(out, t) && Same(params[i], t):
			out = joined
		case ok && t.Op == abi.TypeMap && x.Name.Name == "with":
			out = Map(out.Args[0], out.Args[1])
			out.Args[i] = joined
		default:
			s.mismatch(a, at, params[i])
		}
		if params[i].Op == abi.TypeSet && at.Op == abi.TypeList {
			v = makeBuiltin(abi.BuiltinSetOf, v)
			v.Span = s.span(a)
		}
		args = append(args, v)
	}
	call := makeBuiltin(m.builtin, args...)
	if m.make != nil {
		call = m.make(s, x, args)
	}
	spread(&call, s.span(x))
	return call, out
}

// spread gives the parts that a method is made of the span of its call.
func spread(x *abi.Expr, span abi.Span) {
	if x.Span != (abi.Span{}) {
		return
	}
	x.Span = span
	for i := range x.Args {
		spread(&x.Args[i], span)
	}
}

func (s *scope) resultMethod(x *syntax.Method, recv abi.Expr, t abi.Type) (abi.Expr, abi.Type, bool) {
	tag := func(name string, slot int, body abi.Expr) abi.Arm {
		p := abi.Pattern{Op: abi.PatVariant, Name: resultEnum + "::" + name, Items: []abi.Pattern{{}}}
		if slot >= 0 {
			p.Items[0] = abi.Pattern{Op: abi.PatBind, Slot: slot}
		}
		return abi.Arm{Pattern: p, Body: body}
	}
	out := abi.Expr{Op: abi.ExprMatch, Args: []abi.Expr{recv}, Span: s.span(x)}
	slot := func() (int, abi.Expr) {
		i := s.slot("", Top)
		return i, s.slotExpr(i, x)
	}
	truth := func(b bool) abi.Expr { return s.constant(abi.BoolValue(b), x) }
	name := x.Name.Name
	want := 0
	switch name {
	case "or", "unwrap_or":
		want = 1
	case "is_ok", "is_err", "ok", "err":
	default:
		return abi.Expr{}, Top, false
	}
	if len(x.Args) != want {
		s.report("OE0258", x, "", ".%s takes %s, and %d are given", name, plural(want, "argument"), len(x.Args))
		return abi.Expr{}, Top, true
	}
	switch name {
	case "is_ok", "is_err":
		out.Arms = []abi.Arm{tag("Ok", -1, truth(name == "is_ok")), tag("Err", -1, truth(name == "is_err"))}
		return out, Bool, true
	case "ok":
		i, v := slot()
		out.Arms = []abi.Arm{tag("Ok", i, v), tag("Err", -1, s.constant(abi.NoneValue(), x))}
		return out, Option(t.Args[0]), true
	case "err":
		i, v := slot()
		out.Arms = []abi.Arm{tag("Ok", -1, s.constant(abi.NoneValue(), x)), tag("Err", i, v)}
		return out, Option(t.Args[1]), true
	}
	i, v := slot()
	other, ot := s.maybe().hinted(x.Args[0], t.Args[0])
	joined, ok := s.e.Join(t.Args[0], ot)
	if !ok {
		s.report("OE0257", x.Args[0], "", "the value is of type %s and its substitute of type %s", Print(t.Args[0]), Print(ot))
	}
	out.Arms = []abi.Arm{tag("Ok", i, v), tag("Err", -1, other)}
	return out, joined, true
}
