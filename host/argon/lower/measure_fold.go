package lower

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/types"
)

// measuring lowers one body.
type measuring struct {
	b     *builder
	g     *reading
	head  int // -1: a query
	slots *[]abi.Slot
	name  string
	empty bool         // lower a min or max for the case that no row is known
	held  map[int]ends // slots whose values may be intervals
	made  map[int]bool // of these, the ones that are computed of others
	// amounts are those of which that is known beside what their type says.
	amounts map[int]bool
	signs   map[int]sign     // the same of the least that they can be
	of      map[int]abi.Type // the same of the type that they are of
}

func (m *measuring) undefined(rel int) bool {
	return rel < len(m.g.undefined) && m.g.undefined[rel]
}

// folds reports whether an atom is a fold over what may be undefined. One over
// its own circle is not looked at here.
func (m *measuring) folds(a *abi.Atom) bool {
	if !m.foldsDoubtful(a) {
		return false
	}
	own := false
	readsOf(a.Body, positive, func(rel int, _ uint8) {
		own = own || m.head >= 0 && rel < len(m.g.component) && m.head < len(m.g.component) && m.g.component[rel] == m.g.component[m.head]
	})
	return !own
}

// foldsDoubtful reports whether an atom is a fold over what may be undefined or
// is open, its own circle or another.
func (m *measuring) foldsDoubtful(a *abi.Atom) bool {
	return a.Op == abi.AtomFold && !a.Possible && !asksWhether(a) && m.doubtful(a.Body, true)
}

// needed reports whether the body has a fold over what may be undefined, or
// reads a measured column.
func (m *measuring) needed(body []abi.Atom) bool {
	for i := range body {
		a := &body[i]
		switch {
		case m.folds(a):
			return true
		case m.column(a) >= 0:
			return true
		case a.Op == abi.AtomExists && m.needed(a.Body):
			return true
		case a.Op == abi.AtomFold && m.needed(a.Body):
			return true
		}
	}
	return false
}

// doubtful reports whether the solutions of a body may be undefined, or unknown
// where open counts.
func (m *measuring) doubtful(body []abi.Atom, open bool) (found bool) {
	readsOf(body, positive, func(rel int, _ uint8) { found = found || m.undefined(rel) })
	if open && !found {
		_, found = m.b.widened(body)
	}
	return found
}

// column returns the measured column that a scan asks for, or -1.
func (m *measuring) column(a *abi.Atom) int {
	if a.Op != abi.AtomScan {
		return -1
	}
	if at, ok := m.b.measures[a.Rel]; ok && a.Args[at.Column].Op != abi.ArgWild {
		return at.Column
	}
	return -1
}

// variants returns how the body is to be lowered: once, and where it has a min
// or max a second time, for the case that no row is known.
func (m *measuring) variants(body []abi.Atom, outside map[int]bool) []bool {
	uses := usesWith(body, outside)
	for i := range body {
		a := &body[i]
		if m.folds(a) && valueless(a.Fold) {
			if _, bounded := m.possible(a, around(a, uses)); bounded {
				return []bool{true, false}
			}
		}
	}
	return []bool{false}
}

// valueless reports whether a fold of nothing has no value.
func valueless(op abi.FoldOp) bool {
	return op == abi.FoldMin || op == abi.FoldMax || op == abi.FoldAvg
}

// usesWith counts the atoms that mention each slot, and what stands around.
func usesWith(body []abi.Atom, outside map[int]bool) map[int]int {
	uses := useCount(body)
	for s := range outside {
		uses[s]++
	}
	return uses
}

// around returns the slots of a fold that other atoms mention, too.
func around(a *abi.Atom, uses map[int]int) map[int]bool {
	out := map[int]bool{}
	for s := range open(func(w slotWalk) { w.atom(a) }) {
		if uses[s] > 1 && s != a.Slot && !slices.Contains(a.Over, s) {
			out[s] = true
		}
	}
	return out
}

// body lowers the body. outside are the slots that are used around it.
func (m *measuring) body(body []abi.Atom, outside map[int]bool) ([]abi.Atom, bool) {
	m.held, m.made, m.amounts, m.signs = map[int]ends{}, map[int]bool{}, map[int]bool{}, map[int]sign{}
	m.of = map[int]abi.Type{}
	uses := usesWith(body, outside)
	var out []abi.Atom
	var rest []int
	for i := range body {
		a := &body[i]
		if m.folds(a) && gives(body, i, a.Slot) {
			// The value is compared with one that is there anyway.
			fold := *a
			fold.Slot = m.slot((*m.slots)[a.Slot].Type)
			atoms, ok := m.fold(&fold, uses)
			if !ok {
				return nil, false
			}
			out = append(out, atoms...)
			out = append(out, m.equals(fold.Slot, slotArg(a.Slot), a.Span))
			continue
		}
		switch {
		case m.folds(a):
			atoms, ok := m.fold(a, uses)
			if !ok {
				return nil, false
			}
			out = append(out, atoms...)
		case m.column(a) >= 0:
			atoms, ok := m.scan(a, uses)
			if !ok {
				return nil, false
			}
			out = append(out, atoms...)
		default:
			rest = append(rest, i)
		}
	}
	rest, ok := m.computed(body, rest, &out)
	if !ok {
		return nil, false
	}
	for _, i := range rest {
		atom, ok := m.use(body, i, &out)
		if !ok {
			return nil, false
		}
		out = append(out, atom)
	}
	if m.empty {
		out = append(out, abi.Atom{Op: abi.AtomScan, Rel: m.b.flag(), Span: body[0].Span})
	}
	return out, true
}

