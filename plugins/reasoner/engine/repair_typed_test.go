package engine

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ox-mcp/ox-mcp/abi"
)

// sort is what the variables of a program are of: the types that places may have,
// the values that facts and constants are made of, and values besides, which a
// complete search must not have missed.
type sort struct {
	types    []abi.Type
	pool     []abi.Value
	besides  []abi.Value
	ordered  bool
	measured bool // has sums
}

func ratValues(texts ...string) (out []abi.Value) {
	for _, text := range texts {
		r, _ := new(big.Rat).SetString(text)
		out = append(out, abi.RatValue(r))
	}
	return out
}

func moneyValues(currency string, texts ...string) (out []abi.Value) {
	for _, v := range ratValues(texts...) {
		out = append(out, abi.MoneyValue(v.Number(), currency))
	}
	return out
}

func valuesOfKind(kind abi.Kind, texts ...string) (out []abi.Value) {
	for _, v := range ratValues(texts...) {
		nano := new(big.Rat).Mul(v.Number(), big.NewRat(1_000_000_000, 1)).Num().Int64()
		whole := nano / 1_000_000_000
		if nano%1_000_000_000 < 0 {
			whole--
		}
		if kind == abi.KindDay {
			out = append(out, abi.DayValue(whole))
			continue
		}
		out = append(out, abi.Value{Kind: kind, Int: whole, Nano: int32(nano - whole*1_000_000_000)})
	}
	return out
}

func valuesOfText(kind abi.Kind, texts ...string) (out []abi.Value) {
	for _, text := range texts {
		out = append(out, abi.Value{Kind: kind, Str: text})
	}
	return out
}

func typesOf(ops ...abi.TypeOp) (out []abi.Type) {
	for _, op := range ops {
		out = append(out, abi.Type{Op: op})
	}
	return out
}

// sorts are drawn from; the first is that of individuals.
func sorts() []sort {
	numbers := append(typesOf(abi.TypeInt, abi.TypeNat, abi.TypeReal, abi.TypeDecimal, abi.TypeInt, abi.TypeTop), abi.Type{Op: abi.TypeNat, Name: "u8"}, abi.Type{Op: abi.TypeInt, Name: "i8"})
	return []sort{
		{types: []abi.Type{{Op: abi.TypeConcept, Name: "A"}, {Op: abi.TypeConcept, Name: "B"}}, pool: valuesOfText(abi.KindNamed, "m::a", "m::b", "m::c"), besides: valuesOfText(abi.KindNamed, "m::new", "m::other")},
		{types: numbers[:1], pool: ratValues("1", "3", "4"), besides: ratValues("-90", "-1", "0", "2", "5", "6", "90"), ordered: true, measured: true},
		{types: numbers[6:], pool: ratValues("0", "2", "127"), besides: ratValues("-128", "-1", "1", "3", "126", "128", "255"), ordered: true, measured: true},
		{types: numbers[2:4], pool: ratValues("1.2", "1.7", "2"), besides: ratValues("-9", "0.2", "1.3", "1.5", "1.9", "2.01", "3", "90"), ordered: true, measured: true},
		{types: numbers, pool: ratValues("0", "1", "1.5"), besides: ratValues("-9", "-0.5", "0.5", "1.25", "2", "2.5", "90"), ordered: true, measured: true},
		{types: typesOf(abi.TypeMoney), pool: moneyValues("EUR", "1", "1.01", "3"), besides: append(moneyValues("EUR", "-9", "0", "1.005", "2", "90"), moneyValues("USD", "2")...), ordered: true, measured: true},
		{types: typesOf(abi.TypeDate), pool: valuesOfKind(abi.KindDay, "10", "11", "14"), besides: valuesOfKind(abi.KindDay, "-9", "9", "12", "15", "9000"), ordered: true},
		{types: typesOf(abi.TypeDateTime), pool: valuesOfKind(abi.KindInstant, "10", "11", "14.000000001"), besides: valuesOfKind(abi.KindInstant, "-9.5", "10.5", "12", "14", "14.000000002", "9000"), ordered: true},
		{types: typesOf(abi.TypeDuration), pool: valuesOfKind(abi.KindSpan, "10", "10.000000001", "14"), besides: valuesOfKind(abi.KindSpan, "-9.5", "0", "12", "15", "9000"), ordered: true},
		{types: typesOf(abi.TypeTime), pool: valuesOfKind(abi.KindTime, "0", "10", "86399"), besides: valuesOfKind(abi.KindTime, "0.5", "5", "20", "86399.5"), ordered: true},
		{types: typesOf(abi.TypeString), pool: valuesOfText(abi.KindString, "a", "b", ""), besides: valuesOfText(abi.KindString, "aa", "ab", "c", "A", " ", "zz"), ordered: true},
		{types: typesOf(abi.TypeBool), pool: []abi.Value{abi.BoolValue(false)}, besides: []abi.Value{abi.BoolValue(true)}},
		{types: []abi.Type{{Op: abi.TypeEnum, Name: "m::E"}}, pool: valuesOfText(abi.KindSymbol, "m::E::One", "m::E::Two"), besides: valuesOfText(abi.KindSymbol, "m::E::Three"), ordered: true},
		{types: typesOf(abi.TypeTop), pool: append(ratValues("1"), valuesOfText(abi.KindString, "a")...), besides: append(ratValues("2"), valuesOfText(abi.KindString, "b")...)},
	}
}

