package term

import (
	"math/big"
	"slices"
	"unsafe"

	"github.com/ox-mcp/ox-mcp/abi"
)

// Table holds the values of one instance. Ids are given in the order of first
// interning, so equal histories give equal ids. It is not safe for concurrent
// use.
type Table struct {
	entries []entry
	slots   []uint32 // open addressing: index into entries, plus one
	chunks  [][]byte // text, never moved
	room    []byte   // the rest of the last chunk
	items   []abi.Term
	bigs    []*big.Rat
	scratch []abi.Term
}

// entry is one value. How name, lo and hi are read depends on the kind:
//
//	num            small: lo, hi are an int64, name the denominator; big: lo indexes bigs
//	instant, span  lo, hi are the seconds, name the nanoseconds
//	day            lo, hi are an int64
//	money          lo is the amount's term, name the currency's text
//	text kinds     hi bytes from lo on in chunk name
//	composites     hi items from lo on; name is the text term of the name, if the kind has one
type entry struct {
	kind  abi.Kind
	big   bool
	depth uint32 // nesting of a composite value: one more than its deepest item's
	hash  uint32
	name  uint32
	lo    uint32
	hi    uint32
}

const (
	chunkSize    = 1 << 16
	initialSlots = 256
)

// New returns an empty table.
func New() *Table {
	return &Table{slots: make([]uint32, initialSlots)}
}

// Len returns the number of values in the table.
func (t *Table) Len() int { return len(t.entries) }

func (e *entry) int64() int64     { return int64(uint64(e.hi)<<32 | uint64(e.lo)) }
func (e *entry) setInt64(n int64) { e.lo, e.hi = uint32(uint64(n)), uint32(uint64(n)>>32) }

// Kind returns the kind of the value of x. Unbound and ids that the table
// never gave are KindNone.
func (t *Table) Kind(x abi.Term) abi.Kind {
	switch x.Tag() {
	case abi.TagInt:
		return abi.KindNum
	case abi.TagDay:
		return abi.KindDay
	case abi.TagTable:
		if i := x.Index(); int(i) < len(t.entries) {
			return t.entries[i].kind
		}
		return abi.KindNone
	}
	if x == abi.True || x == abi.False {
		return abi.KindBool
	}
	return abi.KindNone
}

// Depth returns how deeply the value of x is nested: 0 for a value without
// items.
func (t *Table) Depth(x abi.Term) int {
	if x.Tag() != abi.TagTable {
		return 0
	}
	return int(t.entries[x.Index()].depth)
}

// isText says whether values of kind k are nothing but a text.
func isText(k abi.Kind) bool {
	switch k {
	case abi.KindString, abi.KindNamed, abi.KindMinted, abi.KindSymbol, abi.KindType, abi.KindPath:
		return true
	}
	return false
}

// isComposite says whether values of kind k have items.
func isComposite(k abi.Kind) bool {
	switch k {
	case abi.KindVariant, abi.KindStruct, abi.KindList, abi.KindSet, abi.KindMap, abi.KindRange:
		return true
	}
	return false
}

// hasName says whether composite values of kind k have a name.
func hasName(k abi.Kind) bool { return k == abi.KindVariant || k == abi.KindStruct }

// Text interns s as a value of one of the kinds that are only a text: strings,
// named individuals, symbols, types; minted individuals by their 16 bytes.
func (t *Table) Text(kind abi.Kind, s string) abi.Term {
	h := hashText(uint32(kind), s)
	mask := uint32(len(t.slots) - 1)
	i := h & mask
	for ; t.slots[i] != 0; i = (i + 1) & mask {
		e := &t.entries[t.slots[i]-1]
		if e.hash == h && e.kind == kind && t.text(e) == s {
			return abi.TagTable | abi.Term(t.slots[i]-1)
		}
	}
	chunk, offset := t.store(s)
	return t.insert(i, entry{kind: kind, hash: h, name: chunk, lo: offset, hi: uint32(len(s))})
}

