package eval

import (
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/internal/term"
)

// source gathers the constants of expressions that a test writes.
type source struct{ constants []abi.Value }

func (s *source) val(v abi.Value) abi.Expr {
	s.constants = append(s.constants, v)
	return abi.Expr{Op: abi.ExprConst, Index: len(s.constants) - 1}
}

func (s *source) int(n int64) abi.Expr    { return s.val(abi.IntValue(n)) }
func (s *source) rat(n, d int64) abi.Expr { return s.val(abi.RatValue(big.NewRat(n, d))) }
func (s *source) str(t string) abi.Expr   { return s.val(abi.StringValue(t)) }
func (s *source) bool(b bool) abi.Expr    { return s.val(abi.BoolValue(b)) }
func (s *source) none() abi.Expr          { return s.val(abi.NoneValue()) }
func (s *source) eur(n, d int64) abi.Expr { return s.val(abi.MoneyValue(big.NewRat(n, d), "EUR")) }
func (s *source) ints(ns ...int64) abi.Expr {
	args := make([]abi.Expr, len(ns))
	for i, n := range ns {
		args[i] = s.int(n)
	}
	return op(abi.ExprList, args...)
}

func op(o abi.ExprOp, args ...abi.Expr) abi.Expr { return abi.Expr{Op: o, Args: args} }
func slot(i int) abi.Expr                        { return abi.Expr{Op: abi.ExprSlot, Index: i} }
func call(name string, args ...abi.Expr) abi.Expr {
	return abi.Expr{Op: abi.ExprBuiltin, Name: name, Args: args}
}

func (s *source) divideByZero() abi.Expr { return op(abi.ExprDiv, s.int(1), s.int(0)) }

// run evaluates e over eight slots, all unbound.
func (s *source) run(t *testing.T, e abi.Expr, functions ...abi.Function) (*Machine, abi.Term, bool, *abi.Failure) {
	t.Helper()
	m := New(term.New())
	m.Begin(&abi.Call{Now: abi.Value{Kind: abi.KindInstant, Int: 22464*abi.SecondsPerDay + 36000, Nano: 5}})
	if f := m.Load(s.constants, functions, nil); f != nil {
		t.Fatal(f)
	}
	c, f := m.Compile(&e, 8)
	if f != nil {
		t.Fatal(f)
	}
	slots := newSlots(8)
	x, ok, f := m.Eval(c, slots)
	for i, v := range slots {
		if v != unbound {
			t.Errorf("slot %d is left bound", i)
		}
	}
	if m.sp != 0 || len(m.regs) != 0 || len(m.iters) != 0 || len(m.items) != 0 || len(m.frames) != 0 || m.depth != 0 {
		t.Errorf("stacks are not as before: sp %d, regs %d, iters %d, items %d, frames %d, depth %d",
			m.sp, len(m.regs), len(m.iters), len(m.items), len(m.frames), m.depth)
	}
	return m, x, ok, f
}