// typedProgram is a random program over places of several types, with facts.
type typedProgram struct {
	t       *rapid.T
	b       *builder
	sorts   []sort  // those of this program
	columns [][]int // by relation: the sort of each column
	bases   []int
	heads   []int
	facts   []typedEdit
	goal    []abi.Value
}

type typedEdit struct {
	rel    int
	tuple  []abi.Value
	remove bool
}

func (p *typedProgram) text(x typedEdit) string {
	var values []string
	for _, v := range x.tuple {
		values = append(values, fmt.Sprint(v.Kind, " ", v.Number().RatString(), v.Nano, v.Str))
	}
	return map[bool]string{true: "-"}[x.remove] + p.b.p.Relations[x.rel].Name + "(" + strings.Join(values, ", ") + ")"
}

func (p *typedProgram) int(label string, lo, hi int) int {
	return rapid.IntRange(lo, hi).Draw(p.t, label)
}
func (p *typedProgram) chance(label string, percent int) bool { return p.int(label, 1, 100) <= percent }

// relation makes a relation with columns of some of the sorts.
func (p *typedProgram) relation(name string, base bool, arity int) int {
	rel := 0
	if base {
		rel = p.b.base(name, arity)
	} else {
		rel = p.b.derived(name, arity)
	}
	var of []int
	for c := range arity {
		k := p.int("sort", 0, len(p.sorts)-1)
		of = append(of, k)
		if base {
			p.b.p.Relations[rel].Columns[c].Type = rapid.SampledFrom(p.sorts[k].types).Draw(p.t, "type")
		}
	}
	p.columns = append(p.columns, of)
	return rel
}

