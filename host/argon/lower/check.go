package lower

import (
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/types"
)

// maxPayloadReads bounds the fields that a payload reads: each doubles the
// check's rules.
const maxPayloadReads = 4

// check makes the violation relation of c. Its columns are the parameters and
// what the payload needs: the payload itself sees nothing else. The parameters
// tell one violation from another; a check without any has one for each row.
func (b *builder) check(c *types.Check) (abi.Check, bool) {
	cl := c.Clause
	if cl == nil || cl.Broken {
		return abi.Check{}, false
	}
	span := b.env.Span(cl.Module, cl.Span)
	rule := abi.Rule{Name: c.Name, Slots: append([]abi.Slot(nil), cl.Slots...), Span: span}
	h := &hoist{b: b, slots: &rule.Slots, rule: true}
	rule.Body = h.body(cl.Body)
	if h.stuck || !b.safe(rule.Slots, rule.Body, nil, cl.Args, span) {
		return abi.Check{}, false
	}
	rule.Body = withFilters(rule.Body, b.refersAnyway(h.body(cl.Filters), rule.Body))
	body := rule.Body[:len(rule.Body):len(rule.Body)]

	var extra []abi.Atom
	payload := abi.Payload{
		Severity: h.expr(copyExpr(c.Payload.Severity), false, nil, &extra),
		Code:     h.expr(copyExpr(c.Payload.Code), false, nil, &extra),
		Message:  h.expr(copyExpr(c.Payload.Message), false, nil, &extra),
	}
	for i := range extra { // a field that is read for the payload alone may be absent
		if a := &extra[i]; a.Op == abi.AtomScan {
			value := &rule.Slots[a.Args[len(a.Args)-1].Index].Type
			*value = types.Option(*value)
		}
	}
	var args []abi.Arg
	taken := map[int]int{} // slot to column
	column := func(slot int) {
		if _, ok := taken[slot]; !ok {
			taken[slot] = len(args)
			args = append(args, slotArg(slot))
		}
	}
	for _, a := range cl.Args {
		if a.Op == abi.ArgSlot {
			column(a.Index)
		}
	}
	keys := len(args)
	used := map[int]bool{}
	for _, x := range []*abi.Expr{&payload.Severity, &payload.Code, &payload.Message} {
		for s := range openExpr(x) {
			used[s] = true
		}
	}
	for _, s := range sorted(used) {
		column(s)
	}
	renumber(&payload, taken)

	var columns []abi.Column
	for i, a := range args {
		s := rule.Slots[a.Index]
		if s.Name == "" {
			s.Name = columnName(extra, a.Index, b.env, i)
		}
		columns = append(columns, abi.Column{Name: s.Name, Type: s.Type})
	}
	rel := b.relation(abi.Relation{Name: c.Name, Role: abi.Derived, Origin: abi.OriginCheck, Columns: columns, Span: span})
	rule.Head, rule.Args = rel, args
	first, ok := b.violations(rule, body, extra)
	b.claim(cl, "check", first)
	return abi.Check{
		Name: c.Name, Relation: rel, Keys: keys, Rule: first, Severity: c.Severity, Code: c.Code, Payload: payload,
		Evaluator: c.Evaluator, Span: span,
	}, ok
}

// columnName names a column that holds a field's value after the field.
func columnName(extra []abi.Atom, slot int, env *types.Env, at int) string {
	for i := range extra {
		a := &extra[i]
		if a.Op == abi.AtomScan && len(a.Args) > 0 && a.Args[len(a.Args)-1] == slotArg(slot) {
			columns := env.Relations[a.Rel].Columns
			return columns[len(columns)-1].Name
		}
	}
	return "value" + string(rune('0'+at%10))
}

// renumber makes the payload's slots the columns; what its expressions bind
// for themselves comes after.
func renumber(p *abi.Payload, columns map[int]int) {
	next := len(columns)
	own := map[int]int{}
	move := func(i *int) {
		if c, ok := columns[*i]; ok {
			*i = c
			return
		}
		if _, ok := own[*i]; !ok {
			own[*i] = next
			next++
		}
		*i = own[*i]
	}
	for _, x := range []*abi.Expr{&p.Severity, &p.Code, &p.Message} {
		*x = copyExpr(*x)
		slotWalk{use: move, inner: move}.expr(x)
	}
}

// violations adds the rules of a check. A payload that reads a field must not
// lose the violation where the field has no value, so each read makes two
// rules: with the value, and with none where it is absent.
func (b *builder) violations(rule abi.Rule, body, extra []abi.Atom) (first int, ok bool) {
	first = len(b.rules)
	var reads []int
	for i := range extra {
		if extra[i].Op == abi.AtomScan && !extra[i].Neg {
			reads = append(reads, i)
		}
	}
	if len(reads) > maxPayloadReads {
		b.unsupported(rule.Span, "a Diagnostic that reads more than four fields", "bind fields in the body: n = x.name")
		return first, false
	}
	for absent := range 1 << len(reads) {
		r := rule
		r.Slots = append([]abi.Slot(nil), rule.Slots...)
		r.Body = append([]abi.Atom(nil), body...)
		for i, a := range extra {
			bit := -1
			for j, at := range reads {
				if at == i {
					bit = j
				}
			}
			if bit < 0 || absent>>bit&1 == 0 {
				r.Body = append(r.Body, a)
				continue
			}
			not := a
			not.Neg = true
			not.Args = append([]abi.Arg(nil), a.Args...)
			last := len(not.Args) - 1
			none := b.constant(abi.NoneValue(), a.Span)
			let := abi.Atom{Op: abi.AtomCmp, Cmp: abi.CmpEq, Args: []abi.Arg{not.Args[last], argOf(none)}, Span: a.Span}
			not.Args[last] = abi.Arg{}
			r.Body = append(r.Body, not, let)
		}
		if !b.safe(r.Slots, r.Body, nil, r.Args, r.Span) {
			return first, false
		}
		b.rule(r)
	}
	return first, true
}
