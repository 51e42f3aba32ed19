package argon_test

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// arithmetic is an expression over the folds of a program, as source and as a
// function of what the folds are; nil: it has no value.
type arithmetic struct {
	text string
	of   func(folds []*big.Rat) *big.Rat
	uses int // how often it reads a fold
}

// drawComputed draws an expression whose folds are variables, f0, f1, ….
func drawComputed(t *rapid.T, folds, depth int) arithmetic {
	leaf := func() arithmetic {
		if rapid.Bool().Draw(t, "fold") {
			i := rapid.IntRange(0, folds-1).Draw(t, "which")
			return arithmetic{fmt.Sprint("f", i), func(f []*big.Rat) *big.Rat { return f[i] }, 1}
		}
		n := rapid.Int64Range(-2, 3).Draw(t, "constant")
		return arithmetic{fmt.Sprintf("(%d)", n), func([]*big.Rat) *big.Rat { return big.NewRat(n, 1) }, 0}
	}
	if depth == 0 {
		return leaf()
	}
	a := drawComputed(t, folds, depth-1)
	switch op := rapid.IntRange(0, 6).Draw(t, "op"); op {
	case 0:
		return a
	case 1:
		return arithmetic{"(-" + a.text + ")", func(f []*big.Rat) *big.Rat {
			if x := a.of(f); x != nil {
				return new(big.Rat).Neg(x)
			}
			return nil
		}, a.uses}
	case 6: // by what is positive
		n := rapid.Int64Range(1, 2).Draw(t, "more")
		times := rapid.Int64Range(1, 2).Draw(t, "times")
		return arithmetic{fmt.Sprintf("(%s / (%d * f0 + %d))", a.text, times, n), func(f []*big.Rat) *big.Rat {
			if x := a.of(f); x != nil {
				by := new(big.Rat).Mul(f[0], big.NewRat(times, 1))
				return new(big.Rat).Quo(x, by.Add(by, big.NewRat(n, 1)))
			}
			return nil
		}, a.uses + 1}
	case 2:
		n := rapid.SampledFrom([]int64{-2, -1, 1, 2}).Draw(t, "divisor")
		return arithmetic{fmt.Sprintf("(%s / (%d))", a.text, n), func(f []*big.Rat) *big.Rat {
			if x := a.of(f); x != nil {
				return new(big.Rat).Quo(x, big.NewRat(n, 1))
			}
			return nil
		}, a.uses}
	default:
		b := drawComputed(t, folds, depth-1)
		return arithmetic{fmt.Sprintf("(%s %s %s)", a.text, []string{"+", "-", "*"}[op-3], b.text), func(f []*big.Rat) *big.Rat {
			x, y := a.of(f), b.of(f)
			if x == nil || y == nil {
				return nil
			}
			switch op {
			case 3:
				return new(big.Rat).Add(x, y)
			case 4:
				return new(big.Rat).Sub(x, y)
			}
			return new(big.Rat).Mul(x, y)
		}, a.uses + b.uses}
	}
}

