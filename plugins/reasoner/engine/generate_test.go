package engine

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/ox-mcp/ox-mcp/abi"
)

// generated is a random program with facts. bodies are the rules' bodies in an
// order that can be run from left to right; the program has them shuffled.
type generated struct {
	p      abi.Program
	bodies [][]abi.Atom
	facts  map[int][][]int64
	bases  []int
	least  int64 // of the values that repairs are looked for with
}

// domain is the number of integers that facts are made of, and ceiling bounds
// what arithmetic may derive.
const (
	domain  = 5
	ceiling = 9
)

type generator struct {
	t *rapid.T
	b *builder
	n [ceiling + 1]int // constants
}

func (g *generator) int(label string, lo, hi int) int { return rapid.IntRange(lo, hi).Draw(g.t, label) }

func (g *generator) chance(label string, percent int) bool {
	return g.int(label, 1, 100) <= percent
}

func generate(t *rapid.T) *generated {
	g := &generator{t: t, b: newBuilder()}
	for i := range g.n {
		g.n[i] = g.b.constant(abi.IntValue(int64(i)))
	}
	out := &generated{facts: map[int][][]int64{}}
	var readable []int
	for i := range g.int("bases", 1, 3) {
		arity := g.int("arity", 1, 3)
		rel := g.b.base(string(rune('a'+i)), arity)
		for range g.int("facts", 0, 8) {
			out.facts[rel] = append(out.facts[rel], g.tuple(arity))
		}
		readable, out.bases = append(readable, rel), append(out.bases, rel)
	}
	for i := range g.int("components", 1, 3) {
		var own []int
		for j := range g.int("relations", 1, 2) {
			own = append(own, g.b.derived(string(rune('p'+2*i+j)), g.int("arity", 0, 3)))
		}
		var rules []int
		for _, head := range own {
			for range g.int("rules", 1, 3) {
				args, slots, body := g.clause(head, readable, own)
				rules = append(rules, g.b.rule(head, args, slots, rapid.Permutation(body).Draw(t, "order")...))
				out.bodies = append(out.bodies, body)
			}
		}
		g.b.component(true, own, rules...)
		readable = append(readable, own...)
	}
	out.p = g.b.p
	return out
}

func (g *generator) tuple(arity int) []int64 {
	t := make([]int64, arity)
	for i := range t {
		t[i] = int64(g.int("value", 0, domain-1))
	}
	return t
}

// clause makes a rule: scans first, then what reads the slots they bind.
func (g *generator) clause(head int, earlier, own []int) (args []abi.Arg, slots int, body []abi.Atom) {
	c := &clause{g: g}
	for range g.int("scans", 1, 3) {
		from := earlier
		if g.chance("recursive", 40) {
			from = own
		}
		body = append(body, c.scan(from, 50))
	}
	if g.chance("nested exists", 15) {
		a := abi.Atom{Op: abi.AtomExists, Body: []abi.Atom{c.inner().scan(slices.Concat(earlier, own), 60)}}
		body = append(body, a)
	}
	for range g.int("conditions", 0, 3) {
		body = append(body, c.condition(earlier)...)
	}
	for range g.b.p.Relations[head].Columns {
		args = append(args, c.bound(10))
	}
	return args, c.width, body
}

// clause is a body while it is made: have are the slots that are bound so far.
type clause struct {
	g     *generator
	width int
	have  []int
	outer *clause // that shares the slots' numbers
}

func (c *clause) fresh() int {
	if c.outer != nil {
		c.outer.fresh()
		c.width = c.outer.width
	} else {
		c.width++
	}
	return c.width - 1
}

// inner makes a clause that sees what c has bound, and keeps to itself what it
// binds.
func (c *clause) inner() *clause {
	return &clause{g: c.g, width: c.width, have: slices.Clone(c.have), outer: c}
}

// bound makes an argument that has a value; percent of them are constants.
func (c *clause) bound(percent int) abi.Arg {
	if len(c.have) == 0 || c.g.chance("constant", percent) {
		return abi.Arg{Op: abi.ArgConst, Index: c.g.n[c.g.int("constant", 0, domain-1)]}
	}
	return abi.Arg{Op: abi.ArgSlot, Index: rapid.SampledFrom(c.have).Draw(c.g.t, "slot")}
}

