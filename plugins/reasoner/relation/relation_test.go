package relation

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/ox-mcp/ox-mcp/abi"
)

// shapes are the kinds of terms that a column may hold: they decide between
// dense and hashed indexes, and between a matrix and a set.
var shapes = []func(n int) abi.Term{
	func(n int) abi.Term { return abi.TagInt | abi.Term(n) },
	func(n int) abi.Term { return abi.TagTable | abi.Term(n) },
	func(n int) abi.Term { t, _ := abi.IntTerm(int64(-n)); return t },
	func(n int) abi.Term { return []abi.Term{abi.TagInt, abi.TagTable, abi.TagDay}[n%3] | abi.Term(n) },
	func(n int) abi.Term { return abi.TagTable | abi.Term(n)*977 },
}

// model is a relation beside a map that says what must be in it.
type model struct {
	r     *Relation
	want  map[string]bool
	arity int
	term  func(n int) abi.Term
}

func newModel(t *rapid.T, arity int) *model {
	return &model{r: New(arity), want: map[string]bool{}, arity: arity, term: rapid.SampledFrom(shapes).Draw(t, "shape")}
}

// batch draws tuples. Few draws make many tuples: they are strides through a
// small square, so that batches overlap.
func (m *model) batch(t *rapid.T) ([][]abi.Term, int) {
	n := rapid.IntRange(0, 3000).Draw(t, "rows")
	side := rapid.IntRange(1, 400).Draw(t, "side")
	from, stride := rapid.IntRange(0, 1000).Draw(t, "from"), rapid.IntRange(1, 50).Draw(t, "stride")
	cols := make([][]abi.Term, m.arity)
	for c := range cols {
		cols[c] = make([]abi.Term, n)
	}
	for i := range n {
		k := from + i*stride
		for c := range cols {
			cols[c][i] = m.term(k % side)
			k /= side
		}
	}
	return cols, n
}

func at(cols [][]abi.Term, i int) []abi.Term {
	out := make([]abi.Term, len(cols))
	for c := range cols {
		out[c] = cols[c][i]
	}
	return out
}

func (m *model) check(t *rapid.T) {
	if m.r.Live() != len(m.want) {
		t.Fatalf("%d tuples, want %d", m.r.Live(), len(m.want))
	}
	for row := range uint32(m.r.Rows()) {
		if m.r.Dead(row) {
			continue
		}
		tuple := m.r.Row(nil, row)
		if !m.want[fmt.Sprint(tuple)] {
			t.Fatalf("tuple %v should not be there", tuple)
		}
		if found, ok := m.r.Find(tuple); !ok || found != row {
			t.Fatalf("tuple %v of row %d is found at %d, %v", tuple, row, found, ok)
		}
	}
}

func TestRelationIsTheSetOfWhatWasAdded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newModel(t, rapid.IntRange(1, 3).Draw(t, "arity"))
		for range rapid.IntRange(1, 6).Draw(t, "steps") {
			cols, n := m.batch(t)
			switch rapid.IntRange(0, 6).Draw(t, "step") {
			case 0: // remove
				for i := range n {
					tuple := at(cols, i)
					row, ok := m.r.Find(tuple)
					if ok != m.want[fmt.Sprint(tuple)] {
						t.Fatalf("find %v: %v", tuple, ok)
					}
					if ok {
						m.r.Remove(row)
						delete(m.want, fmt.Sprint(tuple))
					}
				}
			case 1: // one at a time
				for i := range n {
					tuple := at(cols, i)
					if _, added := m.r.Insert(tuple); added == m.want[fmt.Sprint(tuple)] {
						t.Fatalf("insert %v: %v", tuple, added)
					}
					m.want[fmt.Sprint(tuple)] = true
				}
			case 2:
				m.r.Compact()
			default:
				before := len(m.want)
				for i := range n {
					m.want[fmt.Sprint(at(cols, i))] = true
				}
				if added := m.r.InsertBatch(cols, n); added != len(m.want)-before {
					t.Fatalf("%d tuples were added, want %d", added, len(m.want)-before)
				}
			}
		}
		m.check(t)
		m.r.Compact()
		m.check(t)
	})
}