func typed(t *rapid.T) *typedProgram {
	all := sorts()
	p := &typedProgram{t: t, b: newBuilder(), sorts: []sort{all[0]}}
	for range p.int("sorts", 1, 2) {
		p.sorts = append(p.sorts, rapid.SampledFrom(all[1:]).Draw(t, "of"))
	}
	if p.chance("without individuals", 60) {
		p.sorts = p.sorts[1:]
	}
	// Two concepts, B below A.
	told := [2]int{}
	for i, name := range []string{"A", "B"} {
		told[i] = p.b.base(name+"+", 1)
		p.b.p.Relations[told[i]].Origin = abi.OriginConcept
		p.b.p.Relations[told[i]].Columns[0].Type = abi.Type{Op: abi.TypeConcept, Name: name}
		p.columns = append(p.columns, []int{0})
	}
	a, b := p.b.derived("A", 1), p.b.derived("B", 1)
	p.columns = append(p.columns, []int{0}, []int{0})
	for i, rel := range []int{a, b} {
		p.b.p.Relations[rel].Origin, p.b.p.Relations[rel].Asserted = abi.OriginConcept, told[i]
	}
	p.b.component(false, []int{b}, p.b.rule(b, slots(0), 1, scan(told[1], 0)))
	p.b.component(false, []int{a}, p.b.rule(a, slots(0), 1, scan(told[0], 0)), p.b.rule(a, slots(0), 1, scan(b, 0)))
	p.b.p.Types = []abi.TypeDef{
		{Name: "A", Op: abi.TypeConcept, Extent: a}, {Name: "B", Op: abi.TypeConcept, Extent: b, Supers: []int{0}},
		{Name: "m::E", Op: abi.TypeEnum, Extent: -1, Variants: []abi.VariantDef{{Name: "m::E::One"}, {Name: "m::E::Two"}, {Name: "m::E::Three"}}},
	}
	individuals := p.sorts[0].types[0].Op == abi.TypeConcept
	if individuals {
		for _, v := range p.sorts[0].pool {
			if n := p.int("concept", 0, 3); n > 0 {
				p.facts = append(p.facts, typedEdit{rel: told[min(n-1, 1)], tuple: []abi.Value{v}})
			}
		}
	}
	for i := range p.int("bases", 1, 2) {
		rel := p.relation(string(rune('r'+i)), true, p.int("arity", 1, 2))
		p.bases = append(p.bases, rel)
		r := &p.b.p.Relations[rel]
		if len(r.Columns) == 2 && p.chance("keyed", 30) {
			r.Key = []int{0}
		}
		for range p.int("facts", 0, 3) {
			x := typedEdit{rel: rel}
			for c, k := range p.columns[rel] {
				fits := slices.DeleteFunc(slices.Clone(p.sorts[k].pool), func(v abi.Value) bool { return !fitsType(&r.Columns[c].Type, v) })
				if len(fits) == 0 {
					break
				}
				x.tuple = append(x.tuple, rapid.SampledFrom(fits).Draw(t, "value"))
			}
			if len(x.tuple) == len(r.Columns) && !slices.ContainsFunc(p.facts, func(y typedEdit) bool {
				return y.rel == rel && (r.Key != nil && abi.Equal(x.tuple[0], y.tuple[0]) || slices.EqualFunc(x.tuple, y.tuple, abi.Equal))
			}) {
				p.facts = append(p.facts, x)
			}
		}
	}
	readable := slices.Clone(p.bases)
	if individuals {
		readable = append(readable, a, b)
	}
	for i := range p.int("heads", 1, 2) {
		head := p.relation(string(rune('p'-i)), false, p.int("arity", 0, 2))
		var rules []int
		for range p.int("rules", 1, 2) {
			rules = append(rules, p.rule(head, readable))
		}
		p.b.component(false, []int{head}, rules...)
		readable = append(readable, head, head)
		p.heads = append(p.heads, head)
	}
	if individuals {
		p.bases = append(p.bases, told[0], told[1])
	}
	return p
}

func fitsType(t *abi.Type, v abi.Value) bool {
	e := New()
	x := e.terms.Intern(v)
	return t.Op == abi.TypeTop || e.takes(t, x)
}

// typedClause is a rule while it is made: of is the sort of each slot, have those
// that are bound.
type typedClause struct {
	p    *typedProgram
	of   []int
	have []int
}

func (p *typedProgram) rule(head int, readable []int) int {
	c := &typedClause{p: p}
	var body []abi.Atom
	for range p.int("scans", 1, 2) {
		body = append(body, c.scan(readable, 40, true))
	}
	for range p.int("conditions", 0, 2) {
		body = append(body, c.condition(readable)...)
	}
	var args []abi.Arg
	for _, k := range p.columns[head] {
		args = append(args, c.bound(k, 15))
	}
	return p.b.rule(head, args, len(c.of), body...)
}

func (c *typedClause) constant(k int) abi.Arg {
	v := rapid.SampledFrom(c.p.sorts[k].pool).Draw(c.p.t, "constant")
	return abi.Arg{Op: abi.ArgConst, Index: c.p.b.constant(v)}
}

// bound makes an argument of a sort that has a value.
func (c *typedClause) bound(k, constants int) abi.Arg {
	var fits []int
	for _, s := range c.have {
		if c.of[s] == k {
			fits = append(fits, s)
		}
	}
	if len(fits) == 0 || c.p.chance("constant", constants) {
		return c.constant(k)
	}
	return abi.Arg{Op: abi.ArgSlot, Index: rapid.SampledFrom(fits).Draw(c.p.t, "slot")}
}

