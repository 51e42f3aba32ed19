//go:build wasm && !plainloops

package relation

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// The loops over ground programs do what their Go forms do, down to the last
// word, and write nothing beside their slices.
func TestGroundLoopsDoWhatTheirGoFormsDo(t *testing.T) {
	for seed := range uint64(400) {
		d := rand.New(rand.NewPCG(seed, 2))
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			atoms, n := 1+d.IntN([]int{1, 5, 60}[seed%3]), 1+d.IntN([]int{1, 9, 200}[seed/3%3])
			numbers(t, d, atoms, n, d.IntN(4))
			consequences(t, d, atoms, n)
		})
	}
}

// numbers numbers the literals of instances, of which some have gaps.
func numbers(t *testing.T, d *rand.Rand, atoms, n, width int) {
	at := d.IntN(5)
	literals := guardedWords(at+n*width, d.Uint32)
	other := literals.copy()
	for j := range width {
		rows := guardedWords(n, func() uint32 { return uint32(d.IntN(atoms + 1)) })
		shift, code := uint(d.IntN(2)), d.Uint32()>>uint(31*d.IntN(2))
		got := Number(literals.words()[at+j:], width, rows.words(), shift, code)
		want := plainNumber(other.words()[at+j:], width, rows.words(), shift, code)
		if got != want {
			t.Fatalf("number: %d absent, want %d", got, want)
		}
	}
	same(t, "number", pair(literals, other))
	ends := guardedWords(n, d.Uint32)
	otherEnds := ends.copy()
	if got, want := Squeeze(literals.words(), at, width, ends.words()), plainSqueeze(other.words(), at, width, otherEnds.words()); got != want {
		t.Fatalf("squeeze: %d, want %d", got, want)
	}
	same(t, "squeeze", pair(ends, otherEnds), pair(literals, other))
}

// consequences solves a random ground program.
func consequences(t *testing.T, d *rand.Rand, atoms, n int) {
	heads := guardedWords(n, func() uint32 { return uint32(d.IntN(atoms)) })
	var list []uint32
	ends := guardedWords(n, func() uint32 {
		for range d.IntN(4) {
			list = append(list, uint32(d.IntN(2*atoms)))
		}
		return uint32(len(list))
	})
	literals := guardedOf(list, 0xDEADBEEF)
	zeros := func(n int) guarded[uint32] { return guardedWords(n, func() uint32 { return 0 }) }
	support, useEnds, uses, missing := zeros(atoms), zeros(atoms+1), zeros(len(list)), zeros(n)
	p, q, r, s := support.copy(), useEnds.copy(), uses.copy(), missing.copy()

	Tally(support.words(), heads.words(), 0)
	plainTally(p.words(), heads.words(), 0)
	Tally(useEnds.words()[1:], literals.words(), 1)
	plainTally(q.words()[1:], literals.words(), 1)
	same(t, "tally", pair(support, p), pair(useEnds, q))
	Sums(useEnds.words())
	plainSums(q.words())
	same(t, "sums", pair(useEnds, q))
	got := PlaceUses(literals.words(), ends.words(), useEnds.words(), uses.words(), missing.words())
	want := plainPlaceUses(literals.words(), ends.words(), q.words(), r.words(), s.words())
	if got != want {
		t.Fatalf("uses: %d facts, want %d", got, want)
	}
	same(t, "uses", pair(useEnds, q), pair(uses, r), pair(missing, s))

	for from := range n + 1 {
		if got, want := NextZero(missing.words(), from), plainNextZero(missing.words(), from); got != want {
			t.Fatalf("the zero after %d: at %d, want %d", from, got, want)
		}
	}

	truth, decided := guardedOf(make([]Truth, atoms), 7), zeros(atoms)
	made := 0
	for atom := range uint32(atoms) {
		if d.IntN(5) == 0 {
			truth.words()[atom] = True + Truth(d.IntN(2))
			decided.words()[made] = atom
			made++
		}
	}
	drawn := d.IntN(made + 1)
	dead := guardedOf(make([]bool, n), true)
	otherTruth, otherDecided, otherDead := truth.copy(), decided.copy(), dead.copy()
	c := Consequences{Truth: truth.words(), Support: support.words(), Missing: missing.words(), Dead: dead.words(), Heads: heads.words(), Uses: uses.words(), UseEnds: useEnds.words()}
	other := Consequences{Truth: otherTruth.words(), Support: p.words(), Missing: s.words(), Dead: otherDead.words(), Heads: heads.words(), Uses: r.words(), UseEnds: q.words()}
	got = Draw(&c, decided.words(), drawn, made)
	want = plainDraw(&other, otherDecided.words(), drawn, made)
	if got != want || !slices.Equal(truth.all, otherTruth.all) || !slices.Equal(dead.all, otherDead.all) {
		t.Fatalf("draw: %d decided, want %d\n%v\n%v", got, want, truth.all, otherTruth.all)
	}
	same(t, "draw", pair(support, p), pair(missing, s), pair(decided, otherDecided), pair(uses, r), pair(useEnds, q))
}
