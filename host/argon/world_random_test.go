package argon_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// worldSize is the number of individuals of a random world.
const worldSize = 3

// lit is a random condition of a rule over x: of x itself, or of what it is
// linked to.
type lit struct {
	of  string // a concept, a derived predicate, or a relation
	not bool
	via bool  // exists { L(x, y), of(y), more(y) }, or its absence
	in  []lit // more
	or  []lit // sides of a disjunction
}

func (l lit) text(v string) string {
	switch {
	case l.or != nil:
		var sides []string
		for _, side := range l.or {
			text := side.text(v)
			if side.not {
				text = "!" + strings.TrimPrefix(text, "not ")
			}
			sides = append(sides, text)
		}
		return "(" + strings.Join(sides, " || ") + ")"
	case l.via:
		parts := []string{fmt.Sprintf("L(%s, y%s)", v, v)}
		for _, m := range l.in {
			parts = append(parts, m.text("y"+v))
		}
		body := "exists { " + strings.Join(parts, ", ") + " }"
		if l.not {
			body = "not " + body
		}
		return body
	case l.of == "T":
		return map[bool]string{true: "not "}[l.not] + fmt.Sprintf("T(%s, %s)", v, v)
	case l.of == "W":
		return map[bool]string{true: "not "}[l.not] + fmt.Sprintf("T(%s, _)", v)
	}
	return map[bool]string{true: "not "}[l.not] + fmt.Sprintf("%s(%s)", l.of, v)
}

// rule is p<head>(x) :- x: Dom, body.
type openRule struct {
	head int
	body []lit
}

type openWorld struct {
	asserted, refuted map[string]map[int]bool // by concept
	links, told       pairs
	untold            pairs // refuted of T
	rules             []openRule
	heads             int
	circles           bool // heads read one another, and none beneath exists
}

func drawOpenWorld(t *rapid.T) *openWorld {
	n := func(label string, from, to int) int { return rapid.IntRange(from, to).Draw(t, label) }
	w := &openWorld{asserted: map[string]map[int]bool{}, refuted: map[string]map[int]bool{}, links: pairs{}, told: pairs{}, untold: pairs{}}
	for _, c := range []string{"O1", "O2", "C1"} {
		w.asserted[c], w.refuted[c] = map[int]bool{}, map[int]bool{}
		for i := range worldSize {
			switch n("said of "+c, 0, 2) {
			case 1:
				w.asserted[c][i] = true
			case 2:
				w.refuted[c][i] = true
			}
		}
	}
	for x := range worldSize {
		for y := range worldSize {
			w.links[pair{x, y}] = n("linked", 0, 2) == 0
			switch n("told", 0, 3) {
			case 1:
				w.told[pair{x, y}] = true
			case 2:
				w.untold[pair{x, y}] = true
			}
		}
	}
	w.heads, w.circles = n("heads", 1, 4), n("circles", 0, 1) == 1
	for h := range w.heads {
		for range n("clauses", 1, 2) {
			r := openRule{head: h}
			for range n("literals", 1, 3) {
				r.body = append(r.body, w.lit(n, h, 2))
			}
			w.rules = append(w.rules, r)
		}
	}
	return w
}

// lit draws a condition for a clause of head h. Not every recursion through a
// negated body is taken, so that heads in circles are not read beneath exists.
func (w *openWorld) lit(n func(string, int, int) int, h, depth int) lit {
	l := lit{not: n("negated", 0, 1) == 1}
	kinds := []string{"O1", "O2", "C1", "T", "W", "head", "exists", "or"}
	switch k := kinds[n("kind", 0, len(kinds)-1)]; {
	case k == "exists" && depth > 0:
		l.via = true
		for range n("inside", 0, 2) {
			l.in = append(l.in, w.lit(n, h, depth-1))
		}
	case k == "or":
		l.not = false
		for range 2 {
			side := lit{not: n("side negated", 0, 1) == 1, of: []string{"O1", "O2", "C1", "T"}[n("side", 0, 3)]}
			if h > 0 && !w.circles && n("head beside", 0, 3) == 0 {
				side.of = fmt.Sprintf("p%d", n("earlier head", 0, h-1))
			}
			l.or = append(l.or, side)
		}
	case k == "head" && depth == 2 && w.circles:
		l.of = fmt.Sprintf("p%d", n("any head", 0, w.heads-1))
	case k == "head" && h > 0 && !w.circles:
		l.of = fmt.Sprintf("p%d", n("earlier head", 0, h-1))
	case k == "head" || k == "exists":
		l.of = "O1"
	default:
		l.of = k
	}
	return l
}

