package eval

import (
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
)

// IsType reports whether x is a value of the value type typ. Of a concept it
// only knows that its members are individuals: membership is an atom. It
// recurses over the type, never over the value.
func (m *Machine) IsType(x abi.Term, typ *abi.Type) bool {
	t := m.table
	k := t.Kind(x)
	all := func(kind abi.Kind) bool {
		if k != kind {
			return false
		}
		for i, item := range t.Items(x) {
			if len(typ.Args) > 0 && !m.IsType(item, &typ.Args[i%len(typ.Args)]) {
				return false
			}
		}
		return true
	}
	switch typ.Op {
	case abi.TypeTop:
		return true
	case abi.TypeBool:
		return k == abi.KindBool
	case abi.TypeNat:
		return t.IsInteger(x) && t.Sign(x) >= 0
	case abi.TypeInt:
		return t.IsInteger(x)
	case abi.TypeReal, abi.TypeDecimal:
		return k == abi.KindNum
	case abi.TypeMoney:
		return k == abi.KindMoney || k == abi.KindNum
	case abi.TypeString:
		return k == abi.KindString
	case abi.TypeDate:
		return k == abi.KindDay
	case abi.TypeTime:
		return k == abi.KindTime
	case abi.TypeDateTime:
		return k == abi.KindInstant
	case abi.TypeDuration:
		return k == abi.KindSpan
	case abi.TypeConcept:
		return k == abi.KindNamed || k == abi.KindMinted
	case abi.TypeStruct:
		return k == abi.KindStruct && t.Str(x) == typ.Name
	case abi.TypeEnum:
		if k != abi.KindSymbol && k != abi.KindVariant {
			return false
		}
		tag, ok := strings.CutPrefix(t.Str(x), typ.Name+"::")
		return ok && !strings.Contains(tag, "::")
	case abi.TypeList:
		return all(abi.KindList)
	case abi.TypeSet:
		return all(abi.KindSet)
	case abi.TypeMap:
		return all(abi.KindMap)
	case abi.TypeRange:
		return all(abi.KindRange)
	case abi.TypeOption:
		return x == abi.None || len(typ.Args) == 0 || m.IsType(x, &typ.Args[0])
	case abi.TypeRef:
		return k == abi.KindType
	}
	return false
}
