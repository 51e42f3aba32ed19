package lower

import (
	"slices"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/types"
)

// A fold over rows of which some are unknown or undefined has no one value. What
// is known of it is the fold of the rows that hold, and how far the others could
// take it: an interval. It is lowered so: beside the fold stands one over what
// the body may be, from both follow the ends of the interval, and a rule that
// gives the value is undefined unless the ends meet. A comparison of the value
// holds where it holds at the end that makes it hardest, and is undefined where
// it holds at the other. A column that is given such a value is measured: a
// second relation has its tuples with the ends, and who compares the column reads
// that.

// The names of the columns that follow a relation's or a query's own where one
// of these is measured: its name, followed by what they are of its interval.
const (
	withinMark  = "$"
	WithinLeast = withinMark + "least" // none: no bound
	WithinMost  = withinMark + "most"  // none: no bound
	WithinLeft  = withinMark + "left"  // rows that are not known to hold; none: any number
)

// Shown follows the name of a relation in that of the one that has its tuples
// with the columns of the interval behind.
const Shown = withinMark + "shown"

// inner follows it in that of the one whose tuples are certain where there is a
// value at all, whichever it is.
const inner = withinMark + "within"

// Measuring reports whether the relation is one that measured columns need.
func Measuring(r *abi.Relation) bool {
	return r.Origin == abi.OriginAux && (strings.HasSuffix(r.Name, Shown) || strings.HasSuffix(r.Name, inner))
}

// Measure is a measured column of a relation.
type Measure struct {
	Column int
	within int // the relation that has the tuples with the columns of the interval behind, certain where there is a value at all
}

// ends is what the slot of a fold's value goes with.
type ends struct {
	least, most, left int
	span              abi.Span
}

// measureAll lowers the folds of the builder's rules, and of queries, whose rows
// may be undefined. known is what is known of the relations of a program that is
// extended; guards are the heads of checks that the compiler made, which ask for
// what is known.
func (b *builder) measureAll(known []bool, measures map[int]Measure, queries []abi.Query, guards map[int]bool) {
	b.measures = measures
	folds := len(measures) > 0
	for i := range b.rules {
		folds = folds || hasFold(b.rules[i].Body)
	}
	for i := range queries {
		folds = folds || hasFold(queries[i].Body)
	}
	if !folds {
		return
	}
	g := &reading{undefined: known}
	done := map[int]bool{}
	fresh := func() {
		if !b.extends {
			g = b.reading()
		}
	}
	b.measureRules(&g, fresh, done, guards)
	nested := false
	for i := range queries {
		q := &queries[i]
		m := &measuring{b: b, g: g, head: -1, slots: &q.Slots, name: q.Name}
		if m.needed(q.Body) {
			body, apart := m.unnest(q.Body, outsideOf(q))
			q.Body, nested = body, nested || apart
		}
	}
	if nested {
		b.measureRules(&g, fresh, done, guards)
	}
	b.measureRest(done)
	if len(done) > 0 || len(measures) > 0 {
		fresh()
	}
	for i := range queries {
		m := &measuring{b: b, g: g, head: -1, slots: &queries[i].Slots, name: queries[i].Name}
		if m.needed(queries[i].Body) {
			b.measureQuery(&queries[i], m)
		}
	}
}

// outsideOf are the slots that are used around the body of a query.
func outsideOf(q *abi.Query) map[int]bool {
	outside := slotsOf(q.Out)
	for j := range q.Params {
		outside[j] = true
	}
	return outside
}

func hasFold(body []abi.Atom) bool {
	return slices.ContainsFunc(body, func(a abi.Atom) bool { return a.Op == abi.AtomFold || hasFold(a.Body) })
}

// measureRule lowers rule i, and adds what it gives of a measured column.
func (b *builder) measureRule(i int, m *measuring) {
	for _, empty := range m.variants(b.rules[i].Body, slotsOf(b.rules[i].Args)) {
		r := b.rules[i]
		r.Slots = slices.Clone(r.Slots)
		v := &measuring{b: b, g: m.g, head: r.Head, slots: &r.Slots, name: r.Name, empty: empty}
		body, ok := v.body(r.Body, slotsOf(r.Args))
		if !ok {
			return
		}
		column := -1
		for c, x := range r.Args {
			if _, held := v.held[x.Index]; !held || x.Op != abi.ArgSlot {
				continue
			}
			if column >= 0 {
				v.refuse(r.Span, "two values in one head that may be intervals", "derive each in a predicate of its own")
				return
			}
			column = c
		}
		if column >= 0 {
			at, ok := b.measured(r.Head, column, r.Span)
			if !ok {
				return
			}
			w := v.held[r.Args[column].Index]
			within := r
			within.Head, within.Body = at.within, slices.Clone(body)
			within.Args = append(slices.Clone(r.Args), slotArg(w.least), slotArg(w.most), slotArg(w.left))
			within.Name, within.Label = b.env.Relations[at.within].Name, ""
			within.Slots = slices.Clone(r.Slots)
			b.rule(within)
			if !empty {
				body = append(body, v.decided(w))
			}
		}
		r.Body = body
		if empty {
			b.rule(r)
		} else {
			b.rules[i] = r
		}
	}
}

