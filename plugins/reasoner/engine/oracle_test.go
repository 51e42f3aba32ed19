package engine

import (
	"fmt"
	"maps"
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
)

// oracle is a naive evaluator over integers: nested loops in the order in
// which a body is written, and rules run until nothing changes. It shares
// nothing with the engine but the program.
type oracle struct {
	p       *abi.Program
	extents []map[string][]int64
	other   *oracle // whose extents negation looks at; nil: its own

	// What is true, and what may be: what folds are over. nil: the same.
	low, high *oracle
}

type env map[int]int64

func newOracle(p *abi.Program) *oracle {
	o := &oracle{p: p}
	for range p.Relations {
		o.extents = append(o.extents, map[string][]int64{})
	}
	return o
}

func (o *oracle) add(rel int, tuple []int64) bool {
	key := fmt.Sprint(tuple)
	if _, ok := o.extents[rel][key]; ok {
		return false
	}
	o.extents[rel][key] = slices.Clone(tuple)
	return true
}

func (o *oracle) has(rel int, tuple []int64) bool {
	_, ok := o.extents[rel][fmt.Sprint(tuple)]
	return ok
}

// evaluate recomputes every derived relation. bodies are the rules' bodies in
// an order that can be run from left to right.
func (o *oracle) evaluate(bodies [][]abi.Atom) {
	for i, r := range o.p.Relations {
		if r.Role == abi.Derived {
			o.extents[i] = map[string][]int64{}
		}
	}
	for _, c := range o.p.Components {
		if len(c.Costs) > 0 {
			o.iterate(c, bodies)
			continue
		}
		for changed := true; changed; {
			changed = false
			for _, i := range c.Rules {
				r := &o.p.Rules[i]
				var found [][]int64
				o.solve(bodies[i], env{}, func(e env) { found = append(found, o.args(r.Args, e)) })
				for _, t := range found {
					changed = o.add(r.Head, t) || changed
				}
			}
		}
	}
}

func (o *oracle) args(args []abi.Arg, e env) []int64 {
	out := make([]int64, len(args))
	for i, x := range args {
		out[i], _ = o.arg(x, e)
	}
	return out
}

func (o *oracle) arg(x abi.Arg, e env) (int64, bool) {
	if x.Op == abi.ArgConst {
		return o.p.Constants[x.Index].Int, true
	}
	v, ok := e[x.Index]
	return v, ok && x.Op == abi.ArgSlot
}

func (o *oracle) solve(body []abi.Atom, e env, each func(env)) {
	if len(body) == 0 {
		each(e)
		return
	}
	a, rest := &body[0], body[1:]
	next := func(e env) { o.solve(rest, e, each) }
	bind := func(slot int, v int64) {
		if have, ok := e[slot]; ok {
			if have == v {
				next(e)
			}
			return
		}
		grown := maps.Clone(e)
		grown[slot] = v
		next(grown)
	}
	against := o
	if a.Neg && o.other != nil {
		against = &oracle{p: o.p, extents: o.other.extents, other: o, low: o.low, high: o.high}
	}
	exists := func() bool {
		any := false
		against.solve(a.Body, e, func(env) { any = true })
		return any
	}
	switch a.Op {
	case abi.AtomScan:
		if a.Neg {
			any := false
			against.scan(a, e, func(env) { any = true })
			if !any {
				next(e)
			}
			return
		}
		o.scan(a, e, next)
	case abi.AtomCmp:
		x, okX := o.arg(a.Args[0], e)
		y, okY := o.arg(a.Args[1], e)
		switch {
		case !okX:
			bind(a.Args[0].Index, y)
		case !okY:
			bind(a.Args[1].Index, x)
		case compares(a.Cmp, x, y):
			next(e)
		}
	case abi.AtomLet:
		if v, ok := o.expr(a.Expr, e); ok {
			bind(a.Slot, v)
		}
	case abi.AtomFilter:
		if v, ok := o.expr(a.Expr, e); ok && v != 0 {
			next(e)
		}
	case abi.AtomIn:
		for _, x := range a.Expr.Args {
			if v, ok := o.expr(&x, e); ok {
				bind(a.Slot, v)
			}
		}
	case abi.AtomMatch:
		for _, p := range a.Pattern.Items { // an or-pattern of constants
			if o.p.Constants[p.Const].Int == e[a.Slot] {
				next(e)
				return
			}
		}
	case abi.AtomIs:
		next(e)
	case abi.AtomExists:
		if exists() != a.Neg {
			next(e)
		}
	case abi.AtomFold:
		if v, ok := o.fold(a, e); ok {
			bind(a.Slot, v)
		}
	}
}

func (o *oracle) scan(a *abi.Atom, e env, each func(env)) {
rows:
	for _, t := range o.extents[a.Rel] {
		grown := maps.Clone(e)
		for i, x := range a.Args {
			if x.Op == abi.ArgWild {
				continue
			}
			if v, ok := o.arg(x, grown); ok {
				if v != t[i] {
					continue rows
				}
			} else {
				grown[x.Index] = t[i]
			}
		}
		each(grown)
	}
}

func (o *oracle) fold(a *abi.Atom, e env) (int64, bool) {
	groups := map[string]env{}
	over := o
	switch {
	case o.low == nil:
	case a.Possible:
		over = &oracle{p: o.p, extents: o.high.extents, other: o.low, low: o.low, high: o.high}
	default:
		over = &oracle{p: o.p, extents: o.low.extents, other: o.high, low: o.low, high: o.high}
	}
	over.solve(a.Body, e, func(s env) {
		var key []int64
		for _, c := range a.Over {
			key = append(key, s[c])
		}
		groups[fmt.Sprint(key)] = s
	})
	if a.Fold == abi.FoldCount {
		return int64(len(groups)), true
	}
	var sum, least, most int64
	n := int64(0)
	for _, s := range groups {
		v, ok := o.expr(a.Expr, s)
		if !ok {
			return 0, false
		}
		if n == 0 {
			least, most = v, v
		}
		sum, least, most, n = sum+v, min(least, v), max(most, v), n+1
	}
	switch {
	case a.Fold == abi.FoldSum:
		return sum, true
	case n == 0:
		return 0, false
	case a.Fold == abi.FoldMin:
		return least, true
	}
	return most, true
}

func (o *oracle) expr(x *abi.Expr, e env) (int64, bool) {
	var v []int64
	for i := range x.Args {
		a, ok := o.expr(&x.Args[i], e)
		if !ok {
			return 0, false
		}
		v = append(v, a)
	}
	truth := func(b bool) (int64, bool) {
		if b {
			return 1, true
		}
		return 0, true
	}
	switch x.Op {
	case abi.ExprConst:
		return o.p.Constants[x.Index].Int, true
	case abi.ExprSlot:
		s, ok := e[x.Index]
		return s, ok
	case abi.ExprAdd:
		return v[0] + v[1], true
	case abi.ExprMul:
		return v[0] * v[1], true
	case abi.ExprLt:
		return truth(v[0] < v[1])
	case abi.ExprNe:
		return truth(v[0] != v[1])
	}
	panic(fmt.Sprintf("the oracle has no operator %d", x.Op))
}

func compares(op abi.CmpOp, x, y int64) bool {
	switch op {
	case abi.CmpEq:
		return x == y
	case abi.CmpNe:
		return x != y
	case abi.CmpLt:
		return x < y
	case abi.CmpLe:
		return x <= y
	case abi.CmpGt:
		return x > y
	}
	return x >= y
}