func (w *openWorld) source() string {
	var b strings.Builder
	b.WriteString("pub type Dom;\n#[world(open)]\npub type O1;\n#[world(open)]\npub type O2;\npub type C1;\npub rel L(a: Dom, b: Dom);\n#[world(open)]\npub rel T(a: Dom, b: Dom);\n")
	for i := range worldSize {
		fmt.Fprintf(&b, "pub fact Dom(i%d);\n", i)
	}
	say := func(word, rel string, args ...int) {
		parts := make([]string, len(args))
		for i, a := range args {
			parts[i] = fmt.Sprintf("i%d", a)
		}
		fmt.Fprintf(&b, "pub %s %s(%s);\n", word, rel, strings.Join(parts, ", "))
	}
	for _, c := range []string{"O1", "O2", "C1"} {
		for i := range worldSize {
			if w.asserted[c][i] {
				say("fact", c, i)
			}
			if w.refuted[c][i] {
				say("not_fact", c, i)
			}
		}
	}
	for x := range worldSize {
		for y := range worldSize {
			p := pair{x, y}
			if w.links[p] {
				say("fact", "L", x, y)
			}
			if w.told[p] {
				say("fact", "T", x, y)
			}
			if w.untold[p] {
				say("not_fact", "T", x, y)
			}
		}
	}
	for _, r := range w.rules {
		parts := []string{"x: Dom"}
		for _, l := range r.body {
			parts = append(parts, l.text("x"))
		}
		fmt.Fprintf(&b, "pub derive p%d(x) :- %s;\n", r.head, strings.Join(parts, ", "))
	}
	return b.String()
}

// holding is a set of derived atoms, "p0" of an individual.
type holding map[string]map[int]bool

// estimate is what is thought of the derived atoms: so hold already, lower hold
// for sure, upper could.
type estimate struct{ so, lower, upper holding }

// sure reports whether l holds of x whatever what is unknown turns out to be. A
// positive condition asks for what is known.
func (w *openWorld) sure(l lit, x int, e estimate) bool {
	switch {
	case l.or != nil:
		return slices.ContainsFunc(l.or, func(side lit) bool { return w.sure(side, x, e) })
	case l.via && l.not:
		return !w.found(l, x, func(in lit, y int) bool { return w.possible(in, y, e) })
	case l.via:
		return w.found(l, x, func(in lit, y int) bool { return w.sure(in, y, e) })
	case l.not:
		return w.excluded(l, x, e.upper)
	}
	return w.known(l, x, e.so)
}

// may reports whether l could hold of x.
func (w *openWorld) may(l lit, x int, e estimate) bool {
	beneath := e
	beneath.so = e.lower
	switch {
	case l.or != nil:
		return slices.ContainsFunc(l.or, func(side lit) bool { return w.may(side, x, e) })
	case l.via && l.not:
		return !w.found(l, x, func(in lit, y int) bool { return w.sure(in, y, beneath) })
	case l.via:
		return w.found(l, x, func(in lit, y int) bool { return w.may(in, y, e) })
	case l.not:
		return !w.known(l, x, e.lower)
	}
	return w.known(l, x, e.so)
}