// measured makes the relations for the measured column of a relation.
func (b *builder) measured(rel, column int, span abi.Span) (Measure, bool) {
	if have, ok := b.measures[rel]; ok {
		if have.Column != column {
			b.unsupported(span, "a second column of "+short(b.env.Relations[rel].Name)+" that may be an interval", "derive each in a predicate of its own")
		}
		return have, have.Column == column
	}
	r := b.env.Relations[rel]
	columns := withinColumns(r.Columns, column)
	at := Measure{Column: column}
	at.within = b.relation(abi.Relation{Name: r.Name + inner, Role: abi.Derived, Origin: abi.OriginAux, Columns: columns, Span: r.Span})
	head := b.relation(abi.Relation{Name: r.Name + Shown, Role: abi.Derived, Origin: abi.OriginAux, Columns: columns, Span: r.Span})
	shown := abi.Rule{Name: b.env.Relations[head].Name, Head: head, Span: r.Span}
	for i, c := range columns {
		shown.Slots, shown.Args = append(shown.Slots, abi.Slot{Type: c.Type}), append(shown.Args, slotArg(i))
	}
	shown.Body = []abi.Atom{
		{Op: abi.AtomScan, Rel: rel, Args: slices.Clone(shown.Args[:len(r.Columns)]), Span: r.Span},
		{Op: abi.AtomScan, Rel: at.within, Args: slices.Clone(shown.Args), Span: r.Span},
	}
	b.rule(shown)
	b.measures[rel] = at
	return at, true
}

// withinColumns returns the columns with those of the interval of one of them.
func withinColumns(columns []abi.Column, at int) []abi.Column {
	c := columns[at]
	return append(slices.Clone(columns),
		abi.Column{Name: c.Name + WithinLeast, Type: types.Option(c.Type)},
		abi.Column{Name: c.Name + WithinMost, Type: types.Option(c.Type)},
		abi.Column{Name: c.Name + WithinLeft, Type: types.Option(types.Nat)})
}

// measureRest gives the tuples that other rules derive of measured relations
// their intervals: the value alone.
func (b *builder) measureRest(done map[int]bool) {
	zero := abi.Arg{Op: abi.ArgConst, Index: b.env.Constants.Add(abi.IntValue(0))}
	for i := range len(b.rules) {
		at, ok := b.measures[b.rules[i].Head]
		if !ok || done[i] {
			continue
		}
		r := b.rules[i]
		r.Head, r.Label, r.Name = at.within, "", b.env.Relations[at.within].Name
		r.Slots, r.Body = slices.Clone(r.Slots), copyAtoms(r.Body)
		r.Args = append(slices.Clone(r.Args), r.Args[at.Column], r.Args[at.Column], zero)
		b.rule(r)
	}
}

// measureQuery lowers the body of a query, and gives it the columns of the
// interval.
func (b *builder) measureQuery(q *abi.Query, m *measuring) {
	body, ok := m.body(q.Body, outsideOf(q))
	if !ok {
		return
	}
	q.Body = body
	column := -1
	for c, x := range q.Out {
		if w, held := m.held[x.Index]; held && x.Op == abi.ArgSlot {
			q.Body = append(q.Body, m.decided(w))
			if column < 0 {
				column = c
			}
		}
	}
	if column >= 0 {
		w := m.held[q.Out[column].Index]
		q.Columns = withinColumns(q.Columns, column)
		q.Out = append(slices.Clone(q.Out), slotArg(w.least), slotArg(w.most), slotArg(w.left))
		q.Truth = -1 // a row is no longer a tuple of the relation as it stands
	}
}

func (m *measuring) refuse(span abi.Span, what, help string) {
	m.b.report("OE1350", span, help, "%s: not supported yet", what)
}

// decided is the condition that the interval has ends, which meet. It is
// undefined where that is not so.
func (m *measuring) decided(w ends) abi.Atom {
	bounded := abi.Expr{Op: abi.ExprBuiltin, Name: abi.BuiltinIsSome, Args: []abi.Expr{slotOf(w.least, w.span)}, Span: w.span}
	end := abi.Atom{Op: abi.AtomFilter, Expr: &bounded, Span: w.span}
	meet := abi.Atom{Op: abi.AtomCmp, Cmp: abi.CmpEq, Args: []abi.Arg{slotArg(w.least), slotArg(w.most)}, Span: w.span}
	return m.holds([]abi.Atom{end, meet}, nil, w.span)
}

// holds is the condition that sure holds; where only possible does, it is
// undefined.
func (m *measuring) holds(sure, possible []abi.Atom, span abi.Span) abi.Atom {
	flag := abi.Atom{Op: abi.AtomScan, Rel: m.b.flag(), Span: span}
	not := func(body []abi.Atom) abi.Atom { return abi.Atom{Op: abi.AtomExists, Neg: true, Body: body, Span: span} }
	return not([]abi.Atom{not(sure), not(append(slices.Clone(possible), flag))})
}

// flag returns the relation of the undefined flag, which is made if there is
// none.
func (b *builder) flag() int {
	if b.unknown() < 0 {
		rel := b.relation(abi.Relation{Name: OpenRelation, Role: abi.Derived, Origin: abi.OriginAux})
		b.rule(abi.Rule{Name: OpenRelation, Head: rel, Body: []abi.Atom{{Op: abi.AtomScan, Rel: rel, Neg: true}}})
		b.open = rel + 1
	}
	return b.unknown()
}

func (m *measuring) slot(t abi.Type) int {
	*m.slots = append(*m.slots, abi.Slot{Type: t})
	return len(*m.slots) - 1
}