// String interns a string.
func (t *Table) String(s string) abi.Term { return t.Text(abi.KindString, s) }

// Minted interns the individual made at run time with this id.
func (t *Table) Minted(id [16]byte) abi.Term { return t.Text(abi.KindMinted, string(id[:])) }

// store copies s into the text chunks.
func (t *Table) store(s string) (chunk, offset uint32) {
	if len(s) == 0 {
		return 0, 0
	}
	if len(t.room) < len(s) {
		chunk := make([]byte, max(chunkSize, len(s)))
		t.chunks, t.room = append(t.chunks, chunk), chunk
	}
	last := len(t.chunks) - 1
	copy(t.room, s)
	offset = uint32(len(t.chunks[last]) - len(t.room))
	t.room = t.room[len(s):]
	return uint32(last), offset
}

// text returns the text of a text entry. Chunks are never written again where
// a text stands, so the string may share their memory.
func (t *Table) text(e *entry) string {
	if e.hi == 0 {
		return ""
	}
	return unsafe.String(&t.chunks[e.name][e.lo], int(e.hi))
}

// insert appends e and puts it into slot i, which the caller found free.
func (t *Table) insert(i uint32, e entry) abi.Term {
	id := len(t.entries)
	if id > int(abi.PayloadMask) {
		panic("term: the table has no free id")
	}
	t.entries = append(t.entries, e)
	t.slots[i] = uint32(id + 1)
	if len(t.entries)*2 > len(t.slots) {
		t.grow()
	}
	return abi.TagTable | abi.Term(id)
}

// reserve makes room for n more values, so that the slots need not be filled
// again on the way to them. A table that has as many already is left to grow as
// it comes: most of what a small frame brings is known.
func (t *Table) reserve(n int) {
	if n <= len(t.entries) {
		return
	}
	t.entries = slices.Grow(t.entries, n)
	size := len(t.slots)
	for size < 2*(len(t.entries)+n) {
		size *= 2
	}
	if size > len(t.slots) {
		t.rehash(size)
	}
}

func (t *Table) grow() { t.rehash(2 * len(t.slots)) }

func (t *Table) rehash(size int) {
	slots := make([]uint32, size)
	mask := uint32(len(slots) - 1)
	for id := range t.entries {
		i := t.entries[id].hash & mask
		for slots[i] != 0 {
			i = (i + 1) & mask
		}
		slots[i] = uint32(id + 1)
	}
	t.slots = slots
}

// fixed interns an entry whose whole value is in kind, big, name, lo and hi.
func (t *Table) fixed(e entry) abi.Term {
	e.hash = hashWords(uint32(e.kind), e.name, e.lo, e.hi)
	mask := uint32(len(t.slots) - 1)
	i := e.hash & mask
	for ; t.slots[i] != 0; i = (i + 1) & mask {
		if f := &t.entries[t.slots[i]-1]; f.hash == e.hash && *f == e {
			return abi.TagTable | abi.Term(t.slots[i]-1)
		}
	}
	return t.insert(i, e)
}

// composite interns a composite value; items of sets and maps are in normal
// form already.
func (t *Table) composite(kind abi.Kind, name abi.Term, items []abi.Term) abi.Term {
	h := hashTerms(uint32(kind)^uint32(name)*hashOdd, items)
	mask := uint32(len(t.slots) - 1)
	i := h & mask
	for ; t.slots[i] != 0; i = (i + 1) & mask {
		e := &t.entries[t.slots[i]-1]
		if e.hash == h && e.kind == kind && e.name == uint32(name) && slices.Equal(t.entryItems(e), items) {
			return abi.TagTable | abi.Term(t.slots[i]-1)
		}
	}
	depth := 0
	for _, x := range items {
		depth = max(depth, t.Depth(x))
	}
	e := entry{kind: kind, hash: h, depth: uint32(depth + 1), name: uint32(name), lo: uint32(len(t.items)), hi: uint32(len(items))}
	t.items = append(t.items, items...)
	return t.insert(i, e)
}

