package types

import (
	"math/big"
	"strings"
	"time"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// Literal returns the value of a literal's text and its type; ok is false
// where the text does not read.
func Literal(kind syntax.LitKind, text string) (v abi.Value, t abi.Type, ok bool) {
	switch kind {
	case syntax.IntLit:
		r, ok := number(text)
		if !ok || !r.IsInt() {
			return v, Top, false
		}
		if r.Sign() < 0 {
			return abi.RatValue(r), Int, true
		}
		return abi.RatValue(r), Nat, true
	case syntax.DecimalLit:
		r, ok := number(text)
		if !ok {
			return v, Top, false
		}
		return abi.RatValue(r), Decimal, true
	case syntax.StringLit:
		return abi.StringValue(text), String, true
	case syntax.BoolLit:
		return abi.BoolValue(text == "true"), Bool, true
	case syntax.DateLit:
		at, err := time.Parse(time.DateOnly, text)
		if err != nil {
			return v, Top, false
		}
		return abi.DayValue(floorDiv(at.Unix(), abi.SecondsPerDay)), Date, true
	case syntax.DateTimeLit:
		at, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			return v, Top, false
		}
		return abi.Value{Kind: abi.KindInstant, Int: at.Unix(), Nano: int32(at.Nanosecond())}, DateTime, true
	case syntax.TimeLit:
		at, err := time.Parse("15:04:05", text)
		if err != nil {
			return v, Top, false
		}
		seconds := at.Hour()*3600 + at.Minute()*60 + at.Second()
		return abi.Value{Kind: abi.KindTime, Int: int64(seconds), Nano: int32(at.Nanosecond())}, Time, true
	case syntax.MoneyLit:
		n, currency, found := strings.Cut(text, " ")
		r, ok := number(n)
		if !found || !ok || len(currency) != 3 {
			return v, Top, false
		}
		return abi.MoneyValue(r, currency), Money, true
	}
	return v, Top, false
}

// maxNumber bounds the digits of a number in source or in a facts file.
const maxNumber = 4096

// number reads an optional sign, digits, and an optional point and digits.
func number(text string) (*big.Rat, bool) {
	digits := strings.TrimPrefix(text, "-")
	whole, fraction, point := strings.Cut(digits, ".")
	if len(text) > maxNumber || !allDigits(whole) || point && !allDigits(fraction) {
		return nil, false
	}
	return new(big.Rat).SetString(text)
}

func allDigits(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

func (s *scope) literal(l *syntax.Lit) (abi.Expr, abi.Type) {
	v, t, ok := Literal(l.Kind, strings.ReplaceAll(l.Text, "_", numberFill(l.Kind)))
	if !ok {
		s.report("OE0051", l, "", "the literal %s cannot be read", s.text(l))
		return abi.Expr{Span: s.span(l)}, Top
	}
	return s.constant(v, l), t
}

// numberFill is what stands for "_" in a literal: nothing between digits.
func numberFill(kind syntax.LitKind) string {
	if kind == syntax.IntLit || kind == syntax.DecimalLit {
		return ""
	}
	return "_"
}

// constant folds an expression that depends on nothing to its value.
func (e *Env) constant(x *abi.Expr) (abi.Value, bool) {
	items := func() ([]abi.Value, bool) {
		list := make([]abi.Value, len(x.Args))
		for i := range x.Args {
			v, ok := e.constant(&x.Args[i])
			if !ok {
				return nil, false
			}
			list[i] = v
		}
		return list, true
	}
	switch x.Op {
	case abi.ExprConst:
		if v, ok := e.Constants.Value(x.Index); ok {
			return v, true
		}
	case abi.ExprNeg:
		if v, ok := e.constant(&x.Args[0]); ok && (v.Kind == abi.KindNum || v.Kind == abi.KindMoney) {
			return negate(v), true
		}
	case abi.ExprVariant:
		if list, ok := items(); ok {
			return abi.Value{Kind: abi.KindVariant, Str: x.Name, Items: list}, true
		}
	case abi.ExprStruct:
		if list, ok := items(); ok {
			return abi.Value{Kind: abi.KindStruct, Str: x.Name, Items: list}, true
		}
	case abi.ExprList:
		if list, ok := items(); ok {
			return abi.Value{Kind: abi.KindList, Items: list}, true
		}
	case abi.ExprSet:
		if list, ok := items(); ok {
			return setValue(list), true
		}
	case abi.ExprBuiltin:
		if list, ok := items(); ok && (x.Name == abi.BuiltinMap || x.Name == abi.BuiltinRange) {
			return collectionValue(x.Name, list), true
		}
		if x.Name == abi.BuiltinSome && len(x.Args) == 1 {
			return e.constant(&x.Args[0])
		}
	}
	return abi.Value{}, false
}

func negate(v abi.Value) abi.Value {
	r := new(big.Rat).Neg(v.Number())
	if v.Kind == abi.KindMoney {
		return abi.MoneyValue(r, v.Str)
	}
	return abi.RatValue(r)
}
