package term

import "github.com/ox-mcp/ox-mcp/abi"

// Fault says why an operation has no result.
type Fault uint8

// The faults. Those of size stop a call, and never merely fail an atom.
const (
	OK Fault = iota
	DivideByZero
	WrongKind  // an operand is not of a kind that the operator takes
	Currencies // amounts of different currencies, or one without and one with
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
		Currencies:   "the amounts are not of one currency",
		OutOfRange:   "a position, date or number is out of range",
		Absent:       "there is no value here",
		Several:      "there are several values where one is meant",
		NoMatch:      "no arm of the match fits the value",
		LargeNumber:  "a number would have more than the 64 KiB that one value may have",
		LargeText:    "a text would be longer than the 1 MiB that one value may have",
		LargeList:    "a list would have more than the 16,777,216 items that one value may have",
	}[f]
}

// Breach returns, for a fault of size, the bound that was passed; else nil.
func (f Fault) Breach() *abi.Breach {
	bound := uint64(0)
	switch f {
	case LargeNumber:
		bound = MaxNumberBits / 8
	case LargeText:
		bound = MaxTextBytes
	case LargeList:
		bound = MaxItems
	default:
		return nil
	}
	return &abi.Breach{Limit: abi.LimitValue, Allowed: bound, Used: bound + 1}
}
