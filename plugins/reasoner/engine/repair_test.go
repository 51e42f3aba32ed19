package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ox-mcp/ox-mcp/abi"
)

// repairTexts writes repairs as "a(1) b(2, 3)".
func repairTexts(p *abi.Program, repairs []abi.Repair) []string {
	var out []string
	for _, r := range repairs {
		var facts []string
		for _, x := range r.Facts {
			var values []string
			for _, v := range x.Tuple {
				values = append(values, fmt.Sprint(v.Int))
			}
			facts = append(facts, p.Relations[x.Relation].Name+"("+strings.Join(values, ", ")+")")
		}
		out = append(out, strings.Join(facts, " "))
	}
	return out
}

// repairsOf asks for the repairs of a tuple, within generous bounds.
func repairsOf(t fataler, e *Engine, rel int, tuple []int64, bounds repairBounds) *abi.RepairSearch {
	t.Helper()
	terms := make([]abi.Term, len(tuple))
	for i, n := range tuple {
		terms[i] = e.terms.Intern(abi.IntValue(n))
	}
	if f := e.exact(rel); f != nil {
		t.Fatalf("%v", f)
	}
	out, f := e.repairs(rel, terms, abi.MaxRepair, bounds)
	if f != nil {
		t.Fatalf("repairs: %v", f)
	}
	return out
}

func roomyRepairs() repairBounds {
	return repairBounds{tries: 100_000, work: 10_000_000, goals: 10_000, choices: 10_000, values: 1000, found: 10_000}
}

// small makes the values of a generated program so few that all sets of facts
// can be tried.
func (g *generated) small(values int64) {
	for i := range g.p.Constants {
		g.p.Constants[i].Int %= values
	}
	for _, facts := range g.facts {
		for _, tuple := range facts {
			for i := range tuple {
				tuple[i] %= values
			}
		}
	}
}

// absent returns the base facts over the values that are not there.
func (g *generated) absent(o *oracle, values int64) (out []oracleFact) {
	for _, rel := range g.bases {
		tuple := make([]int64, len(g.p.Relations[rel].Columns))
		for {
			if !o.has(rel, tuple) {
				out = append(out, oracleFact{rel, slices.Clone(tuple)})
			}
			i := len(tuple) - 1
			for ; i >= 0 && tuple[i] == values-1; i-- {
				tuple[i] = 0
			}
			if i < 0 {
				break
			}
			tuple[i]++
		}
	}
	return out
}

type oracleFact struct {
	rel   int
	tuple []int64
}

func (f oracleFact) text(p *abi.Program) string {
	return p.Relations[f.rel].Name + "(" + strings.Trim(strings.ReplaceAll(fmt.Sprint(f.tuple), " ", ", "), "[]") + ")"
}

// bruteRepairs tries all sets of absent facts, and returns the smallest that
// derive the tuple.
func (g *generated) bruteRepairs(o *oracle, absent []oracleFact, rel int, tuple []int64) (size int, sets []string) {
	for size = 1; size <= abi.MaxRepair && sets == nil; size++ {
		var walk func(from int, chosen []oracleFact)
		walk = func(from int, chosen []oracleFact) {
			if len(chosen) == size {
				trial := newOracle(&g.p)
				for _, base := range g.bases {
					for _, t := range o.extents[base] {
						trial.add(base, t)
					}
				}
				var texts []string
				for _, f := range chosen {
					trial.add(f.rel, f.tuple)
					texts = append(texts, f.text(&g.p))
				}
				if trial.evaluate(g.bodies); trial.has(rel, tuple) {
					sets = append(sets, strings.Join(texts, " "))
				}
				return
			}
			for i := from; i < len(absent); i++ {
				walk(i+1, append(chosen, absent[i]))
			}
		}
		walk(0, nil)
	}
	return size - 1, sets
}

