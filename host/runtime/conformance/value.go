package conformance

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/lower"
)

// prefix is the module of every vector, left out of its text.
const prefix = "root::"

// names gives the individuals that a run made short names, in the order in
// which they appear: $1, $2, …
type names struct {
	ids   [][16]byte
	index map[[16]byte]int
}

func (n *names) of(id [16]byte) string {
	i, ok := n.index[id]
	if !ok {
		if n.index == nil {
			n.index = map[[16]byte]int{}
		}
		n.ids = append(n.ids, id)
		i = len(n.ids)
		n.index[id] = i
	}
	return "$" + strconv.Itoa(i)
}

// text writes a value as a vector has it.
func (n *names) text(v abi.Value) string {
	switch v.Kind {
	case abi.KindMinted:
		return n.of(v.ID)
	case abi.KindVariant, abi.KindStruct:
		return short(v.Str) + n.tuple(v.Items)
	case abi.KindList:
		t := n.tuple(v.Items)
		return "[" + t[1:len(t)-1] + "]"
	case abi.KindSet:
		t := n.tuple(v.Items)
		return "{" + t[1:len(t)-1] + "}"
	}
	return short(lower.ValueText(v))
}

func short(s string) string { return strings.TrimPrefix(s, prefix) }

func (n *names) tuple(values []abi.Value) string {
	parts := make([]string, len(values))
	for i, v := range values {
		parts[i] = n.text(v)
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

func (n *names) pointers(values []*abi.Value) string {
	parts := make([]string, len(values))
	for i, v := range values {
		parts[i] = "_"
		if v != nil {
			parts[i] = n.text(*v)
		}
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// reader reads the text of a call.
type reader struct {
	text string
	at   int
	prog *abi.Program
	name *names
}

func (r *reader) space() {
	for r.at < len(r.text) && r.text[r.at] == ' ' {
		r.at++
	}
}

// take skips s if it comes next.
func (r *reader) take(s string) bool {
	r.space()
	if strings.HasPrefix(r.text[r.at:], s) {
		r.at += len(s)
		return true
	}
	return false
}

// word reads up to a space or one of "(),[]{}".
func (r *reader) word() string {
	r.space()
	start := r.at
	for r.at < len(r.text) && !strings.ContainsRune(" (),[]{}", rune(r.text[r.at])) {
		r.at++
	}
	return r.text[start:r.at]
}

// values reads "(a, b)"; "_" gives nil.
func (r *reader) values(open, end string) ([]*abi.Value, error) {
	if !r.take(open) {
		return nil, fmt.Errorf("%q is missing at %q", open, r.text[r.at:])
	}
	out := []*abi.Value{}
	for !r.take(end) {
		if len(out) > 0 && !r.take(",") {
			return nil, fmt.Errorf("a comma is missing at %q", r.text[r.at:])
		}
		if r.take("_") {
			out = append(out, nil)
			continue
		}
		v, err := r.value()
		if err != nil {
			return nil, err
		}
		out = append(out, &v)
	}
	return out, nil
}

// all reads values of which none is left out.
func (r *reader) all(open, end string) ([]abi.Value, error) {
	list, err := r.values(open, end)
	if err != nil {
		return nil, err
	}
	out := make([]abi.Value, len(list))
	for i, v := range list {
		if v == nil {
			return nil, fmt.Errorf("%q leaves a value out", r.text)
		}
		out[i] = *v
	}
	return out, nil
}

func (r *reader) value() (abi.Value, error) {
	r.space()
	rest := r.text[r.at:]
	bad := func() (abi.Value, error) { return abi.Value{}, fmt.Errorf("no value reads at %q", rest) }
	if rest == "" {
		return bad()
	}
	switch rest[0] {
	case '"':
		quoted, err := strconv.QuotedPrefix(rest)
		if err != nil {
			return bad()
		}
		r.at += len(quoted)
		s, err := strconv.Unquote(quoted)
		return abi.StringValue(s), err
	case '#':
		end := strings.IndexByte(rest[1:], '#')
		if end < 0 {
			return bad()
		}
		r.at += end + 2
		return moment(rest[1 : end+1])
	case '[':
		items, err := r.all("[", "]")
		return abi.Value{Kind: abi.KindList, Items: items}, err
	case '{':
		items, err := r.all("{", "}")
		return abi.Value{Kind: abi.KindSet, Items: items}, err
	case '$':
		i, err := strconv.Atoi(r.word()[1:])
		if err != nil || i < 1 || i > len(r.name.ids) {
			return bad()
		}
		return abi.MintedValue(r.name.ids[i-1]), nil
	}
	word := r.word()
	if n, ok := new(big.Rat).SetString(word); ok && word != "" {
		if code := currency(r.text[r.at:]); code != "" {
			r.take(code)
			return abi.MoneyValue(n, code), nil
		}
		return abi.RatValue(n), nil
	}
	switch word {
	case "":
		return bad()
	case "true", "false":
		return abi.BoolValue(word == "true"), nil
	case "None":
		return abi.NoneValue(), nil
	}
	return r.named(word)
}

// named reads the value that a name begins: an individual, an enum constant
// or a struct.
func (r *reader) named(word string) (abi.Value, error) {
	full := prefix + word
	for i := range r.prog.Types {
		t := &r.prog.Types[i]
		if t.Op == abi.TypeStruct && t.Name == full {
			items, err := r.all("(", ")")
			return abi.Value{Kind: abi.KindStruct, Str: full, Items: items}, err
		}
		for _, v := range t.Variants {
			switch {
			case v.Name != full:
			case len(v.Fields) == 0:
				return abi.SymbolValue(full), nil
			default:
				items, err := r.all("(", ")")
				return abi.Value{Kind: abi.KindVariant, Str: full, Items: items}, err
			}
		}
	}
	return abi.NamedValue(full), nil
}

func moment(text string) (abi.Value, error) {
	if d, err := time.Parse(time.DateOnly, text); err == nil {
		return abi.DayValue(d.Unix() / abi.SecondsPerDay), nil
	}
	t, err := time.Parse(time.RFC3339Nano, text)
	return abi.Value{Kind: abi.KindInstant, Int: t.Unix(), Nano: int32(t.Nanosecond())}, err
}

// currency is the code of three capitals that text begins with, or "".
func currency(text string) string {
	text = strings.TrimLeft(text, " ")
	if len(text) < 3 || strings.Trim(text[:3], "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return ""
	}
	return text[:3]
}
