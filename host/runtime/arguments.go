package runtime

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"strings"
	"time"

	"github.com/ox-mcp/ox-mcp/abi"
)

// decodeValue reads a JSON argument as a value of type t. A string is taken
// in the literal form of t. resolve gives the individual that a text names.
func decodeValue(raw json.RawMessage, t abi.Type, path string, m *module) (abi.Value, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return abi.Value{}, Invalid(path, "JSON", err.Error(), "")
	}
	if _, err := d.Token(); err != io.EOF {
		return abi.Value{}, Invalid(path, "one JSON value", "more after it", "")
	}
	return valueOf(v, t, path, m, 0)
}

// maxValueDepth bounds nested lists and payloads in arguments.
const maxValueDepth = 32

func valueOf(v any, t abi.Type, path string, m *module, depth int) (abi.Value, error) {
	wrong := func() (abi.Value, error) {
		return abi.Value{}, Invalid(path, expectation(t), describe(v), "")
	}
	if depth > maxValueDepth {
		return abi.Value{}, Invalid(path, fmt.Sprintf("at most %d levels", maxValueDepth), "more", "")
	}
	if t.Op == abi.TypeOption {
		if v == nil {
			return abi.NoneValue(), nil
		}
		return valueOf(v, elem(t, 0), path, m, depth+1)
	}
	text, isText := v.(string)
	if n, ok := v.(json.Number); ok {
		text = n.String()
	}
	switch t.Op {
	case abi.TypeBool:
		if b, ok := v.(bool); ok {
			return abi.BoolValue(b), nil
		}
		if text == "true" || text == "false" {
			return abi.BoolValue(text == "true"), nil
		}
	case abi.TypeNat, abi.TypeInt:
		if n, ok := new(big.Int).SetString(text, 10); ok && len(text) <= maxNumberText && (t.Op == abi.TypeInt || n.Sign() >= 0) && inWidth(n, t.Name) {
			return abi.RatValue(new(big.Rat).SetInt(n)), nil
		}
	case abi.TypeReal, abi.TypeDecimal:
		if r, ok := parseNumber(text); ok {
			return abi.RatValue(r), nil
		}
	case abi.TypeMoney:
		amount, currency, _ := strings.Cut(strings.TrimSpace(text), " ")
		if r, ok := parseNumber(amount); ok {
			if currency == "" {
				return abi.RatValue(r), nil
			}
			if len(currency) == 3 && strings.ToUpper(currency) == currency {
				return abi.MoneyValue(r, currency), nil
			}
		}
	case abi.TypeString:
		if isText {
			return abi.StringValue(text), nil
		}
	case abi.TypeDate:
		if d, err := time.Parse(time.DateOnly, strings.Trim(text, "#")); err == nil && isText {
			return abi.DayValue(d.Unix() / abi.SecondsPerDay), nil
		}
	case abi.TypeDateTime:
		if d, err := time.Parse(time.RFC3339Nano, strings.Trim(text, "#")); err == nil && isText {
			return instantOf(d), nil
		}
	case abi.TypeDuration:
		if s, ok := parseSpan(text); ok && isText {
			return s, nil
		}
	case abi.TypeConcept, abi.TypeTop:
		return individualOf(v, t, path, m)
	case abi.TypeEnum:
		return enumOf(v, t, path, m, depth)
	case abi.TypeStruct:
		return structOf(v, t, path, m, depth)
	case abi.TypeRef:
		if isText {
			return m.typeRef(text, t, path)
		}
	case abi.TypeTime:
		if d, ok := parseTimeOfDay(strings.Trim(text, "#")); ok && isText {
			return d, nil
		}
	case abi.TypeMap:
		return mapOf(v, t, path, m, depth)
	case abi.TypeRange:
		return rangeOf(v, t, path, m, depth)
	case abi.TypeList, abi.TypeSet:
		items, ok := v.([]any)
		if !ok {
			return wrong()
		}
		out := abi.Value{Kind: abi.KindList}
		for i, it := range items {
			e, err := valueOf(it, elem(t, 0), fmt.Sprintf("%s[%d]", path, i), m, depth+1)
			if err != nil {
				return abi.Value{}, err
			}
			out.Items = append(out.Items, e)
		}
		if t.Op == abi.TypeSet {
			out.Kind, out.Items = abi.KindSet, distinct(out.Items)
		}
		return out, nil
	}
	return wrong()
}

// maxNumberText bounds the digits of a number in an argument.
const maxNumberText = 4096

func parseNumber(s string) (*big.Rat, bool) {
	if len(s) > maxNumberText || strings.ContainsAny(s, "eEpPxXoObB_") {
		return nil, false
	}
	return new(big.Rat).SetString(s)
}

func individualOf(v any, t abi.Type, path string, m *module) (abi.Value, error) {
	switch v := v.(type) {
	case string:
		if t, ok := m.typeMember(v, optional(t).Name); ok && m.declared[v] == "" {
			return t, nil
		}
		if v != "" {
			return m.individual(v), nil
		}
	case map[string]any:
		for _, key := range sortedKeys(v) {
			if key != "id" && key != "name" {
				return abi.Value{}, Invalid(path+"."+key, "id, and no other key than name beside it", "an unknown key", Nearest(key, []string{"id", "name"}))
			}
		}
		if id, ok := v["id"].(string); ok && id != "" {
			return m.individual(id), nil
		}
	case json.Number:
		if t.Op == abi.TypeTop {
			if r, ok := parseNumber(v.String()); ok {
				return abi.RatValue(r), nil
			}
		}
	case bool:
		if t.Op == abi.TypeTop {
			return abi.BoolValue(v), nil
		}
	}
	return abi.Value{}, Invalid(path, expectation(t), describe(v), "")
}

