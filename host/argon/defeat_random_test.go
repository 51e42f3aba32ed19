package argon_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The numbers that the relations of a random theory range over are 0 to
// theorySize-1.
const theorySize = 3

type pair [2]int

type pairs map[pair]bool

// strike is a random #[defeats]: a place is a variable of the attacker (x or
// y), a constant, or open.
type strike struct {
	head, clause int // clause -1: all default clauses of the head
	places       [2]string
}

func (s strike) hits(attacker, tuple pair) bool {
	for i, p := range s.places {
		want := tuple[i]
		switch p {
		case "_":
		case "x":
			want = attacker[0]
		case "y":
			want = attacker[1]
		default:
			want = int(p[0] - '0')
		}
		if want != tuple[i] {
			return false
		}
	}
	return true
}

// norm is a random clause h(x, y) :- B(x, y), and at most one earlier head.
type norm struct {
	soft    bool
	base    int
	reads   int // an earlier head, or -1
	negated bool
	strikes []strike
}

type theory struct {
	base  []pairs
	heads [][]norm
}

// drawTheory keeps attacks out of circles: a clause reads earlier heads, and
// attacks later ones or later clauses of its own. Strict clauses come first.
func drawTheory(t *rapid.T) *theory {
	n := func(label string, from, to int) int { return rapid.IntRange(from, to).Draw(t, label) }
	th := &theory{}
	for range 3 {
		b := pairs{}
		for x := range theorySize {
			for y := range theorySize {
				if n("in base", 0, 1) == 1 {
					b[pair{x, y}] = true
				}
			}
		}
		th.base = append(th.base, b)
	}
	heads := n("heads", 1, 4)
	for h := range heads {
		strict := n("strict clauses", 0, 2)
		clauses := make([]norm, strict+n("default clauses", 1, 3))
		for i := range clauses {
			clauses[i] = norm{soft: i >= strict, base: n("base", 0, 2), reads: n("reads", -1, h-1), negated: n("negated", 0, 1) == 1}
		}
		th.heads = append(th.heads, clauses)
	}
	for h, clauses := range th.heads {
		for i := range clauses {
			for range n("strikes", 0, 2) {
				s := strike{head: n("target", h, heads-1)}
				from := 0
				for !th.heads[s.head][from].soft {
					from++
				}
				if s.head == h {
					from = max(from, i+1)
				}
				last := len(th.heads[s.head]) - 1
				whole := s.head != h || !clauses[i].soft
				switch {
				case whole && n("whole head", 0, 1) == 1:
					s.clause = -1
				case from > last:
					continue
				default:
					s.clause = n("clause", from, last)
				}
				for j := range s.places {
					s.places[j] = rapid.SampledFrom([]string{"x", "y", "0", "1", "_"}).Draw(t, "place")
				}
				clauses[i].strikes = append(clauses[i].strikes, s)
			}
		}
	}
	return th
}

func (th *theory) source() string {
	var out strings.Builder
	for i, b := range th.base {
		fmt.Fprintf(&out, "pub rel B%d(a: Int, b: Int);\n", i)
		for x := range theorySize {
			for y := range theorySize {
				if b[pair{x, y}] {
					fmt.Fprintf(&out, "pub fact B%d(%d, %d);\n", i, x, y)
				}
			}
		}
	}
	for h, clauses := range th.heads {
		for i, c := range clauses {
			fmt.Fprintf(&out, "#[label(l%d)]\n", i)
			if c.soft {
				out.WriteString("#[default]\n")
			}
			for _, s := range c.strikes {
				label := ""
				if s.clause >= 0 {
					label = fmt.Sprint(".l", s.clause)
				}
				fmt.Fprintf(&out, "#[defeats(h%d%s(%s, %s))]\n", s.head, label, s.places[0], s.places[1])
			}
			fmt.Fprintf(&out, "pub derive h%d(x, y) :- B%d(x, y)", h, c.base)
			if c.reads >= 0 {
				out.WriteString(map[bool]string{false: ", ", true: ", not "}[c.negated])
				fmt.Fprintf(&out, "h%d(y, x)", c.reads)
			}
			out.WriteString(";\n")
		}
	}
	return out.String()
}

// warranted evaluates the theory clause by clause, as its definition reads.
func (th *theory) warranted() []pairs {
	type target struct{ head, clause int }
	lost := map[target]pairs{}
	var out []pairs
	for h, clauses := range th.heads {
		extent := pairs{}
		for i, c := range clauses {
			for p := range th.base[c.base] {
				if c.reads >= 0 && out[c.reads][pair{p[1], p[0]}] == c.negated {
					continue
				}
				if c.soft && (lost[target{h, -1}][p] || lost[target{h, i}][p]) {
					continue
				}
				extent[p] = true
				for _, s := range c.strikes {
					at := target{s.head, s.clause}
					if lost[at] == nil {
						lost[at] = pairs{}
					}
					for x := range theorySize {
						for y := range theorySize {
							if s.hits(p, pair{x, y}) {
								lost[at][pair{x, y}] = true
							}
						}
					}
				}
			}
		}
		out = append(out, extent)
	}
	return out
}

// TestRandomDefeat compares what the compiler and the reasoner make of random
// clauses and attacks with what their definition says.
func TestRandomDefeat(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		th := drawTheory(t)
		source := th.source()
		m := compiled(t, source)
		e := loaded(t, m)
		for h, extents := range th.warranted() {
			want := ""
			for x := range theorySize {
				for y := range theorySize {
					if extents[pair{x, y}] {
						want += fmt.Sprintf(" (%d, %d)", x, y)
					}
				}
			}
			if got := extent(t, m, e, fmt.Sprint("root::h", h)); got != want {
				t.Fatalf("h%d gives%s, and should give%s\n%s", h, got, want, source)
			}
		}
	})
}
