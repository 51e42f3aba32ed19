package lower

import (
	"fmt"
	"maps"
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/types"
)

// clause lowers one derive.
func (b *builder) clause(c *types.Clause) {
	if c.Broken {
		return
	}
	r := abi.Rule{
		Name: c.Name, Label: c.Label, Head: c.Head, Args: c.Args,
		Slots: append([]abi.Slot(nil), c.Slots...), Span: b.env.Span(c.Module, c.Span),
	}
	h := &hoist{b: b, slots: &r.Slots, rule: true}
	r.Body = h.body(c.Body)
	filters := b.refersAnyway(h.body(c.Filters), r.Body)
	read := slices.Clone(r.Args)
	for _, a := range c.Attacks {
		read = append(read, a.Args...)
	}
	if h.stuck || !b.safe(r.Slots, r.Body, nil, read, r.Span) {
		return
	}
	r.Body = withFilters(r.Body, filters)
	if c.Default {
		r.Body = append(r.Body, b.undefeated(c, r.Args)...)
	}
	first := b.rule(r)
	b.attacks(c, r)
	b.claim(c, "rule", first)
}

// withFilters appends the filters that the body does not hold already.
func withFilters(body, filters []abi.Atom) []abi.Atom {
	for _, f := range filters {
		if !slices.ContainsFunc(body, func(a abi.Atom) bool {
			return f.Op == abi.AtomScan && a.Op == abi.AtomScan && !a.Neg && a.Rel == f.Rel && slices.Equal(a.Args, f.Args)
		}) {
			body = append(body, f)
		}
	}
	return body
}

// safe reports whether the body binds every slot that it and the head read; it
// reports each that is not bound (OE1303).
func (b *builder) safe(slots []abi.Slot, body []abi.Atom, preset map[int]bool, head []abi.Arg, span abi.Span) bool {
	bound := map[int]bool{}
	for i := range preset {
		bound[i] = true
	}
	uses := useCount(body)
	for _, a := range head {
		if a.Op == abi.ArgSlot {
			uses[a.Index]++
		}
	}
	if b.asks {
		for i := range preset {
			uses[i]++ // a parameter is no variable of a nested body, though that alone may mention it
		}
	}
	given := ", which the head gives; the type of a head parameter only filters"
	if b.asks {
		given = ", which is selected"
	}
	ok := true
	told := map[int]bool{}
	unasked := false // what a reflection would give is missing for that reason alone
	complain := func(slot int, at abi.Span, what string) {
		ok = false
		name := slots[slot].Name
		if told[slot] || unasked && what != groundless {
			return
		}
		told[slot] = true
		if name == "" {
			name = "a value"
		}
		if what == groundless {
			unasked = true
			b.report("OE0212", at, "add an atom that binds it: "+name+": TypeRef, or rel(…), arm(…) or specializes("+name+", …)",
				"nothing else binds %s, and reflection asks about a certain type", name)
			return
		}
		help := "add an atom that gives its values"
		if t := slots[slot].Type; types.IsIndividual(t) && t.Name != "" {
			help = fmt.Sprintf("add the atom %s: %s", name, short(t.Name))
		}
		b.report("OE1303", at, help, "nothing in the body binds %s%s", name, what)
	}
	b.bind(body, bound, uses, complain)
	for _, a := range head {
		if a.Op == abi.ArgSlot && !bound[a.Index] && !unasked {
			complain(a.Index, span, given)
		}
	}
	settled(body)
	return ok
}

// settled takes from nested bodies what only safe reads of them.
func settled(body []abi.Atom) {
	for i := range body {
		if body[i].Op == abi.AtomExists {
			body[i].Over = nil
		}
		settled(body[i].Body)
	}
}

// useCount counts for each slot the atoms of body that mention it.
func useCount(body []abi.Atom) map[int]int {
	uses := map[int]int{}
	for i := range body {
		for slot := range open(func(w slotWalk) { w.atom(&body[i]) }) {
			uses[slot]++
		}
	}
	return uses
}

