package engine

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ox-mcp/ox-mcp/abi"
)

// small makes the values of a generated program so few that all sets of changes
// can be tried, and gives some of its relations a key.
func (g *generated) small(t *rapid.T, values int64) {
	for i := range g.p.Constants {
		g.p.Constants[i].Int %= values
	}
	for _, rel := range g.bases {
		for _, tuple := range g.facts[rel] {
			for i := range tuple {
				tuple[i] %= values
			}
		}
		g.facts[rel] = g.facts[rel][:min(len(g.facts[rel]), 2)]
		if r := &g.p.Relations[rel]; len(r.Columns) > 1 && rapid.Bool().Draw(t, "keyed") {
			r.Key = []int{0}
			byKey := map[int64]bool{}
			g.facts[rel] = slices.DeleteFunc(g.facts[rel], func(x []int64) bool {
				again := byKey[x[0]]
				byKey[x[0]] = true
				return again
			})
		}
	}
}

type oracleFact struct {
	rel   int
	tuple []int64
}

type oracleEdit struct {
	oracleFact
	remove bool
}

func (x oracleEdit) text(p *abi.Program) string {
	text := p.Relations[x.rel].Name + "(" + strings.Trim(strings.ReplaceAll(fmt.Sprint(x.tuple), " ", ", "), "[]") + ")"
	if x.remove {
		return "-" + text
	}
	return text
}

// truthOfFacts is what a program makes of facts, by a naive evaluator.
type truthOfFacts func(facts map[int][][]int64) *oracle

// edits returns the changes of one fact: those that add over the values, of
// which may says what a column may take, and those that take one away.
func (g *generated) edits(values int64, may func(rel, column int, value int64) bool) (out []oracleEdit) {
	for _, rel := range g.bases {
		tuple := make([]int64, len(g.p.Relations[rel].Columns))
		for i := range tuple {
			tuple[i] = g.least
		}
		for {
			fits := true
			for c, v := range tuple {
				fits = fits && may(rel, c, v)
			}
			if fits && !g.given(rel, tuple) {
				out = append(out, oracleEdit{oracleFact{rel, slices.Clone(tuple)}, false})
			}
			i := len(tuple) - 1
			for ; i >= 0 && tuple[i] == g.least+values-1; i-- {
				tuple[i] = g.least
			}
			if i < 0 {
				break
			}
			tuple[i]++
		}
	}
	for _, rel := range g.bases {
		rows := slices.Clone(g.facts[rel])
		slices.SortFunc(rows, slices.Compare)
		for _, tuple := range slices.CompactFunc(rows, slices.Equal) {
			out = append(out, oracleEdit{oracleFact{rel, tuple}, true})
		}
	}
	return out
}

func (g *generated) given(rel int, tuple []int64) bool {
	return slices.ContainsFunc(g.facts[rel], func(x []int64) bool { return slices.Equal(x, tuple) })
}

// with returns the facts after some changes; ok is false where one of them undoes
// another.
func (g *generated) with(edits []oracleEdit) (facts map[int][][]int64, ok bool) {
	facts = maps.Clone(g.facts)
	touched := map[string]bool{}
	for _, x := range edits {
		keyed := len(g.p.Relations[x.rel].Key) > 0
		name := fmt.Sprint(x.rel, x.tuple)
		if keyed {
			name = fmt.Sprint(x.rel, x.tuple[0])
		}
		if touched[name] {
			return nil, false
		}
		touched[name] = true
		facts[x.rel] = slices.DeleteFunc(slices.Clone(facts[x.rel]), func(y []int64) bool {
			return slices.Equal(x.tuple, y) || keyed && x.tuple[0] == y[0]
		})
		if !x.remove {
			facts[x.rel] = append(facts[x.rel], x.tuple)
		}
	}
	return facts, true
}

// bruteRepairs tries all sets of changes, and returns the smallest that derive
// the tuple.
func (g *generated) bruteRepairs(truth truthOfFacts, edits []oracleEdit, rel int, tuple []int64, most int) (size int, sets []string) {
	for size = 1; size <= most && sets == nil; size++ {
		var walk func(from int, chosen []oracleEdit)
		walk = func(from int, chosen []oracleEdit) {
			if len(chosen) == size {
				facts, ok := g.with(chosen)
				if ok && truth(facts).has(rel, tuple) {
					var texts []string
					for _, x := range chosen {
						texts = append(texts, x.text(&g.p))
					}
					sets = append(sets, strings.Join(texts, " "))
				}
				return
			}
			for i := from; i < len(edits); i++ {
				walk(i+1, append(chosen, edits[i]))
			}
		}
		walk(0, nil)
	}
	return size - 1, sets
}

// lately returns the facts, in order, that some two of the changes derive.
func (g *generated) lately(truth truthOfFacts, edits []oracleEdit) (out []oracleFact) {
	now := truth(g.facts)
	seen := map[string]bool{}
	for i := range edits {
		for j := range i + 1 {
			facts, ok := g.with([]oracleEdit{edits[i], edits[j]})
			if !ok {
				continue
			}
			trial := truth(facts)
			for _, c := range g.p.Components {
				for _, rel := range c.Relations {
					for key, t := range trial.extents[rel] {
						if name := fmt.Sprint(rel, key); !now.has(rel, t) && !seen[name] {
							seen[name] = true
							out = append(out, oracleFact{rel, t})
						}
					}
				}
			}
		}
	}
	slices.SortFunc(out, func(a, b oracleFact) int {
		return cmp.Or(cmp.Compare(a.rel, b.rel), slices.Compare(a.tuple, b.tuple))
	})
	return out
}

