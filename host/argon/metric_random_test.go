package argon_test

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/lower"
)

// days says for each day of a window whether something holds.
type days struct {
	first int64
	holds []bool
	after bool // beyond the window
}

func (d days) at(day int64) bool {
	i := day - d.first
	if i < 0 {
		return d.holds[0]
	}
	if i >= int64(len(d.holds)) {
		return d.after
	}
	return d.holds[i]
}

// metricOracle says by the definition of an operator whether it holds on day t.
func metricOracle(word string, least, most, far int64, left, right days, t int64) bool {
	if most < 0 {
		most = far
	}
	some, all := false, true
	for n := least; n <= most; n++ {
		switch word {
		case "box_minus", "diamond_minus":
			some, all = some || right.at(t-n), all && right.at(t-n)
		case "box_plus", "diamond_plus":
			some, all = some || right.at(t+n), all && right.at(t+n)
		default:
			step := int64(-1)
			if word == "until" {
				step = 1
			}
			fine := right.at(t + step*n)
			for k := int64(1); k < n; k++ {
				fine = fine && left.at(t+step*k)
			}
			some = some || fine
		}
	}
	if strings.HasPrefix(word, "box") {
		return all
	}
	return some
}

// TestOperatorsOverTimeAreAsDefined runs each operator over random days.
func TestOperatorsOverTimeAreAsDefined(t *testing.T) {
	const window, far = 12, 30
	ranges := []string{"[0, 0]", "[0, 1]", "[1, 1]", "[0, 3]", "[1, 2]", "[2, 5]", "[0, *]", "[1, *]", "[3, *]"}
	words := []string{"box_minus", "box_plus", "diamond_minus", "diamond_plus", "since", "until"}
	source := "pub type T;\npub rel P(x: T);\npub rel Q(x: T);\npub fact T(a);\n"
	type form struct {
		word        string
		least, most int64
	}
	var forms []form
	for _, w := range words {
		for _, r := range ranges {
			f := form{word: w, most: -1}
			if _, err := fmt.Sscanf(r, "[%d, %d]", &f.least, &f.most); err != nil {
				f.most = -1
			}
			args := "P(x)"
			if w == "since" || w == "until" {
				args = "Q(x), P(x)"
			}
			source += fmt.Sprintf("pub derive r%d(x) :- %s%s(%s);\n", len(forms), w, r, args)
			forms = append(forms, f)
		}
	}
	m := compiled(t, source)
	seen := make([][2]bool, len(forms)) // whether it did not hold once, and did
	today := call.Now.Int / abi.SecondsPerDay
	for seed := range int64(80) {
		r := rand.New(rand.NewSource(seed))
		e := loaded(t, m)
		random := func(rel string) days {
			d := days{first: today - window, holds: make([]bool, 2*window), after: r.Intn(2) == 0}
			dense := []int{1, 5, 9, 10, 0}[r.Intn(5)] // of ten days
			for i := range d.holds {
				d.holds[i] = r.Intn(10) < dense
			}
			fb := abi.FrameBuilder{Arity: 3}
			add := func(from, to int64) {
				fb.Add([]abi.Value{abi.NamedValue("root::a"), abi.IntValue(from), abi.IntValue(to)})
			}
			for i, holds := range d.holds {
				from, to := d.first+int64(i), d.first+int64(i)+1
				if i == 0 {
					from = -lower.Always
				}
				if holds {
					add(from, to)
				}
			}
			if d.after {
				add(d.first+int64(len(d.holds)), lower.Always)
			}
			for i := range m.Program.Relations {
				if m.Program.Relations[i].Name == rel {
					if _, f := e.Assert(&abi.AssertRequest{Call: call, Deltas: []abi.Delta{{Relation: i, Frame: fb.Frame()}}}); f != nil {
						t.Fatal(f)
					}
				}
			}
			return d
		}
		p, q := random("root::P+@"), random("root::Q+@")
		for i, f := range forms {
			got := extent(t, m, e, fmt.Sprintf("root::r%d", i)) != ""
			if got {
				seen[i][1] = true
			} else {
				seen[i][0] = true
			}
			if want := metricOracle(f.word, f.least, f.most, far, q, p, today); got != want {
				t.Errorf("seed %d: %s[%d, %d] is %v, and by definition %v\nQ %v %v\nP %v %v", seed, f.word, f.least, f.most, got, want, q.holds, q.after, p.holds, p.after)
			}
		}
	}
	for i, s := range seen {
		if !s[0] || !s[1] {
			t.Errorf("%s[%d, %d] has the same answer for all days", forms[i].word, forms[i].least, forms[i].most)
		}
	}
}
