//go:build wasm && !plainloops

package relation

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
)

// guarded is a slice of words between others, which nothing may change.
type guarded[T comparable] struct {
	all []T
	n   int
}

const guard = 3

func guardedOf[T comparable](words []T, fence T) guarded[T] {
	all := slices.Concat(slices.Repeat([]T{fence}, guard), words, slices.Repeat([]T{fence}, guard))
	return guarded[T]{all: all, n: len(words)}
}

func (g guarded[T]) words() []T { return g.all[guard : guard+g.n : guard+g.n] }

func (g guarded[T]) copy() guarded[T] { return guarded[T]{all: slices.Clone(g.all), n: g.n} }

func guardedWords(n int, draw func() uint32) guarded[uint32] {
	words := make([]uint32, n)
	for i := range words {
		words[i] = draw()
	}
	return guardedOf(words, 0xDEADBEEF)
}

func guardedTerms(n int, draw func() abi.Term) guarded[abi.Term] {
	terms := make([]abi.Term, n)
	for i := range terms {
		terms[i] = draw()
	}
	return guardedOf(terms, 0xDEADBEEF)
}

// same fails unless the loop left in each pair of slices the same.
func same[T comparable](t *testing.T, what string, pairs ...[2]guarded[T]) {
	t.Helper()
	for i, p := range pairs {
		if !slices.Equal(p[0].all, p[1].all) {
			t.Fatalf("%s: slice %d differs\n%v\n%v", what, i, p[0].all, p[1].all)
		}
	}
}

func pair[T comparable](a, b guarded[T]) [2]guarded[T] { return [2]guarded[T]{a, b} }

// Each loop does what its form in Go does, down to the last word, and writes
// nothing beside its slices.
func TestLoopsDoWhatTheirGoFormsDo(t *testing.T) {
	for seed := range uint64(400) {
		d := rand.New(rand.NewPCG(seed, 1))
		most := []int{1, 2, 7, 64, 1000}[seed%5]
		few := []int{1, 3, 40, 5000}[seed/5%4]
		tag := []abi.Term{abi.TagTable, abi.TagInt, abi.TagDay}[seed%3]
		term := func() abi.Term {
			x := tag | abi.Term(d.IntN(few))
			if d.IntN(50) == 0 {
				x ^= abi.TagDay
			}
			return x
		}
		n := d.IntN(most + 1)
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			gatherAndExtremes(t, d, n, term)
			sets(t, d, n, term)
			chains(t, d, n, tag, few)
			bits(t, d, n, tag, few)
		})
	}
}

func gatherAndExtremes(t *testing.T, d *rand.Rand, n int, term func() abi.Term) {
	src := guardedTerms(1+d.IntN(2000), term)
	rows := guardedWords(n, func() uint32 { return uint32(d.IntN(src.n)) })
	dst := guardedTerms(n+d.IntN(2), term)
	other := dst.copy()
	Gather(dst.words(), src.words(), rows.words())
	plainGather(other.words(), src.words(), rows.words())
	same(t, "gather", pair(dst, other))

	least := uint64(d.IntN(100))
	a, b, c := extremes(src.words(), least)
	p, q, r := plainExtremes(src.words(), least)
	if a != p || b != q || abi.Term(c) != abi.Term(r) {
		t.Fatalf("extremes: %x %x %x, want %x %x %x", a, b, c, p, q, r)
	}
}