// matches are the pairs that a join of the batch with rows [lo, hi) gives.
func (m *model) matches(on []int, keys [][]abi.Term, n int, lo, hi uint32) map[[2]uint32]bool {
	rows := map[string][]uint32{}
	for row := lo; row < hi; row++ {
		key := ""
		for _, c := range on {
			key += fmt.Sprint(m.r.Column(c)[row], " ")
		}
		rows[key] = append(rows[key], row)
	}
	out := map[[2]uint32]bool{}
	for i := range n {
		key := ""
		for _, k := range keys {
			key += fmt.Sprint(k[i], " ")
		}
		for _, row := range rows[key] {
			out[[2]uint32{uint32(i), row}] = true
		}
	}
	return out
}

func TestProbeFindsEveryMatchOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		arity := rapid.IntRange(1, 3).Draw(t, "arity")
		m := newModel(t, arity)
		var on []int
		for c := range arity {
			if c == 0 || rapid.Bool().Draw(t, "on") {
				on = append(on, arity-1-c)
			}
		}
		if len(on) > 1 {
			on = []int{on[len(on)-1], on[0]}
		}
		x := m.r.Index(on)
		for range rapid.IntRange(1, 3).Draw(t, "growth") {
			cols, n := m.batch(t)
			m.r.InsertBatch(cols, n)
			x.Cover(m.r.Rows())
		}
		rows := m.r.Rows()
		lo := rapid.IntRange(0, rows).Draw(t, "lo")
		hi := rapid.IntRange(lo, rows).Draw(t, "hi")
		cols, n := m.batch(t)
		n = min(n, 500)
		keys := make([][]abi.Term, len(on))
		for i, c := range on {
			keys[i] = cols[c][:n]
		}
		want := m.matches(on, keys, n, uint32(lo), uint32(hi))
		p := Probe{Index: x, Lo: uint32(lo), Hi: uint32(hi)}
		p.Start(keys, n)
		size := rapid.IntRange(1, 64).Draw(t, "buffer")
		tuples, found := make([]uint32, size), make([]uint32, size)
		total := 0
		for k := p.Next(tuples, found); k > 0; k = p.Next(tuples, found) {
			for i := range k {
				if !want[[2]uint32{tuples[i], found[i]}] {
					t.Fatalf("tuple %d does not match row %d", tuples[i], found[i])
				}
			}
			total += k
		}
		if total != len(want) {
			t.Fatalf("%d matches, want %d", total, len(want))
		}

		some := map[uint32]bool{}
		for pair := range want {
			some[pair[0]] = true
		}
		p = Probe{Index: x, Lo: uint32(lo), Hi: uint32(hi), Once: true}
		p.Start(keys, n)
		total = 0
		for k := p.Next(tuples, found); k > 0; k = p.Next(tuples, found) {
			total += k
		}
		if total != len(some) {
			t.Fatalf("%d tuples match when each counts once, want %d", total, len(some))
		}
		m.checkChains(t, x, on)
		p.Start(keys, n)
		if absent := p.Absent(make([]uint32, 500)); absent != n-len(some) {
			t.Fatalf("%d tuples match nothing, want %d", absent, n-len(some))
		}
	})
}

// checkChains follows the index from every row's key and expects every row
// once, newest first.
func (m *model) checkChains(t *rapid.T, x *Index, on []int) {
	seen := map[uint32]bool{}
	for row := m.r.Rows() - 1; row >= 0; row-- {
		if seen[uint32(row)] {
			continue
		}
		var key []abi.Term
		for _, c := range on {
			key = append(key, m.r.Column(c)[row])
		}
		at, ok := x.First(key)
		if !ok || at != uint32(row) {
			t.Fatalf("the newest row of key %v is %d, %v, want %d", key, at, ok, row)
		}
		for ; ok; at, ok = x.Next(at) {
			seen[at] = true
		}
	}
	if len(seen) != m.r.Rows() {
		t.Fatalf("%d rows are in chains, want %d", len(seen), m.r.Rows())
	}
	for _, missing := range []abi.Term{abi.TagInt | abi.PayloadMask>>2, abi.False} {
		key := make([]abi.Term, len(on))
		for i := range key {
			key[i] = missing
		}
		if at, ok := x.First(key); ok {
			t.Fatalf("a key that is not there has row %d", at)
		}
	}
}

