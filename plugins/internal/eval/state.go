package eval

import "github.com/ox-mcp/ox-mcp/abi"

// Reader is the state that fn, mutate and test may look at. Slices that the
// machine passes are valid during the call only.
type Reader interface {
	// Read returns the value column of the tuple with this key; ok is false if
	// there is none.
	Read(rel int, key []abi.Term) (value abi.Term, ok bool, f *abi.Failure)
	// ReadAll returns the values of all tuples with this key, in any order.
	ReadAll(rel int, key []abi.Term) ([]abi.Term, *abi.Failure)
	// Holds reports whether the relation has the tuple.
	Holds(rel int, tuple []abi.Term) (bool, *abi.Failure)
	// Solve calls each for every solution of sub.Body over the slots that are
	// bound, once for each distinct combination of the slots sub.Over (all that
	// the body binds, if Over is nil). Before each call it has put the
	// solution's values into the slots that it passes; after Solve the slots
	// are as before. It stops when each returns false, or at a failure.
	Solve(sub *abi.Sub, slots []abi.Term, each func(slots []abi.Term) bool) *abi.Failure
}

// Writer takes the writes of a mutation, in order; what is written is seen by
// the reads that follow. At is term.Unbound for "from the call's instant on",
// else a day or instant. Slices are valid during the call only.
type Writer interface {
	Assert(rel int, tuple []abi.Term, at abi.Term) *abi.Failure
	// Retract removes the tuples that equal tuple where wild is false.
	Retract(rel int, tuple []abi.Term, wild []bool, at abi.Term) *abi.Failure
	// Set replaces the value of the tuple with this key.
	Set(rel int, key []abi.Term, value abi.Term, at abi.Term) *abi.Failure
	// Default gives the tuple with this key a value where it has no other.
	Default(rel int, key []abi.Term, value abi.Term, at abi.Term) *abi.Failure
}

// State is what a mutation works on.
type State interface {
	Reader
	Writer
}