// sets adds to sets of one to three columns, fills tables and looks up.
func sets(t *testing.T, d *rand.Rand, n int, term func() abi.Term) {
	size, shift := minTable, uint(64-5)
	before := d.IntN(500)
	for size < 2*(before+n) {
		size, shift = size*2, shift-1
	}
	for arity := 1; arity <= 3; arity++ {
		var rel, other, tuples [3]guarded[abi.Term]
		for c := range rel {
			rel[c], tuples[c] = guardedTerms(before+n, term), guardedTerms(n, term)
		}
		table := guardedWords(size, func() uint32 { return 0 })
		add := func(rel [3]guarded[abi.Term], from [3][]abi.Term, rows int, table []uint32, plain bool) int {
			ca, cb, cc := rel[0].words(), rel[1].words(), rel[2]
			switch arity {
			case 1:
				if plain {
					return plainAddTerms(from[0], ca, rows, table, shift)
				}
				return addTerms(from[0], ca, rows, table, shift)
			case 2:
				if plain {
					return plainAddPairs(from[0], from[1], ca, cb, rows, table, shift)
				}
				return addPairs(from[0], from[1], ca, cb, rows, table, shift)
			}
			if plain {
				return plainAddTriples(from[0], from[1], from[2], ca, cb, cc.words(), rows, table, shift)
			}
			return addTriples(from[0], from[1], from[2], ca, cb, cc.words(), rows, table, shift)
		}
		var first [3][]abi.Term
		for c := range arity {
			first[c] = slices.Clone(rel[c].words()[:before])
		}
		rows := add(rel, first, 0, table.words(), true)
		if arity == 2 {
			filled, wanted := guardedWords(size, func() uint32 { return 0 }), guardedWords(size, func() uint32 { return 0 })
			from := d.IntN(rows + 1)
			fillPairs(rel[0].words(), rel[1].words(), from, rows, filled.words(), shift)
			plainFillPairs(rel[0].words(), rel[1].words(), from, rows, wanted.words(), shift)
			same(t, "fill", pair(filled, wanted))
		}
		if arity == 3 {
			filled, wanted := guardedWords(size, func() uint32 { return 0 }), guardedWords(size, func() uint32 { return 0 })
			from := d.IntN(rows + 1)
			fillTriples(rel[0].words(), rel[1].words(), rel[2].words(), from, rows, filled.words(), shift)
			plainFillTriples(rel[0].words(), rel[1].words(), rel[2].words(), from, rows, wanted.words(), shift)
			same(t, "fill of triples", pair(filled, wanted))
		}
		otherTable := table.copy()
		for c := range rel {
			other[c] = rel[c].copy()
		}
		var next, nextOther [3][]abi.Term
		for c := range arity {
			if d.IntN(2) == 0 { // where the new rows go
				copy(rel[c].words()[rows:], tuples[c].words())
				copy(other[c].words()[rows:], tuples[c].words())
				next[c], nextOther[c] = rel[c].words()[rows:rows+n], other[c].words()[rows:rows+n]
				continue
			}
			next[c], nextOther[c] = tuples[c].words(), tuples[c].words()
		}
		got := add(rel, next, rows, table.words(), false)
		want := add(other, nextOther, rows, otherTable.words(), true)
		if got != want {
			t.Fatalf("%d columns: %d rows, want %d", arity, got, want)
		}
		same(t, "table", pair(table, otherTable))
		same(t, "columns", pair(rel[0], other[0]), pair(rel[1], other[1]), pair(rel[2], other[2]))

		out := guardedWords(n, func() uint32 { return 7 })
		wanted := out.copy()
		for c := range arity {
			tuples[c] = guardedTerms(n, term)
		}
		a, b, c := tuples[0].words(), tuples[1].words(), tuples[2]
		switch arity {
		case 1:
			findTerms(out.words(), a, rel[0].words(), table.words(), shift)
			plainFindTerms(wanted.words(), a, rel[0].words(), table.words(), shift)
		case 2:
			findPairs(out.words(), a, b, rel[0].words(), rel[1].words(), table.words(), shift)
			plainFindPairs(wanted.words(), a, b, rel[0].words(), rel[1].words(), table.words(), shift)
		case 3:
			findTriples(out.words(), a, b, c.words(), rel[0].words(), rel[1].words(), rel[2].words(), table.words(), shift)
			plainFindTriples(wanted.words(), a, b, c.words(), rel[0].words(), rel[1].words(), rel[2].words(), table.words(), shift)
		}
		same(t, "find", pair(out, wanted))
	}
}

