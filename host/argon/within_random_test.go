package argon_test

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// fourth is what a row of an answer is: true, undefined or false.
func fourth(rows, row string) string {
	switch {
	case strings.Contains(" "+rows+" ", " "+row+"? "):
		return "can"
	case strings.Contains(" "+rows+" ", " "+row+" "):
		return "is"
	}
	return "not"
}

// isNumber reports whether a row has the number n/d alone.
func isNumber(row string, n, d int) bool {
	r, ok := new(big.Rat).SetString(strings.Trim(row, "()"))
	return ok && r.Cmp(big.NewRat(int64(n), int64(d))) == 0
}

// An aggregate over an open concept is compared with what it is in every state
// of the world that the facts leave open.
func TestAggregatesOverTheUnknownAgreeWithEveryCompletion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const people = 4
		value := make([]int, people)
		known := make([]int, people) // 0 unknown, 1 member, 2 none
		source := "pub type P { v: Int }\n#[world(open)]\npub type M;\npub derive ks(k) :- k in [-3, -2, -1, 0, 1, 2, 3, 4, 5, 6];\n"
		for i := range people {
			value[i], known[i] = rapid.IntRange(-2, 3).Draw(t, "value"), rapid.IntRange(0, 2).Draw(t, "known")
			source += fmt.Sprintf("pub fact P(p%d) { v: %d };\n", i, value[i])
			source += []string{"", "pub fact M(p%d);\n", "pub not_fact M(p%d);\n"}[known[i]]
			if known[i] > 0 {
				source = strings.ReplaceAll(source, "p%d", fmt.Sprint("p", i))
			}
		}
		folds := []string{"count { p: P, p: M }", "min(p.v for p in P where true, p: M)", "max(p.v for p in P where true, p: M)", "sum(p.v for p in P where true, p: M)", "avg(p.v for p in P where true, p: M)"}
		compares := []string{">=", ">", "<=", "<", "==", "!="}
		for i, f := range folds {
			source += fmt.Sprintf("pub derive v%d(n) :- n = %s;\n", i, f)
			for j, c := range compares {
				source += fmt.Sprintf("pub derive here%d_%d(k) :- ks(k), %s %s k;\n", i, j, f, c)
				source += fmt.Sprintf("pub derive there%d_%d(k) :- ks(k), v%d(n), n %s k;\n", i, j, i, c)
				source += fmt.Sprintf("pub derive inside%d_%d(k) :- ks(k), exists { n = %s, n %s k };\n", i, j, f, c)
				source += fmt.Sprintf("pub derive denied%d_%d(k) :- ks(k), not exists { n = %s, n %s k };\n", i, j, f, c)
			}
		}
		m := compiled(t, source)
		e := loaded(t, m)
		// What each fold is in each completion, in twelfths, as means of up to four
		// values are whole numbers of these; absent: nothing to fold.
		const unit = 12
		var values [5][]int
		var exact [5]bool
		for i := range exact {
			exact[i] = true
		}
		for world := range 1 << people {
			var members []int
			fits := true
			for i := range people {
				in := world>>i&1 == 1
				fits = fits && !(in && known[i] == 2) && !(!in && known[i] == 1)
				if in {
					members = append(members, value[i])
				}
			}
			if !fits {
				continue
			}
			total := 0
			for _, v := range members {
				total += v
			}
			values[0], values[3] = append(values[0], len(members)*unit), append(values[3], total*unit)
			if len(members) == 0 {
				exact[1], exact[2], exact[4] = false, false, false
				continue
			}
			values[1], values[2] = append(values[1], slices.Min(members)*unit), append(values[2], slices.Max(members)*unit)
			values[4] = append(values[4], total*unit/len(members))
		}
		for i := range folds {
			settled := exact[i] && len(values[i]) > 0 && slices.Min(values[i]) == slices.Max(values[i])
			got := strings.TrimSpace(extent(t, m, e, fmt.Sprintf("root::v%d", i)))
			switch {
			case len(values[i]) == 0 && got != "":
				t.Fatalf("%s gives %s, and has no value\n%s", folds[i], got, source)
			case settled && !isNumber(got, values[i][0], unit):
				t.Fatalf("%s gives %s, and is %d/%d\n%s", folds[i], got, values[i][0], unit, source)
			case !settled && len(values[i]) > 0 && !strings.HasSuffix(got, "?"):
				t.Fatalf("%s gives %s, and is not settled\n%s", folds[i], got, source)
			}
			for j, c := range compares {
				for _, place := range []string{"here", "there", "inside", "denied"} {
					rows := extent(t, m, e, fmt.Sprintf("root::%s%d_%d", place, i, j))
					for k := -3; k <= 6; k++ {
						some, all := false, exact[i]
						for _, v := range values[i] {
							k := k * unit
							holds := map[string]bool{">=": v >= k, ">": v > k, "<=": v <= k, "<": v < k, "==": v == k, "!=": v != k}[c]
							some, all = some || holds, all && holds
						}
						want := "not"
						if some {
							want = "can"
						}
						if some && all {
							want = "is"
						}
						got := fourth(rows, fmt.Sprintf("(%d)", k))
						if place == "denied" {
							got = map[string]string{"is": "not", "can": "can", "not": "is"}[got]
						}
						// Not every value between the ends of a sum, a least or a
						// greatest need be reached, so that may be said to be possible.
						within := i > 0 && got == "can" && len(values[i]) > 0 && (c == "==" || c == "!=") &&
							k*unit >= slices.Min(values[i]) && k*unit <= slices.Max(values[i])
						if got != want && !within {
							t.Fatalf("%s %s %d (%s) is %s, want %s of %v\n%s", folds[i], c, k, place, got, want, values[i], source)
						}
					}
				}
			}
		}
	})
}
