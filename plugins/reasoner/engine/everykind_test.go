package engine

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/ox-mcp/ox-mcp/abi"
)

// generateEveryKind makes a program of components that recur, plainly and through
// negation, that fold over what earlier ones give and over what these may give,
// that negate relations of an open world, and that compare a value which may be
// an interval. Base relations come with what is refuted of them, and the flag of
// the open world is the component before all others.
func generateEveryKind(t *rapid.T) *generated {
	g := &generator{t: t, b: newBuilder()}
	for i := range g.n {
		g.n[i] = g.b.constant(abi.IntValue(int64(i)))
	}
	b := g.b
	out := &generated{facts: map[int][][]int64{}}
	var readable []int
	refuted := map[int]int{}
	for i := range g.int("bases", 1, 2) {
		arity := g.int("arity", 1, 2)
		rel := b.base(string(rune('a'+i)), arity)
		minus := b.base(string(rune('a'+i))+"-", arity)
		refuted[rel] = minus
		for range g.int("facts", 0, 8) {
			out.facts[rel] = append(out.facts[rel], g.tuple(arity))
		}
		for range g.int("refuted", 0, 5) {
			out.facts[minus] = append(out.facts[minus], g.tuple(arity))
		}
		readable, out.bases = append(readable, rel), append(out.bases, rel, minus)
	}
	open := b.derived("open", 0)
	flag := []abi.Atom{not(scan(open))}
	b.founded([]int{open}, b.rule(open, nil, 0, flag...))
	out.bodies = append(out.bodies, flag)
	for i := range g.int("components", 1, 4) {
		var own []int
		for j := range g.int("relations", 1, 2) {
			own = append(own, b.derived(string(rune('p'+2*i+j)), g.int("arity", 0, 2)))
		}
		founded := g.chance("founded", 50)
		var rules []int
		for _, head := range own {
			for range g.int("rules", 1, 3) {
				c := &clause{g: g}
				body := []abi.Atom{c.scan(readable, 30)}
				for range g.int("scans", 0, 2) {
					body = append(body, c.scan(g.among(own, readable, 50), 60))
				}
				for range g.int("conditions", 0, 3) {
					switch kind := g.int("kind", 0, 5); {
					case kind == 0 && founded:
						a := c.inner().scan(own, 100)
						a.Neg = true
						body = append(body, a)
					case kind <= 1:
						body = append(body, c.openNegation(readable, refuted, open)...)
					case kind == 2:
						body = append(body, c.doubted(readable, open)...)
					default:
						body = append(body, c.condition(readable)...)
					}
				}
				var args []abi.Arg
				for range b.p.Relations[head].Columns {
					args = append(args, c.bound(10))
				}
				rules = append(rules, b.rule(head, args, c.width, rapid.Permutation(body).Draw(t, "order")...))
				out.bodies = append(out.bodies, body)
			}
		}
		if founded {
			b.founded(own, rules...)
		} else {
			b.component(true, own, rules...)
		}
		readable = append(readable, own...)
	}
	out.p = b.p
	return out
}

func (g *generator) among(some, others []int, percent int) []int {
	if g.chance("some", percent) {
		return some
	}
	return others
}

// openNegation negates a base relation as one of an open world: what is absent
// and not refuted is unknown.
func (c *clause) openNegation(readable []int, refuted map[int]int, open int) []abi.Atom {
	var bases []int
	for _, r := range readable {
		if _, ok := refuted[r]; ok {
			bases = append(bases, r)
		}
	}
	a := abi.Atom{Op: abi.AtomScan, Rel: rapid.SampledFrom(bases).Draw(c.g.t, "open"), Neg: true}
	for range c.g.b.p.Relations[a.Rel].Columns {
		a.Args = append(a.Args, c.bound(20))
	}
	minus := a
	minus.Rel = refuted[a.Rel]
	return []abi.Atom{a, {Op: abi.AtomExists, Neg: true, Body: []abi.Atom{minus, not(scan(open))}}}
}

// doubted compares a fold over what holds and one over what may: the condition is
// true where the one passes, and undefined where only the other does.
func (c *clause) doubted(earlier []int, open int) []abi.Atom {
	known := c.fold(earlier)
	known.Fold, known.Expr = abi.FoldCount, nil
	most := known
	most.Possible, most.Slot = true, c.fresh()
	k := abi.Arg{Op: abi.ArgConst, Index: c.g.n[c.g.int("bound", 0, 4)]}
	over := func(slot int) abi.Atom {
		return abi.Atom{Op: abi.AtomCmp, Cmp: abi.CmpGe, Args: []abi.Arg{slots(slot)[0], k}}
	}
	none := func(body ...abi.Atom) abi.Atom { return abi.Atom{Op: abi.AtomExists, Neg: true, Body: body} }
	return []abi.Atom{known, most, none(none(over(known.Slot)), none(over(most.Slot), scan(open)))}
}

// everyKindParts is how many runs of random programs the test makes: a thousand
// programs as they stand, a hundred thousand with -rapid.checks=10000.
const everyKindParts = 10

func TestRandomProgramsOfEveryKindAgreeWithTheNaiveEvaluator(t *testing.T) {
	for part := range everyKindParts {
		t.Run(fmt.Sprint(part), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				g := generateEveryKind(t)
				e := drawnEngine(t, 1, 2, 3, defaultBatch)
				if _, f := e.Load(&abi.LoadRequest{Program: g.p}); f != nil {
					t.Fatalf("load: %v\n%s", f, g.print())
				}
				facts := map[int][][]int64{}
				for _, rel := range g.bases {
					assertInts(t, e, rel, g.facts[rel]...)
					facts[rel] = slices.Clone(g.facts[rel])
				}
				g.compareFounded(t, e, facts)
				if !rapid.Bool().Draw(t, "edit") {
					return
				}
				rel := rapid.SampledFrom(g.bases).Draw(t, "base")
				tuple := (&generator{t: t}).tuple(len(g.p.Relations[rel].Columns))
				remove := rapid.Bool().Draw(t, "remove")
				if _, f := e.Assert(&abi.AssertRequest{Deltas: []abi.Delta{{Relation: rel, Remove: remove, Frame: intFrame(tuple)}}}); f != nil {
					t.Fatalf("assert: %v", f)
				}
				facts[rel] = slices.DeleteFunc(facts[rel], func(x []int64) bool { return slices.Equal(x, tuple) })
				if !remove {
					facts[rel] = append(facts[rel], tuple)
				}
				g.compareFounded(t, e, facts)
			})
		})
	}
}