// gives reports whether an atom of the body but the one at except binds the slot.
func gives(body []abi.Atom, except, slot int) bool {
	for i := range body {
		a := &body[i]
		if i == except {
			continue
		}
		switch a.Op {
		case abi.AtomScan:
			if !a.Neg && slices.Contains(a.Args, slotArg(slot)) {
				return true
			}
		case abi.AtomLet, abi.AtomIn, abi.AtomFold:
			if a.Slot == slot {
				return true
			}
		case abi.AtomMatch:
			found := false
			slotWalk{}.pattern(a.Pattern, func(s *int) { found = found || *s == slot })
			if found {
				return true
			}
		}
	}
	return false
}

// alias takes x = y, where one side is a value that may be an interval and
// nothing else gives the other, for another name of it.
func (m *measuring) alias(body []abi.Atom, at int) bool {
	args := body[at].Args
	for i, x := range args {
		y := args[1-i]
		w, held := m.held[x.Index]
		if x.Op == abi.ArgSlot && held && y.Op == abi.ArgSlot && !gives(body, at, y.Index) {
			if _, too := m.held[y.Index]; !too {
				m.held[y.Index], m.made[y.Index], m.amounts[y.Index] = w, m.made[x.Index], m.amounts[x.Index]
				m.signs[y.Index], m.of[y.Index] = m.signs[x.Index], m.of[x.Index]
				return true
			}
		}
	}
	return false
}

// equals is the condition that the value of a held slot is that of something
// certain.
func (m *measuring) equals(held int, other abi.Arg, span abi.Span) abi.Atom {
	x := other.Expr()
	return m.comparison(abi.CmpEq, sideOf(m.held[held]), side{least: x, most: x}, span)
}

// possible returns the body of a fold for what may be; bounded is false if that
// leaves open what its rows are.
func (m *measuring) possible(a *abi.Atom, outside map[int]bool) (body []abi.Atom, bounded bool) {
	body, _ = m.b.widenedTo(a.Body, true)
	bound := map[int]bool{}
	for s := range outside {
		bound[s] = true
	}
	binding := slices.DeleteFunc(copyAtoms(body), func(x abi.Atom) bool { return x.Op == abi.AtomExists && x.Neg })
	safe := true
	m.b.bind(binding, bound, useCount(binding), func(int, abi.Span, string) { safe = false })
	for _, s := range a.Over {
		safe = safe && bound[s]
	}
	if a.Expr != nil && a.Fold != abi.FoldCount {
		for s := range openExpr(a.Expr) {
			safe = safe && bound[s]
		}
	}
	return body, safe
}

