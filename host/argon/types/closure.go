package types

import (
	"fmt"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// A function as a value is an enum constant that no source can name: which
// closure or declared fn it is, with what a closure captures as its payload.
// For each number of parameters one function of the program, applied, matches
// on the constants and calls what they stand for. No such value leaves a call:
// see escapes.
type closures struct {
	applied map[int]*Fn // by number of parameters
	known   map[string]*fnConstant
	order   []*fnConstant
	fold    *Fn
	within  string // the declaration whose body is typed
	names   map[occurrence]string
}

// occurrence is a closure in the body of a declaration: a macro or a trait may
// put one text into several.
type occurrence struct {
	node   *syntax.Closure
	within string
}

// closureName names a closure: the same each time that it is typed.
func (e *Env) closureName(m *resolve.Module, x *syntax.Closure) string {
	if e.spoils() {
		return m.Path
	}
	if e.closures.names == nil {
		e.closures.names = map[occurrence]string{}
	}
	at := occurrence{x, e.closures.within}
	name := e.closures.names[at]
	if name == "" {
		name = fmt.Sprintf("%s::|%d|", m.Path, len(e.closures.names)+1)
		e.closures.names[at] = name
	}
	return name
}

// fnConstant is a function that occurs as a value.
type fnConstant struct {
	tag      string
	target   *Fn
	captures bool // target takes, after its parameters, the list of what is captured
	params   int
}

// capture is a name of the body around a closure that the closure uses.
type capture struct{ outer, inner int }

// enclosing links the scope of a closure's body with the one around it.
type enclosing struct {
	scope    *scope
	captures []capture
}

// captured looks for name around the closure whose body s is.
func (s *scope) captured(name string) (int, bool) {
	root := s.root()
	if root.around == nil {
		return 0, false
	}
	outer, ok := root.around.scope.find(name)
	if !ok {
		return 0, false
	}
	inner := root.declare(name, root.around.scope.typeOf(outer))
	root.frame.bounds[inner] = root.around.scope.frame.bounds[outer]
	root.around.captures = append(root.around.captures, capture{outer, inner})
	return inner, true
}

func (e *Env) fnType(m *resolve.Module, t *syntax.FnType) abi.Type {
	var params []abi.Type
	for _, p := range t.Params {
		params = append(params, e.resolveType(m, p))
	}
	return FnOf(params, e.resolveType(m, t.Result))
}

// fnBody types the body of a declared function.
func (e *Env) fnBody(m *resolve.Module, f *Fn, it *syntax.Fn) {
	e.closures.within = f.Name
	before := e.vars
	e.vars = map[string]abi.Type{}
	for i, p := range it.TypeParams {
		e.vars[p.Name.Name] = f.Vars[i]
	}
	defer func() { e.vars = before }()
	s := e.newScope(m, "fn", false)
	s.leaves = &leaving{result: f.Result}
	for _, p := range f.Params {
		s.declare(p.Name, p.Type)
	}
	s.loseParams(f.Params, it.Params)
	if it.Body != nil {
		want := f.Result
		if e.misread(m, it) {
			want = Top // the body may go on where the parser stopped
		}
		f.Body, _ = s.expr(it.Body, want)
		f.Body = s.leave(f.Body)
		s.covered()
	}
	f.Slots = s.frame.slots
}

// closure types |a, b| body. Parameters without a type take it from want.
func (s *scope) closure(x *syntax.Closure, want abi.Type) (abi.Expr, abi.Type) {
	want = strip(want)
	if s.spoken {
		s.report("OE0292", x, "declare a fn, or write a comprehension", "an ad-hoc body has no closures of its own but as arguments of .map, .filter, .any, .all and .find")
		return abi.Expr{}, Top
	}
	in := s.e.newScope(s.m, "closure", false)
	in.around = &enclosing{scope: s}
	params := s.closureParams(x, want)
	for i, p := range x.Params {
		in.declare(p.Name.Name, params[i])
	}
	env := in.slot("", Top)
	to := Top
	if x.Result != nil {
		to = s.e.resolveType(s.m, x.Result)
	} else if want.Op == abi.TypeFn && len(want.Args) == len(params)+1 {
		to = result(want)
	}
	in.leaves = &leaving{result: to}
	body, t := in.expr(x.Body, to)
	if !unknown(to) && x.Result != nil {
		t = to
	}
	body = in.leave(body)
	in.covered()
	value := abi.Expr{Op: abi.ExprVariant, Span: s.span(x)}
	list := abi.Expr{Op: abi.ExprList, Span: s.span(x)}
	for i := len(in.around.captures) - 1; i >= 0; i-- {
		at := abi.Expr{Op: abi.ExprIndex, Args: []abi.Expr{in.slotExpr(env, x), s.constant(abi.IntValue(int64(i)), x)}, Span: s.span(x)}
		body = abi.Expr{Op: abi.ExprLet, Index: in.around.captures[i].inner, Args: []abi.Expr{at, body}, Span: s.span(x)}
	}
	for _, c := range in.around.captures {
		list.Args = append(list.Args, s.slotExpr(c.outer, x))
	}
	value.Args = []abi.Expr{list}
	value.Name = s.e.closureName(s.m, x)
	f := s.e.hiddenFn(value.Name, s.span(x))
	f.Params = nil
	for i, p := range x.Params {
		f.Params = append(f.Params, abi.Param{Name: p.Name.Name, Type: params[i]})
	}
	f.Params = append(f.Params, abi.Param{Name: "captured"})
	f.Result, f.Slots, f.Body = t, in.frame.slots, body
	s.e.fnConstant(value.Name, f, true, len(params))
	return value, FnOf(params, t)
}

func (s *scope) closureParams(x *syntax.Closure, want abi.Type) []abi.Type {
	params := make([]abi.Type, len(x.Params))
	told := false
	for i, p := range x.Params {
		if p.Type != nil {
			params[i] = s.e.resolveType(s.m, p.Type)
		} else if want.Op == abi.TypeFn && i < len(want.Args)-1 {
			params[i] = want.Args[i]
		}
		if unknown(params[i]) && p.Type == nil && !told && (want.Op != abi.TypeFn || i >= len(want.Args)-1) {
			told = true
			s.report("OE0257", p, "write |"+p.Name.Name+": T|", "nothing says of which type the parameter %s is", p.Name.Name)
		}
	}
	return params
}

// hiddenFn returns the function called name that no source declares; it is the
// same each time, since a body may be typed more than once.
func (e *Env) hiddenFn(name string, span abi.Span) *Fn {
	if f := e.Fns[name]; f != nil {
		return f
	}
	f := &Fn{Name: name, Index: len(e.FnList), Span: span}
	if e.spoils() {
		return f
	}
	e.Fns[name] = f
	e.FnList = append(e.FnList, f)
	return f
}

func (e *Env) fnConstant(tag string, target *Fn, captures bool, params int) {
	if e.spoils() {
		return
	}
	if e.closures.known == nil {
		e.closures.known = map[string]*fnConstant{}
	}
	c := e.closures.known[tag]
	if c == nil {
		c = &fnConstant{tag: tag}
		e.closures.known[tag] = c
		e.closures.order = append(e.closures.order, c)
	}
	c.target, c.captures, c.params = target, captures, params
}

// fnValue returns the declared function that a name in value position means.
func (s *scope) fnValue(x *syntax.Name, want abi.Type) *Fn {
	want = strip(want)
	if s.spoken || want.Op != abi.TypeFn && !(unknown(want) && s.leaves != nil) {
		return nil
	}
	sym := s.e.World.Lookup(s.m, x.Path, resolve.Kinds(resolve.FnKind))
	if sym == nil {
		return nil
	}
	return s.e.Fns[sym.Qualified]
}

// reference is the declared function f as a value.
func (s *scope) reference(x *syntax.Name, f *Fn, want abi.Type) (abi.Expr, abi.Type) {
	want = strip(want)
	var params []abi.Type
	for _, p := range f.Params {
		params = append(params, p.Type)
	}
	t := FnOf(params, f.Result)
	if len(f.Vars) > 0 {
		sol := solution{}
		s.e.unify(t, want, f.Vars, sol)
		t = sol.open(f.Vars, Top).in(t)
	}
	s.e.fnConstant(f.Name, f, false, len(params))
	return abi.Expr{Op: abi.ExprVariant, Name: f.Name, Span: s.span(x)}, t
}

// callLocal types f(args) where f is a variable that holds a function.
func (s *scope) callLocal(x *syntax.Call) (abi.Expr, abi.Type, bool) {
	if len(x.Path.Parts) != 1 {
		return abi.Expr{}, Top, false
	}
	slot, ok := s.find(x.Path.Parts[0].Name)
	if !ok || s.typeOf(slot).Op != abi.TypeFn {
		return abi.Expr{}, Top, false
	}
	out, t := s.apply(s.slotExpr(slot, x), s.typeOf(slot), x.Args, x)
	return out, t, true
}

// apply types the call of the function f, of type t.
func (s *scope) apply(f abi.Expr, t abi.Type, args []syntax.Expr, x syntax.Node) (abi.Expr, abi.Type) {
	n := len(t.Args) - 1
	if len(args) != n {
		s.report("OE0258", x, "", "this %s takes %s, and %d are given", Print(t), plural(n, "argument"), len(args))
		return abi.Expr{}, result(t)
	}
	values := []abi.Expr{f}
	for i, a := range args {
		v, _ := s.expr(a, t.Args[i])
		values = append(values, v)
	}
	return s.applied(values, x), result(t)
}

// applied calls the function values[0] with the other values.
func (s *scope) applied(values []abi.Expr, x syntax.Node) abi.Expr {
	f := s.e.applying(len(values)-1, s.span(x))
	return abi.Expr{Op: abi.ExprCall, Index: f.Index, Args: values, Span: s.span(x)}
}

// applying is the function that calls a function value with n arguments. Its
// body is written when all function values are known.
func (e *Env) applying(n int, span abi.Span) *Fn {
	if f := e.closures.applied[n]; f == nil && e.spoils() {
		return &Fn{}
	}
	if e.closures.applied == nil {
		e.closures.applied = map[int]*Fn{}
	}
	if f := e.closures.applied[n]; f != nil {
		return f
	}
	f := e.hiddenFn(fmt.Sprintf("|apply %d|", n), span)
	e.closures.applied[n] = f
	f.Params = []abi.Param{{Name: "f"}}
	for i := range n {
		f.Params = append(f.Params, abi.Param{Name: fmt.Sprintf("a%d", i+1)})
	}
	return f
}

// finishClosures writes the functions that apply function values.
func (e *Env) finishClosures() {
	for n, f := range e.closures.applied {
		f.Slots = nil
		for _, p := range f.Params {
			f.Slots = append(f.Slots, abi.Slot{Name: p.Name})
		}
		env := len(f.Slots)
		f.Slots = append(f.Slots, abi.Slot{})
		out := abi.Expr{Op: abi.ExprMatch, Args: []abi.Expr{{Op: abi.ExprSlot}}, Span: f.Span}
		for _, c := range e.closures.order {
			if c.params != n {
				continue
			}
			arm := abi.Arm{
				Pattern: abi.Pattern{Op: abi.PatVariant, Name: c.tag},
				Body:    abi.Expr{Op: abi.ExprCall, Index: c.target.Index, Span: f.Span},
			}
			for i := range n {
				arm.Body.Args = append(arm.Body.Args, abi.Expr{Op: abi.ExprSlot, Index: i + 1})
			}
			if c.captures {
				arm.Pattern.Items = []abi.Pattern{{Op: abi.PatBind, Slot: env}}
				arm.Body.Args = append(arm.Body.Args, abi.Expr{Op: abi.ExprSlot, Index: env})
			}
			out.Arms = append(out.Arms, arm)
		}
		if len(out.Arms) == 0 { // nothing can come to call it
			out = abi.Expr{Op: abi.ExprSlot, Span: f.Span}
		}
		f.Body = out
	}
}

// holdsFn reports whether a value of type t may hold a function. seen are the
// structs and enums that were looked into: what they are made of need not be
// once more.
func (e *Env) holdsFn(t abi.Type, seen map[string]bool) bool {
	if t.Op == abi.TypeFn {
		return true
	}
	for _, a := range t.Args {
		if e.holdsFn(a, seen) {
			return true
		}
	}
	if t.Op != abi.TypeStruct && t.Op != abi.TypeEnum || seen[t.Name] {
		return false
	}
	seen[t.Name] = true
	switch t.Op {
	case abi.TypeStruct:
		if st := e.Structs[t.Name]; st != nil {
			for _, f := range st.Fields {
				if e.holdsFn(f.Type, seen) {
					return true
				}
			}
		}
	case abi.TypeEnum:
		if n := e.Enums[t.Name]; n != nil {
			for _, v := range n.Variants {
				for _, f := range v.Fields {
					if e.holdsFn(f.Type, seen) {
						return true
					}
				}
			}
		}
	}
	return false
}

// escapes reports functions that would be stored, or come from or go to a
// caller: they live in the body that makes them.
func (e *Env) escapes() {
	held := func(t abi.Type) bool { return e.holdsFn(t, map[string]bool{}) }
	tell := func(span abi.Span, what, name string) {
		e.reportAt(span, "OE0292", "store what decides instead, and declare a fn that matches on it", "%s of %s would hold a function, and a function lives only in the body that makes it", what, name)
	}
	for _, r := range e.Relations {
		for _, c := range r.Columns {
			if (r.Origin == abi.OriginField || r.Role == abi.Derived) && held(c.Type) {
				tell(r.Span, "a column", r.Name)
				break
			}
		}
	}
	params := func(list []abi.Param, sym *resolve.Symbol, span syntax.Span) {
		for _, p := range list {
			if held(p.Type) {
				tell(e.Span(sym.Module, span), "a parameter", sym.Qualified)
				return
			}
		}
	}
	for _, q := range e.QueryList {
		params(q.Params, q.Symbol, q.Node.Name.Span)
		if held(q.Result) {
			tell(e.Span(q.Module, q.Node.Name.Span), "the result", q.Name)
		}
	}
	for _, mu := range e.MutationList {
		if mu.Symbol == nil {
			continue // what it calls is looked at
		}
		params(mu.Params, mu.Symbol, mu.Node.Name.Span)
		if mu.Result != nil && held(*mu.Result) {
			tell(e.Span(mu.Symbol.Module, mu.Node.Name.Span), "the result", mu.Name)
		}
	}
}

// Callable reports whether a caller outside can call f: the types of what it
// takes and gives are known, and hold no function.
func (e *Env) Callable(f *Fn) bool {
	if len(f.Vars) > 0 || e.holdsFn(f.Result, map[string]bool{}) {
		return false
	}
	for _, p := range f.Params {
		if e.holdsFn(p.Type, map[string]bool{}) {
			return false
		}
	}
	return true
}

// Applies reports whether function i of the list applies function values.
func (e *Env) Applies(i int) bool {
	for _, f := range e.closures.applied {
		if f.Index == i {
			return true
		}
	}
	return false
}

// FnOfTag returns the index of the function that the constant tag stands for.
func (e *Env) FnOfTag(tag string) (int, bool) {
	c := e.closures.known[tag]
	if c == nil {
		return 0, false
	}
	return c.target.Index, true
}
