package types

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// primitives is the module of the numbers with bounds.
const primitives = "std::math::primitive::"

// bounded is the type that a declaration of that module means: an integer with
// a name, "u8" say, which fits Nat or Int and which only a literal inside the
// bounds, or u8(x), fits.
func bounded(qualified string) (abi.Type, bool) {
	name, ok := strings.CutPrefix(qualified, primitives)
	if !ok {
		return Top, false
	}
	if name[0] == 'f' {
		return Top, false
	}
	op := abi.TypeInt
	if name[0] == 'u' {
		op = abi.TypeNat
	}
	return abi.Type{Op: op, Name: name}, true
}

// IsPrimitive reports whether the declared struct of that name stands for a
// number with bounds, and is no struct.
func IsPrimitive(qualified string) bool { return strings.HasPrefix(qualified, primitives) }

// bounds returns the least and the greatest value of a type with bounds.
func bounds(t abi.Type) (least, most *big.Int) {
	bits, _ := strconv.Atoi(t.Name[1:])
	one := big.NewInt(1)
	if t.Op == abi.TypeNat {
		return new(big.Int), new(big.Int).Sub(new(big.Int).Lsh(one, uint(bits)), one)
	}
	half := new(big.Int).Lsh(one, uint(bits-1))
	return new(big.Int).Neg(half), new(big.Int).Sub(half, one)
}

// fitsWidth reports whether x, of type t, is a constant inside the bounds of
// the integer type want.
func (s *scope) fitsWidth(x abi.Expr, t, want abi.Type) bool {
	if want = strip(want); !integral(t) || !integral(want) || want.Name == "" {
		return false
	}
	v, ok := s.e.constant(&x)
	if !ok || v.Kind != abi.KindNum || !v.Number().IsInt() {
		return false
	}
	return within(v, want)
}

// within reports whether the whole number v is inside the bounds of t.
func within(v abi.Value, t abi.Type) bool {
	least, most := bounds(t)
	n := v.Number().Num()
	return n.Cmp(least) >= 0 && n.Cmp(most) <= 0
}

// conversion returns the type with bounds that path names in a call.
func (s *scope) conversion(path syntax.Path) (abi.Type, bool) {
	sym := s.e.World.Lookup(s.m, path, resolve.Kinds(resolve.StructKind))
	if sym == nil {
		return Top, false
	}
	return bounded(sym.Qualified)
}

// inexactCall reports f64(x).
func (s *scope) inexactCall(x *syntax.Call) bool {
	sym := s.e.World.Lookup(s.m, x.Path, resolve.Kinds(resolve.StructKind))
	return sym != nil && s.e.inexact(s.m, x.Path, sym.Qualified)
}

// inexact reports f32 and f64, once for a file: a value is equal to another or
// it is not, and a number that is rounded as it is computed would be neither.
func (e *Env) inexact(m *resolve.Module, at syntax.Node, qualified string) bool {
	name := strings.TrimPrefix(qualified, primitives)
	if name == qualified || name != "f32" && name != "f64" {
		return false
	}
	key := m.Source.Path + " f"
	if !e.introducers[key] && !e.spoils() {
		e.introducers[key] = true
		e.unsupported(m, at.Range(), "the type "+name, "write Real, which is exact and takes the same literals; round(x, n) where a result is shown")
	}
	return true
}

// convert types u8(x): x, or a failure where it is out of bounds.
func (s *scope) convert(x *syntax.Call, t abi.Type) (abi.Expr, abi.Type) {
	if len(x.Args) != 1 {
		s.report("OE0258", x, "", "%s takes 1 argument, and %d are given", t.Name, len(x.Args))
		return abi.Expr{}, t
	}
	v, _ := s.expr(x.Args[0], Int)
	least, most := bounds(t)
	end := func(n *big.Int) abi.Expr { return s.constant(abi.RatValue(new(big.Rat).SetInt(n)), x) }
	return abi.Expr{Op: abi.ExprBuiltin, Name: abi.BuiltinFit, Args: []abi.Expr{v, end(least), end(most)}, Span: s.span(x)}, t
}
