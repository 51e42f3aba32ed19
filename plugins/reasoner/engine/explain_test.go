package engine

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
)

// sketch writes a proof as text: a line a node.
func sketch(e *Engine, nodes []abi.ProofNode) string {
	var out strings.Builder
	var walk func(at, depth int)
	walk = func(at, depth int) {
		n := &nodes[at]
		kind := [...]string{"asserted", "rule", "absent", "holds", "fold", "folded"}[n.Kind]
		fmt.Fprintf(&out, "%s%s", strings.Repeat(" ", depth), kind)
		if n.Relation >= 0 {
			fmt.Fprintf(&out, " %s(", e.prog.Relations[n.Relation].Name)
			for i, v := range n.Tuple {
				if i > 0 {
					out.WriteString(",")
				}
				if v == nil {
					out.WriteString("_")
				} else {
					fmt.Fprint(&out, v.Int)
				}
			}
			out.WriteString(")")
		}
		if n.Kind == abi.ProofFolded {
			fmt.Fprintf(&out, " %d", n.Size)
		}
		if n.Alternatives > 0 {
			fmt.Fprintf(&out, " +%d", n.Alternatives)
		}
		out.WriteString("\n")
		for _, c := range n.Children {
			walk(c, depth+1)
		}
	}
	walk(0, 0)
	return out.String()
}

func TestProofsOfEachKindOfAtom(t *testing.T) {
	b := newBuilder()
	two := b.constant(abi.IntValue(2))
	a, r, bad := b.base("a", 1), b.base("r", 2), b.base("bad", 1)
	path, good := b.derived("path", 2), b.derived("good", 2)
	b.component(true, []int{path},
		b.rule(path, slots(0, 1), 2, scan(r, 0, 1)),
		b.rule(path, slots(0, 2), 3, scan(path, 0, 1), scan(r, 1, 2)))
	// good(x, n) :- a(x), not bad(x), n = count of path(x, _), n >= 2, exists path(x, x) is false.
	b.component(false, []int{good}, b.rule(good, slots(0, 1), 4,
		scan(a, 0), not(scan(bad, 0)),
		abi.Atom{Op: abi.AtomFold, Slot: 1, Fold: abi.FoldCount, Over: []int{2}, Body: []abi.Atom{scan(path, 0, 2)}},
		abi.Atom{Op: abi.AtomCmp, Cmp: abi.CmpGe, Args: []abi.Arg{{Op: abi.ArgSlot, Index: 1}, {Op: abi.ArgConst, Index: two}}},
		abi.Atom{Op: abi.AtomExists, Neg: true, Body: []abi.Atom{scan(path, 0, 0)}},
		abi.Atom{Op: abi.AtomExists, Body: []abi.Atom{scan(r, 0, 3)}}))
	e := load(t, b.p)
	assertInts(t, e, a, []int64{1}, []int64{3}, []int64{4})
	assertInts(t, e, r, []int64{1, 2}, []int64{2, 3}, []int64{1, 3}, []int64{4, 1})
	assertInts(t, e, bad, []int64{4})
	for _, c := range []struct {
		rel           int
		tuple         []int64
		depth, budget uint32
		want          string
	}{
		{good, []int64{1, 2}, 0, 0, `rule good(1,2)
 asserted a(1)
 absent bad(1)
 fold
  rule path(1,2)
   asserted r(1,2)
  rule path(1,3) +1
   asserted r(1,3)
 holds
 absent
 holds
  asserted r(1,2)
`},
		{good, []int64{1, 2}, 2, 0, `rule good(1,2)
 asserted a(1)
 absent bad(1)
 fold
  folded path(1,2) 2
  folded path(1,3) 2
 holds
 absent
 holds
  asserted r(1,2)
`},
		{good, []int64{1, 2}, 0, 3, "folded good(1,2) 7\n"},
		{path, []int64{4, 3}, 0, 0, `rule path(4,3) +1
 rule path(4,1)
  asserted r(4,1)
 asserted r(1,3)
`},
		{a, []int64{1}, 0, 0, "asserted a(1)\n"},
	} {
		x, f := e.Explain(&abi.ExplainRequest{Relation: c.rel, Tuple: valuesOf(c.tuple), MaxDepth: c.depth, MaxNodes: c.budget})
		if f != nil {
			t.Fatal(f)
		}
		if got := sketch(e, x.Nodes); got != c.want {
			t.Errorf("%s%v, depth %d, nodes %d:\n%swant\n%s", b.p.Relations[c.rel].Name, c.tuple, c.depth, c.budget, got, c.want)
		}
	}
	other, f := e.Explain(&abi.ExplainRequest{Relation: path, Tuple: valuesOf([]int64{1, 3}), Alternative: 1})
	if f != nil {
		t.Fatal(f)
	}
	if got, want := sketch(e, other.Nodes), "rule path(1,3) +1\n rule path(1,2)\n  asserted r(1,2)\n asserted r(2,3)\n"; got != want {
		t.Errorf("the other derivation is\n%swant\n%s", got, want)
	}

	why := func(rel int, tuple ...int64) abi.Explanation {
		x, f := e.Explain(&abi.ExplainRequest{Relation: rel, Tuple: valuesOf(tuple)})
		if f != nil {
			t.Fatal(f)
		}
		return *x
	}
	blocked := why(good, 4, 3).WhyNot[0].Attempts[0]
	if blocked.Reason != abi.ReasonBlocked || blocked.Failed != 1 || fmt.Sprint(blocked.NearMiss[0].Int) != "4" {
		t.Errorf("good(4, 3) is blocked by bad(4): %+v", blocked)
	}
	short := why(good, 3, 0).WhyNot[0].Attempts[0]
	if short.Reason != abi.ReasonComparisonFalse || short.Failed != 3 {
		t.Errorf("good(3, 0) fails at its comparison: %+v", short)
	}
	missing := why(path, 3, 2)
	first := missing.WhyNot[0].Attempts[0]
	if first.Reason != abi.ReasonNoMatch || first.Failed != 0 || first.NearMiss[0].Int != 1 || first.NearMiss[1].Int != 2 {
		t.Errorf("path(3, 2) has no edge, and r(1, 2) is nearest: %+v", first)
	}
	if len(missing.WhyNot[0].Attempts) != 2 {
		t.Errorf("%d attempts, want one a rule", len(missing.WhyNot[0].Attempts))
	}
}

func TestWhyNotPrefersABindingThatMissesByOnePlace(t *testing.T) {
	b := newBuilder()
	owns, licensed, drives := b.base("owns", 2), b.base("licensed", 2), b.derived("drives", 1)
	class := b.constant(abi.IntValue(7))
	a := scan(licensed, 1, -1)
	a.Args[1] = abi.Arg{Op: abi.ArgConst, Index: class}
	b.component(false, []int{drives}, b.rule(drives, slots(0), 2, scan(owns, 0, 1), a))
	e := load(t, b.p)
	assertInts(t, e, owns, []int64{1, 10}, []int64{1, 20}, []int64{1, 30})
	assertInts(t, e, licensed, []int64{20, 6}, []int64{99, 5})
	x, f := e.Explain(&abi.ExplainRequest{Relation: drives, Tuple: valuesOf([]int64{1})})
	if f != nil {
		t.Fatal(f)
	}
	got := x.WhyNot[0].Attempts[0]
	if got.Reached != 1 || got.Failed != 1 || got.Bindings[1].Int != 20 || len(got.NearMiss) != 2 || got.NearMiss[1].Int != 6 {
		t.Errorf("attempt %+v, want it to stop at licensed(20, 7), with licensed(20, 6) near", got)
	}
}
