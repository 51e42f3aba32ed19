package lower

import (
	"fmt"
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/types"
)

// A min or max may be part of a circle where a better value can only lead to
// better values: then the best that was found so far is all that has to be gone
// on with. That it is so is read off the rules. Each relation of the circle has
// at most one column for the quantity, its cost; variables that hold a cost only
// grow on their way to other costs, and stand in comparisons that a better one
// passes, too; nothing else depends on them.

// monotone reads the rules of one circle.
type monotone struct {
	b     *builder
	in    map[int]bool // relations of the circle
	rules []*abi.Rule
	costs map[int]int // column by relation
	most  bool
	why   string // why it is not monotone, for a help text
}

// costsOf returns the costs of the relations of a circle through folds. Where it
// is not monotone, it says why, if that is worth saying.
func (b *builder) costsOf(relations []int, rules []int, firstRule int) (costs []abi.Cost, why string) {
	m := &monotone{b: b, in: map[int]bool{}, costs: map[int]int{}}
	for _, r := range relations {
		m.in[r] = true
	}
	for _, r := range rules {
		m.rules = append(m.rules, &b.rules[r-firstRule])
	}
	if !m.folds() || !m.columns() || !m.uses() {
		return nil, m.why
	}
	for _, r := range m.rules {
		m.dropTests(r)
	}
	for _, r := range relations {
		if c, ok := m.costs[r]; ok {
			costs = append(costs, abi.Cost{Relation: r, Column: c, Most: m.most})
		}
	}
	return costs, ""
}

func (m *monotone) not(format string, args ...any) bool {
	if m.why == "" {
		m.why = fmt.Sprintf(format, args...)
	}
	return false
}

// ownFold returns the place of the fold at the top of the body that reads the
// circle, or -1.
func (m *monotone) ownFold(r *abi.Rule) int {
	return slices.IndexFunc(r.Body, func(a abi.Atom) bool { return a.Op == abi.AtomFold && m.reads(a.Body) })
}

func (m *monotone) reads(body []abi.Atom) (found bool) {
	readsOf(body, positive, func(rel int, _ uint8) { found = found || m.in[rel] })
	return found
}

// folds finds which way the folds of the circle go, and the columns that their
// results are given in.
func (m *monotone) folds() bool {
	found := false
	for _, r := range m.rules {
		at := m.ownFold(r)
		if at < 0 {
			continue
		}
		fold := &r.Body[at]
		switch {
		case fold.Fold != abi.FoldMin && fold.Fold != abi.FoldMax:
			return false
		case found && m.most != (fold.Fold == abi.FoldMax):
			return m.not("a circle has min or max, and not both")
		case !costType(m.slotType(r, fold.Slot)):
			return m.not("the value of a min or max in a circle is a number, an amount, a duration or a date")
		}
		found, m.most = true, fold.Fold == abi.FoldMax
		column := -1
		for i, x := range r.Args {
			if x == slotArg(fold.Slot) {
				if column >= 0 {
					return m.not("the value of a min or max in a circle stands once in the head")
				}
				column = i
			}
		}
		if column < 0 {
			return m.not("the value of a min or max in a circle stands in the head as it is")
		}
		if !m.cost(r.Head, column) {
			return false
		}
	}
	return found
}

func (m *monotone) cost(rel, column int) bool {
	if have, ok := m.costs[rel]; ok && have != column {
		return m.not("%s would have two values that the circle makes better", short(m.b.env.Relations[rel].Name))
	}
	m.costs[rel] = column
	return true
}

func (m *monotone) slotType(r *abi.Rule, slot int) abi.Type {
	if slot < len(r.Slots) {
		return r.Slots[slot].Type
	}
	return types.Top
}

// costType reports whether values of the type are ordered as their sums are.
func costType(t abi.Type) bool {
	switch t.Op {
	case abi.TypeNat, abi.TypeInt, abi.TypeReal, abi.TypeDecimal, abi.TypeMoney, abi.TypeDuration, abi.TypeDate, abi.TypeDateTime:
		return true
	}
	return false
}

// columns follows the costs from relation to relation.
func (m *monotone) columns() bool {
	for {
		before := len(m.costs)
		for _, r := range m.rules {
			held := m.held(r)
			for i, x := range r.Args {
				if x.Op == abi.ArgSlot && held[x.Index] && !m.cost(r.Head, i) {
					return false
				}
			}
		}
		if len(m.costs) == before {
			return true
		}
	}
}

// held returns the slots of a rule that hold a cost, or what is made of one.
func (m *monotone) held(r *abi.Rule) map[int]bool {
	held := map[int]bool{}
	if at := m.ownFold(r); at >= 0 {
		held[r.Body[at].Slot] = true
	}
	for before := -1; before < len(held); {
		before = len(held)
		m.hold(r.Body, held)
	}
	return held
}

