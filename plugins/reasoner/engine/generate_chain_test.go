package engine

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/ox-mcp/ox-mcp/abi"
)

// generateChains makes programs whose rules are joins along shared variables, as
// those are that people write: closures, mutual recursion, exceptions and counts
// over them. Tuples of theirs have many derivations, long ones and circular ones.
func generateChains(t *rapid.T) *generated {
	g := &generator{t: t, b: newBuilder()}
	for i := range g.n {
		g.n[i] = g.b.constant(abi.IntValue(int64(i)))
	}
	out := &generated{facts: map[int][][]int64{}}
	var readable []int
	for i := range g.int("bases", 1, 3) {
		arity := rapid.SampledFrom([]int{1, 2, 2, 2, 3}).Draw(t, "arity")
		rel := g.b.base(string(rune('a'+i)), arity)
		for range g.int("facts", 2, 5*arity) {
			out.facts[rel] = append(out.facts[rel], g.tuple(arity))
		}
		readable, out.bases = append(readable, rel), append(out.bases, rel)
	}
	for i := range g.int("components", 1, 3) {
		var own []int
		for j := range g.int("relations", 1, 2) {
			arity := rapid.SampledFrom([]int{0, 1, 2, 2, 2}).Draw(t, "arity")
			own = append(own, g.b.derived(string(rune('p'+2*i+j)), arity))
		}
		var rules []int
		for _, head := range own {
			for k := range g.int("rules", 2, 3) {
				args, slots, body := g.chain(head, readable, own, k > 0)
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

// chain makes a rule: each scan goes on from a variable of the one before it, and
// the head has the first variable and the last.
func (g *generator) chain(head int, earlier, own []int, recursive bool) (args []abi.Arg, slots int, body []abi.Atom) {
	c := &clause{g: g}
	last := -1
	for i := range g.int("scans", 1, 3) {
		from := earlier
		if recursive && (i == 0 || g.chance("recursive", 40)) {
			from = own
		}
		a := abi.Atom{Op: abi.AtomScan, Rel: rapid.SampledFrom(from).Draw(g.t, "relation")}
		n := len(g.b.p.Relations[a.Rel].Columns)
		for col := range n {
			switch {
			case col == 0 && last >= 0:
				a.Args = append(a.Args, abi.Arg{Op: abi.ArgSlot, Index: last})
			case g.chance("bound", 10):
				a.Args = append(a.Args, c.bound(50))
			default:
				s := c.fresh()
				a.Args = append(a.Args, abi.Arg{Op: abi.ArgSlot, Index: s})
				c.have = append(c.have, s)
			}
			if col == n-1 && a.Args[col].Op == abi.ArgSlot {
				last = a.Args[col].Index
			}
		}
		body = append(body, a)
	}
	switch g.int("condition", 0, 9) {
	case 0, 1, 2:
		body = append(body, c.condition(earlier)...)
	case 3, 4:
		body = append(body, c.fold(earlier))
	case 5:
		a := abi.Atom{Op: abi.AtomScan, Rel: rapid.SampledFrom(earlier).Draw(g.t, "relation"), Neg: true}
		for range g.b.p.Relations[a.Rel].Columns {
			a.Args = append(a.Args, c.bound(10))
		}
		body = append(body, a)
	}
	for i := range g.b.p.Relations[head].Columns {
		switch {
		case len(c.have) == 0 || g.chance("any", 15):
			args = append(args, c.bound(20))
		case i == 0:
			args = append(args, abi.Arg{Op: abi.ArgSlot, Index: c.have[0]})
		default:
			args = append(args, abi.Arg{Op: abi.ArgSlot, Index: slices.Max(c.have)})
		}
	}
	return args, c.width, body
}