func TestExpressions(t *testing.T) {
	s := &source{}
	big1 := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), 100))
	day := abi.DayValue(22464)
	week := abi.Value{Kind: abi.KindSpan, Int: 7 * abi.SecondsPerDay}
	structPQ := abi.Expr{Op: abi.ExprStruct, Name: "m::P", Args: []abi.Expr{s.int(1), s.str("q")}}
	variant := abi.Expr{Op: abi.ExprVariant, Name: "m::E::V", Args: []abi.Expr{s.int(4), s.int(5)}}
	symbol := abi.Expr{Op: abi.ExprVariant, Name: "m::E::S"}
	mapping := s.val(abi.Value{Kind: abi.KindMap, Items: []abi.Value{abi.StringValue("a"), abi.IntValue(1), abi.StringValue("b"), abi.IntValue(2)}})
	letTen := func(body abi.Expr) abi.Expr {
		return abi.Expr{Op: abi.ExprLet, Index: 1, Args: []abi.Expr{s.int(10), body}}
	}
	loop := func(o abi.ExprOp, fold abi.FoldOp, args ...abi.Expr) abi.Expr {
		return abi.Expr{Op: o, Index: 2, Fold: fold, Args: args}
	}
	isType := func(x abi.Expr, typ abi.Type) abi.Expr {
		return abi.Expr{Op: abi.ExprIsType, Type: &typ, Args: []abi.Expr{x}}
	}
	arm := func(p abi.Pattern, guard *abi.Expr, body abi.Expr) abi.Arm {
		return abi.Arm{Pattern: p, Guard: guard, Body: body}
	}
	match := func(x abi.Expr, arms ...abi.Arm) abi.Expr {
		return abi.Expr{Op: abi.ExprMatch, Args: []abi.Expr{x}, Arms: arms}
	}
	wild := abi.Pattern{Op: abi.PatWild}
	bind := func(i int) abi.Pattern { return abi.Pattern{Op: abi.PatBind, Slot: i} }
	constant := func(e abi.Expr) abi.Pattern { return abi.Pattern{Op: abi.PatConst, Const: e.Index} }
	greater := op(abi.ExprGt, slot(3), s.int(3))

	for _, c := range []struct {
		name string
		e    abi.Expr
		want string // text; "!" and a fault if it fails
	}{
		{"constant", s.int(7), "7"},
		{"unbound slot", slot(0), "!" + term.Absent.String()},
		{"neg", op(abi.ExprNeg, s.rat(1, 2)), "-0.5"},
		{"neg of money", op(abi.ExprNeg, s.eur(5, 2)), "-2.50 EUR"},
		{"neg of string", op(abi.ExprNeg, s.str("x")), "!" + term.WrongKind.String()},
		{"not", op(abi.ExprNot, s.bool(true)), "false"},
		{"not of number", op(abi.ExprNot, s.int(1)), "!" + term.WrongKind.String()},
		{"add", op(abi.ExprAdd, s.int(2), s.int(3)), "5"},
		{"add over the inline range", op(abi.ExprAdd, s.int(abi.MaxInline), s.int(1)), "536870912"},
		{"add strings", op(abi.ExprAdd, s.str("a"), s.str("b")), "ab"},
		{"add date and duration", op(abi.ExprAdd, s.val(day), s.val(week)), "2031-07-11"},
		{"sub", op(abi.ExprSub, s.int(2), s.int(3)), "-1"},
		{"sub under the inline range", op(abi.ExprSub, s.int(abi.MinInline), s.int(1)), "-536870913"},
		{"sub dates", op(abi.ExprSub, s.val(abi.DayValue(22471)), s.val(day)), "P7D"},
		{"mul", op(abi.ExprMul, s.val(abi.RatValue(big1)), s.val(abi.RatValue(big1))), new(big.Int).Lsh(big.NewInt(1), 200).String()},
		{"mul decimals to an integer", op(abi.ExprEq, op(abi.ExprMul, s.rat(3, 2), s.int(2)), s.int(3)), "true"},
		{"div", op(abi.ExprDiv, s.int(1), s.int(3)), "1/3"},
		{"div by zero", s.divideByZero(), "!" + term.DivideByZero.String()},
		{"mod", op(abi.ExprMod, s.int(-7), s.int(3)), "2"},
		{"mod of fractions", op(abi.ExprMod, s.rat(7, 2), s.int(2)), "1.5"},
		{"eq", op(abi.ExprEq, s.int(3), s.rat(300, 100)), "true"},
		{"eq of kinds", op(abi.ExprEq, s.int(3), s.str("3")), "false"},
		{"ne", op(abi.ExprNe, s.int(3), s.int(4)), "true"},
		{"lt", op(abi.ExprLt, s.rat(1, 3), s.rat(1, 2)), "true"},
		{"le", op(abi.ExprLe, s.int(2), s.int(2)), "true"},
		{"gt", op(abi.ExprGt, s.str("b"), s.str("a")), "true"},
		{"ge", op(abi.ExprGe, s.val(day), s.val(abi.DayValue(22465))), "false"},
		{"lt of currencies", op(abi.ExprLt, s.eur(1, 1), s.val(abi.MoneyValue(big.NewRat(2, 1), "USD"))), "!" + term.Currencies.String()},
		{"and", op(abi.ExprAnd, s.bool(true), s.bool(false)), "false"},
		{"and stops early", op(abi.ExprAnd, s.bool(false), op(abi.ExprEq, s.divideByZero(), s.int(1))), "false"},
		{"and of a number", op(abi.ExprAnd, s.bool(true), s.int(1)), "!" + term.WrongKind.String()},
		{"or", op(abi.ExprOr, s.bool(false), s.bool(true)), "true"},
		{"or stops early", op(abi.ExprOr, s.bool(true), op(abi.ExprEq, s.divideByZero(), s.int(1))), "true"},
		{"or of a number", op(abi.ExprOr, s.int(1), s.bool(true)), "!" + term.WrongKind.String()},
		{"in list", op(abi.ExprIn, s.int(2), s.ints(1, 2)), "true"},
		{"not in list", op(abi.ExprIn, s.int(3), s.ints(1, 2)), "false"},
		{"in set", op(abi.ExprIn, s.int(2), op(abi.ExprSet, s.int(9), s.int(2), s.int(5))), "true"},
		{"not in set", op(abi.ExprIn, s.int(3), op(abi.ExprSet, s.int(9), s.int(2), s.int(5))), "false"},
		{"in map", op(abi.ExprIn, s.str("b"), mapping), "true"},
		{"in number", op(abi.ExprIn, s.int(3), s.int(3)), "!" + term.WrongKind.String()},
		{"if", op(abi.ExprIf, s.bool(true), s.int(1), s.divideByZero()), "1"},
		{"else", op(abi.ExprIf, s.bool(false), s.divideByZero(), s.int(2)), "2"},
		{"if of a number", op(abi.ExprIf, s.int(1), s.int(1), s.int(2)), "!" + term.WrongKind.String()},
		{"let", letTen(op(abi.ExprMul, slot(1), slot(1))), "100"},
		{"let that fails", letTen(s.divideByZero()), "!" + term.DivideByZero.String()},
		{"symbol", symbol, "S"},
		{"variant", variant, "V(4, 5)"},
		{"struct", structPQ, `P(1, "q")`},
		{"field", abi.Expr{Op: abi.ExprField, Index: 1, Args: []abi.Expr{structPQ}}, "q"},
		{"field out of range", abi.Expr{Op: abi.ExprField, Index: 2, Args: []abi.Expr{structPQ}}, "!" + term.OutOfRange.String()},
		{"field of nothing", abi.Expr{Op: abi.ExprField, Args: []abi.Expr{s.none()}}, "!" + term.Absent.String()},
		{"field of a number", abi.Expr{Op: abi.ExprField, Args: []abi.Expr{s.int(1)}}, "!" + term.WrongKind.String()},
		{"with", abi.Expr{Op: abi.ExprWith, Index: 0, Args: []abi.Expr{structPQ, s.int(8)}}, `P(8, "q")`},
		{"list", s.ints(2, 1, 2), "[2, 1, 2]"},
		{"empty list", op(abi.ExprList), "[]"},
		{"set", op(abi.ExprSet, s.int(2), s.int(1), s.int(2)), "{1, 2}"},
		{"index", op(abi.ExprIndex, s.ints(5, 6), s.int(1)), "6"},
		{"index at the end", op(abi.ExprIndex, s.ints(5, 6), s.int(2)), "!" + term.OutOfRange.String()},
		{"index below zero", op(abi.ExprIndex, s.ints(5, 6), s.int(-1)), "!" + term.OutOfRange.String()},
		{"index by a fraction", op(abi.ExprIndex, s.ints(5, 6), s.rat(1, 2)), "!" + term.OutOfRange.String()},
		{"index of a string", op(abi.ExprIndex, s.str("aéb"), s.int(1)), "é"},
		{"index at the end of a string", op(abi.ExprIndex, s.str("é"), s.int(1)), "!" + term.OutOfRange.String()},
		{"index of a map", op(abi.ExprIndex, mapping, s.str("b")), "2"},
		{"index of a map without the key", op(abi.ExprIndex, mapping, s.str("c")), "!" + term.Absent.String()},
		{"index of a number", op(abi.ExprIndex, s.int(1), s.int(0)), "!" + term.WrongKind.String()},
		{"slice", op(abi.ExprSlice, s.ints(1, 2, 3, 4), s.int(1), s.int(3)), "[2, 3]"},
		{"slice to the end", op(abi.ExprSlice, s.ints(1, 2, 3), s.int(1), s.none()), "[2, 3]"},
		{"slice from the start", op(abi.ExprSlice, s.ints(1, 2, 3), s.none(), s.int(1)), "[1]"},
		{"slice out of range", op(abi.ExprSlice, s.ints(1, 2, 3), s.none(), s.int(4)), "!" + term.OutOfRange.String()},
		{"slice backward", op(abi.ExprSlice, s.ints(1, 2, 3), s.int(2), s.int(1)), "!" + term.OutOfRange.String()},
		{"slice of a string", op(abi.ExprSlice, s.str("aéüb"), s.int(1), s.int(3)), "éü"},
		{"slice of a number", op(abi.ExprSlice, s.int(1), s.none(), s.none()), "!" + term.WrongKind.String()},
		{"for", loop(abi.ExprFor, 0, s.ints(1, 2, 3), op(abi.ExprMul, slot(2), slot(2))), "[1, 4, 9]"},
		{"for where", loop(abi.ExprFor, 0, s.ints(1, 2, 3), slot(2), op(abi.ExprNe, slot(2), s.int(2))), "[1, 3]"},
		{"for over a set", loop(abi.ExprFor, 0, op(abi.ExprSet, s.int(2), s.int(1)), slot(2)), "[1, 2]"},
		{"for over a number", loop(abi.ExprFor, 0, s.int(3), slot(2)), "!" + term.WrongKind.String()},
		{"for that fails", loop(abi.ExprFor, 0, s.ints(1, 0), op(abi.ExprDiv, s.int(1), slot(2))), "!" + term.DivideByZero.String()},
		{"for in for", loop(abi.ExprFor, 0, s.ints(1, 2), abi.Expr{Op: abi.ExprFor, Index: 3, Args: []abi.Expr{s.ints(10, 20), op(abi.ExprAdd, slot(2), slot(3))}}), "[[11, 21], [12, 22]]"},
		{"fold count", loop(abi.ExprFold, abi.FoldCount, s.ints(1, 2, 3), slot(2), op(abi.ExprGt, slot(2), s.int(1))), "2"},
		{"fold sum", loop(abi.ExprFold, abi.FoldSum, s.ints(1, 2, 3), op(abi.ExprDiv, slot(2), s.int(4))), "1.5"},
		{"fold sum of money", loop(abi.ExprFold, abi.FoldSum, op(abi.ExprList, s.eur(1, 2), s.eur(1, 4))), "0.75 EUR"},
		{"fold min", loop(abi.ExprFold, abi.FoldMin, s.ints(3, 1, 2), slot(2)), "1"},
		{"fold max", loop(abi.ExprFold, abi.FoldMax, s.ints(1, 3, 2)), "3"},
		{"fold avg", loop(abi.ExprFold, abi.FoldAvg, s.ints(1, 2)), "1.5"},
		{"fold sum of nothing", loop(abi.ExprFold, abi.FoldSum, s.ints()), "0"},
		{"fold max of nothing", loop(abi.ExprFold, abi.FoldMax, s.ints()), "!" + term.Absent.String()},
		{"fold avg of nothing", loop(abi.ExprFold, abi.FoldAvg, s.ints()), "!" + term.Absent.String()},
		{"fold of a number", loop(abi.ExprFold, abi.FoldSum, s.int(1)), "!" + term.WrongKind.String()},
		{"text", op(abi.ExprText, s.str("a"), s.rat(1, 2), s.bool(true), s.val(abi.NamedValue("m::ann"))), "a0.5trueann"},
		{"empty text", op(abi.ExprText), ""},
		{"today", call(abi.BuiltinToday), "2031-07-04"},
		{"now", call(abi.BuiltinNow), "2031-07-04T10:00:00.000000005Z"},
		{"round", call(abi.BuiltinRound, s.rat(5, 2)), "3"},
		{"round to digits", call(abi.BuiltinRound, s.rat(125, 100), s.int(1)), "1.3"},
		{"round money to its currency", call(abi.BuiltinRound, s.eur(1, 3)), "0.33 EUR"},
		{"round to a fraction of digits", call(abi.BuiltinRound, s.int(1), s.rat(1, 2)), "!" + term.WrongKind.String()},
		{"round half even", call(abi.BuiltinRoundHalfEven, s.rat(5, 2)), "2"},
		{"trunc", call(abi.BuiltinTrunc, s.rat(-5, 2)), "-2"},
		{"abs", call(abi.BuiltinAbs, s.int(-4)), "4"},
		{"len of a list", call(abi.BuiltinLen, s.ints(1, 2)), "2"},
		{"len of a string", call(abi.BuiltinLen, s.str("aé")), "2"},
		{"len of a map", call(abi.BuiltinLen, mapping), "2"},
		{"len of a number", call(abi.BuiltinLen, s.int(1)), "!" + term.WrongKind.String()},
		{"some", call(abi.BuiltinSome, s.int(1)), "1"},
		{"is_some", call(abi.BuiltinIsSome, s.int(1)), "true"},
		{"is_some of none", call(abi.BuiltinIsSome, s.none()), "false"},
		{"or of a value", call(abi.BuiltinUnwrapOr, s.int(1), s.divideByZero()), "1"},
		{"or of none", call(abi.BuiltinUnwrapOr, s.none(), s.int(2)), "2"},
		{"text()", call(abi.BuiltinText, s.ints(1)), "[1]"},
		{"starts_with", call(abi.BuiltinStartsWith, s.str("abc"), s.str("ab")), "true"},
		{"ends_with", call(abi.BuiltinEndsWith, s.str("abc"), s.str("ab")), "false"},
		{"contains", call(abi.BuiltinContains, s.str("abc"), s.str("b")), "true"},
		{"starts_with of a number", call(abi.BuiltinStartsWith, s.int(1), s.str("ab")), "!" + term.WrongKind.String()},
		{"lower", call(abi.BuiltinLower, s.str("ÄB")), "äb"},
		{"upper", call(abi.BuiltinUpper, s.str("äb")), "ÄB"},
		{"year", call(abi.BuiltinYear, s.val(day)), "2031"},
		{"month", call(abi.BuiltinMonth, s.val(day)), "7"},
		{"day of an instant", call(abi.BuiltinDay, call(abi.BuiltinNow)), "4"},
		{"year of a number", call(abi.BuiltinYear, s.int(1)), "!" + term.WrongKind.String()},
		{"days", call(abi.BuiltinDays, s.int(7)), "P7D"},
		{"days of a duration", call(abi.BuiltinDays, s.val(week)), "7"},
		{"is Int", isType(s.int(3), abi.Type{Op: abi.TypeInt}), "true"},
		{"a fraction is no Int", isType(s.rat(1, 2), abi.Type{Op: abi.TypeInt}), "false"},
		{"is Nat", isType(s.int(-1), abi.Type{Op: abi.TypeNat}), "false"},
		{"is Decimal", isType(s.int(3), abi.Type{Op: abi.TypeDecimal}), "true"},
		{"is String", isType(s.str("x"), abi.Type{Op: abi.TypeString}), "true"},
		{"is Bool", isType(s.int(3), abi.Type{Op: abi.TypeBool}), "false"},
		{"is Date", isType(s.val(day), abi.Type{Op: abi.TypeDate}), "true"},
		{"is DateTime", isType(s.val(day), abi.Type{Op: abi.TypeDateTime}), "false"},
		{"is Duration", isType(s.val(week), abi.Type{Op: abi.TypeDuration}), "true"},
		{"is Money", isType(s.eur(1, 1), abi.Type{Op: abi.TypeMoney}), "true"},
		{"is enum, by symbol", isType(symbol, abi.Type{Op: abi.TypeEnum, Name: "m::E"}), "true"},
		{"is enum, by variant", isType(variant, abi.Type{Op: abi.TypeEnum, Name: "m::E"}), "true"},
		{"is another enum", isType(variant, abi.Type{Op: abi.TypeEnum, Name: "m"}), "false"},
		{"is struct", isType(structPQ, abi.Type{Op: abi.TypeStruct, Name: "m::P"}), "true"},
		{"is list", isType(s.ints(1, 2), abi.Type{Op: abi.TypeList, Args: []abi.Type{{Op: abi.TypeInt}}}), "true"},
		{"is list of strings", isType(s.ints(1, 2), abi.Type{Op: abi.TypeList, Args: []abi.Type{{Op: abi.TypeString}}}), "false"},
		{"is map", isType(mapping, abi.Type{Op: abi.TypeMap, Args: []abi.Type{{Op: abi.TypeString}, {Op: abi.TypeInt}}}), "true"},
		{"is option", isType(s.none(), abi.Type{Op: abi.TypeOption, Args: []abi.Type{{Op: abi.TypeInt}}}), "true"},
		{"is Top", isType(s.none(), abi.Type{Op: abi.TypeTop}), "true"},
		{"is Bot", isType(s.int(1), abi.Type{Op: abi.TypeBot}), "false"},
		{"match constant", match(s.int(2), arm(constant(s.int(1)), nil, s.str("one")), arm(constant(s.int(2)), nil, s.str("two"))), "two"},
		{"match guard", match(s.int(2), arm(bind(3), &greater, s.str("much")), arm(bind(3), nil, op(abi.ExprAdd, slot(3), s.int(1)))), "3"},
		{"match variant", match(variant, arm(abi.Pattern{Op: abi.PatVariant, Name: "m::E::V", Items: []abi.Pattern{wild, bind(3)}}, nil, slot(3))), "5"},
		{"match symbol", match(symbol, arm(abi.Pattern{Op: abi.PatVariant, Name: "m::E::V"}, nil, s.int(1)), arm(abi.Pattern{Op: abi.PatVariant, Name: "m::E::S"}, nil, s.int(2))), "2"},
		{"match struct", match(structPQ, arm(abi.Pattern{Op: abi.PatStruct, Name: "m::Q", Items: []abi.Pattern{wild, wild}}, nil, s.int(0)), arm(abi.Pattern{Op: abi.PatStruct, Name: "m::P", Items: []abi.Pattern{bind(3), wild}}, nil, slot(3))), "1"},
		{"match or", match(s.int(2), arm(abi.Pattern{Op: abi.PatOr, Items: []abi.Pattern{constant(s.int(1)), constant(s.int(2))}}, nil, s.str("few"))), "few"},
		{"match none", match(s.none(), arm(abi.Pattern{Op: abi.PatSome, Items: []abi.Pattern{bind(3)}}, nil, slot(3)), arm(abi.Pattern{Op: abi.PatNone}, nil, s.str("nothing"))), "nothing"},
		{"match some", match(s.int(9), arm(abi.Pattern{Op: abi.PatNone}, nil, s.str("nothing")), arm(abi.Pattern{Op: abi.PatSome, Items: []abi.Pattern{bind(3)}}, nil, slot(3))), "9"},
		{"match without an arm", match(s.int(9), arm(constant(s.int(1)), nil, s.int(1))), "!" + term.NoMatch.String()},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, x, ok, f := s.run(t, c.e)
			if f != nil {
				t.Fatal(f)
			}
			got := "!" + m.fault.String()
			if ok {
				text, _ := m.table.AppendText(nil, x)
				got = string(text)
			}
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestFaultsSayWhere(t *testing.T) {
	s := &source{}
	bad := s.divideByZero()
	bad.Span = abi.Span{File: 1, Start: 20, End: 25}
	fn := abi.Function{Name: "m::f", Body: op(abi.ExprAdd, s.int(1), bad)}
	m, _, ok, f := s.run(t, abi.Expr{Op: abi.ExprCall}, fn)
	if ok || f != nil {
		t.Fatalf("ok %v, failure %v", ok, f)
	}
	got := m.Fault()
	if got.Code != abi.FailureEval || got.Span != bad.Span || !strings.Contains(got.Message, "division by zero") || !strings.Contains(got.Message, "fn m::f") {
		t.Errorf("%+v", got)
	}
}

func TestFunctionsCallEachOther(t *testing.T) {
	s := &source{}
	// even(n) = n == 0 || odd(n - 1); odd(n) = n != 0 && even(n - 1)
	less := op(abi.ExprSub, slot(0), s.int(1))
	param := []abi.Param{{Name: "n"}}
	functions := []abi.Function{
		{Name: "even", Params: param, Slots: make([]abi.Slot, 1), Body: op(abi.ExprOr, op(abi.ExprEq, slot(0), s.int(0)), abi.Expr{Op: abi.ExprCall, Index: 1, Args: []abi.Expr{less}})},
		{Name: "odd", Params: param, Slots: make([]abi.Slot, 1), Body: op(abi.ExprAnd, op(abi.ExprNe, slot(0), s.int(0)), abi.Expr{Op: abi.ExprCall, Index: 0, Args: []abi.Expr{less}})},
	}
	for n, want := range map[int64]abi.Term{0: abi.True, 7: abi.False, 1000: abi.True} {
		_, x, ok, f := s.run(t, abi.Expr{Op: abi.ExprCall, Args: []abi.Expr{s.int(n)}}, functions...)
		if f != nil || !ok || x != want {
			t.Errorf("even(%d) = %#x, ok %v, failure %v", n, x, ok, f)
		}
	}
}

// sumTo is f(n) = if n == 0 then 0 else n + f(n - 1).
func sumTo(s *source) abi.Function {
	again := abi.Expr{Op: abi.ExprCall, Args: []abi.Expr{op(abi.ExprSub, slot(0), s.int(1))}}
	return abi.Function{
		Name: "sum_to", Params: []abi.Param{{Name: "n"}}, Slots: make([]abi.Slot, 1),
		Body: op(abi.ExprIf, op(abi.ExprEq, slot(0), s.int(0)), s.int(0), op(abi.ExprAdd, slot(0), again)),
	}
}

func TestDepthOfCallsIsALimit(t *testing.T) {
	s := &source{}
	fn := sumTo(s)
	m := New(term.New())
	if f := m.Load(s.constants, []abi.Function{fn}, nil); f != nil {
		t.Fatal(f)
	}
	for _, c := range []struct {
		limit uint64
		n     int64
		want  bool
	}{
		{0, DefaultCalls - 2, true}, {0, DefaultCalls + 1, false}, {200_000, 190_000, true}, {10, 8, true}, {10, 11, false},
	} {
		m.Begin(&abi.Call{Limits: abi.Limits{Calls: c.limit}})
		x, f := m.Call(0, []abi.Term{m.table.Int(c.n)})
		if c.want {
			if f != nil || x != m.table.Int(c.n*(c.n+1)/2) {
				t.Errorf("limit %d, n %d: %v, failure %v", c.limit, c.n, m.table.Value(x), f)
			}
			continue
		}
		if f == nil || f.Code != abi.FailureLimit || f.Limit.Limit != abi.LimitCalls || f.Limit.Used <= f.Limit.Allowed {
			t.Errorf("limit %d, n %d: failure %+v", c.limit, c.n, f)
		}
	}
	m.Begin(&abi.Call{})
	if x, f := m.Call(0, []abi.Term{m.table.Int(3)}); f != nil || x != m.table.Int(6) {
		t.Errorf("after a breach: %v, failure %v", m.table.Value(x), f)
	}
}

func TestDeepListsAreBuiltButDoNotLeave(t *testing.T) {
	s := &source{}
	// f(n) = if n == 0 then [] else [f(n - 1)]
	again := abi.Expr{Op: abi.ExprCall, Args: []abi.Expr{op(abi.ExprSub, slot(0), s.int(1))}}
	fn := abi.Function{
		Name: "nest", Params: []abi.Param{{Name: "n"}}, Slots: make([]abi.Slot, 1),
		Body: op(abi.ExprIf, op(abi.ExprEq, slot(0), s.int(0)), op(abi.ExprList), op(abi.ExprList, again)),
	}
	length := abi.Function{Name: "length", Params: fn.Params, Slots: fn.Slots, Body: call(abi.BuiltinLen, abi.Expr{Op: abi.ExprCall, Args: []abi.Expr{slot(0)}})}
	m := New(term.New())
	if f := m.Load(s.constants, []abi.Function{fn, length}, nil); f != nil {
		t.Fatal(f)
	}
	m.Begin(&abi.Call{Limits: abi.Limits{Calls: 300_000}})
	if x, f := m.Call(1, []abi.Term{m.table.Int(200_000)}); f != nil || x != m.table.Int(1) {
		t.Errorf("length %v, failure %v", m.table.Value(x), f)
	}
	if _, f := m.Call(0, []abi.Term{m.table.Int(200_000)}); f == nil || f.Code != abi.FailureEval {
		t.Errorf("a value nested 200,000 deep: failure %v", f)
	}
}

func TestValuesThatGrowWithoutBoundAreRefused(t *testing.T) {
	s := &source{}
	// f(n, x) = if n == 0 then x else f(n - 1, x op x)
	double := func(o abi.ExprOp) abi.Function {
		return abi.Function{
			Name: "double", Params: make([]abi.Param, 2), Slots: make([]abi.Slot, 2),
			Body: op(abi.ExprIf, op(abi.ExprEq, slot(0), s.int(0)), slot(1),
				abi.Expr{Op: abi.ExprCall, Args: []abi.Expr{op(abi.ExprSub, slot(0), s.int(1)), op(o, slot(1), slot(1))}}),
		}
	}
	for _, c := range []struct {
		name string
		o    abi.ExprOp
		x    abi.Expr
	}{
		{"number", abi.ExprMul, s.int(1 << 40)}, {"string", abi.ExprAdd, s.str("x")}, {"text", abi.ExprText, s.str("x")},
		{"list", abi.ExprList, s.str("x")},
	} {
		m, _, _, f := s.run(t, abi.Expr{Op: abi.ExprCall, Args: []abi.Expr{s.int(40), c.x}}, double(c.o))
		if f == nil {
			// It fits inside, but may not leave.
			_, f = m.Call(0, []abi.Term{m.table.Int(40), m.table.Intern(s.constants[c.x.Index])})
		}
		if f == nil || f.Code != abi.FailureEval || f.Limit == nil || f.Limit.Limit != abi.LimitValue {
			t.Errorf("%s: failure %v", c.name, f)
		}
	}
}

func TestLongChainsOfOperatorsCompile(t *testing.T) {
	s := &source{}
	e := s.int(0)
	one := s.int(1)
	for range 50_000 {
		e = op(abi.ExprAdd, e, one)
	}
	m, x, ok, f := s.run(t, e)
	if f != nil || !ok || x != m.table.Int(50_000) {
		t.Errorf("%#x, ok %v, failure %v", x, ok, f)
	}
}

func TestMalformedExpressionsAreRefused(t *testing.T) {
	s := &source{}
	one := s.int(1)
	deep := abi.Pattern{}
	for range MaxPatternDepth + 1 {
		deep = abi.Pattern{Op: abi.PatOr, Items: []abi.Pattern{deep}}
	}
	matching := func(p abi.Pattern) abi.Expr {
		return abi.Expr{Op: abi.ExprMatch, Args: []abi.Expr{one}, Arms: []abi.Arm{{Pattern: p, Body: one}}}
	}
	for name, e := range map[string]abi.Expr{
		"constant":        {Op: abi.ExprConst, Index: 99},
		"slot":            slot(9),
		"negative slot":   slot(-1),
		"let slot":        {Op: abi.ExprLet, Index: 8, Args: []abi.Expr{one, one}},
		"function":        {Op: abi.ExprCall, Index: 3},
		"builtin":         call("no_such"),
		"builtin arity":   call(abi.BuiltinAbs),
		"operands":        op(abi.ExprAdd, one),
		"operator":        op(abi.ExprOp(200), one),
		"type test":       op(abi.ExprIsType, one),
		"subquery":        op(abi.ExprSub_),
		"pattern slot":    matching(abi.Pattern{Op: abi.PatBind, Slot: 8}),
		"pattern const":   matching(abi.Pattern{Op: abi.PatConst, Const: 99}),
		"pattern op":      matching(abi.Pattern{Op: abi.PatternOp(99)}),
		"pattern some":    matching(abi.Pattern{Op: abi.PatSome}),
		"pattern nesting": matching(deep),
		"many operands":   {Op: abi.ExprList, Args: slices.Repeat([]abi.Expr{one}, 70_000)},
	} {
		m := New(term.New())
		if f := m.Load(s.constants, nil, nil); f != nil {
			t.Fatal(f)
		}
		if _, f := m.Compile(&e, 8); f == nil || f.Code != abi.FailureRequest {
			t.Errorf("%s: %v", name, f)
		}
	}
}

func TestReadingIsRefusedInRules(t *testing.T) {
	s := &source{}
	for _, e := range []abi.Expr{
		op(abi.ExprRead, s.int(1)), op(abi.ExprReadAll), op(abi.ExprHolds), {Op: abi.ExprSub_, Sub: &abi.Sub{Op: abi.SubExists}},
	} {
		if _, _, ok, f := s.run(t, e); ok || f == nil || f.Code != abi.FailureRequest {
			t.Errorf("operator %d: ok %v, failure %v", e.Op, ok, f)
		}
	}
}

func BenchmarkExpressionPerRow(b *testing.B) {
	s := &source{}
	// x * 3 + y < 1000 && x != y
	e := op(abi.ExprAnd,
		op(abi.ExprLt, op(abi.ExprAdd, op(abi.ExprMul, slot(0), s.int(3)), slot(1)), s.int(1000)),
		op(abi.ExprNe, slot(0), slot(1)))
	m := New(term.New())
	if f := m.Load(s.constants, nil, nil); f != nil {
		b.Fatal(f)
	}
	c, f := m.Compile(&e, 2)
	if f != nil {
		b.Fatal(f)
	}
	slots := newSlots(2)
	rows := 0
	for b.Loop() {
		slots[0], slots[1] = m.table.Int(int64(rows&1023)), m.table.Int(int64(rows&511))
		if _, ok, f := m.Eval(c, slots); !ok || f != nil {
			b.Fatal(ok, f)
		}
		rows++
	}
	b.ReportMetric(float64(rows)/b.Elapsed().Seconds()/1e6, "Mrows/s")
}

func BenchmarkCalls(b *testing.B) {
	s := &source{}
	m := New(term.New())
	fn := sumTo(s)
	if f := m.Load(s.constants, []abi.Function{fn}, nil); f != nil {
		b.Fatal(f)
	}
	m.Begin(&abi.Call{})
	for b.Loop() {
		if _, f := m.Call(0, []abi.Term{m.table.Int(1000)}); f != nil {
			b.Fatal(f)
		}
	}
	b.ReportMetric(1000*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mcalls/s")
}