func (m *monotone) hold(body []abi.Atom, held map[int]bool) {
	for i := range body {
		a := &body[i]
		switch a.Op {
		case abi.AtomScan:
			if c, ok := m.costs[a.Rel]; ok && m.in[a.Rel] && a.Args[c].Op == abi.ArgSlot {
				held[a.Args[c].Index] = true
			}
		case abi.AtomLet:
			if m.mentions(a.Expr, held) {
				held[a.Slot] = true
			}
		case abi.AtomExists, abi.AtomFold:
			m.hold(a.Body, held)
		}
	}
}

func (m *monotone) mentions(x *abi.Expr, held map[int]bool) bool {
	for s := range openExpr(x) {
		if held[s] {
			return true
		}
	}
	return false
}

// uses holds each rule to what may be done with costs.
func (m *monotone) uses() bool {
	for _, r := range m.rules {
		held := m.held(r)
		u := &costUses{m: m, rule: r, held: held, bound: map[int]bool{}, made: m.made(r)}
		for i, x := range r.Args {
			if c, ok := m.costs[r.Head]; x.Op == abi.ArgSlot && held[x.Index] && (!ok || c != i) {
				return u.refuse(x.Index, "stands in the head beside the cost")
			}
		}
		own := m.ownFold(r)
		if own >= 0 {
			fold := &r.Body[own]
			if !u.binds(fold.Slot) || !u.body(fold.Body, -1) {
				return false
			}
			for i := range r.Body {
				if i != own && !u.always(&r.Body[i]) && open(func(w slotWalk) { w.atom(&r.Body[i]) })[fold.Slot] {
					return m.not("the value of a min or max in a circle stands in the head as it is, and what reads it compares it")
				}
			}
			if m.mentions(fold.Expr, held) && !u.grows(fold.Expr) {
				return u.refuse(-1, "is folded as an expression that may not grow with it")
			}
		}
		if !u.body(r.Body, own) || !u.passed(own) {
			return false
		}
		for s := range held {
			if !costType(m.slotType(r, s)) {
				return u.refuse(s, "is no number, amount, duration or date")
			}
		}
	}
	return true
}

// dropTests takes out the tests that hold of whatever the rule makes.
func (m *monotone) dropTests(r *abi.Rule) {
	u := &costUses{m: m, made: m.made(r)}
	r.Body = slices.DeleteFunc(slices.Clone(r.Body), func(a abi.Atom) bool { return u.always(&a) })
}

// costUses looks at one rule.
type costUses struct {
	m     *monotone
	rule  *abi.Rule
	held  map[int]bool
	bound map[int]bool // costs that an atom gives
	made  map[int]abi.Type
}

func (u *costUses) refuse(slot int, what string) bool {
	name := "the value"
	if slot >= 0 && slot < len(u.rule.Slots) && u.rule.Slots[slot].Name != "" {
		name = u.rule.Slots[slot].Name
	}
	return u.m.not("in the circle the best value may only be added to, compared with a bound, and passed on; in %s, %s %s", short(u.rule.Name), name, what)
}

// binds notes that an atom gives a cost: two that do would have to agree.
func (u *costUses) binds(slot int) bool {
	if u.bound[slot] {
		return u.refuse(slot, "has to be the same twice")
	}
	u.bound[slot] = true
	return true
}

// always reports whether an atom is a test of a type that holds for how the value
// is made.
func (u *costUses) always(a *abi.Atom) bool {
	if a.Op != abi.AtomIs {
		return false
	}
	t, ok := u.made[a.Slot]
	return ok && u.m.b.env.Fits(t, *a.Type)
}

// body looks at the atoms of a body but the one at own.
func (u *costUses) body(body []abi.Atom, own int) bool {
	for i := range body {
		if i != own && !u.atom(&body[i]) {
			return false
		}
	}
	return true
}

func (u *costUses) atom(a *abi.Atom) bool {
	switch a.Op {
	case abi.AtomScan:
		return u.scan(a)
	case abi.AtomLet:
		switch {
		case !u.m.mentions(a.Expr, u.held):
			if u.held[a.Slot] {
				return u.refuse(a.Slot, "is compared for equality")
			}
			return true
		case !u.grows(a.Expr):
			return u.refuse(a.Slot, "is made in a way that may not grow with what it is made of")
		}
		return u.binds(a.Slot)
	case abi.AtomCmp:
		sides := [2]abi.Expr{a.Args[0].Expr(), a.Args[1].Expr()}
		return u.compare(a.Cmp, &sides[0], &sides[1])
	case abi.AtomFilter:
		if cmp, ok := comparisons[a.Expr.Op]; ok {
			return u.compare(cmp, &a.Expr.Args[0], &a.Expr.Args[1])
		}
	case abi.AtomIs:
		if u.always(a) {
			return true
		}
	case abi.AtomExists:
		if !a.Neg {
			return u.body(a.Body, -1)
		}
		if u.m.reads(a.Body) {
			return false
		}
	case abi.AtomFold:
		if u.m.reads(a.Body) {
			return u.m.not("a rule has one fold over its own circle, at the top of its body")
		}
	}
	for s := range open(func(w slotWalk) { w.atom(a) }) {
		if u.held[s] {
			return u.refuse(s, "is looked at in another way")
		}
	}
	return true
}

