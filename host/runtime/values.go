package runtime

import (
	"encoding/hex"
	"fmt"
	"math/big"
	"strings"
	"time"

	"github.com/ox-mcp/ox-mcp/abi"
)

// maxSafeInt is the largest integer that every JSON reader keeps exact.
const maxSafeInt = 1 << 53

// namer gives individuals their display names.
type namer interface {
	// display returns how an individual prints, and its name ("" for none).
	display(v abi.Value) (text, name string)
}

// cell renders v, whose static type is t, in both forms.
func cell(v abi.Value, t abi.Type, n namer) Cell {
	return Cell{Text: displayText(v, t, n), JSON: jsonValue(v, t, n)}
}

func elem(t abi.Type, i int) abi.Type {
	if i < len(t.Args) {
		return t.Args[i]
	}
	return abi.Type{}
}

// optional strips Option<T>, whose present values are plain.
func optional(t abi.Type) abi.Type {
	for t.Op == abi.TypeOption {
		t = elem(t, 0)
	}
	return t
}

func jsonValue(v abi.Value, t abi.Type, n namer) any {
	t = optional(t)
	switch v.Kind {
	case abi.KindNone:
		return nil
	case abi.KindBool:
		return v.Int != 0
	case abi.KindNum:
		switch t.Op {
		case abi.TypeDecimal, abi.TypeReal, abi.TypeMoney:
			return numberText(v.Number(), t)
		}
		if v.Rat == nil && v.Int <= maxSafeInt && v.Int >= -maxSafeInt {
			return v.Int
		}
		return numberText(v.Number(), t)
	case abi.KindString:
		return v.Str
	case abi.KindNamed, abi.KindMinted:
		id, _ := individualID(v)
		_, name := n.display(v)
		if name == "" {
			return struct {
				ID string `json:"id"`
			}{id}
		}
		return struct {
			ID   string `json:"id"`
			Name string `json:"name"`
		}{id, name}
	case abi.KindSymbol:
		return struct {
			Tag string `json:"tag"`
		}{shortName(v.Str)}
	case abi.KindVariant:
		return payloadJSON(v, t, n)
	case abi.KindStruct:
		return structJSON(v, t, n)
	case abi.KindRange:
		return object{{"from", jsonValue(v.Items[0], elem(t, 0), n)}, {"to", jsonValue(v.Items[1], elem(t, 0), n)}}
	case abi.KindList, abi.KindSet:
		return jsonItems(v.Items, elem(t, 0), n)
	case abi.KindMap:
		pairs := []any{}
		for i := 0; i+1 < len(v.Items); i += 2 {
			pairs = append(pairs, []any{jsonValue(v.Items[i], elem(t, 0), n), jsonValue(v.Items[i+1], elem(t, 1), n)})
		}
		return pairs
	}
	return displayText(v, t, n)
}

func jsonItems(items []abi.Value, t abi.Type, n namer) []any {
	out := make([]any, 0, len(items))
	for _, it := range items {
		out = append(out, jsonValue(it, t, n))
	}
	return out
}

// variantJSON is {"tag": …, "args": […]}.
type variantJSON struct {
	tag  string
	args []any
}

func (v variantJSON) MarshalJSON() ([]byte, error) {
	return EncodeJSON(struct {
		Tag  string `json:"tag"`
		Args []any  `json:"args"`
	}{v.tag, v.args})
}

// individualID returns the identity that a caller can pass back.
func individualID(v abi.Value) (string, bool) {
	switch v.Kind {
	case abi.KindNamed:
		return v.Str, true
	case abi.KindMinted:
		return uuidText(v.ID), true
	}
	return "", false
}

