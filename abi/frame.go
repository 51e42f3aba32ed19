package abi

// Frame carries tuples of one relation across the wall as columns of 32-bit
// terms. It is self-contained: a TagTable term in Columns is an index into
// Dict, which holds each such value once; every other term reads as it is. So
// neither side needs to know the other's ids, and a frame can be stored.
//
// On the wire (little endian): "OXF1", u32 rows, u32 columns, u32 flags
// (bit 0: Truth is present), u32 length of the dictionary in bytes, the
// dictionary as a CBOR array of values, zero bytes up to a multiple of four,
// the columns one after another (rows × u32 each), and Truth (rows bytes).
type Frame struct {
	Rows    int
	Columns [][]Term
	Dict    []Value
	Truth   []Truth4 // nil, or one a row
}

// Truth4 is a four-valued truth value, in the information order's encoding:
// bit 0 "asserted or derived", bit 1 "refuted".
type Truth4 uint8

// The four truth values.
const (
	Can  Truth4 = 0 // no information, or undefined
	Is   Truth4 = 1
	Not  Truth4 = 2
	Both Truth4 = 3
)

func (t Truth4) String() string { return [...]string{"Can", "Is", "Not", "Both"}[t&3] }

// Value returns the value of the frame's term t.
func (f *Frame) Value(t Term) Value {
	switch t.Tag() {
	case TagInt:
		return IntValue(t.Inline())
	case TagDay:
		return DayValue(t.Inline())
	case TagTable:
		return f.Dict[t.Index()]
	}
	switch t {
	case True:
		return BoolValue(true)
	case False:
		return BoolValue(false)
	}
	return NoneValue()
}

// Row appends the values of row i to dst.
func (f *Frame) Row(dst []Value, i int) []Value {
	for _, c := range f.Columns {
		dst = append(dst, f.Value(c[i]))
	}
	return dst
}

// FrameBuilder gathers rows of values into a Frame. The zero value with Arity
// set is ready.
type FrameBuilder struct {
	Arity int
	frame Frame
	index map[string]Term
}

// Add appends a row; len(row) must be the builder's Arity.
func (b *FrameBuilder) Add(row []Value) {
	if b.frame.Columns == nil {
		b.frame.Columns = make([][]Term, b.Arity)
		b.index = map[string]Term{}
	}
	for i, v := range row {
		b.frame.Columns[i] = append(b.frame.Columns[i], b.term(v))
	}
	b.frame.Rows++
}

// Frame returns what was added.
func (b *FrameBuilder) Frame() Frame {
	if b.frame.Columns == nil {
		b.frame.Columns = make([][]Term, b.Arity)
	}
	return b.frame
}

func (b *FrameBuilder) term(v Value) Term {
	if t, ok := InlineTerm(v); ok {
		return t
	}
	key := string(AppendValue(nil, v))
	if t, ok := b.index[key]; ok {
		return t
	}
	t := TagTable | Term(len(b.frame.Dict))
	b.frame.Dict = append(b.frame.Dict, v)
	b.index[key] = t
	return t
}

// InlineTerm returns the term of a value that needs no table.
func InlineTerm(v Value) (Term, bool) {
	switch v.Kind {
	case KindNum:
		if v.Rat == nil {
			return IntTerm(v.Int)
		}
	case KindDay:
		return DayTerm(v.Int)
	case KindBool:
		return BoolTerm(v.Int != 0), true
	case KindNone:
		return None, true
	}
	return 0, false
}
