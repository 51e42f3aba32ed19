package runtime

import (
	"bytes"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ox-mcp/ox-mcp/abi"
)

// shapes is a namer that also knows the declared types.
type shapes interface {
	typeDef(name string) *abi.TypeDef
}

func (n *names) typeDef(name string) *abi.TypeDef { return n.m.typeDef(name) }

// instance is t, of a generic declaration, where the type parameters stand for
// args.
func instance(t abi.Type, args []abi.Type) abi.Type {
	if t.Op == abi.TypeTop && t.Name != "" {
		if i, err := strconv.Atoi(t.Name); err == nil && i >= 0 && i < len(args) {
			return args[i]
		}
		return abi.Type{}
	}
	if len(t.Args) == 0 || len(args) == 0 {
		return t
	}
	t.Args = slices.Clone(t.Args)
	for i := range t.Args {
		t.Args[i] = instance(t.Args[i], args)
	}
	return t
}

// inWidth reports whether n fits the bounded integer called name, "u8" say;
// no name has no bounds.
func inWidth(n *big.Int, name string) bool {
	if name == "" {
		return true
	}
	bits, err := strconv.Atoi(name[1:])
	if err != nil {
		return false
	}
	if name[0] == 'u' {
		return n.Sign() >= 0 && n.BitLen() <= bits
	}
	if n.Sign() < 0 {
		n = new(big.Int).Not(n) // of -2^k it has k bits
	}
	return n.BitLen() < bits
}

// object is a JSON object whose keys keep their order.
type object []member

type member struct {
	key   string
	value any
}

// MarshalJSON writes the members in order.
func (o object) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			out.WriteByte(',')
		}
		key, err := EncodeJSON(m.key)
		if err != nil {
			return nil, err
		}
		value, err := EncodeJSON(m.value)
		if err != nil {
			return nil, err
		}
		out.Write(key)
		out.WriteByte(':')
		out.Write(value)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

func members(items []abi.Value, fields []abi.FieldDef, t abi.Type, n namer) object {
	out := object{}
	for i, it := range items {
		out = append(out, member{fields[i].Name, jsonValue(it, instance(fields[i].Type, t.Args), n)})
	}
	return out
}

// structJSON is a struct as an object. Where its declaration is not known the
// values stand alone.
func structJSON(v abi.Value, t abi.Type, n namer) any {
	if s, ok := n.(shapes); ok {
		if def := s.typeDef(v.Str); def != nil && len(def.Fields) == len(v.Items) {
			return members(v.Items, def.Fields, t, n)
		}
	}
	return jsonItems(v.Items, abi.Type{}, n)
}

// payloadJSON is an enum constant: {tag, args: […]}, or {tag, field: …} where
// the payload has names.
func payloadJSON(v abi.Value, t abi.Type, n namer) any {
	tag := shortName(v.Str)
	if s, ok := n.(shapes); ok {
		if def := s.typeDef(strings.TrimSuffix(v.Str, "::"+tag)); def != nil {
			for _, va := range def.Variants {
				if va.Name != v.Str || len(va.Fields) != len(v.Items) {
					continue
				}
				if va.Named {
					return append(object{{"tag", tag}}, members(v.Items, va.Fields, t, n)...)
				}
				args := []any{}
				for i, it := range v.Items {
					args = append(args, jsonValue(it, instance(va.Fields[i].Type, t.Args), n))
				}
				return variantJSON{tag: tag, args: args}
			}
		}
	}
	return variantJSON{tag: tag, args: jsonItems(v.Items, abi.Type{}, n)}
}

// fieldsOf reads the fields of a struct, or of a payload with names, from v;
// but is a key that is no field.
func fieldsOf(v map[string]any, fields []abi.FieldDef, but string, out abi.Value, t abi.Type, path string, m *module, depth int) (abi.Value, error) {
	var names []string
	for _, f := range fields {
		names = append(names, f.Name)
		e, err := valueOf(v[f.Name], instance(f.Type, t.Args), path+"."+f.Name, m, depth+1)
		if err != nil {
			return abi.Value{}, err
		}
		out.Items = append(out.Items, e)
	}
	for _, name := range sortedKeys(v) {
		if !slices.Contains(names, name) && (but == "" || name != but) {
			return abi.Value{}, Invalid(path+"."+name, "a field of "+shortName(out.Str), "an unknown field", Nearest(name, names))
		}
	}
	return out, nil
}

