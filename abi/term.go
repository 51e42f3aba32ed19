package abi

// Term is the id of a value inside one instance. Within an instance two terms
// are equal iff their values are equal. The top two bits say how the other 30
// are read.
type Term uint32

// The four readings of a Term's lower 30 bits.
const (
	TagTable Term = 0 << 30 // index into the instance's term table (in a frame: into the frame's dictionary)
	TagInt   Term = 1 << 30 // integer, 30-bit two's complement
	TagDay   Term = 2 << 30 // days since 1970-01-01, 30-bit two's complement
	TagFixed Term = 3 << 30 // one of the constants below

	TagMask     Term = 3 << 30
	PayloadMask Term = 1<<30 - 1
)

// The fixed terms.
const (
	False Term = TagFixed | 0
	True  Term = TagFixed | 1
	None  Term = TagFixed | 2
)

// MinInline and MaxInline bound the integers and days that fit in a Term.
const (
	MinInline = -(1 << 29)
	MaxInline = 1<<29 - 1
)

// IntTerm returns the inline term of n; ok is false where n needs the table.
func IntTerm(n int64) (t Term, ok bool) {
	if n < MinInline || n > MaxInline {
		return 0, false
	}
	return TagInt | Term(uint32(n))&PayloadMask, true
}

// DayTerm returns the inline term of the day n days after 1970-01-01.
func DayTerm(n int64) (t Term, ok bool) {
	if n < MinInline || n > MaxInline {
		return 0, false
	}
	return TagDay | Term(uint32(n))&PayloadMask, true
}

// BoolTerm returns True or False.
func BoolTerm(b bool) Term {
	if b {
		return True
	}
	return False
}

// Tag returns the reading of t.
func (t Term) Tag() Term { return t & TagMask }

// Inline returns the signed payload of an inline integer or day.
func (t Term) Inline() int64 { return int64(int32(t<<2) >> 2) }

// Index returns the table index of a TagTable term.
func (t Term) Index() uint32 { return uint32(t & PayloadMask) }