func (t *Table) entryItems(e *entry) []abi.Term {
	return t.items[e.lo : e.lo+e.hi : e.lo+e.hi]
}

// List interns the list of items.
func (t *Table) List(items []abi.Term) abi.Term { return t.composite(abi.KindList, 0, items) }

// Struct interns the struct of that qualified name with its fields in declared
// order.
func (t *Table) Struct(name string, items []abi.Term) abi.Term {
	return t.composite(abi.KindStruct, t.String(name), items)
}

// Variant interns an enum constant; without items it is a symbol.
func (t *Table) Variant(name string, items []abi.Term) abi.Term {
	if len(items) == 0 {
		return t.Text(abi.KindSymbol, name)
	}
	return t.composite(abi.KindVariant, t.String(name), items)
}

// Like interns a composite of the kind and name of x with other items.
func (t *Table) Like(x abi.Term, items []abi.Term) abi.Term {
	e := t.entries[x.Index()]
	return t.composite(e.kind, abi.Term(e.name), items)
}

// Set interns the set of items, which may repeat and come in any order. The
// slice is not changed.
func (t *Table) Set(items []abi.Term) abi.Term {
	for i := 1; i < len(items); i++ {
		if t.Compare(items[i-1], items[i]) >= 0 {
			t.scratch = append(t.scratch[:0], items...)
			slices.SortFunc(t.scratch, t.Compare)
			return t.composite(abi.KindSet, 0, slices.Compact(t.scratch))
		}
	}
	return t.composite(abi.KindSet, 0, items)
}

// Map interns the map of key, value, key, value, …; of entries with one key the
// last counts.
func (t *Table) Map(items []abi.Term) abi.Term {
	pairs := make([][2]abi.Term, len(items)/2)
	for i := range pairs {
		pairs[i] = [2]abi.Term{items[2*i], items[2*i+1]}
	}
	slices.SortStableFunc(pairs, func(a, b [2]abi.Term) int { return t.Compare(a[0], b[0]) })
	flat := make([]abi.Term, 0, 2*len(pairs))
	for i, p := range pairs {
		if i+1 < len(pairs) && pairs[i+1][0] == p[0] {
			continue
		}
		flat = append(flat, p[0], p[1])
	}
	return t.composite(abi.KindMap, 0, flat)
}

// Items returns the items of a composite value, nil for any other. They share
// the table's memory and must not be changed.
func (t *Table) Items(x abi.Term) []abi.Term {
	if x.Tag() != abi.TagTable {
		return nil
	}
	if e := &t.entries[x.Index()]; isComposite(e.kind) {
		return t.entryItems(e)
	}
	return nil
}

// Str returns the text of a value as in abi.Value.Str: a string, the name of
// an individual, symbol, type, struct or variant, the currency of money; for a
// minted individual its 16 bytes. For any other value it is empty.
func (t *Table) Str(x abi.Term) string {
	if x.Tag() != abi.TagTable {
		return ""
	}
	e := &t.entries[x.Index()]
	switch {
	case isText(e.kind):
		return t.text(e)
	case hasName(e.kind) || e.kind == abi.KindMoney:
		return t.text(&t.entries[e.name])
	}
	return ""
}

// Name returns the text term of the name of a struct or variant, or the
// currency of money; Unbound for any other value.
func (t *Table) Name(x abi.Term) abi.Term {
	if x.Tag() == abi.TagTable {
		if e := &t.entries[x.Index()]; hasName(e.kind) || e.kind == abi.KindMoney {
			return abi.Term(e.name)
		}
	}
	return Unbound
}

// Range interns the range from one value to another.
func (t *Table) Range(from, to abi.Term) abi.Term {
	return t.composite(abi.KindRange, 0, []abi.Term{from, to})
}
