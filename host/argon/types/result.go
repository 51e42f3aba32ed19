package types

import (
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// resultEnum is the enum that Result<T, E>, Ok and Err mean everywhere.
const resultEnum = "std::core::Result"

// resultTag returns the constant of Result that the lone name Ok or Err means.
func (e *Env) resultTag(path syntax.Path) *Variant {
	if len(path.Parts) != 1 || e.Enums[resultEnum] == nil {
		return nil
	}
	if name := path.Parts[0].Name; name == "Ok" || name == "Err" {
		return e.Enums[resultEnum].Variant(name)
	}
	return nil
}

func isResult(t abi.Type) bool { return t.Op == abi.TypeEnum && t.Name == resultEnum }

// genericArguments types the arguments of a call whose parameters may speak of
// type parameters, and gives the type of the whole.
func (s *scope) genericArguments(x *syntax.Call, name string, params []abi.Param, vars []abi.Type, result, want abi.Type) ([]abi.Expr, abi.Type) {
	if len(vars) == 0 || len(x.Args) != len(params) {
		args := s.arguments(x, name, params)
		return args, solution{}.open(vars, abi.Type{Op: abi.TypeBot}).in(result)
	}
	places := make([]abi.Type, len(params))
	for i, p := range params {
		places[i] = p.Type
	}
	return s.infer(vars, places, result, want,
		func(i int) bool { return openFunction(x.Args[i]) },
		func(i int, hint abi.Type) (abi.Expr, abi.Type) { return s.hinted(x.Args[i], hint) },
		func(i int, got, want abi.Type) { s.mismatch(x.Args[i], got, want) }, x)
}

// openFunction reports whether x is a closure, whose parameters the other
// arguments may explain.
func openFunction(x syntax.Expr) bool {
	_, ok := x.(*syntax.Closure)
	return ok
}

// hinted is value for a place of which hint may say only a part.
func (s *scope) hinted(x syntax.Expr, hint abi.Type) (abi.Expr, abi.Type) {
	v, t := s.value(x, hint)
	if v.Op == abi.ExprSlot && unknown(t) && !unknown(hint) {
		s.bound(v.Index, hint)
		t = hint
	}
	if s.fitsWidth(v, t, hint) {
		t = hint
	}
	return v, t
}

// genericInits is inits for a struct, or a payload with names, whose fields may
// speak of type parameters.
func (s *scope) genericInits(x *syntax.StructLit, owner string, fields []*Field, vars []abi.Type, result, want abi.Type) ([]abi.Expr, abi.Type) {
	if len(vars) == 0 {
		return s.inits(x, owner, fields, x.Fields, nil), result
	}
	var given []*syntax.FieldInit
	var at []int
	var places []abi.Type
	for _, init := range x.Fields {
		for i, f := range fields {
			if f.Name == init.Name.Name && f.Name != "" {
				given, at, places = append(given, init), append(at, i), append(places, f.Type)
			}
		}
	}
	value := func(i int) syntax.Expr {
		if given[i].Value != nil {
			return given[i].Value
		}
		name := given[i].Name
		return &syntax.Name{Span: name.Span, Path: syntax.Path{Span: name.Span, Parts: []syntax.Ident{name}}}
	}
	values, t := s.infer(vars, places, result, want,
		func(i int) bool { return openFunction(value(i)) },
		func(i int, hint abi.Type) (abi.Expr, abi.Type) { return s.hinted(value(i), hint) },
		func(i int, got, want abi.Type) { s.mismatch(value(i), got, want) }, x)
	// What is unknown, given twice or left out is told as for any literal.
	mark := s.e.errors()
	s.inits(x, owner, fields, x.Fields, &abi.Expr{})
	args := make([]abi.Expr, len(fields))
	if s.e.errors() == mark {
		args = s.inits(x, owner, fields, nil, nil, at...)
	}
	for i, v := range values {
		args[at[i]] = v
	}
	return args, t
}