// chains links rows to a dense index and follows them, with room for few
// matches at a time.
func chains(t *testing.T, d *rand.Rand, n int, tag abi.Term, few int) {
	rows := 1 + d.IntN(3*few)
	key := guardedTerms(rows, func() abi.Term { return tag | abi.Term(d.IntN(few)) })
	right := guardedTerms(rows, func() abi.Term { return abi.Term(d.Uint32()) })
	table, next := guardedWords(few+1, func() uint32 { return 0 }), guardedWords(rows, func() uint32 { return 9 })
	otherTable, otherNext := table.copy(), next.copy()
	for from := 0; from < rows; {
		to := from + 1 + d.IntN(rows-from)
		if got, want := link(key.words(), from, to, table.words(), next.words()), plainLink(key.words(), from, to, otherTable.words(), otherNext.words()); got != want {
			t.Fatalf("link: %d new keys, want %d", got, want)
		}
		from = to
	}
	same(t, "link", pair(table, otherTable), pair(next, otherNext))

	second := guardedTerms(rows, func() abi.Term { return abi.Term(d.IntN(2)) })
	hashed, hashedNext := guardedWords(1<<14, func() uint32 { return 0 }), guardedWords(rows, func() uint32 { return 9 })
	otherHashed, otherHashedNext := hashed.copy(), hashedNext.copy()
	for from := 0; from < rows; {
		to, space := from+1+d.IntN(rows-from), 1+d.IntN(few)
		stop, left := linkPairs(key.words(), second.words(), from, to, hashed.words(), hashedNext.words(), 64-14, space)
		wantStop, wantLeft := plainLinkPairs(key.words(), second.words(), from, to, otherHashed.words(), otherHashedNext.words(), 64-14, space)
		if stop != wantStop || left != wantLeft {
			t.Fatalf("linkPairs: at %d, room for %d; want %d, %d", stop, left, wantStop, wantLeft)
		}
		from = stop
	}
	same(t, "linkPairs", pair(hashed, otherHashed), pair(hashedNext, otherHashedNext))

	probes := guardedTerms(n, func() abi.Term {
		x := tag | abi.Term(d.IntN(few+3))
		if d.IntN(20) == 0 {
			x ^= abi.TagInt
		}
		return x
	})
	heads := guardedWords(n, func() uint32 { return 5 })
	otherHeads := heads.copy()
	findDense(heads.words(), probes.words(), tag, table.words())
	plainFindDense(otherHeads.words(), probes.words(), tag, table.words())
	same(t, "findDense", pair(heads, otherHeads))

	lo, hi := uint32(d.IntN(rows+1)), uint32(d.IntN(rows+1))
	once, room := d.IntN(3) == 0, 1+d.IntN(40)
	for i, at := 0, uint32(0); ; {
		a, b := guardedWords(room, func() uint32 { return 1 }), guardedWords(room, func() uint32 { return 2 })
		p, q := a.copy(), b.copy()
		m, stop, back := follow(heads.words(), i, at, next.words(), lo, hi, once, a.words(), b.words())
		want, wantStop, wantBack := plainFollow(heads.words(), i, at, next.words(), lo, hi, once, p.words(), q.words())
		if m != want || stop != wantStop || back != wantBack {
			t.Fatalf("follow: %d matches, at %d and %d; want %d, %d, %d", m, stop, back, want, wantStop, wantBack)
		}
		same(t, "follow", pair(a, p), pair(b, q))
		if i, at = stop, back; m == 0 {
			break
		}
	}

	keys := guardedTerms(n, func() abi.Term { return tag | abi.Term(d.IntN(few+1)) })
	take := guardedTerms(n, func() abi.Term { return abi.Term(d.Uint32()) })
	for i, at := 0, uint32(0); ; {
		a, b := guardedTerms(room, func() abi.Term { return 1 }), guardedTerms(room, func() abi.Term { return 2 })
		p, q := a.copy(), b.copy()
		m, stop, back := matches(keys.words(), take.words(), i, at, table.words(), next.words(), right.words(), lo, a.words(), b.words())
		want, _, _ := plainMatches(keys.words(), take.words(), i, at, table.words(), next.words(), right.words(), lo, p.words(), q.words())
		if m != want {
			t.Fatalf("matches: %d, want %d", m, want)
		}
		same(t, "matches", pair(a, p), pair(b, q))
		if i, at = stop, back; m == 0 || stop == n && back <= lo {
			break
		}
	}
}

// bits adds pairs to a bit matrix.
func bits(t *testing.T, d *rand.Rand, n int, tag abi.Term, few int) {
	dimA, dimB := min(few, 60), (min(few, 300)+63)&^63
	term := func(dim int) func() abi.Term { return func() abi.Term { return tag | abi.Term(d.IntN(dim)) } }
	rows := d.IntN(10)
	ca, cb := guardedTerms(rows+n, term(dimA)), guardedTerms(rows+n, term(dimB))
	matrix := guardedOf(make([]uint64, dimA*dimB/64), 0xDEADBEEF)
	pa, pb, plain := ca.copy(), cb.copy(), matrix.copy()
	got := markPairs(ca.words()[rows:], cb.words()[rows:], ca.words(), cb.words(), rows, matrix.words(), uint64(dimB))
	want := plainMarkPairs(pa.words()[rows:], pb.words()[rows:], pa.words(), pb.words(), rows, plain.words(), uint64(dimB))
	if got != want {
		t.Fatalf("mark: %d rows, want %d", got, want)
	}
	same(t, "bits", pair(matrix, plain))
	for c, p := range [][2]guarded[abi.Term]{pair(ca, pa), pair(cb, pb)} {
		if !slices.Equal(p[0].all[:guard+got], p[1].all[:guard+got]) || !slices.Equal(p[0].all[guard+p[0].n:], p[1].all[guard+p[1].n:]) {
			t.Fatalf("mark: column %d differs", c)
		}
	}
}