// lately returns the facts, in order, that some two of the absent facts derive.
func (g *generated) lately(o *oracle, absent []oracleFact) (out []oracleFact) {
	seen := map[string]bool{}
	for i := range absent {
		for j := range i + 1 {
			trial := newOracle(&g.p)
			for _, base := range g.bases {
				for _, t := range o.extents[base] {
					trial.add(base, t)
				}
			}
			trial.add(absent[i].rel, absent[i].tuple)
			trial.add(absent[j].rel, absent[j].tuple)
			trial.evaluate(g.bodies)
			for _, c := range g.p.Components {
				for _, rel := range c.Relations {
					for key, t := range trial.extents[rel] {
						if name := fmt.Sprint(rel, key); !o.has(rel, t) && !seen[name] {
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

func TestRepairsAreThoseOfTryingAllSets(t *testing.T) {
	const values, searches = 2, 5
	compared, found := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		g := generate(t)
		g.small(values)
		for rel, facts := range g.facts {
			g.facts[rel] = facts[:min(len(facts), 2)]
		}
		e, o := g.start(t)
		absent := g.absent(o, values)
		if len(absent) > 16 || len(absent) == 0 {
			return
		}
		would := g.lately(o, absent)
		for range searches {
			// What two facts derive is seldom met by chance.
			rel := rapid.SampledFrom(g.p.Components[len(g.p.Components)-1].Relations).Draw(t, "relation")
			tuple := make([]int64, len(g.p.Relations[rel].Columns))
			for i := range tuple {
				tuple[i] = rapid.Int64Range(0, values-1).Draw(t, "value")
			}
			if len(would) > 0 && rapid.IntRange(0, 4).Draw(t, "by chance") > 0 {
				one := rapid.SampledFrom(would).Draw(t, "fact")
				rel, tuple = one.rel, one.tuple
			}
			if o.has(rel, tuple) {
				continue
			}
			got := repairsOf(t, e, rel, tuple, roomyRepairs())
			if !got.Complete {
				t.Fatalf("the search of a small program is not complete: %+v\n%s", *got, g.print())
			}
			texts := repairTexts(&g.p, got.Repairs)
			if strings.ContainsAny(strings.Join(texts, ""), "23456789-") {
				continue // values that the program computes: the sets have none of them
			}
			size, want := g.bruteRepairs(o, absent, rel, tuple)
			compared++
			if len(want) > 0 {
				found++
			}
			slices.Sort(texts)
			slices.Sort(want)
			if int(got.MaxSize) != size || !slices.Equal(texts, want) {
				t.Fatalf("repairs of %s%v of size %d: %q\ntrying all sets gives those of size %d: %q\n%s",
					g.p.Relations[rel].Name, tuple, got.MaxSize, texts, size, want, g.print())
			}
		}
	})
	t.Logf("%d searches were compared, %d of them with repairs", compared, found)
	if compared < 10 || found < 5 {
		t.Errorf("%d searches were compared, %d of them with repairs: too few to mean anything", compared, found)
	}
}

// repairScenes is a program with the shapes that repairs go through: a closure,
// a premise that several rules give, a denial of a denial, and a key.
func TestRepairsOfEachShape(t *testing.T) {
	b := newBuilder()
	edge, gate, lock, pass := b.base("edge", 2), b.base("gate", 1), b.base("lock", 1), b.base("pass", 1)
	speed := b.base("speed", 2, 0)
	path, shut, way, fast, both := b.derived("path", 2), b.derived("shut", 1), b.derived("way", 2), b.derived("fast", 1), b.derived("both", 1)
	ten := b.constant(abi.IntValue(10))
	b.component(true, []int{path},
		b.rule(path, slots(0, 1), 2, scan(edge, 0, 1)),
		b.rule(path, slots(0, 2), 3, scan(path, 0, 1), scan(edge, 1, 2)))
	b.component(false, []int{shut}, b.rule(shut, slots(0), 1, scan(lock, 0), not(scan(pass, 0))))
	b.component(false, []int{way}, b.rule(way, slots(0, 1), 2, scan(path, 0, 1), scan(gate, 1), not(scan(shut, 1))))
	at := scan(speed, 0, -1)
	at.Args[1] = abi.Arg{Op: abi.ArgConst, Index: ten}
	b.component(false, []int{fast}, b.rule(fast, slots(0), 1, at))
	b.component(false, []int{both}, b.rule(both, slots(0), 1, scan(fast, 0), scan(shut, 0), scan(gate, 0)))
	e := load(t, b.p)
	assertInts(t, e, edge, []int64{1, 2}, []int64{3, 4})
	assertInts(t, e, gate, []int64{4}, []int64{2})
	assertInts(t, e, lock, []int64{2})
	assertInts(t, e, speed, []int64{1, 20})
	for _, c := range []struct {
		rel   int
		tuple []int64
		size  uint32
		want  string
	}{
		{path, []int64{1, 4}, 1, "edge(1, 3); edge(1, 4); edge(2, 3); edge(2, 4)"},
		{way, []int64{1, 2}, 1, "pass(2)"},
		{way, []int64{1, 4}, 1, "edge(1, 3); edge(1, 4); edge(2, 3); edge(2, 4)"},
		{fast, []int64{3}, 1, "speed(3, 10)"},
		{fast, []int64{1}, 3, ""}, // its speed is another: that is a change, not an addition
		{both, []int64{3}, 3, "gate(3) lock(3) speed(3, 10)"},
		{edge, []int64{9, 9}, 1, "edge(9, 9)"},
	} {
		before := fmt.Sprint(e.Stats())
		got := repairsOf(t, e, c.rel, c.tuple, roomyRepairs())
		if text := strings.Join(repairTexts(&b.p, got.Repairs), "; "); text != c.want || got.MaxSize != c.size || !got.Complete {
			t.Errorf("repairs of %s%v: %q, %d, %v; want %q, %d", b.p.Relations[c.rel].Name, c.tuple, text, got.MaxSize, got.Complete, c.want, c.size)
		}
		x, f := e.Explain(&abi.ExplainRequest{Relation: c.rel, Tuple: valuesOf(c.tuple)})
		if f != nil || x.Derived {
			t.Errorf("after the search %s%v is there: %v", b.p.Relations[c.rel].Name, c.tuple, f)
		}
		if after := fmt.Sprint(e.Stats()); c.rel != edge && strings.Count(after, "true") < strings.Count(before, "true") {
			t.Errorf("the search has made extents stale:\n%s\n%s", before, after)
		}
	}
	for name, tight := range map[string]func(*repairBounds){
		"tries":   func(b *repairBounds) { b.tries = 2 },
		"work":    func(b *repairBounds) { b.work = 3 },
		"goals":   func(b *repairBounds) { b.goals = 1 },
		"choices": func(b *repairBounds) { b.choices = 1 },
		"values":  func(b *repairBounds) { b.values = 1 },
		"found":   func(b *repairBounds) { b.found = 1 },
	} {
		bounds := roomyRepairs()
		tight(&bounds)
		if got := repairsOf(t, e, path, []int64{1, 4}, bounds); got.Complete {
			t.Errorf("a search that the bound on %s cut says that it is complete: %+v", name, *got)
		}
	}
}
