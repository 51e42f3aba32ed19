package eval

import (
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/internal/term"
)

// MaxPatternDepth bounds how deeply a pattern may be nested.
const MaxPatternDepth = 64

// Pattern is a compiled pattern.
type Pattern struct {
	table *term.Table
	root  node
	slots []int
}

// Slots returns the slots that the pattern binds.
func (p *Pattern) Slots() []int { return p.slots }

type node struct {
	op    abi.PatternOp
	slot  int
	value abi.Term // PatConst: the constant; PatVariant: the symbol of the name
	name  abi.Term // the name as text, as the table keeps it
	items []node
}

// CompilePattern compiles a pattern over slots slots.
func (m *Machine) CompilePattern(p *abi.Pattern, slots int) (*Pattern, *abi.Failure) {
	out := &Pattern{table: m.table}
	f := m.pattern(p, slots, MaxPatternDepth, &out.root, &out.slots)
	return out, f
}

func (m *Machine) pattern(p *abi.Pattern, slots, depth int, to *node, binds *[]int) *abi.Failure {
	if depth == 0 {
		return request("a pattern is nested more than %d deep", MaxPatternDepth)
	}
	to.op = p.Op
	switch p.Op {
	case abi.PatWild, abi.PatNone, abi.PatOr:
	case abi.PatBind:
		if p.Slot < 0 || p.Slot >= slots {
			return request("a pattern binds slot %d of %d", p.Slot, slots)
		}
		to.slot = p.Slot
		*binds = append(*binds, p.Slot)
	case abi.PatConst:
		if p.Const < 0 || p.Const >= len(m.constants) {
			return request("a pattern uses constant %d of %d", p.Const, len(m.constants))
		}
		to.value = m.constants[p.Const]
	case abi.PatVariant, abi.PatStruct:
		to.name = m.table.String(p.Name)
		to.value = m.table.Text(abi.KindSymbol, p.Name)
	case abi.PatSome:
		if len(p.Items) != 1 {
			return request("a pattern of a present value has %d items", len(p.Items))
		}
	default:
		return request("pattern %d is unknown", int(p.Op))
	}
	to.items = make([]node, len(p.Items))
	for i := range p.Items {
		if f := m.pattern(&p.Items[i], slots, depth-1, &to.items[i], binds); f != nil {
			return f
		}
	}
	return nil
}

// Match matches x and binds the pattern's slots. If it does not match, slots
// that it would bind may have been written.
func (p *Pattern) Match(x abi.Term, slots []abi.Term) bool {
	return p.table != nil && match(p.table, &p.root, x, slots)
}

// match recurses over the pattern only, never over the value.
func match(t *term.Table, n *node, x abi.Term, slots []abi.Term) bool {
	switch n.op {
	case abi.PatWild:
		return true
	case abi.PatBind:
		slots[n.slot] = x
		return true
	case abi.PatConst:
		return x == n.value
	case abi.PatNone:
		return x == abi.None
	case abi.PatSome:
		return x != abi.None && match(t, &n.items[0], x, slots)
	case abi.PatOr:
		for i := range n.items {
			if match(t, &n.items[i], x, slots) {
				return true
			}
		}
		return false
	case abi.PatVariant:
		if x == n.value {
			return len(n.items) == 0
		}
		if t.Kind(x) != abi.KindVariant {
			return false
		}
	case abi.PatStruct:
		if t.Kind(x) != abi.KindStruct {
			return false
		}
	}
	if t.Name(x) != n.name {
		return false
	}
	items := t.Items(x)
	if len(items) != len(n.items) {
		return false
	}
	for i := range items {
		if !match(t, &n.items[i], items[i], slots) {
			return false
		}
	}
	return true
}