func uuidText(id [16]byte) string {
	h := hex.EncodeToString(id[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

func parseUUID(s string) (id [16]byte, ok bool) {
	if len(s) != 36 || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
		return id, false
	}
	b, err := hex.DecodeString(strings.ReplaceAll(s, "-", ""))
	if err != nil || len(b) != 16 {
		return id, false
	}
	return [16]byte(b), true
}

func shortName(qualified string) string {
	if i := strings.LastIndex(qualified, "::"); i >= 0 {
		return qualified[i+2:]
	}
	return qualified
}

func displayText(v abi.Value, t abi.Type, n namer) string {
	t = optional(t)
	list := func(open, close string) string {
		parts := make([]string, len(v.Items))
		for i, it := range v.Items {
			parts[i] = displayText(it, elem(t, 0), n)
		}
		return open + strings.Join(parts, ", ") + close
	}
	switch v.Kind {
	case abi.KindNone:
		return "none"
	case abi.KindBool:
		return fmt.Sprint(v.Int != 0)
	case abi.KindNum:
		return numberText(v.Number(), t)
	case abi.KindMoney:
		return moneyText(v.Number()) + " " + v.Str
	case abi.KindString:
		return v.Str
	case abi.KindNamed, abi.KindMinted:
		text, _ := n.display(v)
		return text
	case abi.KindSymbol, abi.KindType:
		return shortName(v.Str)
	case abi.KindVariant:
		return shortName(v.Str) + list("(", ")")
	case abi.KindStruct:
		return shortName(v.Str) + list("{", "}")
	case abi.KindList:
		return list("[", "]")
	case abi.KindSet:
		return list("{", "}")
	case abi.KindDay:
		return dayTime(v.Int).Format(time.DateOnly)
	case abi.KindInstant:
		return instantText(v)
	case abi.KindSpan:
		return spanText(v)
	case abi.KindTime:
		return timeOfDayText(v)
	case abi.KindRange:
		return displayText(v.Items[0], elem(t, 0), n) + ".." + displayText(v.Items[1], elem(t, 0), n)
	case abi.KindMap:
		return mapText(v, t, n)
	}
	return list("", "")
}

func dayTime(day int64) time.Time { return time.Unix(day*abi.SecondsPerDay, 0).UTC() }

func instantText(v abi.Value) string {
	return time.Unix(v.Int, int64(v.Nano)).UTC().Format(time.RFC3339Nano)
}

func instantOf(t time.Time) abi.Value {
	t = t.UTC()
	return abi.Value{Kind: abi.KindInstant, Int: t.Unix(), Nano: int32(t.Nanosecond())}
}

func spanText(v abi.Value) string {
	sign, s, nano := "", v.Int, int64(v.Nano)
	if s < 0 {
		sign, s = "-", -s
		if nano > 0 {
			s, nano = s-1, 1e9-nano
		}
	}
	out := sign + "P"
	if d := s / abi.SecondsPerDay; d > 0 {
		out += fmt.Sprintf("%dD", d)
	}
	rest := s % abi.SecondsPerDay
	if rest > 0 || nano > 0 {
		out += "T"
		if h := rest / 3600; h > 0 {
			out += fmt.Sprintf("%dH", h)
		}
		if m := rest % 3600 / 60; m > 0 {
			out += fmt.Sprintf("%dM", m)
		}
		if sec := rest % 60; sec > 0 || nano > 0 {
			out += fmt.Sprint(sec)
			if nano > 0 {
				out += "." + strings.TrimRight(fmt.Sprintf("%09d", nano), "0")
			}
			out += "S"
		}
	}
	if out == "P" || out == "-P" {
		return "P0D"
	}
	return out
}

// numberText is the shortest exact form: an integer, a finite decimal, or n/d.
func numberText(r *big.Rat, _ abi.Type) string {
	if r.IsInt() {
		return r.Num().String()
	}
	if digits, exact := r.FloatPrec(); exact {
		return r.FloatString(digits)
	}
	return r.String()
}

// moneyText prints at least the two digits of a currency's minor unit.
func moneyText(r *big.Rat) string {
	digits, exact := r.FloatPrec()
	if !exact {
		return r.String()
	}
	return r.FloatString(max(digits, 2))
}

// typeArgs prints the arguments of a static type in its brackets.
func typeArgs(t abi.Type) string {
	if len(t.Args) == 0 {
		return ""
	}
	args := make([]string, len(t.Args))
	for i, a := range t.Args {
		args[i] = typeText(a)
	}
	return "<" + strings.Join(args, ", ") + ">"
}

// typeText prints a static type as the language writes it.
func typeText(t abi.Type) string {
	switch t.Op {
	case abi.TypeConcept, abi.TypeStruct, abi.TypeEnum:
		return shortName(t.Name) + typeArgs(t)
	case abi.TypeList:
		return "[" + typeText(elem(t, 0)) + "]"
	case abi.TypeOption:
		return typeText(elem(t, 0)) + "?"
	case abi.TypeFn:
		n := len(t.Args) - 1
		args := make([]string, 0, len(t.Args))
		for _, a := range t.Args {
			args = append(args, typeText(a))
		}
		if n < 0 {
			return "fn()"
		}
		return "fn(" + strings.Join(args[:n], ", ") + ") -> " + args[n]
	}
	if (t.Op == abi.TypeRef || t.Op == abi.TypeNat || t.Op == abi.TypeInt) && t.Name != "" {
		return t.Name
	}
	name, ok := typeNames[t.Op]
	if !ok {
		return "Top"
	}
	return name + typeArgs(t)
}

var typeNames = map[abi.TypeOp]string{
	abi.TypeTop: "Top", abi.TypeBot: "Bot", abi.TypeBool: "Bool", abi.TypeNat: "Nat", abi.TypeInt: "Int",
	abi.TypeReal: "Real", abi.TypeDecimal: "Decimal", abi.TypeMoney: "Money", abi.TypeString: "String",
	abi.TypeDate: "Date", abi.TypeTime: "Time", abi.TypeDateTime: "DateTime", abi.TypeDuration: "Duration",
	abi.TypeSet: "Set", abi.TypeMap: "Map", abi.TypeRange: "Range", abi.TypeRef: "TypeRef",
}
