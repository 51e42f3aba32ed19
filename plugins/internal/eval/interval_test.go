package eval

import (
	"math/big"
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/internal/term"
)

func TestEndsOfIntervals(t *testing.T) {
	s := &source{}
	money := func(currency string, ns ...int64) abi.Expr {
		list := abi.Expr{Op: abi.ExprList}
		for _, n := range ns {
			list.Args = append(list.Args, s.val(abi.MoneyValue(big.NewRat(n, 1), currency)))
		}
		return list
	}
	spans := func(ns ...int64) abi.Expr {
		list := abi.Expr{Op: abi.ExprList}
		for _, n := range ns {
			list.Args = append(list.Args, s.val(abi.Value{Kind: abi.KindSpan, Int: n}))
		}
		return list
	}
	two := abi.Expr{Op: abi.ExprList, Args: []abi.Expr{s.val(abi.MoneyValue(big.NewRat(1, 1), "EUR")), s.val(abi.MoneyValue(big.NewRat(2, 1), "USD"))}}
	for _, c := range []struct {
		name       string
		sure, all  abi.Expr
		sums, mean [2]string
	}{
		{"nothing", s.ints(), s.ints(), [2]string{"0", "0"}, [2]string{"none", "none"}},
		{"what is known alone", s.ints(1, 2), s.ints(1, 2), [2]string{"3", "3"}, [2]string{"1.5", "1.5"}},
		{"nothing is known", s.ints(), s.ints(-4, 1, 3), [2]string{"-4", "4"}, [2]string{"-4", "3"}},
		// Taking 9 gives 5.5, and 5 beside it would take that down again.
		{"as far as it goes", s.ints(2), s.ints(2, 5, 9), [2]string{"2", "16"}, [2]string{"2", "5.5"}},
		{"several of the furthest", s.ints(2), s.ints(0, 0, 2, 9), [2]string{"2", "11"}, [2]string{"2/3", "5.5"}},
		{"a value twice", s.ints(3), s.ints(3, 3, 3), [2]string{"3", "9"}, [2]string{"3", "3"}},
		{"money", money("EUR", 10), money("EUR", -5, 10, 30), [2]string{"5.00 EUR", "40.00 EUR"}, [2]string{"2.50 EUR", "20.00 EUR"}},
		{"no money is known", money("EUR"), money("EUR", 10), [2]string{"0.00 EUR", "10.00 EUR"}, [2]string{"10.00 EUR", "10.00 EUR"}},
		{"durations", spans(60), spans(0, 60, 3600), [2]string{"PT1M", "PT1H1M"}, [2]string{"PT30S", "PT30M30S"}},
		{"two currencies", money("EUR", 1), two, [2]string{"none", "none"}, [2]string{"none", "none"}},
		{"no amounts", s.ints(), abi.Expr{Op: abi.ExprList, Args: []abi.Expr{s.str("a")}}, [2]string{"!" + term.WrongKind.String(), "!" + term.WrongKind.String()}, [2]string{"!" + term.WrongKind.String(), "!" + term.WrongKind.String()}},
	} {
		for i, name := range []string{abi.BuiltinLeastSum, abi.BuiltinMostSum, abi.BuiltinLeastMean, abi.BuiltinMostMean} {
			want := append(c.sums[:], c.mean[:]...)[i]
			m, x, ok, f := s.run(t, call(name, c.sure, c.all))
			if f != nil {
				t.Fatal(f)
			}
			got := "!" + m.fault.String()
			if ok {
				text, _ := m.table.AppendText(nil, x)
				got = string(text)
			}
			if got != want {
				t.Errorf("%s: %s is %s, want %s", c.name, name, got, want)
			}
		}
	}
}
