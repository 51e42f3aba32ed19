package engine

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/ox-mcp/ox-mcp/abi"
)

// barredGoals is a program whose goals wait for paths of a random graph to be
// gone, in each of the ways that a rule may ask for that: some edges are facts
// that may stand beside others, some the only one from their node.
func barredGoals(t *rapid.T) *generated {
	const nodes = 3
	b, g := newBuilder(), &generated{facts: map[int][][]int64{}}
	one := b.constant(abi.IntValue(1))
	node, edge, next := b.base("node", 1), b.base("edge", 2), b.base("next", 2, 0)
	g.bases = []int{node, edge}
	keyed := rapid.IntRange(0, 3).Draw(t, "keyed") == 0
	if keyed {
		g.bases = append(g.bases, next)
	}
	for i := range int64(nodes) {
		g.facts[node] = append(g.facts[node], []int64{i})
		if keyed && rapid.Bool().Draw(t, "next") {
			g.facts[next] = append(g.facts[next], []int64{i, rapid.Int64Range(0, nodes-1).Draw(t, "to")})
		}
		for j := range int64(nodes) {
			if rapid.Bool().Draw(t, "edge") {
				g.facts[edge] = append(g.facts[edge], []int64{i, j})
			}
		}
	}
	rule := func(head int, args []abi.Arg, width int, body ...abi.Atom) int {
		g.bodies = append(g.bodies, body)
		return b.rule(head, args, width, body...)
	}
	without := func(body ...abi.Atom) abi.Atom { return abi.Atom{Op: abi.AtomExists, Neg: true, Body: body} }
	toOne := func(a abi.Atom) abi.Atom {
		a.Args[1] = abi.Arg{Op: abi.ArgConst, Index: one}
		return a
	}
	step, path, apart := b.derived("step", 2), b.derived("path", 2), b.derived("apart", 2)
	last := b.derived("last", 2)
	steps := []int{rule(step, slots(0, 1), 2, scan(edge, 0, 1))}
	if keyed {
		steps = append(steps, rule(step, slots(0, 1), 2, scan(next, 0, 1)))
	}
	b.component(false, []int{step}, steps...)
	b.component(true, []int{path},
		rule(path, slots(0, 1), 2, scan(step, 0, 1)),
		rule(path, slots(0, 2), 3, scan(path, 0, 1), scan(step, 1, 2)))
	b.component(false, []int{apart}, rule(apart, slots(0, 1), 2, scan(node, 0), scan(node, 1), not(scan(path, 0, 1))))
	var rules []int
	switch shape := rapid.IntRange(0, 5).Draw(t, "shape"); shape {
	case 0:
		rules = append(rules, rule(last, slots(0, 1), 2, scan(apart, 0, 1)))
	case 1: // one below another, and two of them
		rules = append(rules, rule(last, slots(0, 1), 2, scan(node, 0), scan(node, 1), scan(apart, 0, 1), scan(apart, 1, 0)))
	case 2: // of two rules either will do
		rules = append(rules, rule(last, slots(0, 1), 2, scan(node, 0), scan(node, 1), not(scan(path, 0, 1))),
			rule(last, slots(0, 1), 2, scan(node, 0), scan(node, 1), not(scan(path, 1, 0)), not(scan(edge, 0, 0))))
	case 3: // any path from there
		rules = append(rules, rule(last, slots(0, 1), 2, scan(node, 0), scan(node, 1), not(scan(path, 0, -1))))
	case 4: // a nested body
		rules = append(rules, rule(last, slots(0, 1), 3, scan(node, 0), scan(node, 1), without(scan(path, 0, 2), scan(path, 2, 1))))
	case 5: // what is asked for is not given by the head alone
		rules = append(rules, rule(last, slots(0, 0), 2, toOne(scan(apart, 0, -1)), scan(edge, 0, 1), not(scan(path, 1, 0))))
	}
	b.component(false, []int{last}, rules...)
	g.p = b.p
	return g
}

func TestRepairsOfWhatIsBarredAreThoseOfTryingAllSets(t *testing.T) {
	compared, found := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		g := barredGoals(t)
		e, _ := g.start(t)
		n, m := checkRepairs(t, g, e, g.stratified, 3, 1, 2, 24)
		compared, found = compared+n, found+m
	})
	comparedEnough(t, compared, found)
}

// TestASearchOfWhatIsBarredIsOver looks for what parts the ends of a graph that
// four ways join, none of which meets another, and then three.
func TestASearchOfWhatIsBarredIsOver(t *testing.T) {
	for ways := 2; ways <= 5; ways++ {
		b := newBuilder()
		edge, path, apart := b.base("edge", 2), b.derived("path", 2), b.derived("apart", 2)
		b.component(true, []int{path},
			b.rule(path, slots(0, 1), 2, scan(edge, 0, 1)),
			b.rule(path, slots(0, 2), 3, scan(path, 0, 1), scan(edge, 1, 2)))
		b.component(false, []int{apart}, b.rule(apart, slots(0, 1), 4, scan(edge, 0, 2), scan(edge, 3, 1), not(scan(path, 0, 1))))
		e := load(t, b.p)
		const from, to, length = 0, 1, 8
		rows := [][]int64{{from, 2}, {3, to}} // so that both are there in any case
		for w := range int64(ways) {
			at := int64(from)
			for i := range int64(length) {
				next := 100*w + i + 10
				rows = append(rows, []int64{at, next})
				at = next
			}
			rows = append(rows, []int64{at, to})
		}
		assertInts(t, e, edge, rows...)
		bounds := defaultRepairBounds
		bounds.found, bounds.effort = 10_000, 1<<40
		got := repairsOf(t, e, apart, []int64{from, to}, abi.MaxRepair, bounds)
		want, size := 1, ways // one edge of each way
		for range ways {
			want *= length + 1
		}
		if ways > abi.MaxRepair {
			want, size = 0, abi.MaxRepair
		}
		if len(got.Repairs) != want || int(got.MaxSize) != size || !got.Complete {
			t.Errorf("%d ways: %d repairs of size %d, complete: %v; want %d of size %d", ways, len(got.Repairs), got.MaxSize, got.Complete, want, size)
		}
	}
}
