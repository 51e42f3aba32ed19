package lower

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
	"github.com/ox-mcp/ox-mcp/host/argon/types"
)

// guards adds the violation relations that declarations imply: no more tuples
// of a relation than its cardinality allows (OE0252), no fewer (OW0151).
func (b *builder) guards(p *abi.Program) {
	for _, r := range b.env.RelList {
		n := len(r.Node.Cardinalities)
		if n == 0 {
			continue
		}
		if slices.ContainsFunc(r.Node.Cardinalities, func(c syntax.Cardinality) bool { return c.Max >= 0 && c.Max < c.Min }) {
			continue // reported: the rest was not read
		}
		if n != len(r.Columns) {
			b.report("OE0258", b.env.Span(r.Symbol.Module, r.Node.Cardinalities[0].Span), "", "%s has %d endpoints and %d cardinalities: give one for each endpoint, or none", r.Name, len(r.Columns), n)
			continue
		}
		for i, card := range r.Node.Cardinalities {
			span := b.env.Span(r.Symbol.Module, card.Span)
			if card.Max >= 0 {
				p.Checks = append(p.Checks, b.atMost(r, i, card.Max, span))
			}
			if card.Min > 0 && len(r.Columns) == 2 {
				if k, ok := b.atLeast(r, i, card.Min, span); ok {
					p.Checks = append(p.Checks, k)
				}
			}
		}
	}
}

// members adds a warning for each endpoint whose type is a concept: a fact may
// relate an individual that is no member (OW0150). So may a write to a field,
// for instance of an individual whose name is misspelt.
func (b *builder) members(p *abi.Program) {
	for _, c := range b.env.ConceptList {
		for _, f := range c.Fields {
			if f.Relation >= 0 && f.View == nil && (f.Mut || f.Each) {
				p.Checks = append(p.Checks, b.holder(c, f))
			}
		}
	}
	for _, r := range b.env.RelList {
		for i, col := range r.Columns {
			c := b.env.Concepts[col.Type.Name]
			if col.Type.Op != abi.TypeConcept || c == nil {
				continue
			}
			span := b.env.Relations[r.Rel].Span
			rule := abi.Rule{Name: fmt.Sprintf("%s[%s: %s]", r.Name, col.Name, short(c.Name)), Span: span, Args: []abi.Arg{slotArg(0)}}
			rule.Slots = []abi.Slot{{Name: col.Name, Type: col.Type}}
			scan := abi.Atom{Op: abi.AtomScan, Rel: r.Plus, Args: make([]abi.Arg, len(r.Columns)), Span: span}
			scan.Args[i] = slotArg(0)
			rule.Body = []abi.Atom{scan, {Op: abi.AtomScan, Rel: c.Rel, Neg: true, Args: []abi.Arg{slotArg(0)}, Span: span}}
			p.Checks = append(p.Checks, b.guard(rule, "OW0150", abi.SeverityWarning, 0, fmt.Sprintf(" stands at %s of %s and is no member of %s", col.Name, short(r.Name), short(c.Name))))
		}
	}
}

// holder is violated by what has a value of the field f of c and is no member
// of c.
func (b *builder) holder(c *types.Concept, f *types.Field) abi.Check {
	span := b.env.Relations[f.Relation].Span
	rule := abi.Rule{
		Name: c.Name + "." + f.Name + "[self: " + short(c.Name) + "]", Span: span, Args: []abi.Arg{slotArg(0)},
		Slots: []abi.Slot{{Name: "self", Type: c.Type()}},
		Body: []abi.Atom{
			{Op: abi.AtomScan, Rel: f.Relation, Args: []abi.Arg{slotArg(0), {}}, Span: span},
			{Op: abi.AtomScan, Rel: c.Rel, Neg: true, Args: []abi.Arg{slotArg(0)}, Span: span},
		},
	}
	return b.guard(rule, "OW0150", abi.SeverityWarning, 0, fmt.Sprintf(" has a value of %s, a field of %s, and is no member of %[2]s", f.Name, short(c.Name)))
}