// scan makes a positive scan; percent of its arguments are bound already.
func (c *clause) scan(from []int, percent int) abi.Atom {
	rel := rapid.SampledFrom(from).Draw(c.g.t, "relation")
	a := abi.Atom{Op: abi.AtomScan, Rel: rel}
	for range c.g.b.p.Relations[rel].Columns {
		switch {
		case c.g.chance("wild", 10):
			a.Args = append(a.Args, abi.Arg{})
		case c.g.chance("bound", percent):
			a.Args = append(a.Args, c.bound(20))
		default:
			s := c.fresh()
			a.Args = append(a.Args, abi.Arg{Op: abi.ArgSlot, Index: s})
			c.have = append(c.have, s)
		}
	}
	return a
}

func (c *clause) operand() abi.Expr {
	x := c.bound(30)
	if x.Op == abi.ArgConst {
		return abi.Expr{Op: abi.ExprConst, Index: x.Index}
	}
	return slotExpr(x.Index)
}

func (c *clause) condition(earlier []int) []abi.Atom {
	g := c.g
	switch g.int("condition", 0, 8) {
	case 0:
		a := c.inner().scan(earlier, 100)
		a.Neg = true
		return []abi.Atom{a}
	case 1:
		return []abi.Atom{{Op: abi.AtomCmp, Cmp: abi.CmpOp(g.int("compare", 0, 5)), Args: []abi.Arg{c.bound(20), c.bound(20)}}}
	case 2:
		s := c.fresh()
		a := abi.Atom{Op: abi.AtomCmp, Cmp: abi.CmpEq, Args: []abi.Arg{{Op: abi.ArgSlot, Index: s}, c.bound(20)}}
		c.have = append(c.have, s)
		return []abi.Atom{a}
	case 3:
		op := rapid.SampledFrom([]abi.ExprOp{abi.ExprAdd, abi.ExprMul}).Draw(g.t, "operator")
		x := abi.Expr{Op: op, Args: []abi.Expr{c.operand(), c.operand()}}
		s := c.fresh()
		c.have = append(c.have, s)
		limit := abi.Expr{Op: abi.ExprLt, Args: []abi.Expr{slotExpr(s), {Op: abi.ExprConst, Index: g.n[ceiling]}}}
		return []abi.Atom{{Op: abi.AtomLet, Slot: s, Expr: &x}, {Op: abi.AtomFilter, Expr: &limit}}
	case 4:
		x := abi.Expr{Op: abi.ExprList, Args: []abi.Expr{c.operand(), c.operand()}}
		s := c.fresh()
		c.have = append(c.have, s)
		return []abi.Atom{{Op: abi.AtomIn, Slot: s, Expr: &x}}
	case 5:
		in := c.inner()
		a := abi.Atom{Op: abi.AtomExists, Neg: g.chance("negated", 50), Body: []abi.Atom{in.scan(earlier, 50)}}
		if g.chance("second", 50) {
			a.Body = append(a.Body, in.scan(earlier, 70))
		}
		return []abi.Atom{a}
	case 6:
		return []abi.Atom{c.fold(earlier)}
	case 7:
		if len(c.have) == 0 {
			return nil
		}
		p := abi.Pattern{Op: abi.PatOr, Items: []abi.Pattern{
			{Op: abi.PatConst, Const: g.n[g.int("constant", 0, domain-1)]},
			{Op: abi.PatConst, Const: g.n[g.int("constant", 0, domain-1)]},
		}}
		return []abi.Atom{{Op: abi.AtomMatch, Slot: rapid.SampledFrom(c.have).Draw(g.t, "slot"), Pattern: &p}}
	}
	if len(c.have) == 0 {
		return nil
	}
	return []abi.Atom{{Op: abi.AtomIs, Slot: rapid.SampledFrom(c.have).Draw(g.t, "slot"), Type: &abi.Type{Op: abi.TypeInt}}}
}

func (c *clause) fold(earlier []int) abi.Atom {
	g := c.g
	in := c.inner()
	a := abi.Atom{Op: abi.AtomFold, Fold: abi.FoldOp(g.int("fold", 0, 3)), Body: []abi.Atom{in.scan(earlier, 40)}}
	if g.chance("second", 40) {
		a.Body = append(a.Body, in.scan(earlier, 60))
	}
	a.Over = slices.Clone(in.have[len(c.have):])
	if a.Fold != abi.FoldCount {
		x := in.operand()
		if x.Op == abi.ExprSlot && len(a.Over) > 0 {
			x = slotExpr(a.Over[0])
		}
		a.Expr = &x
	}
	a.Slot = c.fresh()
	c.have = append(c.have, a.Slot)
	return a
}
