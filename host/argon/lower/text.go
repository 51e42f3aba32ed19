package lower

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/ox-mcp/ox-mcp/abi"
)

// ValueText prints a value as it would be written in source.
func ValueText(v abi.Value) string {
	switch v.Kind {
	case abi.KindNum:
		return numberText(v)
	case abi.KindMoney:
		return numberText(v) + " " + v.Str
	case abi.KindString:
		return strconv.Quote(v.Str)
	case abi.KindNamed:
		return v.Str
	case abi.KindMinted:
		return fmt.Sprintf("%x", v.ID)
	case abi.KindSymbol, abi.KindType:
		return v.Str
	case abi.KindVariant:
		return v.Str + "(" + valueTexts(v.Items) + ")"
	case abi.KindStruct:
		return v.Str + " { " + valueTexts(v.Items) + " }"
	case abi.KindList:
		return "[" + valueTexts(v.Items) + "]"
	case abi.KindSet:
		return "{" + valueTexts(v.Items) + "}"
	case abi.KindDay:
		return "#" + time.Unix(v.Int*abi.SecondsPerDay, 0).UTC().Format(time.DateOnly) + "#"
	case abi.KindInstant:
		return "#" + time.Unix(v.Int, int64(v.Nano)).UTC().Format(time.RFC3339Nano) + "#"
	case abi.KindSpan:
		return (time.Duration(v.Int)*time.Second + time.Duration(v.Nano)).String()
	case abi.KindTime:
		return "#" + time.Unix(v.Int, int64(v.Nano)).UTC().Format("15:04:05.999999999") + "#"
	case abi.KindMap:
		var parts []string
		for i := 0; i+1 < len(v.Items); i += 2 {
			parts = append(parts, ValueText(v.Items[i])+": "+ValueText(v.Items[i+1]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case abi.KindRange:
		return ValueText(v.Items[0]) + ".." + ValueText(v.Items[1])
	case abi.KindBool:
		return strconv.FormatBool(v.Int != 0)
	case abi.KindNone:
		return "None"
	}
	return "?"
}

func valueTexts(items []abi.Value) string {
	parts := make([]string, len(items))
	for i, v := range items {
		parts[i] = ValueText(v)
	}
	return strings.Join(parts, ", ")
}

// numberText is the shortest exact form: digits, a decimal where it is finite,
// else n/d.
func numberText(v abi.Value) string {
	if v.Rat == nil {
		return strconv.FormatInt(v.Int, 10)
	}
	if v.Rat.IsInt() {
		return v.Rat.Num().String()
	}
	if digits, exact := v.Rat.FloatPrec(); exact {
		return v.Rat.FloatString(digits)
	}
	return v.Rat.String()
}
