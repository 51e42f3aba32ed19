package lower

import (
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/types"
)

// operator writes the rules of one relation of intervals. slots are those of
// the body that it comes from; the rules have more of their own.
type operator struct {
	b     *builder
	m     types.Metric
	slots []abi.Slot
	vars  []int     // what the columns before from and to are about
	head  []abi.Arg // the same, where they need not be slots
	rel   int
	span  abi.Span
}

// relation makes the relation of vars, from and to.
func (x *operator) relation(name string) int {
	r := abi.Relation{Name: name, Role: abi.Derived, Origin: abi.OriginAux, Span: x.span}
	for _, v := range x.vars {
		r.Columns = append(r.Columns, abi.Column{Name: x.slots[v].Name, Type: x.slots[v].Type})
	}
	r.Columns = append(r.Columns, abi.Column{Name: "from", Type: types.Int}, abi.Column{Name: "to", Type: types.Int})
	return x.b.relation(r)
}

// draft is a rule of intervals that is being written.
type draft struct {
	x     *operator
	slots []abi.Slot
	body  []abi.Atom
}

func (x *operator) draft() *draft {
	return &draft{x: x, slots: append([]abi.Slot(nil), x.slots...)}
}

func (d *draft) slot() int {
	d.slots = append(d.slots, abi.Slot{Type: types.Int})
	return len(d.slots) - 1
}

func (d *draft) day(n int64) abi.Arg {
	return abi.Arg{Op: abi.ArgConst, Index: d.x.b.env.Constants.Add(abi.IntValue(n))}
}

func (d *draft) expr(a abi.Arg) abi.Expr {
	if a.Op == abi.ArgConst {
		return abi.Expr{Op: abi.ExprConst, Index: a.Index, Span: d.x.span}
	}
	return slotOf(a.Index, d.x.span)
}

// scan reads the intervals of in.
func (d *draft) scan(in interval) (from, to abi.Arg) {
	from, to = slotArg(d.slot()), slotArg(d.slot())
	a := abi.Atom{Op: abi.AtomScan, Rel: in.rel, Span: d.x.span}
	for _, v := range in.vars {
		a.Args = append(a.Args, slotArg(v))
	}
	a.Args = append(a.Args, from, to)
	d.body = append(d.body, a)
	return from, to
}

// moved is the day n days after a.
func (d *draft) moved(a abi.Arg, n int64) abi.Arg {
	if n == 0 {
		return a
	}
	return d.let(abi.Expr{Op: abi.ExprAdd, Args: []abi.Expr{d.expr(a), d.expr(d.day(n))}, Span: d.x.span})
}

// pick is the one of a and b that is less, or greater.
func (d *draft) pick(op abi.ExprOp, a, b abi.Arg) abi.Arg {
	x, y := d.expr(a), d.expr(b)
	cond := abi.Expr{Op: op, Args: []abi.Expr{x, y}, Span: d.x.span}
	return d.let(abi.Expr{Op: abi.ExprIf, Args: []abi.Expr{cond, x, y}, Span: d.x.span})
}

func (d *draft) later(a, b abi.Arg) abi.Arg   { return d.pick(abi.ExprGt, a, b) }
func (d *draft) earlier(a, b abi.Arg) abi.Arg { return d.pick(abi.ExprLt, a, b) }

func (d *draft) let(x abi.Expr) abi.Arg {
	s := d.slot()
	d.body = append(d.body, abi.Atom{Op: abi.AtomLet, Slot: s, Expr: &x, Span: d.x.span})
	return slotArg(s)
}

func (d *draft) holds(op abi.CmpOp, a, b abi.Arg) {
	d.body = append(d.body, abi.Atom{Op: abi.AtomCmp, Cmp: op, Args: []abi.Arg{a, b}, Span: d.x.span})
}

// give ends the rule: the intervals from and up to, where that is one.
func (d *draft) give(from, to abi.Arg) {
	if from.Op == abi.ArgSlot || to.Op == abi.ArgSlot {
		d.holds(abi.CmpLt, from, to)
	}
	args := append([]abi.Arg(nil), d.x.head...)
	for _, v := range d.x.vars {
		args = append(args, slotArg(v))
	}
	d.x.b.rule(abi.Rule{
		Name: d.x.b.env.Relations[d.x.rel].Name, Head: d.x.rel, Args: append(args, from, to), Slots: d.slots, Body: d.body, Span: d.x.span,
	})
}