func (c *typedClause) scan(readable []int, bound int, binds bool) abi.Atom {
	a := abi.Atom{Op: abi.AtomScan, Rel: rapid.SampledFrom(readable).Draw(c.p.t, "relation")}
	for _, k := range c.p.columns[a.Rel] {
		switch {
		case c.p.chance("wild", 10):
			a.Args = append(a.Args, abi.Arg{})
		case !binds || c.p.chance("bound", bound):
			a.Args = append(a.Args, c.bound(k, 20))
		default:
			a.Args = append(a.Args, abi.Arg{Op: abi.ArgSlot, Index: len(c.of)})
			c.have = append(c.have, len(c.of))
			c.of = append(c.of, k)
		}
	}
	return a
}

// inner sees what c has bound, and keeps to itself what it binds.
func (c *typedClause) inner(do func(*typedClause)) {
	in := &typedClause{p: c.p, of: c.of, have: slices.Clone(c.have)}
	do(in)
	c.of = in.of
}

func (c *typedClause) condition(readable []int) (out []abi.Atom) {
	p := c.p
	if len(c.have) == 0 {
		return nil
	}
	slot := rapid.SampledFrom(c.have).Draw(p.t, "slot")
	k := c.of[slot]
	x := abi.Arg{Op: abi.ArgSlot, Index: slot}
	cmp := abi.CmpOp(p.int("compare", 0, 5))
	if !p.sorts[k].ordered {
		cmp = abi.CmpOp(p.int("compare", 0, 1))
	}
	expr := func(a abi.Arg) abi.Expr {
		if a.Op == abi.ArgConst {
			return abi.Expr{Op: abi.ExprConst, Index: a.Index}
		}
		return slotExpr(a.Index)
	}
	switch p.int("condition", 0, 11) {
	case 0, 1, 2:
		y := c.constant(k)
		out = []abi.Atom{{Op: abi.AtomCmp, Cmp: cmp, Args: []abi.Arg{x, y}}}
	case 3:
		out = []abi.Atom{{Op: abi.AtomCmp, Cmp: cmp, Args: []abi.Arg{x, c.bound(k, 0)}}}
	case 4:
		list := abi.Expr{Op: abi.ExprList, Args: []abi.Expr{expr(c.constant(k)), expr(c.constant(k))}}
		out = []abi.Atom{{Op: abi.AtomIn, Slot: slot, Expr: &list}}
	case 5, 6:
		a := c.scan(readable, 100, false)
		a.Neg = true
		out = []abi.Atom{a}
	case 7, 8:
		c.inner(func(in *typedClause) {
			a := abi.Atom{Op: abi.AtomExists, Neg: p.chance("denied", 70), Body: []abi.Atom{in.scan(readable, 40, true)}}
			if p.chance("second", 50) {
				b := in.scan(readable, 60, false)
				b.Neg = p.chance("denied", 50)
				a.Body = append(a.Body, b)
			}
			if len(in.have) > 0 && p.chance("compared", 30) {
				s := rapid.SampledFrom(in.have).Draw(p.t, "slot")
				a.Body = append(a.Body, abi.Atom{Op: abi.AtomCmp, Cmp: abi.CmpOp(p.int("compare", 0, 1)), Args: []abi.Arg{{Op: abi.ArgSlot, Index: s}, in.constant(in.of[s])}})
			}
			out = []abi.Atom{a}
		})
	case 9:
		c.inner(func(in *typedClause) {
			a := abi.Atom{Op: abi.AtomFold, Fold: abi.FoldCount, Body: []abi.Atom{in.scan(readable, 40, true)}}
			a.Over = slices.Clone(in.have[len(c.have):])
			value := abi.IntValue(int64(p.int("least", 0, 3)))
			if len(a.Over) > 0 {
				of := a.Over[0]
				if s := p.sorts[in.of[of]]; s.ordered && p.chance("of values", 60) {
					a.Fold = rapid.SampledFrom([]abi.FoldOp{abi.FoldMin, abi.FoldMax, abi.FoldSum}).Draw(p.t, "fold")
					if a.Fold == abi.FoldSum && !s.measured {
						a.Fold = abi.FoldMin
					}
					y := slotExpr(of)
					a.Expr, value = &y, rapid.SampledFrom(s.pool).Draw(p.t, "least")
				}
			}
			a.Slot = len(in.of)
			in.of = append(in.of, -1)
			least := abi.Arg{Op: abi.ArgConst, Index: p.b.constant(value)}
			out = []abi.Atom{a, {Op: abi.AtomCmp, Cmp: rapid.SampledFrom([]abi.CmpOp{abi.CmpEq, abi.CmpGe, abi.CmpLt}).Draw(p.t, "compare"), Args: []abi.Arg{{Op: abi.ArgSlot, Index: a.Slot}, least}}}
		})
	case 10:
		f := abi.Expr{Op: abi.ExprEq + abi.ExprOp(cmp), Args: []abi.Expr{slotExpr(slot), expr(c.constant(k))}}
		if p.chance("denied", 60) {
			f = abi.Expr{Op: abi.ExprNot, Args: []abi.Expr{f}}
		}
		if p.chance("or", 40) {
			f = abi.Expr{Op: abi.ExprOr, Args: []abi.Expr{f, {Op: abi.ExprEq, Args: []abi.Expr{slotExpr(slot), expr(c.bound(k, 50))}}}}
		}
		out = []abi.Atom{{Op: abi.AtomFilter, Expr: &f}}
	case 11:
		if !p.sorts[k].measured {
			return nil
		}
		s := len(c.of)
		c.of, c.have = append(c.of, k), append(c.have, s)
		sum := abi.Expr{Op: abi.ExprAdd, Args: []abi.Expr{slotExpr(slot), expr(c.constant(k))}}
		out = []abi.Atom{{Op: abi.AtomLet, Slot: s, Expr: &sum}}
	}
	return out
}