func TestMembersAreThoseOfTheInterval(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newModel(t, rapid.IntRange(1, 3).Draw(t, "arity"))
		for range 2 {
			cols, n := m.batch(t)
			m.r.InsertBatch(cols, n)
		}
		lo := rapid.IntRange(0, m.r.Rows()).Draw(t, "lo")
		hi := rapid.IntRange(lo, m.r.Rows()).Draw(t, "hi")
		cols, n := m.batch(t)
		on := make([]int, m.arity)
		for i := range on {
			on[i] = i
		}
		want := len(m.matches(on, cols, n, uint32(lo), uint32(hi)))
		got := m.r.Members(cols, n, uint32(lo), uint32(hi), true, make([]uint32, n))
		others := m.r.Members(cols, n, uint32(lo), uint32(hi), false, make([]uint32, n))
		if got != want || got+others != n {
			t.Fatalf("%d members and %d others of %d, want %d members", got, others, n, want)
		}
	})
}

func TestMinusIsWhatTheOtherDoesNotHave(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := newModel(t, rapid.IntRange(1, 3).Draw(t, "arity"))
		b := &model{r: New(a.arity), want: map[string]bool{}, arity: a.arity, term: rapid.SampledFrom(shapes).Draw(t, "shape")}
		for _, m := range []*model{a, b} {
			for range rapid.IntRange(0, 3).Draw(t, "batches") {
				cols, n := m.batch(t)
				for i := range n {
					m.want[fmt.Sprint(at(cols, i))] = true
				}
				m.r.InsertBatch(cols, n)
			}
		}
		if a.r.Rows() > 0 && rapid.Bool().Draw(t, "remove") {
			delete(a.want, fmt.Sprint(a.r.Row(nil, 0)))
			a.r.Remove(0)
		}
		want := 0
		for tuple := range a.want {
			if !b.want[tuple] {
				want++
			}
		}
		got := a.r.Minus(b.r)
		if len(got) != want {
			t.Fatalf("%d rows, want %d", len(got), want)
		}
		for _, row := range got {
			if tuple := fmt.Sprint(a.r.Row(nil, row)); b.want[tuple] || !a.want[tuple] {
				t.Fatalf("row %d of tuple %s should not be there", row, tuple)
			}
		}
	})
}

func TestTagsTellRuleAndRound(t *testing.T) {
	r := New(1)
	add := func(from, to int) {
		for i := from; i < to; i++ {
			r.Insert([]abi.Term{abi.TagInt | abi.Term(i)})
		}
	}
	r.Begin(7, 1)
	add(0, 3)
	r.Begin(8, 1) // adds nothing
	r.Begin(9, 2)
	add(3, 4)
	for row, want := range [][2]int{{7, 1}, {7, 1}, {7, 1}, {9, 2}} {
		if rule, round := r.Tag(uint32(row)); rule != want[0] || int(round) != want[1] {
			t.Errorf("row %d is of rule %d, round %d, want %v", row, rule, round, want)
		}
	}
	for round, want := range []int{0, 0, 3, 4, 4} {
		if got := r.Before(uint32(round)); got != want {
			t.Errorf("%d rows before round %d, want %d", got, round, want)
		}
	}
}

func TestRelationWithoutColumnsHoldsOneTuple(t *testing.T) {
	r := New(0)
	if _, ok := r.Find(nil); ok {
		t.Error("an empty relation has the empty tuple")
	}
	if added := r.InsertBatch(nil, 5); added != 1 || r.Live() != 1 {
		t.Errorf("%d added, %d live, want 1", added, r.Live())
	}
	if added := r.InsertBatch(nil, 5); added != 0 {
		t.Errorf("%d added again", added)
	}
	r.Remove(0)
	if _, ok := r.Find(nil); ok || r.Live() != 0 {
		t.Error("a removed tuple is there")
	}
	if _, added := r.Insert(nil); !added || r.Live() != 1 {
		t.Error("the tuple cannot be added again")
	}
}
