package types

import (
	"slices"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// A type parameter is a TypeTop with a name, "m::Pair.A". Unlike Top it is a
// type of its own: it fits itself, and Top.

func typeVar(owner, name string) abi.Type { return abi.Type{Op: abi.TypeTop, Name: owner + "." + name} }

func isVar(t abi.Type) bool { return t.Op == abi.TypeTop && t.Name != "" }

// generic brings the type parameters of a declaration into scope, and returns
// them and how to take them out of it again.
func (e *Env) generic(m *resolve.Module, owner string, params, where []syntax.TypeParam) ([]abi.Type, func()) {
	if len(params)+len(where) == 0 {
		return nil, func() {}
	}
	before := e.vars
	e.vars = map[string]abi.Type{}
	var list []abi.Type
	for _, p := range params {
		name := p.Name.Name
		if _, twice := e.vars[name]; twice && name != "" {
			e.report(m, "OE0262", p.Name.Span, "", "the type parameter %s is declared twice", name)
		}
		v := typeVar(owner, name)
		e.vars[name] = v
		list = append(list, v)
	}
	for _, p := range slices.Concat(params, where) {
		v, ok := e.vars[p.Name.Name]
		if !ok && p.Name.Name != "" {
			e.report(m, "OE0101", p.Name.Span, e.nearest(p.Name.Name, paramNames(params)), "%s is no type parameter of this declaration", p.Name.Name)
		} else if ok {
			e.bound(m, v, p.Bounds)
		}
	}
	return list, func() { e.vars = before }
}

// typeParams returns what a struct or enum declares.
func typeParams(sym *resolve.Symbol) []syntax.TypeParam {
	if len(sym.Items) == 0 {
		return nil
	}
	switch it := sym.Items[0].(type) {
	case *syntax.Struct:
		return it.TypeParams
	case *syntax.Enum:
		return it.TypeParams
	case *syntax.Concept:
		return it.TypeParams
	}
	return nil
}

// applied is the type that t names, of the declaration sym.
func (e *Env) applied(m *resolve.Module, t *syntax.NamedType, sym *resolve.Symbol) abi.Type {
	out := symbolType(sym)
	params := typeParams(sym)
	if sym.Kind == resolve.ConceptKind && len(params) > 0 {
		if len(t.Args) > 0 {
			e.unsupported(m, t.Span, "a concept with type arguments as a type", "declare a concept for it, pub type Name <: "+sym.Name+"<…>, and write its name")
		}
		return out
	}
	var args []abi.Type
	for _, a := range t.Args {
		args = append(args, e.resolveType(m, a))
	}
	if len(args) != len(params) {
		help := "write " + sym.Name
		if len(params) > 0 {
			help += "<" + strings.Join(paramNames(params), ", ") + ">"
		}
		e.report(m, "OE0290", t.Span, help, "%s takes %s, and %d are given", sym.Qualified, plural(len(params), "type argument"), len(args))
		args = make([]abi.Type, len(params)) // Top, each
	}
	out.Args = args
	e.boundsLater(m, sym, t, args)
	return out
}

func paramNames(params []syntax.TypeParam) []string {
	var names []string
	for _, p := range params {
		names = append(names, p.Name.Name)
	}
	return names
}

// solution says what type parameters stand for.
type solution map[string]abi.Type

func solve(params, args []abi.Type) solution {
	sol := solution{}
	for i, p := range params {
		if i < len(args) {
			sol[p.Name] = args[i]
		}
	}
	return sol
}

// in replaces the parameters of t that have a solution.
func (sol solution) in(t abi.Type) abi.Type {
	if len(sol) == 0 {
		return t
	}
	if isVar(t) {
		if s, ok := sol[t.Name]; ok {
			return s
		}
		return t
	}
	if len(t.Args) == 0 {
		return t
	}
	t.Args = slices.Clone(t.Args)
	for i := range t.Args {
		t.Args[i] = sol.in(t.Args[i])
	}
	if t.Op == abi.TypeOption {
		return Option(t.Args[0])
	}
	return t
}

// open replaces the params that have no solution by t.
func (sol solution) open(params []abi.Type, t abi.Type) solution {
	out := solution{}
	for _, p := range params {
		out[p.Name] = t
		if s, ok := sol[p.Name]; ok {
			out[p.Name] = s
		}
	}
	return out
}

// unify notes in sol what the parameters among params have to be for got to
// fit t.
func (e *Env) unify(t, got abi.Type, params []abi.Type, sol solution) {
	if isVar(t) {
		if !slices.ContainsFunc(params, func(p abi.Type) bool { return p.Name == t.Name }) || unknown(got) {
			return
		}
		old, ok := sol[t.Name]
		if !ok {
			sol[t.Name] = got
		} else if joined, ok := e.Join(old, got); ok {
			sol[t.Name] = joined
		}
		return
	}
	switch {
	case t.Op == abi.TypeOption && got.Op != abi.TypeOption:
		e.unify(t.Args[0], got, params, sol)
	case t.Op == abi.TypeSet && got.Op == abi.TypeList, t.Op == got.Op && t.Name == got.Name && len(t.Args) == len(got.Args):
		for i := range t.Args {
			e.unify(t.Args[i], got.Args[i], params, sol)
		}
	}
}

// infer types the arguments of something generic. value types argument i, of
// which hint says what is known of it so far. Functions come last, when the
// other arguments have said what they are about.
func (s *scope) infer(params []abi.Type, places []abi.Type, result, want abi.Type, deferred func(i int) bool,
	value func(i int, hint abi.Type) (abi.Expr, abi.Type), mismatch func(i int, got, want abi.Type), at syntax.Node,
) ([]abi.Expr, abi.Type) {
	hints, sol := solution{}, solution{}
	if !unknown(want) {
		s.e.unify(result, strip(want), params, hints)
	}
	args, got := make([]abi.Expr, len(places)), make([]abi.Type, len(places))
	for _, later := range []bool{false, true} {
		for i, place := range places {
			if deferred(i) != later {
				continue
			}
			known := solution{}
			for _, p := range params {
				if t, ok := sol[p.Name]; ok {
					known[p.Name] = t
				} else if t, ok := hints[p.Name]; ok {
					known[p.Name] = t
				}
			}
			args[i], got[i] = value(i, known.open(params, Top).in(place))
			s.e.unify(place, got[i], params, sol)
		}
	}
	for i, place := range places {
		if to := sol.open(params, Top).in(place); !s.e.Fits(got[i], to) {
			mismatch(i, got[i], to)
		}
	}
	for _, p := range params {
		h, hinted := hints[p.Name]
		if t, ok := sol[p.Name]; hinted && (!ok || s.e.Fits(t, h)) {
			sol[p.Name] = h
		}
	}
	for _, p := range params {
		if t, ok := sol[p.Name]; ok {
			s.e.satisfied(s.m, at.Range(), p, t)
		}
	}
	return args, sol.open(params, abi.Type{Op: abi.TypeBot}).in(result)
}

// of is the type s with args; without args, of a value of which nothing is
// known, each is Bot.
func (s *Struct) of(args []abi.Type) abi.Type {
	return abi.Type{Op: abi.TypeStruct, Name: s.Name, Args: orBots(args, s.Params)}
}

// of is as for structs.
func (e *Enum) of(args []abi.Type) abi.Type {
	return abi.Type{Op: abi.TypeEnum, Name: e.Name, Args: orBots(args, e.Params)}
}

func orBots(args, params []abi.Type) []abi.Type {
	if len(args) == len(params) {
		return args
	}
	args = nil
	for range params {
		args = append(args, abi.Type{Op: abi.TypeBot})
	}
	return args
}

// payload is the type of a field of something generic, as a part of a value of
// type t.
func payload(field abi.Type, params []abi.Type, t abi.Type) abi.Type {
	return solve(params, t.Args).open(params, Top).in(field)
}
