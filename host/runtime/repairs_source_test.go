package runtime_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/runtime"
)

// declaration is a fact of a source with the days on which it holds, counted from
// 2030-12-31; the far ones stand for no end.
type declaration struct {
	fact     string
	from, to int // the last day is among them
}

const noDay = 10_000

func dayText(n int) string { return fmt.Sprintf("#2031-01-%02d#", n) }

func (d declaration) text() string {
	fact := d.fact
	if about, value, ok := strings.Cut(fact, " = "); ok {
		name, field, _ := strings.Cut(about, ".")
		fact = fmt.Sprintf("D(%s) { %s: %s }", name, field, value)
	}
	switch {
	case d.from == -noDay && d.to == noDay:
	case d.from == -noDay:
		fact += " at .." + dayText(d.to)
	case d.to == noDay:
		fact += " at " + dayText(d.from)
	default:
		fact += " at " + dayText(d.from) + ".." + dayText(d.to)
	}
	return "pub fact " + fact + ";\n"
}

var periodText = regexp.MustCompile(`^(.+?)(?: at (?:(\.\.)?#2031-01-(\d\d)#)?(?:\.\.#2031-01-(\d\d)#)?)?$`)

// declarationOf reads a fact of a repair; ok is false where it lies in another month.
func declarationOf(text string) (d declaration, ok bool) {
	m := periodText.FindStringSubmatch(text)
	if m == nil {
		return d, false
	}
	d = declaration{m[1], -noDay, noDay}
	one, _ := strconv.Atoi(m[3])
	other, _ := strconv.Atoi(m[4])
	switch {
	case m[3] == "":
	case m[2] != "":
		d.to = one
	case m[4] != "":
		d.from, d.to = one, other
	default:
		d.from = one
	}
	return d, !strings.Contains(d.fact, "#")
}

// cut takes the days of another out of a declaration of the same fact.
func (d declaration) cut(by declaration) []declaration {
	if d.fact != by.fact || by.to < d.from || d.to < by.from {
		return []declaration{d}
	}
	var out []declaration
	if d.from < by.from {
		out = append(out, declaration{d.fact, d.from, by.from - 1})
	}
	if by.to < d.to {
		out = append(out, declaration{d.fact, by.to + 1, d.to})
	}
	return out
}

// timedDraw is a package of random facts with days and rules over time.
type timedDraw struct {
	rnd   *rand.Rand
	facts []declaration
	rules string
	goals []string
}

const timedSchema = `pub type T;
pub type D { mut v: Int?, mut w: String? }
pub rel P(x: T);
pub rel Q(x: T, n: Int);
pub rel R(x: T, y: T);
pub fact T(a);
pub fact T(b);
pub fact D(d);
pub fact D(e);
pub derive dq(x) :- Q(x, n), n > 1;
pub derive dr(x) :- R(x, y), P(y);
`

func (t *timedDraw) pick(of ...string) string { return of[t.rnd.IntN(len(of))] }

func (t *timedDraw) distance() string {
	a := t.rnd.IntN(3)
	if t.rnd.IntN(5) == 0 {
		return fmt.Sprintf("[%d, *]", a)
	}
	return fmt.Sprintf("[%d, %d]", a, a+t.rnd.IntN(4))
}

func (t *timedDraw) operator(depth int) string {
	inner := t.pick("P(x)", "Q(x, _)", "dq(x)", "dr(x)", "R(x, _)", "R(_, x)", "x: T", "P(x), dq(x)")
	if depth > 0 && t.rnd.IntN(3) == 0 {
		inner = t.operator(depth - 1)
	}
	switch word := t.pick("box_minus", "box_plus", "diamond_minus", "diamond_plus", "since", "until"); word {
	case "since", "until":
		return t.pick("P(x)", "dq(x)", "dr(x)", "Q(x, _)") + " " + word + t.distance() + " " + t.pick("P(x)", "dq(x)", "dr(x)", "Q(x, 2)")
	default:
		return word + t.distance() + "(" + inner + ")"
	}
}

func (t *timedDraw) body() string {
	parts := []string{"x: T"}
	for range 1 + t.rnd.IntN(2) {
		switch t.rnd.IntN(7) {
		case 0, 1:
			parts = append(parts, t.operator(1))
		case 2, 3:
			parts = append(parts, "not "+t.operator(1))
		case 4:
			parts = append(parts, "not exists { "+t.pick("P(x)", "dq(x)", "R(x, y)")+", "+t.operator(0)+" }")
		case 5:
			of := t.pick("diamond_minus", "diamond_plus", "box_minus") + t.distance() + "(" + t.pick("R(x, y)", "R(y, x)") + ")"
			parts = append(parts, "count { "+t.pick("", "y: T, ")+of+" } "+t.pick(">= 1", ">= 2", "< 1", "< 2", "== 1", "== 0"))
		default:
			parts = append(parts, t.pick("P(x)", "Q(x, _)", "not P(x)", "not dr(x)"))
		}
	}
	return strings.Join(parts, ", ")
}