// mapOf reads an array of [key, value].
func mapOf(v any, t abi.Type, path string, m *module, depth int) (abi.Value, error) {
	items, ok := v.([]any)
	if !ok {
		return abi.Value{}, Invalid(path, expectation(t), describe(v), "")
	}
	type entry struct{ key, value abi.Value }
	var entries []entry
	for i, it := range items {
		at := fmt.Sprintf("%s[%d]", path, i)
		pair, ok := it.([]any)
		if !ok || len(pair) != 2 {
			return abi.Value{}, Invalid(at, "[key, value]", describe(it), "")
		}
		key, err := valueOf(pair[0], elem(t, 0), at+"[0]", m, depth+1)
		if err != nil {
			return abi.Value{}, err
		}
		value, err := valueOf(pair[1], elem(t, 1), at+"[1]", m, depth+1)
		if err != nil {
			return abi.Value{}, err
		}
		entries = append(entries, entry{key, value})
	}
	slices.SortStableFunc(entries, func(a, b entry) int { return abi.Compare(a.key, b.key) })
	out := abi.Value{Kind: abi.KindMap}
	for i, e := range entries {
		if i > 0 && abi.Equal(e.key, entries[i-1].key) {
			return abi.Value{}, Invalid(path, "keys that are distinct", "a key that stands twice", "")
		}
		out.Items = append(out.Items, e.key, e.value)
	}
	return out, nil
}

// rangeOf reads {from, to}.
func rangeOf(v any, t abi.Type, path string, m *module, depth int) (abi.Value, error) {
	ends, ok := v.(map[string]any)
	if !ok || len(ends) != 2 {
		return abi.Value{}, Invalid(path, expectation(t), describe(v), "")
	}
	out := abi.Value{Kind: abi.KindRange}
	for _, end := range []string{"from", "to"} {
		e, err := valueOf(ends[end], elem(t, 0), path+"."+end, m, depth+1)
		if err != nil {
			return abi.Value{}, err
		}
		out.Items = append(out.Items, e)
	}
	return out, nil
}

// parseTimeOfDay reads hh:mm:ss with an optional fraction, or hh:mm.
func parseTimeOfDay(text string) (abi.Value, bool) {
	for _, layout := range []string{"15:04:05", "15:04"} {
		if d, err := time.Parse(layout, text); err == nil {
			return abi.Value{Kind: abi.KindTime, Int: int64(d.Hour()*3600 + d.Minute()*60 + d.Second()), Nano: int32(d.Nanosecond())}, true
		}
	}
	return abi.Value{}, false
}

func timeOfDayText(v abi.Value) string {
	out := fmt.Sprintf("%02d:%02d:%02d", v.Int/3600, v.Int/60%60, v.Int%60)
	if v.Nano > 0 {
		out += "." + strings.TrimRight(fmt.Sprintf("%09d", v.Nano), "0")
	}
	return out
}

func mapText(v abi.Value, t abi.Type, n namer) string {
	var parts []string
	for i := 0; i+1 < len(v.Items); i += 2 {
		parts = append(parts, displayText(v.Items[i], elem(t, 0), n)+": "+displayText(v.Items[i+1], elem(t, 1), n))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// fromOutside reports whether a caller can give f its arguments and take its
// result: a type parameter says no form, and a function has none.
func fromOutside(f *abi.Function) bool {
	var plain func(t abi.Type) bool
	plain = func(t abi.Type) bool {
		if t.Op == abi.TypeFn || t.Op == abi.TypeTop && t.Name != "" {
			return false
		}
		for _, a := range t.Args {
			if !plain(a) {
				return false
			}
		}
		return true
	}
	for _, p := range f.Params {
		if !plain(p.Type) {
			return false
		}
	}
	return plain(f.Result) && !strings.Contains(f.Name, "|")
}