// bind adds to bound what body binds, and complains of what an atom reads and
// nothing binds. uses counts the atoms around that mention a slot: one that
// only a nested body mentions is that body's own.
func (b *builder) bind(body []abi.Atom, bound map[int]bool, uses map[int]int, complain func(int, abi.Span, string)) {
	watch := map[int][]int{} // atoms that wait for a slot
	done := make([]bool, len(body))
	todo := make([]int, len(body))
	for i := range body {
		todo[i] = i
	}
	for len(todo) > 0 {
		i := todo[0]
		todo = todo[1:]
		if done[i] {
			continue
		}
		if missing := b.missing(&body[i], bound, uses); len(missing) > 0 {
			for _, slot := range missing {
				watch[slot] = append(watch[slot], i)
			}
			continue
		}
		done[i] = true
		for _, slot := range b.gives(&body[i], bound, uses, complain) {
			if !bound[slot] {
				bound[slot] = true
				todo = append(todo, watch[slot]...)
				delete(watch, slot)
			}
		}
	}
	for i := range body {
		if !done[i] {
			for _, slot := range b.missing(&body[i], bound, uses) {
				why := ""
				if s, ok := b.reserved(&body[i]); ok && s == slot {
					why = groundless
				}
				complain(slot, body[i].Span, why)
			}
		}
	}
}

// groundless says that what is not bound is the type that reflection asks about.
const groundless = "reflection"

// reserved returns the slot that a, which reflects on a type, does not bind.
func (b *builder) reserved(a *abi.Atom) (slot int, ok bool) {
	if a.Op != abi.AtomScan || a.Neg {
		return 0, false
	}
	column, ok := types.ReservedPlace(&b.env.Relations[a.Rel])
	if !ok || a.Args[column].Op != abi.ArgSlot {
		return 0, false
	}
	return a.Args[column].Index, true
}

// missing returns the slots that a needs bound before it can be evaluated.
func (b *builder) missing(a *abi.Atom, bound map[int]bool, uses map[int]int) []int {
	var list []int
	need := func(slots map[int]bool) {
		for _, s := range sorted(slots) {
			if !bound[s] {
				list = append(list, s)
			}
		}
	}
	switch a.Op {
	case abi.AtomScan:
		if a.Neg {
			need(open(func(w slotWalk) { w.args(a.Args) }))
		} else if slot, ok := b.reserved(a); ok {
			need(map[int]bool{slot: true})
		}
	case abi.AtomCmp:
		need(open(func(w slotWalk) { w.args(a.Args) }))
		if a.Cmp == abi.CmpEq && len(list) == 1 && a.Args[0] != a.Args[1] {
			return nil
		}
	case abi.AtomLet, abi.AtomIn, abi.AtomFilter:
		need(openExpr(a.Expr))
	case abi.AtomMatch, abi.AtomIs:
		need(map[int]bool{a.Slot: true})
	case abi.AtomExists, abi.AtomFold:
		need(outer(a, uses))
	}
	return list
}

// outer returns the slots of a nested body that atoms outside it mention too,
// or that a negation needs from outside.
func outer(a *abi.Atom, uses map[int]int) map[int]bool {
	slots := open(func(w slotWalk) {
		w.atoms(a.Body)
		if a.Expr != nil {
			w.expr(a.Expr)
		}
	})
	for s := range slots {
		if uses[s] < 2 {
			delete(slots, s)
		}
	}
	if a.Op == abi.AtomExists {
		for _, s := range a.Over {
			slots[s] = true
		}
	}
	return slots
}

// gives returns the slots that a binds, and looks into nested bodies.
func (b *builder) gives(a *abi.Atom, bound map[int]bool, uses map[int]int, complain func(int, abi.Span, string)) []int {
	switch a.Op {
	case abi.AtomScan, abi.AtomCmp:
		if a.Neg {
			return nil
		}
		return sorted(open(func(w slotWalk) { w.args(a.Args) }))
	case abi.AtomLet, abi.AtomIn:
		return []int{a.Slot}
	case abi.AtomMatch:
		var slots []int
		slotWalk{}.pattern(a.Pattern, func(s *int) { slots = append(slots, *s) })
		return slots
	case abi.AtomExists, abi.AtomFold:
		b.inside(a, bound, uses, complain)
		if a.Op == abi.AtomFold {
			return []int{a.Slot}
		}
	}
	return nil
}

// inside looks at the nested body of a, in which the slots of outside that are
// bound are seen.
func (b *builder) inside(a *abi.Atom, bound map[int]bool, uses map[int]int, complain func(int, abi.Span, string)) {
	inside := map[int]bool{}
	nested := useCount(a.Body)
	for s := range outer(a, uses) {
		nested[s] += 2
		inside[s] = bound[s]
	}
	var folded map[int]bool
	if a.Expr != nil {
		folded = openExpr(a.Expr)
		for s := range folded {
			nested[s]++
		}
	}
	for _, s := range a.Over {
		nested[s]++
	}
	b.bind(a.Body, inside, nested, complain)
	for _, s := range sorted(folded) {
		if !inside[s] {
			complain(s, a.Span, "")
		}
	}
}

func sorted(set map[int]bool) []int { return slices.Sorted(maps.Keys(set)) }