func drawTimed(seed, n uint64) *timedDraw {
	t := &timedDraw{rnd: rand.New(rand.NewPCG(seed, n))}
	for range 1 + t.rnd.IntN(9) {
		d := declaration{from: 1 + t.rnd.IntN(14)}
		d.to = d.from + t.rnd.IntN(4)
		switch t.rnd.IntN(9) {
		case 0:
			d.from, d.to = -noDay, noDay
		case 1:
			d.from = -noDay
		case 2:
			d.to = noDay
		}
		switch t.rnd.IntN(5) {
		case 0, 1:
			d.fact = fmt.Sprintf("P(%s)", t.pick("a", "b"))
		case 2:
			d.fact = fmt.Sprintf("Q(%s, %d)", t.pick("a", "b"), t.rnd.IntN(4))
		case 3:
			d.fact = fmt.Sprintf("R(%s, %s)", t.pick("a", "b"), t.pick("a", "b"))
		default:
			d.fact = fmt.Sprintf("%s.v = %d", t.pick("d", "e"), t.rnd.IntN(6))
		}
		if !slices.ContainsFunc(t.facts, func(o declaration) bool {
			return strings.Contains(d.fact, " = ") && o.from == d.from && o.fact[:1] == d.fact[:1]
		}) {
			t.facts = append(t.facts, d)
		}
	}
	for h := range 4 {
		t.rules += fmt.Sprintf("pub derive h%d(x) :- %s;\n", h, t.body())
		t.goals = append(t.goals, fmt.Sprintf("h%d(a)", h), fmt.Sprintf("h%d(b)", h))
	}
	t.rules += "pub derive up(x) :- h0(x), h1(x);\npub derive up(x) :- h2(x), not h3(x);\n"
	t.rules += fmt.Sprintf("pub derive f0(x) :- x: D, %s%s%s(x: D, x.v > %d);\n", t.pick("", "not "), t.pick("box_minus", "diamond_minus", "box_plus", "diamond_plus"), t.distance(), 2+t.rnd.IntN(3))
	t.goals = append(t.goals, "up(a)", "up(b)", "f0(d)", "f0(e)")
	return t
}

func (t *timedDraw) source(facts []declaration) string {
	text := timedSchema + t.rules
	for _, f := range facts {
		text += f.text()
	}
	return text
}

// A repair with days that was tried as declarations holds once it is written into
// the source: what it adds is declared, and what it takes away is taken out of the
// declarations.
func TestARepairOverTimeHoldsInTheSource(t *testing.T) {
	draws, seed := 4, uint64(1)
	if testing.Short() {
		draws = 2
	}
	if n, err := strconv.Atoi(os.Getenv("OX_TIMED_DRAWS")); err == nil {
		draws = n
	}
	if n, err := strconv.Atoi(os.Getenv("OX_TIMED_SEED")); err == nil {
		seed = uint64(n)
	}
	repairs, removals, none := 0, 0, 0
	for n := range draws {
		draw := drawTimed(seed, uint64(n))
		text := draw.source(draw.facts)
		p := open(t, map[string]string{"ox.toml": mooringsManifest, "root.ar": text}, nil)
		at := runtime.Common{AsOf: &runtime.AsOf{VT: fmt.Sprintf("2031-01-%02d", 5+draw.rnd.IntN(5))}}
		for _, goal := range draw.goals {
			res, err := p.Explain(t.Context(), runtime.ExplainRequest{Fact: goal, Common: at})
			if err != nil {
				t.Fatalf("%d: %s: %v\n%s", n, goal, err, text)
			}
			if res.Derived || res.WhyNot == nil {
				continue
			}
			if len(res.WhyNot.Repairs) == 0 {
				none++
				if os.Getenv("OX_TIMED_NONE") != "" {
					t.Logf("%d: %s at %s: none\n%s", n, goal, at.AsOf.VT, text)
				}
			}
			for _, r := range res.WhyNot.Repairs {
				if !r.Verified || strings.Contains(strings.Join(r.Fixed, "; "), "by a write") {
					continue
				}
				facts, ok := slices.Clone(draw.facts), strings.Contains(strings.Join(append(r.Facts, r.Removed...), ""), " at ")
				for _, removed := range r.Removed {
					by, read := declarationOf(removed)
					ok = ok && read
					var left []declaration
					for _, f := range facts {
						left = append(left, f.cut(by)...)
					}
					facts = left
				}
				for _, added := range r.Facts {
					d, read := declarationOf(added)
					ok, facts = ok && read, append(facts, d)
				}
				if !ok {
					continue
				}
				if repairs++; len(r.Removed) > 0 {
					removals++
				}
				q := open(t, map[string]string{"ox.toml": mooringsManifest, "root.ar": draw.source(facts)}, nil)
				again, err := q.Explain(t.Context(), runtime.ExplainRequest{Fact: goal, Common: at})
				if err != nil || !again.Derived {
					t.Errorf("%d: %s at %s does not hold with %v without %v: %+v %v\n%s", n, goal, at.AsOf.VT, r.Facts, r.Removed, again.Outcome, err, text)
				}
				q.Close(t.Context())
			}
		}
		p.Close(t.Context())
	}
	t.Log(draws, "packages", repairs, "repairs", removals, "of which take days away;", none, "without any")
	if repairs == 0 || removals == 0 {
		t.Errorf("%d repairs, %d of which take days away", repairs, removals)
	}
}