func (p *typedProgram) print() string {
	var b strings.Builder
	for _, r := range p.b.p.Relations {
		fmt.Fprintf(&b, "%s key %v:", r.Name, r.Key)
		for _, c := range r.Columns {
			fmt.Fprintf(&b, " %d%s", c.Type.Op, c.Type.Name)
		}
		b.WriteString("\n")
	}
	var body func(atoms []abi.Atom) string
	var expr func(x *abi.Expr) string
	arg := func(x abi.Arg) string {
		switch x.Op {
		case abi.ArgSlot:
			return fmt.Sprint("x", x.Index)
		case abi.ArgConst:
			v := p.b.p.Constants[x.Index]
			return fmt.Sprint("'", v.Number().RatString(), v.Nano, v.Str)
		}
		return "_"
	}
	expr = func(x *abi.Expr) string {
		switch x.Op {
		case abi.ExprSlot:
			return fmt.Sprint("x", x.Index)
		case abi.ExprConst:
			return arg(abi.Arg{Op: abi.ArgConst, Index: x.Index})
		}
		out := fmt.Sprint("op", x.Op)
		for i := range x.Args {
			out += " " + expr(&x.Args[i])
		}
		return "(" + out + ")"
	}
	body = func(atoms []abi.Atom) string {
		var out []string
		for i := range atoms {
			a := &atoms[i]
			text := map[bool]string{true: "not "}[a.Neg]
			switch a.Op {
			case abi.AtomScan:
				text += p.b.p.Relations[a.Rel].Name
			case abi.AtomCmp:
				text += fmt.Sprint("cmp", a.Cmp)
			case abi.AtomFold:
				text += fmt.Sprintf("x%d=fold%d over %v", a.Slot, a.Fold, a.Over)
			case abi.AtomLet, abi.AtomIn:
				text += fmt.Sprintf("x%d %d=", a.Slot, a.Op)
			}
			for _, x := range a.Args {
				text += " " + arg(x)
			}
			if a.Expr != nil {
				text += expr(a.Expr)
			}
			if len(a.Body) > 0 {
				text += "{" + body(a.Body) + "}"
			}
			out = append(out, text)
		}
		return strings.Join(out, ", ")
	}
	for _, r := range p.b.p.Rules {
		fmt.Fprintf(&b, "%s", p.b.p.Relations[r.Head].Name)
		for _, x := range r.Args {
			b.WriteString(" " + arg(x))
		}
		b.WriteString(" :- " + body(r.Body) + "\n")
	}
	for _, x := range p.facts {
		b.WriteString(p.text(x) + "\n")
	}
	return b.String()
}

