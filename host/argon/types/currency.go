package types

import (
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// oneCurrency reports an operation on amounts of which it is certain that they
// are not of one currency. Of a Money whose value is not written there nothing
// is known: it may be an amount without a currency.
func (s *scope) oneCurrency(x *syntax.Binary, a, b *abi.Expr, ta, tb abi.Type) {
	if x.Op == "*" || x.Op == "%" || x.Op == "/" && (numeric(ta) || numeric(tb)) {
		return
	}
	ca, cb := s.currency(a, ta), s.currency(b, tb)
	switch {
	case ca == "" || cb == "" || ca == cb:
	case ca == noCurrency:
		s.report("OE0257", x, "write the amount with its currency", "a plain number and an amount of %s have nothing to do with each other", cb)
	case cb == noCurrency:
		s.report("OE0257", x, "write the amount with its currency", "an amount of %s and a plain number have nothing to do with each other", ca)
	default:
		s.report("OE0257", x, "convert one of the two first", "amounts of %s and of %s have nothing to do with each other", ca, cb)
	}
}

// noCurrency is the currency of plain numbers.
const noCurrency = "none"

// currency is that of the values of x: noCurrency, or empty where it is not
// certain. Zero goes with every currency.
func (s *scope) currency(x *abi.Expr, t abi.Type) string {
	v, ok := s.e.constant(x)
	switch {
	case ok && v.Kind == abi.KindMoney:
		return v.Str
	case numeric(strip(t)) && !(ok && v.Kind == abi.KindNum && v.Number().Sign() == 0):
		return noCurrency
	case x.Op == abi.ExprAdd || x.Op == abi.ExprSub || x.Op == abi.ExprMul || x.Op == abi.ExprDiv || x.Op == abi.ExprNeg:
		for i := range x.Args { // an amount, since x is no number
			if c := s.currency(&x.Args[i], Money); c != "" && c != noCurrency {
				return c
			}
		}
	}
	return ""
}