func enumOf(v any, t abi.Type, path string, m *module, depth int) (abi.Value, error) {
	tag, args := "", []any(nil)
	switch v := v.(type) {
	case string:
		tag = v
	case map[string]any:
		tag, _ = v["tag"].(string)
		args, _ = v["args"].([]any)
	}
	def := m.typeDef(t.Name)
	var names []string
	object, _ := v.(map[string]any)
	if def != nil {
		for _, va := range def.Variants {
			short := shortName(va.Name)
			names = append(names, short)
			if tag != short && tag != va.Name && tag != shortName(t.Name)+"::"+short {
				continue
			}
			if len(va.Fields) == 0 {
				return abi.SymbolValue(va.Name), nil
			}
			if va.Named {
				out := abi.Value{Kind: abi.KindVariant, Str: va.Name}
				return fieldsOf(object, va.Fields, "tag", out, t, path, m, depth)
			}
			if len(args) != len(va.Fields) {
				return abi.Value{}, Invalid(path, fmt.Sprintf("%s with %d values in args", short, len(va.Fields)), describe(v), "")
			}
			out := abi.Value{Kind: abi.KindVariant, Str: va.Name}
			for i, f := range va.Fields {
				e, err := valueOf(args[i], instance(f.Type, t.Args), fmt.Sprintf("%s.args[%d]", path, i), m, depth+1)
				if err != nil {
					return abi.Value{}, err
				}
				out.Items = append(out.Items, e)
			}
			return out, nil
		}
	}
	return abi.Value{}, Invalid(path, "one of "+strings.Join(names, ", "), describe(v), Nearest(tag, names))
}

func structOf(v any, t abi.Type, path string, m *module, depth int) (abi.Value, error) {
	fields, ok := v.(map[string]any)
	def := m.typeDef(t.Name)
	if !ok || def == nil {
		return abi.Value{}, Invalid(path, expectation(t), describe(v), "")
	}
	return fieldsOf(fields, def.Fields, "", abi.Value{Kind: abi.KindStruct, Str: t.Name}, t, path, m, depth)
}

func distinct(items []abi.Value) []abi.Value {
	sortValues(items)
	out := items[:0]
	for i, v := range items {
		if i == 0 || !abi.Equal(v, items[i-1]) {
			out = append(out, v)
		}
	}
	return out
}

// parseSpan reads PnDTnHnMnS.
func parseSpan(s string) (abi.Value, bool) {
	neg := strings.HasPrefix(s, "-")
	s = strings.TrimPrefix(s, "-")
	if !strings.HasPrefix(s, "P") || len(s) < 3 || len(s) > 64 {
		return abi.Value{}, false
	}
	date, clock, hasClock := strings.Cut(s[1:], "T")
	total := time.Duration(0)
	seconds := int64(0)
	if date != "" {
		var n int64
		if rest, err := fmt.Sscanf(date, "%dD", &n); err != nil || rest != 1 || date != fmt.Sprintf("%dD", n) || n > 1e9 {
			return abi.Value{}, false
		}
		seconds = n * abi.SecondsPerDay
	}
	if hasClock {
		d, err := time.ParseDuration(strings.ToLower(clock))
		if err != nil || d < 0 {
			return abi.Value{}, false
		}
		total = d
	}
	seconds += int64(total / time.Second)
	nanos := int64(total % time.Second)
	if neg {
		seconds = -seconds
		if nanos > 0 {
			seconds, nanos = seconds-1, 1e9-nanos
		}
	}
	return abi.Value{Kind: abi.KindSpan, Int: seconds, Nano: int32(nanos)}, true
}

func expectation(t abi.Type) string {
	switch t.Op {
	case abi.TypeConcept:
		return "an individual of " + shortName(t.Name) + `: its name, its id, or {"id": …}`
	case abi.TypeDate:
		return `a Date such as "2031-07-04"`
	case abi.TypeDateTime:
		return `a DateTime such as "2031-07-04T10:00:00Z"`
	case abi.TypeTime:
		return `a Time such as "10:30:00"`
	case abi.TypeMap:
		return typeText(t) + ", an array of [key, value]"
	case abi.TypeRange:
		return typeText(t) + `, {"from": …, "to": …}`
	case abi.TypeDuration:
		return `a Duration such as "P1DT2H"`
	case abi.TypeMoney:
		return `Money such as "12.50 EUR"`
	case abi.TypeDecimal, abi.TypeReal:
		return "a " + typeText(t) + ` such as "12.5" or 12.5`
	}
	return typeText(t)
}

func describe(v any) string {
	if v == nil {
		return "nothing"
	}
	b, err := EncodeJSON(v)
	if err != nil {
		return fmt.Sprintf("%T", v)
	}
	if len(b) > 80 {
		return string(b[:80]) + "…"
	}
	return string(b)
}