// edits returns the changes of one fact, over the values of the pools and those
// besides.
func (p *typedProgram) edits(e *Engine) (out []typedEdit) {
	s := &repairing{e: e, bounds: repairBounds{work: 1 << 40}}
	for _, rel := range p.bases {
		r := &p.b.p.Relations[rel]
		var fill func(tuple []abi.Value)
		fill = func(tuple []abi.Value) {
			if c := len(tuple); c < len(r.Columns) {
				k := p.sorts[p.columns[rel][c]]
				for _, v := range slices.Concat(k.pool, k.besides) {
					if fitsType(&r.Columns[c].Type, v) {
						fill(append(slices.Clone(tuple), v))
					}
				}
				return
			}
			if slices.ContainsFunc(p.facts, func(x typedEdit) bool { return x.rel == rel && slices.EqualFunc(x.tuple, tuple, abi.Equal) }) {
				return
			}
			if r.Origin == abi.OriginConcept && !s.mayJoin(e.terms.Intern(tuple[0]), rel) {
				return
			}
			out = append(out, typedEdit{rel: rel, tuple: tuple})
		}
		fill(nil)
	}
	for _, x := range p.facts {
		if e.removable(x.rel) {
			out = append(out, typedEdit{x.rel, x.tuple, true})
		}
	}
	return out
}

// holds reports whether the tuple holds after the changes, and all that they add is
// of its types; ok is false where one of them undoes another.
func (p *typedProgram) holds(t *rapid.T, e *Engine, edits []typedEdit, rel int, goal []abi.Term) bool {
	for i, x := range edits {
		for _, y := range edits[:i] {
			keyed := p.b.p.Relations[x.rel].Key != nil || p.b.p.Relations[x.rel].Origin == abi.OriginConcept
			same := x.rel == y.rel && (keyed && abi.Equal(x.tuple[0], y.tuple[0]) || slices.EqualFunc(x.tuple, y.tuple, abi.Equal))
			// Nor does one individual come to be of two concepts.
			if same || p.b.p.Relations[x.rel].Origin == abi.OriginConcept && p.b.p.Relations[y.rel].Origin == abi.OriginConcept && abi.Equal(x.tuple[0], y.tuple[0]) {
				return false
			}
		}
	}
	s := &repairing{e: e, goal: baseFact{rel, goal}, types: map[string]int{"A": 2, "B": 3}}
	for _, x := range edits {
		one := revision{baseFact{x.rel, nil}, x.remove}
		for _, v := range x.tuple {
			one.tuple = append(one.tuple, e.terms.Intern(v))
		}
		defer e.assume(one)()
		s.chosen = append(s.chosen, one)
	}
	for _, rel := range []int{rel, 2, 3} {
		if f := e.ensure(rel); f != nil {
			t.Fatalf("%v", f)
		}
	}
	_, ok, f := s.lacking()
	if f != nil {
		t.Fatalf("%v", f)
	}
	return ok
}

// named reports whether something names a value for a place.
func (p *typedProgram) named(e *Engine, rel, column int, v abi.Value) bool {
	s := &repairing{e: e, goal: baseFact{p.heads[len(p.heads)-1], nil}, bounds: roomyRepairs()}
	for _, v := range p.goal {
		s.goal.tuple = append(s.goal.tuple, e.terms.Intern(v))
	}
	named, _ := s.placed(rel, column, nil)
	return slices.Contains(named, e.terms.Intern(v))
}

// shows reports whether a repair that was found stands for a set of changes: it is
// that, but for values that nothing names.
func (p *typedProgram) shows(e *Engine, found, set []typedEdit) bool {
	if len(found) != len(set) {
		return false
	}
	if len(set) == 0 {
		return true
	}
	for i, x := range found {
		y := set[0]
		if x.rel != y.rel || x.remove != y.remove {
			continue
		}
		alike := true
		for c := range x.tuple {
			alike = alike && (abi.Equal(x.tuple[c], y.tuple[c]) || !p.named(e, y.rel, c, y.tuple[c]))
		}
		if alike && p.shows(e, slices.Delete(slices.Clone(found), i, i+1), set[1:]) {
			return true
		}
	}
	return false
}

