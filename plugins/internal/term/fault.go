package term

// Fault says why an operation has no result.
type Fault uint8

// The faults. Those of size are limits, and never merely fail an atom.
const (
	OK Fault = iota
	DivideByZero
	WrongKind  // an operand is not of a kind that the operator takes
	Currencies // amounts of different currencies
	OutOfRange // a position, a date or a number of digits that cannot be
	Absent     // there is no value
	Several    // there are several values where one is meant
	NoMatch    // no arm of a match fits
	LargeNumber
	LargeText
	LargeList
)

// Bounds of one value. They keep a single operation from running away before
// fuel or memory can stop it.
const (
	MaxNumberBits = 1 << 19 // numerator and denominator together: 64 KiB
	MaxTextBytes  = 1 << 20
	MaxItems      = 1 << 24
)

func (f Fault) String() string {
	return [...]string{
		OK:           "no fault",
		DivideByZero: "division by zero",
		WrongKind:    "an operand is of a kind that the operator does not take",
		Currencies:   "the amounts are of different currencies",
		OutOfRange:   "a position, date or number is out of range",
		Absent:       "there is no value here",
		Several:      "there are several values where one is meant",
		NoMatch:      "no arm of the match fits the value",
		LargeNumber:  "a number would be too large",
		LargeText:    "a text would be too long",
		LargeList:    "a list would be too long",
	}[f]
}

// Limit returns, for a fault of size, the bytes that a value may have.
func (f Fault) Limit() (bytes uint64, ok bool) {
	switch f {
	case LargeNumber:
		return MaxNumberBits / 8, true
	case LargeText:
		return MaxTextBytes, true
	case LargeList:
		return 4 * MaxItems, true
	}
	return 0, false
}