// guard is the parts that all guards share. The message is in pieces: text,
// and the numbers of columns.
func (b *builder) guard(rule abi.Rule, code string, severity abi.Severity, pieces ...any) abi.Check {
	var columns []abi.Column
	for _, a := range rule.Args {
		s := rule.Slots[a.Index]
		columns = append(columns, abi.Column{Name: s.Name, Type: s.Type})
	}
	rule.Head = b.relation(abi.Relation{Name: rule.Name, Role: abi.Derived, Origin: abi.OriginCheck, Columns: columns, Span: rule.Span})
	text := abi.Expr{Op: abi.ExprText, Span: rule.Span}
	for _, piece := range pieces {
		switch piece := piece.(type) {
		case string:
			text.Args = append(text.Args, b.constant(abi.StringValue(piece), rule.Span))
		case int:
			text.Args = append(text.Args, slotOf(piece, rule.Span))
		}
	}
	return abi.Check{
		Name: rule.Name, Relation: rule.Head, Rule: b.rule(rule), Severity: severity, Code: code, Guard: true, Span: rule.Span,
		Payload: abi.Payload{
			Severity: b.constant(abi.SymbolValue("std::core::Severity::"+severity.String()), rule.Span),
			Code:     b.constant(abi.StringValue(code), rule.Span),
			Message:  text,
		},
	}
}

// atMost is violated by the values of the other endpoints that have more than
// most values at endpoint i.
func (b *builder) atMost(r *types.Relation, i int, most int64, span abi.Span) abi.Check {
	rule := abi.Rule{Name: fmt.Sprintf("%s[%s]", r.Name, r.Columns[i].Name), Span: span}
	scan := abi.Atom{Op: abi.AtomScan, Rel: r.Rel, Span: span}
	var pieces []any
	for j, c := range r.Columns {
		rule.Slots = append(rule.Slots, abi.Slot{Name: c.Name, Type: c.Type})
		scan.Args = append(scan.Args, slotArg(j))
	}
	first := scan
	first.Args = append([]abi.Arg(nil), scan.Args...)
	first.Args[i] = abi.Arg{}
	count := len(rule.Slots)
	rule.Slots = append(rule.Slots, abi.Slot{Name: "count", Type: types.Nat})
	limit := b.constant(abi.IntValue(most), span)
	rule.Body = []abi.Atom{
		first,
		{Op: abi.AtomFold, Slot: count, Fold: abi.FoldCount, Over: []int{i}, Body: []abi.Atom{scan}, Span: span},
		{Op: abi.AtomCmp, Cmp: abi.CmpGt, Args: []abi.Arg{slotArg(count), argOf(limit)}, Span: span},
	}
	pieces = append(pieces, short(r.Name)+" has ", 0, fmt.Sprintf(" values of %s for ", r.Columns[i].Name))
	at := 1
	rule.Args = []abi.Arg{slotArg(count)}
	for j := range r.Columns {
		if j == i {
			continue
		}
		rule.Args = append(rule.Args, slotArg(j))
		if at > 1 {
			pieces = append(pieces, ", ")
		}
		pieces = append(pieces, at)
		at++
	}
	pieces = append(pieces, fmt.Sprintf(", and its cardinality allows %d", most))
	return b.guard(rule, "OE0252", abi.SeverityError, pieces...)
}

// atLeast warns of a member of the other endpoint's concept with fewer than
// least values at endpoint i.
func (b *builder) atLeast(r *types.Relation, i int, least int64, span abi.Span) (abi.Check, bool) {
	other := r.Columns[1-i]
	c := b.env.Concepts[other.Type.Name]
	if other.Type.Op != abi.TypeConcept || c == nil {
		return abi.Check{}, false
	}
	rule := abi.Rule{Name: fmt.Sprintf("%s[%s] at least %d", r.Name, r.Columns[i].Name, least), Span: span}
	rule.Slots = []abi.Slot{
		{Name: other.Name, Type: other.Type}, {Name: r.Columns[i].Name, Type: r.Columns[i].Type}, {Name: "count", Type: types.Nat},
	}
	scan := abi.Atom{Op: abi.AtomScan, Rel: r.Rel, Args: []abi.Arg{slotArg(0), slotArg(0)}, Span: span}
	scan.Args[i], scan.Args[1-i] = slotArg(1), slotArg(0)
	limit := b.constant(abi.IntValue(least), span)
	rule.Args = []abi.Arg{slotArg(0), slotArg(2)}
	rule.Body = []abi.Atom{
		{Op: abi.AtomScan, Rel: c.Rel, Args: []abi.Arg{slotArg(0)}, Span: span},
		{Op: abi.AtomFold, Slot: 2, Fold: abi.FoldCount, Over: []int{1}, Body: []abi.Atom{scan}, Span: span},
		{Op: abi.AtomCmp, Cmp: abi.CmpLt, Args: []abi.Arg{slotArg(2), argOf(limit)}, Span: span},
	}
	return b.guard(rule, "OW0151", abi.SeverityWarning, short(r.Name)+" has ", 1, fmt.Sprintf(" values of %s for ", r.Columns[i].Name), 0, fmt.Sprintf(", and its cardinality asks for %d", least)), true
}

// short returns the last part of a qualified name.
func short(name string) string { return name[strings.LastIndex(name, ":")+1:] }
