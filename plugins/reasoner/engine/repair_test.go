package engine

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
)

// repairTexts writes repairs as "a(1) b(2, 3) -c(4)": what is taken away has a
// minus, what only makes way for another value is left out.
func repairTexts(p *abi.Program, repairs []abi.Repair) []string {
	text := func(x abi.RepairFact) string {
		var values []string
		for _, v := range x.Tuple {
			values = append(values, fmt.Sprint(v.Int))
		}
		return p.Relations[x.Relation].Name + "(" + strings.Join(values, ", ") + ")"
	}
	var out []string
	for _, r := range repairs {
		var facts []string
		for _, x := range r.Facts {
			facts = append(facts, text(x))
		}
		for _, x := range r.Removed {
			replaced := slices.ContainsFunc(r.Facts, func(y abi.RepairFact) bool {
				return y.Relation == x.Relation && len(p.Relations[x.Relation].Key) > 0 && y.Tuple[0].Int == x.Tuple[0].Int
			})
			if !replaced {
				facts = append(facts, "-"+text(x))
			}
		}
		out = append(out, strings.Join(facts, " "))
	}
	return out
}

// repairsOf asks for the repairs of a tuple, of up to most changes.
func repairsOf(t fataler, e *Engine, rel int, tuple []int64, most uint32, bounds repairBounds) *abi.RepairSearch {
	t.Helper()
	terms := make([]abi.Term, len(tuple))
	for i, n := range tuple {
		terms[i] = e.terms.Intern(abi.IntValue(n))
	}
	if f := e.exact(rel); f != nil {
		t.Fatalf("%v", f)
	}
	out, f := e.repairs(rel, terms, most, bounds)
	if f != nil {
		t.Fatalf("repairs: %v", f)
	}
	return out
}

// roomyRepairs try the values that are named, and no others.
func roomyRepairs() repairBounds {
	return repairBounds{named: true, effort: 1 << 40, tries: 100_000, work: 10_000_000, goals: 10_000, choices: 10_000, removed: 10_000, values: 1000, found: 10_000}
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
		{way, []int64{1, 2}, 1, "pass(2); -lock(2)"},
		{way, []int64{1, 4}, 1, "edge(1, 3); edge(1, 4); edge(2, 3); edge(2, 4)"},
		{fast, []int64{3}, 1, "speed(3, 10)"},
		{fast, []int64{1}, 1, "speed(1, 10)"}, // in place of the one that is there
		{both, []int64{3}, 3, "gate(3) lock(3) speed(3, 10)"},
		{edge, []int64{9, 9}, 1, "edge(9, 9)"},
	} {
		before := fmt.Sprint(e.Stats())
		got := repairsOf(t, e, c.rel, c.tuple, abi.MaxRepair, roomyRepairs())
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
		if got := repairsOf(t, e, path, []int64{1, 4}, abi.MaxRepair, bounds); got.Complete {
			t.Errorf("a search that the bound on %s cut says that it is complete: %+v", name, *got)
		}
	}
}

// What bars a premise in a component that goes round through negation is told
// in a state that the search only assumes, too.
func TestRepairsOfWhatIsBarredOnceAnotherFactIsThere(t *testing.T) {
	b := newBuilder()
	loop, door := b.base("loop", 2), b.base("door", 1)
	open, shut := b.derived("open", 1), b.derived("shut", 0)
	one := b.constant(abi.IntValue(1))
	first := scan(door, -1)
	first.Args[0] = abi.Arg{Op: abi.ArgConst, Index: one}
	b.component(true, []int{open, shut},
		b.rule(open, slots(0), 1, first, scan(door, 0), abi.Atom{Op: abi.AtomExists, Body: []abi.Atom{not(scan(shut))}}),
		b.rule(shut, nil, 1, scan(loop, 0, 0)))
	b.p.Components[0].WellFounded = true
	e := load(t, b.p)
	assertInts(t, e, loop, []int64{1, 1})
	assertInts(t, e, door, []int64{0})
	got := repairsOf(t, e, open, []int64{0}, 2, roomyRepairs())
	if text := strings.Join(repairTexts(&b.p, got.Repairs), "; "); text != "door(1) -loop(1, 1)" || !got.Complete {
		t.Errorf("repairs of open(0): %q, complete: %v", text, got.Complete)
	}
}
