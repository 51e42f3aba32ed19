package guest

import "testing"

// addresses gives each allocation an address of its own, as linear memory does.
type addresses struct{ next uint32 }

func (a *addresses) of([]byte) uint32 {
	a.next += 64
	return a.next
}

func (a *addresses) ofArea(*[3]uint32) uint32 { return a.of(nil) }

func TestAllocationsAreKeptUntilTheyAreTaken(t *testing.T) {
	var m memory
	var a addresses
	first := m.realloc(0, 0, 1, 5, a.of)
	second := m.realloc(0, 0, 1, 3, a.of)
	copy(m.given[first], "hello")

	if b, ok := m.take(first, 5); !ok || string(b) != "hello" || cap(b) != 5 {
		t.Fatalf("%q (capacity %d), %v", b, cap(b), ok)
	}
	if _, ok := m.take(first, 5); ok {
		t.Fatal("an allocation is taken twice")
	}
	if _, ok := m.take(second, 4); ok {
		t.Fatal("more is taken than was given")
	}
	if b, ok := m.take(second, 2); !ok || len(b) != 2 || cap(b) != 2 {
		t.Fatalf("%d of %d, %v; want the part that was asked for", len(b), cap(b), ok)
	}
	if b, ok := m.take(12345, 0); !ok || len(b) != 0 {
		t.Fatal("an empty list needs no allocation")
	}
	if len(m.given) != 0 {
		t.Fatalf("%d allocations are left", len(m.given))
	}
}

func TestReallocMovesContents(t *testing.T) {
	var m memory
	var a addresses
	ptr := m.realloc(0, 0, 1, 4, a.of)
	copy(m.given[ptr], "abcd")
	grown := m.realloc(ptr, 4, 1, 8, a.of)
	if got := string(m.given[grown]); got != "abcd\x00\x00\x00\x00" {
		t.Fatalf("grown to %q", got)
	}
	shrunk := m.realloc(grown, 8, 1, 2, a.of)
	if got := string(m.given[shrunk]); got != "ab" {
		t.Fatalf("shrunk to %q", got)
	}
	lying := m.realloc(shrunk, 1<<31, 1, 4, a.of)
	if got := string(m.given[lying]); got != "ab\x00\x00" {
		t.Fatalf("with a wrong old size: %q", got)
	}
	if got := m.realloc(lying, 4, 8, 0, a.of); got != 8 || len(m.given) != 0 {
		t.Fatalf("freed to %d with %d left", got, len(m.given))
	}
}

func TestAnswersAreKeptUntilReleased(t *testing.T) {
	var m memory
	var a addresses
	one := m.keep(&[3]uint32{1}, []byte("one"), a.ofArea)
	two := m.keep(&[3]uint32{2}, []byte("two"), a.ofArea)
	m.release(one)
	m.release(one)
	m.release(999)
	if got := m.answers[two]; len(m.answers) != 1 || string(got.payload) != "two" || got.area[0] != 2 {
		t.Fatalf("%+v", m.answers)
	}
}

func TestSoftLimitLeavesHeadroom(t *testing.T) {
	const mib = 1 << 20
	for _, c := range []struct {
		limit uint64
		want  int64
		ok    bool
	}{
		{0, 0, false},
		{8 * mib, 0, false},
		{16 * mib, 12 * mib, true},
		{256 * mib, 224 * mib, true},
		{1<<64 - 1, 0, false},
	} {
		if got, ok := softLimit(c.limit); got != c.want || ok != c.ok {
			t.Errorf("limit %d: %d, %v; want %d, %v", c.limit, got, ok, c.want, c.ok)
		}
	}
}