// editsOf reads a repair that was found.
func (p *typedProgram) editsOf(r *abi.Repair) (out []typedEdit) {
	for _, x := range r.Facts {
		out = append(out, typedEdit{rel: x.Relation, tuple: x.Tuple})
	}
	for _, x := range r.Removed {
		if key := p.b.p.Relations[x.Relation].Key; key == nil || !slices.ContainsFunc(r.Facts, func(y abi.RepairFact) bool {
			return y.Relation == x.Relation && abi.Equal(y.Tuple[0], x.Tuple[0])
		}) {
			out = append(out, typedEdit{x.Relation, x.Tuple, true})
		}
	}
	return out
}

// checkTyped holds what a search says that it covered against trying all sets over
// more values than the program names.
func checkTyped(t *rapid.T, tally map[string]int) {
	p := typed(t)
	e := drawnEngine(t, 1, 2, defaultBatch)
	if _, f := e.Load(&abi.LoadRequest{Program: p.b.p}); f != nil {
		t.Skip(f)
	}
	var deltas []abi.Delta
	for _, x := range p.facts {
		b := abi.FrameBuilder{Arity: len(x.tuple)}
		b.Add(x.tuple)
		deltas = append(deltas, abi.Delta{Relation: x.rel, Frame: b.Frame()})
	}
	if _, f := e.Assert(&abi.AssertRequest{Deltas: deltas}); f != nil {
		t.Fatalf("assert: %v", f)
	}
	rel := p.heads[len(p.heads)-1]
	var terms []abi.Term
	for _, k := range p.columns[rel] {
		v := rapid.SampledFrom(p.sorts[k].pool).Draw(t, "goal")
		p.goal, terms = append(p.goal, v), append(terms, e.terms.Intern(v))
	}
	if f := e.exact(rel); f != nil {
		t.Skip(f)
	}
	if _, there := e.rels[rel].data.Find(terms); there {
		return
	}
	edits := p.edits(e)
	most := 2
	switch {
	case len(edits) > 140:
		most = 1
	case len(edits) < 30:
		most = 3
	}
	bounds := roomyRepairs()
	bounds.named, bounds.tries = false, 2000
	got, f := e.repairs(rel, terms, uint32(most), bounds)
	if f != nil {
		t.Fatalf("repairs: %v", f)
	}
	tally["searched"]++
	var found [][]typedEdit
	for i := range got.Repairs {
		x := p.editsOf(&got.Repairs[i])
		found = append(found, x)
		if !p.holds(t, e, x, rel, terms) {
			t.Fatalf("%v does not do\n%s", got.Repairs[i], p.print())
		}
	}
	if !got.Complete {
		tally[fmt.Sprintf("open at %d", got.MaxSize)]++
		return
	}
	tally[fmt.Sprintf("complete at %d", got.MaxSize)]++
	if len(found) > 0 {
		tally["with repairs"]++
	}
	for size := 1; size <= int(got.MaxSize); size++ {
		var walk func(from int, chosen []typedEdit)
		walk = func(from int, chosen []typedEdit) {
			if len(chosen) < size {
				for i := from; i < len(edits); i++ {
					walk(i+1, append(chosen, edits[i]))
				}
				return
			}
			if !p.holds(t, e, chosen, rel, terms) {
				return
			}
			if size == int(got.MaxSize) && slices.ContainsFunc(found, func(x []typedEdit) bool { return p.shows(e, x, chosen) }) {
				return
			}
			var texts []string
			for _, x := range chosen {
				texts = append(texts, p.text(x))
			}
			t.Fatalf("complete up to %d, and of %d repairs none is %q\nof %s%v\n%s", got.MaxSize, len(found), texts, p.b.p.Relations[rel].Name, p.goal, p.print())
		}
		walk(0, nil)
	}
}

// What a search says that it covered, it covered, whatever values there are: over
// thousands of draws with -rapid.checks.
func TestACompleteSearchHasMissedNoValue(t *testing.T) {
	tally := map[string]int{}
	for range 3 { // with as many programs each
		rapid.Check(t, func(t *rapid.T) { checkTyped(t, tally) })
	}
	t.Log(tally)
	if tally["complete at 1"] < 30 || tally["complete at 2"] < 20 || tally["with repairs"] < 20 {
		t.Errorf("%v: too few to mean anything", tally)
	}
}