// possible is may beneath a negation, where a positive condition over what is
// open holds unless it is excluded.
func (w *openWorld) possible(l lit, x int, e estimate) bool {
	e.so = e.upper
	switch {
	case l.or != nil:
		return slices.ContainsFunc(l.or, func(side lit) bool { return w.possible(side, x, e) })
	case l.via && !l.not:
		return w.found(l, x, func(in lit, y int) bool { return w.possible(in, y, e) })
	case l.via || l.not:
		return w.may(l, x, e)
	}
	return !w.excluded(l, x, e.upper)
}

func (w *openWorld) found(l lit, x int, holds func(lit, int) bool) bool {
next:
	for y := range worldSize {
		if !w.links[pair{x, y}] {
			continue
		}
		for _, in := range l.in {
			if !holds(in, y) {
				continue next
			}
		}
		return true
	}
	return false
}

func (w *openWorld) known(l lit, x int, derived holding) bool {
	switch l.of {
	case "T":
		return w.told[pair{x, x}]
	case "W":
		for y := range worldSize {
			if w.told[pair{x, y}] {
				return true
			}
		}
		return false
	case "O1", "O2", "C1":
		return w.asserted[l.of][x]
	}
	return derived[l.of][x]
}

// excluded reports whether the atom of l is false for sure.
func (w *openWorld) excluded(l lit, x int, upper holding) bool {
	switch l.of {
	case "T":
		return w.untold[pair{x, x}]
	case "W":
		return false // somebody that nobody has named may be told
	case "O1", "O2":
		return w.refuted[l.of][x]
	case "C1":
		return !w.asserted["C1"][x]
	}
	return !upper[l.of][x]
}

// step derives all that follows from an estimate of the negated atoms, as a
// least fixpoint over the positive ones.
func (w *openWorld) step(holds func(l lit, x int, so holding) bool) holding {
	out := holding{}
	for h := range w.heads {
		out[fmt.Sprintf("p%d", h)] = map[int]bool{}
	}
	for changed := true; changed; {
		changed = false
		for _, r := range w.rules {
			head := out[fmt.Sprintf("p%d", r.head)]
		next:
			for x := range worldSize {
				if head[x] {
					continue
				}
				for _, l := range r.body {
					if !holds(l, x, out) {
						continue next
					}
				}
				head[x], changed = true, true
			}
		}
	}
	return out
}

// model narrows the estimates until they stay: lower holds, upper could.
func (w *openWorld) model() (lower, upper holding) {
	lower = w.step(func(lit, int, holding) bool { return false })
	upper = w.step(func(lit, int, holding) bool { return true })
	for {
		next := w.step(func(l lit, x int, so holding) bool { return w.sure(l, x, estimate{so, lower, upper}) })
		above := w.step(func(l lit, x int, so holding) bool { return w.may(l, x, estimate{so, next, upper}) })
		if fmt.Sprint(next, above) == fmt.Sprint(lower, upper) {
			return lower, upper
		}
		lower, upper = next, above
	}
}

func (w *openWorld) gives(h int) string {
	lower, upper := w.model()
	name, out := fmt.Sprintf("p%d", h), ""
	for x := range worldSize {
		switch {
		case lower[name][x]:
			out += fmt.Sprintf(" (i%d)", x)
		case upper[name][x]:
			out += fmt.Sprintf(" (i%d)?", x)
		}
	}
	return out
}

// TestRandomOpenWorldsHaveTheWellFoundedModel holds what is lowered and
// evaluated to the definition: what is unknown of an open concept is undefined
// beneath a negation.
func TestRandomOpenWorldsHaveTheWellFoundedModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawOpenWorld(t)
		src := w.source()
		m := compiled(t, src)
		e := loaded(t, m)
		for h := range w.heads {
			if got, want := extent(t, m, e, fmt.Sprintf("root::p%d", h)), w.gives(h); got != want {
				t.Fatalf("p%d gives%s, by definition%s\n%s", h, got, want, src)
			}
		}
	})
}