// fold lowers a fold over what may be undefined: the fold over what is known,
// and the ends of the interval.
func (m *measuring) fold(a *abi.Atom, uses map[int]int) ([]abi.Atom, bool) {
	if m.needed(a.Body) {
		m.refuse(a.Span, "a fold over a fold whose value may be an interval", "compare the inner value in a derive of its own, and fold over that")
		return nil, false
	}
	body, bounded := m.possible(a, around(a, uses))
	t := (*m.slots)[a.Slot].Type
	w := ends{least: m.slot(types.Option(t)), most: m.slot(types.Option(t)), left: m.slot(types.Option(types.Nat)), span: a.Span}
	m.held[a.Slot], m.amounts[a.Slot], m.of[a.Slot] = w, m.foldsAmounts(a), m.foldType(a)
	if a.Fold == abi.FoldCount {
		m.signs[a.Slot] = naturalSign
	}
	known := *a
	out := []abi.Atom{known}
	let := func(slot int, x abi.Expr) {
		out = append(out, abi.Atom{Op: abi.AtomLet, Slot: slot, Expr: &x, Span: a.Span})
	}
	value := slotOf(a.Slot, a.Span)
	none := m.b.constant(abi.NoneValue(), a.Span)
	also := func(op abi.FoldOp, x *abi.Expr, possible bool) abi.Expr {
		of := t
		if op == abi.FoldList {
			of = types.List(t)
		}
		f := abi.Atom{Op: abi.AtomFold, Fold: op, Over: slices.Clone(a.Over), Body: copyAtoms(a.Body), Span: a.Span, Slot: m.slot(of)}
		if possible {
			f.Body, f.Possible = copyAtoms(body), true
		}
		if x != nil {
			e := copyExpr(*x)
			f.Expr = &e
		}
		out = append(out, f)
		return slotOf(f.Slot, a.Span)
	}
	binary := func(op abi.ExprOp, x, y abi.Expr) abi.Expr {
		return abi.Expr{Op: op, Args: []abi.Expr{x, y}, Span: a.Span}
	}
	if !bounded {
		least, most := none, none
		switch a.Fold {
		case abi.FoldCount, abi.FoldMax:
			least = value
		case abi.FoldMin:
			most = value
		}
		let(w.least, least)
		let(w.most, most)
		let(w.left, none)
		return out, true
	}
	if valueless(a.Fold) && m.empty {
		out = nil
		nothing := abi.Atom{Op: abi.AtomExists, Neg: true, Body: copyAtoms(a.Body), Span: a.Span}
		shown := known
		shown.Body, shown.Possible = copyAtoms(body), true
		out = append(out, shown, nothing)
		let(w.least, also(abi.FoldMin, a.Expr, true))
		let(w.most, also(abi.FoldMax, a.Expr, true))
		let(w.left, also(abi.FoldCount, nil, true))
		return out, true
	}
	least, most := abi.BuiltinLeastMean, abi.BuiltinMostMean
	if a.Fold == abi.FoldSum {
		least, most = abi.BuiltinLeastSum, abi.BuiltinMostSum
	}
	if a.Fold == abi.FoldAvg || a.Fold == abi.FoldSum && !m.numbers(a.Expr) {
		sure, all := also(abi.FoldList, a.Expr, false), also(abi.FoldList, a.Expr, true)
		of := func(name string, args ...abi.Expr) abi.Expr {
			return abi.Expr{Op: abi.ExprBuiltin, Name: name, Args: args, Span: a.Span}
		}
		let(w.least, of(least, sure, all))
		let(w.most, of(most, sure, all))
		let(w.left, binary(abi.ExprSub, of(abi.BuiltinLen, all), of(abi.BuiltinLen, sure)))
		return out, true
	}
	switch a.Fold {
	case abi.FoldCount:
		all := also(abi.FoldCount, nil, true)
		let(w.least, value)
		let(w.most, all)
		let(w.left, binary(abi.ExprSub, all, value))
		return out, true
	case abi.FoldMin:
		let(w.least, also(abi.FoldMin, a.Expr, true))
		let(w.most, value)
	case abi.FoldMax:
		let(w.least, value)
		let(w.most, also(abi.FoldMax, a.Expr, true))
	case abi.FoldSum:
		zero := m.b.constant(abi.IntValue(0), a.Span)
		side := func(op abi.ExprOp) abi.Expr {
			part := abi.Expr{Op: abi.ExprIf, Args: []abi.Expr{binary(op, *a.Expr, zero), *a.Expr, zero}, Span: a.Span}
			rest := binary(abi.ExprSub, also(abi.FoldSum, &part, true), also(abi.FoldSum, &part, false))
			return binary(abi.ExprAdd, value, rest)
		}
		let(w.least, side(abi.ExprLt))
		let(w.most, side(abi.ExprGt))
	}
	let(w.left, binary(abi.ExprSub, also(abi.FoldCount, nil, true), also(abi.FoldCount, nil, false)))
	return out, true
}

// numbers reports whether an expression is made of numbers alone.
func (m *measuring) numbers(x *abi.Expr) bool {
	for s := range openExpr(x) {
		if !numberType((*m.slots)[s].Type) {
			return false
		}
	}
	all := true
	eachConst(x, func(i int) { all = all && m.b.env.Constants.Values[i].Kind == abi.KindNum })
	return all
}

func eachConst(x *abi.Expr, visit func(int)) {
	if x.Op == abi.ExprConst {
		visit(x.Index)
	}
	for i := range x.Args {
		eachConst(&x.Args[i], visit)
	}
}

func numberType(t abi.Type) bool {
	return t.Op == abi.TypeNat || t.Op == abi.TypeInt || t.Op == abi.TypeReal || t.Op == abi.TypeDecimal
}

// scan lowers an atom that asks for a measured column.
func (m *measuring) scan(a *abi.Atom, uses map[int]int) ([]abi.Atom, bool) {
	at := m.b.measures[a.Rel]
	if a.Neg {
		m.refuse(a.Span, "the negation of a value that may be an interval", "compare the value in a derive of its own, and negate that")
		return nil, false
	}
	t := m.b.env.Relations[a.Rel].Columns[at.Column].Type
	w := ends{least: m.slot(types.Option(t)), most: m.slot(types.Option(t)), left: m.slot(types.Option(types.Nat)), span: a.Span}
	out := copyAtoms([]abi.Atom{*a})
	s := &out[0]
	asked := s.Args[at.Column]
	s.Rel = at.within
	s.Args = append(s.Args, slotArg(w.least), slotArg(w.most), slotArg(w.left))
	if asked.Op == abi.ArgConst {
		n := m.slot(t)
		s.Args[at.Column] = slotArg(n)
		m.held[n], m.of[n] = w, t
		out = append(out, m.equals(n, asked, a.Span))
	} else {
		if _, twice := m.held[asked.Index]; twice {
			m.refuse(a.Span, "two values that have to be the same and may be intervals", "compare each with a bound")
			return nil, false
		}
		m.held[asked.Index], m.of[asked.Index] = w, t
	}
	return out, true
}
