package engine

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/ox-mcp/ox-mcp/abi"
)

// typedClause is a rule while it is made: of is the sort of each slot, have those
// that are bound.
type typedClause struct {
	p    *typedProgram
	of   []int
	have []int
}

// rule makes a rule that reads some relations, and under a denial or a fold others.
func (p *typedProgram) rule(head int, own, readable []int) int {
	c := &typedClause{p: p}
	var body []abi.Atom
	for range p.int("scans", 1, 2) {
		body = append(body, c.scan(own, 40, true))
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
	switch p.int("condition", 0, 13) {
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
	case 12:
		of := abi.Pattern{Op: abi.PatOr, Items: []abi.Pattern{{Op: abi.PatConst, Const: c.constant(k).Index}, {Op: abi.PatConst, Const: c.constant(k).Index}}}
		out = []abi.Atom{{Op: abi.AtomMatch, Slot: slot, Pattern: &of}}
	case 13:
		is := rapid.SampledFrom(p.sorts[k].types).Draw(p.t, "is")
		out = []abi.Atom{{Op: abi.AtomIs, Slot: slot, Type: &is}}
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
