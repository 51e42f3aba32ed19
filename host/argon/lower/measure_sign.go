package lower

import "github.com/ox-mcp/ox-mcp/abi"

// sign is what is known of how small a number can be, whatever the interval that
// it lies in.
type sign uint8

const (
	anySign      sign = iota
	naturalSign       // 0 at least
	positiveSign      // greater than 0
)

// sign tells it of an expression by its parts: a count is not negative, and one
// more is positive. What may be 0 has no quotients that lie between ends.
func (m *measuring) sign(x *abi.Expr) sign {
	part := func(i int) sign { return m.sign(&x.Args[i]) }
	switch x.Op {
	case abi.ExprConst:
		switch v := &m.b.env.Constants.Values[x.Index]; {
		case v.Kind != abi.KindNum:
		case abi.Compare(*v, abi.IntValue(0)) > 0:
			return positiveSign
		case abi.Equal(*v, abi.IntValue(0)):
			return naturalSign
		}
	case abi.ExprSlot:
		if s, known := m.signs[x.Index]; known && s != anySign {
			return s
		}
		of, held := m.of[x.Index]
		if !held {
			of = (*m.slots)[x.Index].Type
		}
		if of.Op == abi.TypeNat && !m.made[x.Index] {
			return naturalSign
		}
	case abi.ExprAdd:
		if a, b := part(0), part(1); min(a, b) > anySign {
			return max(a, b)
		}
	case abi.ExprMul, abi.ExprDiv:
		return min(part(0), part(1)) // of a quotient that there is
	}
	return anySign
}