// passed sees to it that the costs of all atoms over the circle go into the cost
// that the rule gives. An atom that only asks whether there is one would let the
// best rest on what is not the best.
func (u *costUses) passed(own int) bool {
	r := u.rule
	passed := map[int]bool{}
	if c, ok := u.m.costs[r.Head]; ok && r.Args[c].Op == abi.ArgSlot {
		passed[r.Args[c].Index] = true
	}
	var fold *abi.Atom
	if own >= 0 {
		fold = &r.Body[own]
		for s := range openExpr(fold.Expr) {
			passed[s] = true
		}
	}
	for before := -1; before < len(passed); {
		before = len(passed)
		u.pass(r.Body, passed)
	}
	return u.allPassed(r.Body, passed, fold)
}

// pass adds what costs that are passed on are made of.
func (u *costUses) pass(body []abi.Atom, passed map[int]bool) {
	for i := range body {
		a := &body[i]
		if a.Op == abi.AtomLet && passed[a.Slot] {
			for s := range openExpr(a.Expr) {
				passed[s] = true
			}
		}
		u.pass(a.Body, passed)
	}
}

func (u *costUses) allPassed(body []abi.Atom, passed map[int]bool, fold *abi.Atom) bool {
	for i := range body {
		a := &body[i]
		if a.Op == abi.AtomScan && u.m.in[a.Rel] {
			c, ok := u.m.costs[a.Rel]
			if ok && a.Args[c].Op == abi.ArgSlot && passed[a.Args[c].Index] || ok && fold != nil && u.guards(a, c, fold) {
				continue
			}
			return u.m.not("in the circle each atom passes its value on; %s reads %s without it", short(u.rule.Name), short(u.m.b.env.Relations[a.Rel].Name))
		}
		if !u.allPassed(a.Body, passed, fold) {
			return false
		}
	}
	return true
}

// guards reports whether an atom asks only whether the fold has anything to fold.
func (u *costUses) guards(a *abi.Atom, cost int, fold *abi.Atom) bool {
	return slices.ContainsFunc(fold.Body, func(b abi.Atom) bool {
		if b.Op != abi.AtomScan || b.Neg || b.Rel != a.Rel {
			return false
		}
		for i, x := range a.Args {
			if i != cost && (x != b.Args[i] || x.Op == abi.ArgWild) {
				return false
			}
		}
		return true
	})
}

// scan looks at an atom over a relation.
func (u *costUses) scan(a *abi.Atom) bool {
	cost, ok := u.m.costs[a.Rel]
	ok = ok && u.m.in[a.Rel]
	if a.Neg && u.m.in[a.Rel] {
		return false
	}
	for i, x := range a.Args {
		switch {
		case ok && i == cost && x.Op == abi.ArgConst:
			return u.m.not("in the circle the best value may only be added to, compared with a bound, and passed on; %s asks for a certain one", short(u.rule.Name))
		case ok && i == cost:
			if x.Op == abi.ArgSlot && !u.binds(x.Index) {
				return false
			}
		case x.Op == abi.ArgSlot && u.held[x.Index]:
			return u.refuse(x.Index, "is looked up")
		}
	}
	return true
}

// compare looks at a comparison: a better cost has to pass where one did.
func (u *costUses) compare(cmp abi.CmpOp, a, b *abi.Expr) bool {
	left, right := u.m.mentions(a, u.held), u.m.mentions(b, u.held)
	if !left && !right {
		return true
	}
	below := cmp == abi.CmpLt || cmp == abi.CmpLe
	above := cmp == abi.CmpGt || cmp == abi.CmpGe
	if u.m.most {
		below, above = above, below
	}
	if left && !right && below && u.grows(a) || right && !left && above && u.grows(b) {
		return true
	}
	return u.refuse(-1, "is compared in a way that a better one may not pass")
}

// grows reports whether x is greater for greater costs, and is so strictly: of
// what does not grow with a cost, it need not be the best that the best comes
// from.
func (u *costUses) grows(x *abi.Expr) bool {
	has := func(i int) bool { return u.m.mentions(&x.Args[i], u.held) }
	switch x.Op {
	case abi.ExprSlot:
		return u.held[x.Index]
	case abi.ExprAdd:
		return (!has(0) || u.grows(&x.Args[0])) && (!has(1) || u.grows(&x.Args[1]))
	case abi.ExprSub, abi.ExprDiv:
		return !has(1) && u.grows(&x.Args[0]) && (x.Op == abi.ExprSub || u.positive(&x.Args[1]))
	case abi.ExprMul:
		return u.positive(&x.Args[1]) && u.grows(&x.Args[0]) || u.positive(&x.Args[0]) && u.grows(&x.Args[1])
	}
	return false
}

// positive reports whether x is a number above 0.
func (u *costUses) positive(x *abi.Expr) bool {
	if x.Op != abi.ExprConst {
		return false
	}
	v := u.m.b.env.Constants.Values[x.Index]
	return v.Kind == abi.KindNum && v.Number().Sign() > 0
}