// together gives the days on which every atom of body holds.
func (x *operator) together(body []abi.Atom) {
	d := x.draft()
	from, to := d.day(-Always), d.day(Always)
	first := true
	for _, a := range copyAtoms(body) {
		if a.Op != abi.AtomScan {
			d.body = append(d.body, a)
			continue
		}
		a.Rel = x.b.twin(a.Rel, x.span)
		f, t := slotArg(d.slot()), slotArg(d.slot())
		a.Args = append(a.Args, f, t)
		d.body = append(d.body, a)
		if first {
			from, to, first = f, t, false
			continue
		}
		from, to = d.later(from, f), d.earlier(to, t)
	}
	d.give(from, to)
}

// box gives the days that look at days of in alone.
func (x *operator) box(in interval) {
	d := x.draft()
	f, t := d.scan(in)
	back := x.m.Word == "box_minus"
	switch {
	case back && x.m.To < 0:
		d.holds(abi.CmpLe, f, d.day(-Always))
		d.give(d.day(-Always), d.moved(t, x.m.From))
	case back:
		d.give(d.moved(f, x.m.To), d.moved(t, x.m.From))
	case x.m.To < 0:
		d.holds(abi.CmpGe, t, d.day(Always))
		d.give(d.moved(f, -x.m.From), d.day(Always))
	default:
		d.give(d.moved(f, -x.m.From), d.moved(t, -x.m.To))
	}
}

// diamond gives the days that look at a day of in.
func (x *operator) diamond(in interval) {
	d := x.draft()
	f, t := d.scan(in)
	x.reach(d, f, t, x.m.From, x.m.To, x.m.Word == "diamond_minus")
}

// reach gives the days from which a day of [f, t) is least to most days away.
func (x *operator) reach(d *draft, f, t abi.Arg, least, most int64, back bool) {
	switch {
	case back && most < 0:
		d.give(d.moved(f, least), d.day(Always))
	case back:
		d.give(d.moved(f, least), d.moved(t, most))
	case most < 0:
		d.give(d.day(-Always), d.moved(t, -least))
	default:
		d.give(d.moved(f, -most), d.moved(t, -least))
	}
}

// meanwhile gives the days of `held since at` and `held until at`: between the
// day and that of at, neither of them counted, held holds.
func (x *operator) meanwhile(held, at interval) {
	back := x.m.Word == "since"
	// With no day or one in between there is nothing that has to hold.
	if near := min(1, x.m.To); x.m.From <= 1 && (near >= x.m.From || x.m.To < 0) {
		if x.m.To < 0 {
			near = 1
		}
		d := x.draft()
		f, t := d.scan(at)
		x.reach(d, f, t, x.m.From, near, back)
	}
	if x.m.To >= 0 && x.m.To <= 1 {
		return
	}
	d := x.draft()
	f, t := d.scan(held)
	g, h := d.scan(at)
	if back {
		low := d.later(g, d.moved(f, -1))
		d.holds(abi.CmpLt, low, h)
		end := d.moved(t, 1)
		if x.m.To >= 0 {
			end = d.earlier(d.moved(h, x.m.To), end)
		}
		d.give(d.moved(low, x.m.From), end)
		return
	}
	high := d.earlier(h, d.moved(t, 1))
	d.holds(abi.CmpLt, g, high)
	begin := d.moved(f, -1)
	if x.m.To >= 0 {
		begin = d.later(d.moved(g, -x.m.To), begin)
	}
	d.give(begin, d.moved(high, -x.m.From))
}

