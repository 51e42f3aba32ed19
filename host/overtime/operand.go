package overtime

import (
	"slices"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/lower"
)

// operandText is the source of an operand, which is part of that of its operator.
func (d *Teller) operandText(rel int) string {
	whole := d.Program.Relations[rel].Span
	part := abi.Span{}
	for i := range d.Program.Rules {
		rule := &d.Program.Rules[i]
		if rule.Head != rel {
			continue
		}
		for k := range rule.Body {
			at := rule.Body[k].Span
			switch {
			case at == (abi.Span{}) || at.File != whole.File || at.Start < whole.Start || at.End > whole.End || at.Start == whole.Start && at.End == whole.End:
			case part == (abi.Span{}):
				part = at
			default:
				part.Start, part.End = min(part.Start, at.Start), max(part.End, at.End)
			}
		}
	}
	if part == (abi.Span{}) {
		part = whole
	}
	return d.Source(part)
}

// onlyOperator returns the operator over time that an operand consists of, and of
// each of its columns the place in the operand's, or -1.
func (d *Teller) onlyOperator(operand int) (operator int, columns []int, ok bool) {
	for i := range d.Program.Rules {
		rule := &d.Program.Rules[i]
		if rule.Head != operand {
			continue
		}
		scans := 0
		for k := range rule.Body {
			a := &rule.Body[k]
			if a.Op != abi.AtomScan {
				continue
			}
			if scans++; scans > 1 || !lower.Operator(&d.Program.Relations[a.Rel]) {
				return 0, nil, false
			}
			operator = a.Rel
			for _, arg := range a.Args[:len(a.Args)-2] {
				columns = append(columns, slices.Index(rule.Args, arg))
			}
		}
		return operator, columns, scans == 1
	}
	return 0, nil, false
}

// keysOf returns the values of an operator's columns that there are for what is
// known of them, or what is known where there are none.
func keysOf(looks *lower.Looks, rows [][]abi.Value, tuple []*abi.Value) [][]*abi.Value {
	if !slices.Contains(tuple, nil) || strings.HasPrefix(looks.Word, "diamond") {
		return [][]*abi.Value{tuple}
	}
	var out [][]*abi.Value
	for _, row := range rows {
		key := slices.Clone(tuple)
		for i, c := range looks.At.Columns {
			key[c] = &row[i]
		}
		same := func(k []*abi.Value) bool {
			return slices.EqualFunc(k, key, func(a, b *abi.Value) bool { return a != nil && b != nil && abi.Equal(*a, *b) })
		}
		if len(out) < maxKeys && !slices.ContainsFunc(out, same) {
			out = append(out, key)
		}
	}
	if out == nil {
		return [][]*abi.Value{tuple}
	}
	return out
}

// withText names the values of the places that are open: "with d = \"wet\": ".
func (d *Teller) withText(rel int, tuple, key []*abi.Value) string {
	var parts []string
	for i, c := range d.Program.Relations[rel].Columns[:len(tuple)] {
		if tuple[i] != nil || key[i] == nil || c.Name == "" {
			continue
		}
		parts = append(parts, c.Name+" = "+d.Show(*key[i], c.Type))
	}
	if parts == nil {
		return ""
	}
	return "with " + strings.Join(parts, ", ") + ": "
}

// operandOf picks, of what is known of an operator's columns, what its operand's
// are.
func operandOf(x *lower.Operand, tuple []*abi.Value) []*abi.Value {
	out := make([]*abi.Value, len(x.Columns))
	for i, c := range x.Columns {
		out[i] = tuple[c]
	}
	return out
}

func windowOf(looks *lower.Looks, day int64) (r Days) {
	r.From, r.To = looks.Window(day)
	return r
}

// nearestOf is the day of a window that is nearest to where the operator looks
// from; none where there is none.
func nearestOf(looks *lower.Looks, window Days) Days {
	switch {
	case window.From >= window.To:
		return Days{}
	case looks.Back():
		return Days{window.To - 1, window.To}
	}
	return Days{window.From, window.From + 1}
}

// farthestOf is the day of a window that is farthest from there; none where it has
// no end.
func farthestOf(looks *lower.Looks, window Days) Days {
	switch {
	case window.From <= -lower.Always || window.To >= lower.Always:
		return nearestOf(looks, window)
	case looks.Back():
		return Days{window.From, window.From + 1}
	}
	return Days{window.To - 1, window.To}
}

// withOperand is a pattern with what is known of an operand.
func withOperand(pattern []*abi.Value, of *lower.Operand, tuple []*abi.Value) []*abi.Value {
	out := slices.Clone(pattern)
	for i, c := range of.Columns {
		if out[c] == nil {
			out[c] = tuple[i]
		}
	}
	return out
}
