package abi

import (
	"slices"
	"strconv"
	"unsafe"
)

// The encoding. Every struct is a CBOR array of its fields in declared order,
// without keys; an optional pointer is null where it is nil; [16]byte and
// [32]byte are byte strings; a nil and an empty slice are the same empty array
// and are read back as nil; an enumeration is its number. A Value is
// [kind, …] (see AppendValue), a Frame a byte string (see Frame). All of it is
// the core deterministic form: shortest heads, definite lengths, text in
// UTF-8. Decoders accept that form and no other, so equal bytes and equal
// messages are the same thing.
//
// One function a type walks its fields for both directions, so that writing
// and reading cannot drift apart.

// MaxDepth bounds the nesting of types, patterns, expressions, bodies and
// statements together, in a message that is read and in Validate. A compiler
// must refuse source that nests deeper.
const MaxDepth = 512

// MaxValueDepth bounds the nesting of a Value's items.
const MaxValueDepth = 64

// MaxNumberBytes bounds the magnitude of a numerator or a denominator, about
// 9,800 decimal digits: the check for lowest terms is quadratic in it.
const MaxNumberBytes = 4096

// firstCapacity bounds what is allocated on the word of a length alone; what
// is really there is appended.
const firstCapacity = 1024

// longListShare is how many bytes a long list may be given at once for each
// byte of its message.
const longListShare = 8

// coder carries one direction of the walk: reading if r is set.
type coder struct {
	w Writer
	r *Reader

	cutting bool // lists are cut from cuts
	cuts    slabs
}

// fields opens a struct of n fields.
func (c *coder) fields(n int) {
	if c.r != nil {
		if n > tiny || !c.r.skip(majorArray|byte(n)) {
			c.r.Fields(n)
		}
	} else {
		c.w.Array(n)
	}
}

// fieldsAndMore opens a struct of n fields, or of n+1 where the last, which
// came later, is given: builds that do not know it are not sent it. It reports
// whether the field is there.
func (c *coder) fieldsAndMore(n int, given bool) bool {
	if c.r != nil {
		got := c.r.Array()
		if c.r.err == nil && got != n && got != n+1 {
			c.r.fail("array of " + strconv.Itoa(got) + " items where " + strconv.Itoa(n) + " or one more are expected")
		}
		return got == n+1
	}
	if given {
		n++
	}
	c.w.Array(n)
	return given
}

// fieldsAndLater is fieldsAndMore for up to most fields that came later, of which
// the first given ones are written. It returns how many are there.
func (c *coder) fieldsAndLater(n, most, given int) int {
	if c.r != nil {
		got := c.r.Array()
		if c.r.err == nil && (got < n || got > n+most) {
			c.r.fail("array of " + strconv.Itoa(got) + " items where " + strconv.Itoa(n) + " or up to " + strconv.Itoa(most) + " more are expected")
		}
		return got - n
	}
	c.w.Array(n + given)
	return given
}

// given refuses a later field that says no more than its absence would: a
// message has one encoding.
func (c *coder) given(ok bool) {
	if c.r != nil && c.r.err == nil && !ok {
		c.r.fail("a field that says nothing, where it is left out")
	}
}

// enter counts one level of nesting and reports whether it is allowed.
func (c *coder) enter() bool { return c.r == nil || c.r.Enter(MaxDepth) }

func (c *coder) leave() {
	if c.r != nil {
		c.r.Leave()
	}
}

func (c *coder) int(p *int) {
	if c.r == nil {
		c.w.Int(int64(*p))
		return
	}
	n, ok := c.r.short()
	if !ok {
		if n = c.r.long(); int64(int(n)) != n {
			c.r.fail("integer " + strconv.FormatInt(n, 10) + " is out of range")
		}
	}
	*p = int(n)
}

func (c *coder) int64(p *int64) {
	if c.r != nil {
		*p = c.r.Int()
	} else {
		c.w.Int(*p)
	}
}

func (c *coder) uint64(p *uint64) {
	if c.r != nil {
		*p = c.r.Uint()
	} else {
		c.w.Uint(*p)
	}
}

func (c *coder) uint32(p *uint32) {
	if c.r != nil {
		*p = c.r.Uint32()
	} else {
		c.w.Uint(uint64(*p))
	}
}

func (c *coder) bool(p *bool) {
	if c.r != nil {
		*p = c.r.Bool()
	} else {
		c.w.Bool(*p)
	}
}