// What is computed of values that may be intervals says nothing for certain
// that a completion speaks against, and where a value is read once everything
// that all of them say.
func TestWhatIsComputedOfIntervalsAgreesWithEveryCompletion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const people, expressions = 3, 2
		value := make([]int, people)
		known := make([]int, people) // 0 unknown, 1 member, 2 none
		source := "pub type P { v: Int }\n#[world(open)]\npub type M;\npub derive ks(k) :- k in [-4, -1, 0, 1, 2, 5];\n"
		for i := range people {
			value[i], known[i] = rapid.IntRange(-2, 3).Draw(t, "value"), rapid.IntRange(0, 2).Draw(t, "known")
			source += fmt.Sprintf("pub fact P(p%d) { v: %d };\n", i, value[i])
			if known[i] > 0 {
				source += fmt.Sprintf([]string{"pub fact M(p%d);\n", "pub not_fact M(p%d);\n"}[known[i]-1], i)
			}
		}
		source += "pub derive c0(n) :- n = count { p: P, p: M };\npub derive c1(n) :- n = sum(p.v for p in P where true, p: M);\npub derive c2(n) :- n = max(p.v for p in P where true, p: M);\n"
		var drawn []arithmetic
		for i := range expressions {
			x := drawComputed(t, 3, 2)
			drawn = append(drawn, x)
			y := drawComputed(t, 3, 1)
			drawn = append(drawn, y)
			source += fmt.Sprintf("pub derive v%d(n) :- %sn = %s;\n", i, reads(x.text), x.text)
			for j, c := range comparisonsOf {
				source += fmt.Sprintf("pub derive there%d_%d(k) :- ks(k), v%d(n), n %s k;\n", i, j, i, c)
				source += fmt.Sprintf("pub derive nested%d_%d(k) :- ks(k), not exists { v%d(n), n %s k };\n", i, j, i, c)
				source += fmt.Sprintf("pub derive here%d_%d(k) :- ks(k), %s%s %s k;\n", i, j, reads(x.text), x.text, c)
				source += fmt.Sprintf("pub derive both%d_%d(k) :- ks(k), %s%s %s %s + k;\n", i, j, reads(x.text+y.text), x.text, c, y.text)
			}
		}
		m := compiled(t, source)
		e := loaded(t, m)
		var worlds [][]*big.Rat
		for world := range 1 << people {
			count, total := int64(0), int64(0)
			var most *big.Rat
			fits := true
			for i := range people {
				in := world>>i&1 == 1
				fits = fits && !(in && known[i] == 2) && !(!in && known[i] == 1)
				if in {
					v := big.NewRat(int64(value[i]), 1)
					count, total = count+1, total+int64(value[i])
					if most == nil || v.Cmp(most) > 0 {
						most = v
					}
				}
			}
			if fits {
				worlds = append(worlds, []*big.Rat{big.NewRat(count, 1), big.NewRat(total, 1), most})
			}
		}
		for i := range expressions {
			x, y := drawn[2*i], drawn[2*i+1]
			for j, c := range comparisonsOf {
				for _, place := range []string{"there", "here", "both", "nested"} {
					rows := extent(t, m, e, fmt.Sprintf("root::%s%d_%d", place, i, j))
					for _, k := range []int64{-4, -1, 0, 1, 2, 5} {
						some, all := false, true
						for _, w := range worlds {
							left, right := x.of(w), big.NewRat(k, 1)
							if place == "both" {
								if right = y.of(w); right != nil {
									right = new(big.Rat).Add(right, big.NewRat(k, 1))
								}
							}
							holds := left != nil && right != nil && orderHolds(c, left.Cmp(right))
							holds = holds != (place == "nested")
							some, all = some || holds, all && holds
						}
						got := fourth(rows, fmt.Sprintf("(%d)", k))
						if got == "is" && !all || got == "not" && some {
							t.Fatalf("%s: %s %s %d (%s) is %s; in some completion: %t, in all: %t\n%s", place, x.text, c, k, y.text, got, some, all, source)
						}
						exact := place != "both" && place != "nested" && x.uses == 1 && c != "==" && c != "!="
						if exact && !some && got != "not" {
							t.Fatalf("%s: %s %s %d is %s, and holds in no completion\n%s", place, x.text, c, k, got, source)
						}
					}
				}
			}
		}
	})
}

// reads are the atoms that give the folds of an expression.
func reads(text string) (atoms string) {
	for i := range 3 {
		if strings.Contains(text, fmt.Sprint("f", i)) {
			atoms += fmt.Sprintf("c%d(f%d), ", i, i)
		}
	}
	return atoms
}

var comparisonsOf = []string{">=", ">", "<=", "<", "==", "!="}

func orderHolds(order string, c int) bool {
	return map[string]bool{">=": c >= 0, ">": c > 0, "<=": c <= 0, "<": c < 0, "==": c == 0, "!=": c != 0}[order]
}
