package lower

import (
	"fmt"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
	"github.com/ox-mcp/ox-mcp/host/argon/types"
)

// counted adds the guards of fields [T; n..m] of concepts: no more items than
// the type allows (OE0252), no fewer (OW0151).
func (b *builder) counted(p *abi.Program) {
	for _, c := range b.env.ConceptList {
		for _, f := range c.Fields {
			list, ok := f.Node.Type.(*syntax.ListType)
			if !ok || list.Card == nil || f.Relation < 0 || f.View != nil {
				continue
			}
			span := b.env.Span(f.Module, list.Card.Span)
			if list.Card.Max >= 0 && list.Card.Max >= list.Card.Min {
				p.Checks = append(p.Checks, b.itemCount(c, f, abi.CmpGt, list.Card.Max, span))
			}
			if list.Card.Min > 0 {
				p.Checks = append(p.Checks, b.itemCount(c, f, abi.CmpLt, list.Card.Min, span))
			}
		}
	}
}

// itemCount is violated by the members of c that have more (or fewer) items in
// the field f than bound.
func (b *builder) itemCount(c *types.Concept, f *types.Field, op abi.CmpOp, bound int64, span abi.Span) abi.Check {
	const self, item, count = 0, 1, 2
	name := fmt.Sprintf("%s.%s", c.Name, f.Name)
	limit := b.constant(abi.IntValue(bound), span)
	scan := abi.Atom{Op: abi.AtomScan, Rel: f.Relation, Args: []abi.Arg{slotArg(self), slotArg(item)}, Span: span}
	rule := abi.Rule{
		Name: name + " at most", Span: span, Args: []abi.Arg{slotArg(self), slotArg(count)},
		Slots: []abi.Slot{{Name: "self", Type: c.Type()}, {Name: f.Name, Type: f.Stored()}, {Name: "count", Type: types.Nat}},
	}
	holder := abi.Atom{Op: abi.AtomScan, Rel: f.Relation, Args: []abi.Arg{slotArg(self), {}}, Span: span}
	code, severity, rest := "OE0252", abi.SeverityError, fmt.Sprintf(" items of %s, and its type allows %d", f.Name, bound)
	if op == abi.CmpLt {
		rule.Name = name + " at least"
		holder = abi.Atom{Op: abi.AtomScan, Rel: c.Rel, Args: []abi.Arg{slotArg(self)}, Span: span}
		code, severity, rest = "OW0151", abi.SeverityWarning, fmt.Sprintf(" items of %s, and its type asks for %d", f.Name, bound)
	}
	rule.Body = []abi.Atom{
		holder,
		{Op: abi.AtomFold, Slot: count, Fold: abi.FoldCount, Over: []int{item}, Body: []abi.Atom{scan}, Span: span},
		{Op: abi.AtomCmp, Cmp: op, Args: []abi.Arg{slotArg(count), argOf(limit)}, Span: span},
	}
	return b.guard(rule, code, severity, 0, " has ", 1, rest)
}