func (c *coder) string(p *string) {
	if c.r != nil {
		if c.r.skip(majorText) {
			*p = ""
			return
		}
		*p = c.r.Text()
	} else {
		c.w.Text(*p)
	}
}

// fixed codes a byte string of exactly len(p) bytes.
func (c *coder) fixed(p []byte) {
	if c.r == nil {
		c.w.Bytes(p)
		return
	}
	b := c.r.Bytes()
	if c.r.err == nil && len(b) != len(p) {
		c.r.fail("byte string of " + strconv.Itoa(len(b)) + " bytes where " + strconv.Itoa(len(p)) + " are expected")
		return
	}
	copy(p, b)
}

func (c *coder) value(p *Value) {
	if c.r != nil {
		*p = c.r.Value()
	} else {
		c.w.Value(p)
	}
}

func (c *coder) frame(p *Frame) {
	if c.r != nil {
		*p = c.r.Frame()
	} else {
		c.w.Frame(p)
	}
}

// enum codes an enumeration whose constants are 0 to last.
func enum[E ~uint8](c *coder, p *E, last E) {
	if c.r != nil {
		if b := c.r.peek(); b <= tiny && b <= byte(last) {
			c.r.off++
			*p = E(b)
			return
		}
	}
	anyEnum(c, p, last)
}

func anyEnum[E ~uint8](c *coder, p *E, last E) {
	if c.r == nil {
		c.w.Uint(uint64(*p))
		return
	}
	n := c.r.Uint()
	if n > uint64(last) {
		c.r.fail("unknown constant " + strconv.FormatUint(n, 10) + " of an enumeration that ends at " + strconv.Itoa(int(last)))
		return
	}
	*p = E(n)
}

// list codes a slice, item by item. What nests goes through it at each level, and
// a guest's calls are counted: it calls items itself.
func list[T any](c *coder, p *[]T, item func(*coder, *T)) {
	if c.r == nil {
		c.w.Array(len(*p))
		for i := range *p {
			item(c, &(*p)[i])
		}
		return
	}
	if c.r.skip(majorArray) {
		*p = nil
		return
	}
	items(c, p, c.r.Array(), firstCapacity, item)
}

// longList is list for a list that is most of its message: room for all of it
// is made at once, within a small multiple of the bytes that are there. At
// most one list of a message may be open that is read so.
func longList[T any](c *coder, p *[]T, item func(*coder, *T)) {
	room := firstCapacity
	if c.r != nil {
		room = max(room, longListShare*len(c.r.b)/int(unsafe.Sizeof(*new(T))))
	}
	anyList(c, p, room, item)
}

func anyList[T any](c *coder, p *[]T, room int, item func(*coder, *T)) {
	if c.r == nil {
		c.w.Array(len(*p))
		for i := range *p {
			item(c, &(*p)[i])
		}
		return
	}
	items(c, p, c.r.Array(), room, item)
}

// items reads the n items of a list.
func items[T any](c *coder, p *[]T, n, room int, item func(*coder, *T)) {
	if n == 0 {
		*p = nil
		return
	}
	s := make([]T, min(n, room))
	for i := 0; i < n && c.r.err == nil; i++ {
		if i == len(s) {
			s = slices.Grow(s, i)[:min(2*i, n)]
		}
		item(c, &s[i])
	}
	*p = s
}

// optional codes a pointer, null for nil.
func optional[T any](c *coder, p **T, item func(*coder, *T)) {
	if c.r == nil {
		if *p == nil {
			c.w.Null()
			return
		}
		item(c, *p)
		return
	}
	if c.r.skip(cborNull) {
		*p = nil
		return
	}
	*p = new(T)
	item(c, *p)
}

func optionalValue(c *coder, p **Value) { optional(c, p, (*coder).value) }

func encode[T any](dst []byte, m *T, walk func(*coder, *T)) []byte {
	c := coder{w: Writer{Buf: dst}}
	walk(&c, m)
	return c.w.Buf
}

// decode leaves *m as it was where b is not a message of its type.
func decode[T any](b []byte, m *T, name string, walk func(*coder, *T)) error {
	var out T
	c := coder{r: NewReader(b)}
	walk(&c, &out)
	if err := c.r.Close(); err != nil {
		err.(*DecodeError).Type = name
		return err
	}
	*m = out
	return nil
}