// stratified is the model of the program over facts.
func (g *generated) stratified(facts map[int][][]int64) *oracle {
	o := newOracle(&g.p)
	for rel, rows := range facts {
		for _, t := range rows {
			o.add(rel, t)
		}
	}
	o.evaluate(g.bodies)
	return o
}

// founded is what is true in the well-founded model over facts.
func (g *generated) founded(facts map[int][][]int64) *oracle { return g.alternate(facts).low }

// checkRepairs holds the repairs of some facts over the first values that do not
// hold against those of trying all sets of up to most changes, where there are at
// most room to try.
func checkRepairs(t *rapid.T, g *generated, e *Engine, truth truthOfFacts, values int64, searches, most, room int) (compared, found int) {
	now := truth(g.facts)
	for range searches {
		rel := rapid.SampledFrom(g.p.Components[len(g.p.Components)-1].Relations).Draw(t, "relation")
		tuple := make([]int64, len(g.p.Relations[rel].Columns))
		for i := range tuple {
			tuple[i] = g.least + rapid.Int64Range(0, values-1).Draw(t, "value")
		}
		terms := func() (out []abi.Term) {
			for _, n := range tuple {
				out = append(out, e.terms.Intern(abi.IntValue(n)))
			}
			return out
		}
		search := &repairing{e: e, goal: baseFact{rel, terms()}, bounds: roomyRepairs()}
		may := func(r, c int, v int64) bool {
			return slices.Contains(search.valuesFor(r, c, nil), e.terms.Intern(abi.IntValue(v)))
		}
		edits := g.edits(values, may)
		if len(edits) > room || len(edits) == 0 {
			continue
		}
		// What two changes derive is seldom met by chance.
		if would := g.lately(truth, edits); len(would) > 0 && rapid.IntRange(0, 4).Draw(t, "by chance") > 0 {
			one := rapid.SampledFrom(would).Draw(t, "fact")
			rel, tuple = one.rel, one.tuple
			search.goal, search.places, search.known = baseFact{rel, terms()}, nil, nil
			edits = g.edits(values, may)
		}
		if now.has(rel, tuple) || len(edits) > room {
			continue
		}
		got := repairsOf(t, e, rel, tuple, uint32(most), roomyRepairs())
		if !got.Complete || !got.Removals {
			t.Fatalf("the search of a small program is not complete: %+v\n%s", *got, g.print())
		}
		texts := repairTexts(&g.p, got.Repairs)
		if slices.ContainsFunc(got.Repairs, func(r abi.Repair) bool {
			return slices.ContainsFunc(r.Facts, func(x abi.RepairFact) bool {
				for c, v := range x.Tuple {
					if v.Int < g.least || v.Int >= g.least+values || !may(x.Relation, c, v.Int) {
						return true
					}
				}
				return false
			})
		}) {
			continue // values that the program computes: the sets have none of them
		}
		size, want := g.bruteRepairs(truth, edits, rel, tuple, most)
		compared++
		if len(want) > 0 {
			found++
		}
		slices.Sort(texts)
		slices.Sort(want)
		if int(got.MaxSize) != size || !slices.Equal(texts, want) {
			t.Fatalf("repairs of %s%v of size %d: %q\ntrying all sets gives those of size %d: %q\nfacts %v\n%s",
				g.p.Relations[rel].Name, tuple, got.MaxSize, texts, size, want, g.facts, g.print())
		}
	}
	return compared, found
}

// comparedEnough fails a test whose searches were too few to mean anything.
func comparedEnough(t *testing.T, compared, found int) {
	t.Helper()
	t.Logf("%d searches were compared, %d of them with repairs", compared, found)
	if compared < 10 || found < 5 {
		t.Errorf("%d searches were compared, %d of them with repairs: too few to mean anything", compared, found)
	}
}

func TestRepairsAreThoseOfTryingAllSets(t *testing.T) {
	compared, found := 0, 0
	for range 5 { // with as many programs each
		rapid.Check(t, func(t *rapid.T) {
			g := generate(t)
			g.small(t, 2)
			e, _ := g.start(t)
			n, m := checkRepairs(t, g, e, g.stratified, 2, 5, abi.MaxRepair, 18)
			compared, found = compared+n, found+m
		})
	}
	comparedEnough(t, compared, found)
}

func TestRepairsUnderTheWellFoundedModelAreThoseOfTryingAllSets(t *testing.T) {
	compared, found := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		g := generateFounded(t)
		g.small(t, 2)
		e, _ := g.startFounded(t)
		n, m := checkRepairs(t, g, e, g.founded, 2, 5, 2, 14)
		compared, found = compared+n, found+m
	})
	comparedEnough(t, compared, found)
}
