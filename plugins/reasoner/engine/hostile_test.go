package engine

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/ox-mcp/ox-mcp/abi"
)

// wildAtom draws an atom whose slots are any of the rule's, bound or not.
func (g *generator) wildAtom(depth, slots int) abi.Atom {
	arg := func() abi.Arg {
		switch g.int("argument", 0, 3) {
		case 0:
			return abi.Arg{}
		case 1:
			return abi.Arg{Op: abi.ArgConst, Index: g.n[g.int("constant", 0, domain-1)]}
		}
		return abi.Arg{Op: abi.ArgSlot, Index: g.int("slot", 0, slots-1)}
	}
	bound := func() abi.Arg {
		a := arg()
		if a.Op == abi.ArgWild {
			a = abi.Arg{Op: abi.ArgSlot, Index: g.int("slot", 0, slots-1)}
		}
		return a
	}
	expr := func() *abi.Expr {
		op := rapid.SampledFrom([]abi.ExprOp{abi.ExprAdd, abi.ExprDiv, abi.ExprLt, abi.ExprList, abi.ExprAnd}).Draw(g.t, "operator")
		return &abi.Expr{Op: op, Args: []abi.Expr{slotExpr(g.int("slot", 0, slots-1)), slotExpr(g.int("slot", 0, slots-1))}}
	}
	body := func() []abi.Atom {
		var out []abi.Atom
		for range g.int("nested", 0, 2) {
			out = append(out, g.wildAtom(depth+1, slots))
		}
		return out
	}
	slot := g.int("slot", 0, slots-1)
	switch g.int("atom", 0, 9) {
	case 0:
		return abi.Atom{Op: abi.AtomCmp, Cmp: abi.CmpOp(g.int("compare", 0, 5)), Args: []abi.Arg{bound(), bound()}}
	case 1:
		return abi.Atom{Op: abi.AtomLet, Slot: slot, Expr: expr()}
	case 2:
		return abi.Atom{Op: abi.AtomFilter, Expr: expr()}
	case 3:
		p := abi.Pattern{Op: abi.PatSome, Items: []abi.Pattern{{Op: abi.PatBind, Slot: g.int("slot", 0, slots-1)}}}
		return abi.Atom{Op: abi.AtomMatch, Slot: slot, Pattern: &p}
	case 4:
		return abi.Atom{Op: abi.AtomIn, Slot: slot, Expr: expr()}
	case 5:
		return abi.Atom{Op: abi.AtomIs, Slot: slot, Type: &abi.Type{Op: abi.TypeInt}}
	case 6:
		if depth < 3 {
			return abi.Atom{Op: abi.AtomExists, Neg: g.chance("negated", 50), Body: body()}
		}
	case 7:
		if depth < 3 {
			a := abi.Atom{Op: abi.AtomFold, Slot: slot, Fold: abi.FoldOp(g.int("fold", 0, 4)), Body: body(), Over: []int{g.int("slot", 0, slots-1)}}
			if a.Fold != abi.FoldCount {
				a.Expr = expr()
			}
			return a
		}
	}
	rel := g.int("relation", 0, len(g.b.p.Relations)-1)
	a := abi.Atom{Op: abi.AtomScan, Rel: rel, Neg: g.chance("negated", 20)}
	for range g.b.p.Relations[rel].Columns {
		a.Args = append(a.Args, arg())
	}
	return a
}

// TestAnyProgramIsEvaluatedOrRefused runs programs that the compiler would
// never make: what is bound where is left to chance. An answer and a failure
// are both right; a panic, or a failure that blames the engine, is not.
func TestAnyProgramIsEvaluatedOrRefused(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := &generator{t: t, b: newBuilder()}
		for i := range g.n {
			g.n[i] = g.b.constant(abi.IntValue(int64(i)))
		}
		bases := []int{g.b.base("a", 1), g.b.base("b", 2)}
		var rels []int
		for _, name := range []string{"p", "q", "r"} {
			rels = append(rels, g.b.derived(name, g.int("arity", 0, 2)))
		}
		slots := g.int("slots", 1, 4)
		var components [][]int
		for _, rel := range rels {
			var rules []int
			for range g.int("rules", 1, 2) {
				var body []abi.Atom
				for range g.int("atoms", 0, 4) {
					body = append(body, g.wildAtom(0, slots))
				}
				var args []abi.Arg
				for range g.b.p.Relations[rel].Columns {
					args = append(args, abi.Arg{Op: abi.ArgSlot, Index: g.int("slot", 0, slots-1)})
				}
				rules = append(rules, g.b.rule(rel, args, slots, body...))
			}
			components = append(components, rules)
		}
		for i, rel := range rels {
			g.b.component(true, []int{rel}, components[i]...)
		}
		e := New()
		call := abi.Call{Limits: abi.Limits{Rounds: 100, Derived: 10000, Calls: 100}}
		if _, f := e.Load(&abi.LoadRequest{Program: g.b.p}); f != nil {
			if f.Code != abi.FailureRequest {
				t.Fatalf("load: %v", f)
			}
			return
		}
		assert := abi.AssertRequest{Deltas: []abi.Delta{
			{Relation: bases[0], Frame: intFrame([]int64{0}, []int64{1})},
			{Relation: bases[1], Frame: intFrame([]int64{0, 1}, []int64{1, 1}, []int64{1, 2})},
		}}
		if _, f := e.Assert(&assert); f != nil {
			t.Fatalf("assert: %v", f)
		}
		for _, rel := range rels {
			rows, f := e.Derive(&abi.DeriveRequest{Call: call, Relation: rel})
			if f != nil {
				if f.Code == abi.FailureInternal {
					t.Fatalf("derive: %v", f)
				}
				continue
			}
			tuple := valuesOf(make([]int64, len(g.b.p.Relations[rel].Columns)))
			if rows.Total > 0 {
				tuple = rows.Frame.Row(nil, 0)
			}
			if _, f := e.Explain(&abi.ExplainRequest{Call: call, Relation: rel, Tuple: tuple}); f != nil && f.Code == abi.FailureInternal {
				t.Fatalf("explain %v: %v%s", tuple, f, (&generated{p: g.b.p}).print())
			}
		}
	})
}