// coalesced joins intervals that meet or overlap.
func (b *builder) coalesced(in interval, slots []abi.Slot) interval {
	r := b.env.Relations[in.rel]
	name := r.Name[:len(r.Name)-len(TwinMark)]
	ends := func(suffix string, left bool) interval {
		x := operator{b: b, slots: slots, vars: in.vars, span: r.Span}
		columns := append([]abi.Column(nil), r.Columns[:len(in.vars)]...)
		rel := b.relation(abi.Relation{
			Name: name + suffix, Role: abi.Derived, Origin: abi.OriginAux, Span: r.Span,
			Columns: append(columns, abi.Column{Name: "day", Type: types.Int}),
		})
		d := x.draft()
		f, t := d.scan(in)
		inside := x.draft()
		inside.slots = d.slots
		f2, t2 := inside.scan(in)
		day := f
		if left {
			inside.holds(abi.CmpLt, f2, f)
			inside.holds(abi.CmpGe, t2, f)
		} else {
			day = t
			inside.holds(abi.CmpLe, f2, t)
			inside.holds(abi.CmpGt, t2, t)
		}
		args := []abi.Arg{}
		for _, v := range in.vars {
			args = append(args, slotArg(v))
		}
		body := append(d.body, abi.Atom{Op: abi.AtomExists, Neg: true, Body: inside.body, Span: r.Span})
		b.rule(abi.Rule{Name: name + suffix, Head: rel, Args: append(args, day), Slots: inside.slots, Body: body, Span: r.Span})
		return interval{rel, in.vars}
	}
	begins, stops := ends("<", true), ends(">", false)
	x := operator{b: b, slots: slots, vars: in.vars, span: r.Span}
	x.rel = x.relation(name + "=" + TwinMark)
	d := x.draft()
	point := func(p interval, body *[]abi.Atom) abi.Arg {
		s := slotArg(d.slot())
		a := abi.Atom{Op: abi.AtomScan, Rel: p.rel, Span: r.Span}
		for _, v := range p.vars {
			a.Args = append(a.Args, slotArg(v))
		}
		a.Args = append(a.Args, s)
		*body = append(*body, a)
		return s
	}
	from := point(begins, &d.body)
	var later []abi.Atom
	stop := point(stops, &later)
	later = append(later, abi.Atom{Op: abi.AtomCmp, Cmp: abi.CmpGt, Args: []abi.Arg{stop, from}, Span: r.Span})
	to := slotArg(d.slot())
	value := d.expr(stop)
	d.body = append(d.body, abi.Atom{Op: abi.AtomFold, Fold: abi.FoldMin, Slot: to.Index, Expr: &value, Over: []int{stop.Index}, Body: later, Span: r.Span})
	d.give(from, to)
	return interval{x.rel, in.vars}
}

// today makes the relation of what holds on the day of the read, of the
// relation of its days.
func (b *builder) today(days int, name string, span abi.Span) int {
	r := b.env.Relations[days]
	n := len(r.Columns) - 2
	rel := b.relation(abi.Relation{Name: name, Role: abi.Derived, Origin: abi.OriginAux, Columns: r.Columns[:n:n], Span: span})
	rule := abi.Rule{Name: name, Head: rel, Span: span}
	scan := abi.Atom{Op: abi.AtomScan, Rel: days, Span: span}
	for i, c := range r.Columns {
		rule.Slots = append(rule.Slots, abi.Slot{Name: c.Name, Type: c.Type})
		scan.Args = append(scan.Args, slotArg(i))
		if i < n {
			rule.Args = append(rule.Args, slotArg(i))
		}
	}
	day := len(rule.Slots)
	rule.Slots = append(rule.Slots, abi.Slot{Type: types.Int})
	since := abi.Expr{Op: abi.ExprSub, Span: span, Args: []abi.Expr{
		{Op: abi.ExprBuiltin, Name: abi.BuiltinToday, Span: span}, b.constant(abi.Value{Kind: abi.KindDay}, span),
	}}
	number := abi.Expr{Op: abi.ExprBuiltin, Name: abi.BuiltinDays, Args: []abi.Expr{since}, Span: span}
	rule.Body = []abi.Atom{
		{Op: abi.AtomLet, Slot: day, Expr: &number, Span: span},
		scan,
		{Op: abi.AtomCmp, Cmp: abi.CmpLe, Args: []abi.Arg{slotArg(n), slotArg(day)}, Span: span},
		{Op: abi.AtomCmp, Cmp: abi.CmpLt, Args: []abi.Arg{slotArg(day), slotArg(n + 1)}, Span: span},
	}
	b.rule(rule)
	return rel
}
