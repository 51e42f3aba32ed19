// Package kernel makes WebAssembly of rules: a module of one function that runs
// a rule over the rows of a delta, on the memory of the guest that made it.
//
// The function is nested loops: over the rows of the first relation, in it over
// the chain of rows that an index finds for them, and so on; what the innermost
// comes to is looked up in the head's set and added to it if it is new. No
// column is written between the steps, and the loops are made for the rule: its
// columns, the kinds of its indexes and of the head's set are known.
package kernel

// Source is where a term comes from: a column of the row that a step is at, or,
// where Step is below 0, a constant.
type Source struct{ Step, Col int }

// Kind says what a step does.
type Kind byte

// The kinds of steps.
const (
	Scan   Kind = iota // the rows of the delta; the first step
	Dense              // the rows that an index finds whose table the key addresses
	Hashed             // those that a hashed index finds; its keys are one or two columns
	Member             // whether a tuple is there, of one to three columns
	Equal              // whether two terms are equal
	Unequal
)

// Step is an atom of a rule's body.
type Step struct {
	Kind Kind
	Keys []Source
	Cols []int // columns that later steps or the head use
	Any  bool  // one row is enough
}

// Shape is what a kernel is made for. Rules of one shape have one kernel.
type Shape struct {
	Steps  []Step
	Head   []Source
	Matrix bool // the head's set is a bit matrix
}

// Key tells shapes apart.
func (s *Shape) Key() string {
	var b []byte
	source := func(x Source) { b = append(b, byte(x.Step+1), byte(x.Col)) }
	for _, x := range s.Steps {
		b = append(b, byte(x.Kind), byte(len(x.Keys)), byte(len(x.Cols)))
		if x.Any {
			b = append(b, 1)
		} else {
			b = append(b, 0)
		}
		for _, k := range x.Keys {
			source(k)
		}
		for _, c := range x.Cols {
			b = append(b, byte(c))
		}
	}
	b = append(b, 0xFF)
	for _, x := range s.Head {
		source(x)
	}
	if s.Matrix {
		b = append(b, 1)
	}
	return string(b)
}

// Param says what a word that the function reads has to be. Step is
// len(Shape.Steps) for the head.
type Param struct {
	What What
	Step int
	Col  int
}

// What a parameter may be.
type What byte

// Offsets are in bytes. A column and a chain are addressed by row plus one, so
// that the address to be given is that of the word before them; only the scan's
// columns are given as they are.
const (
	At     What = iota // offset of the first row to look at; the function writes where it stopped
	Rows               // offset of the end of the head's rows, likewise
	Room               // offset that Rows may come to: the function stops before it needs more
	To                 // offset of the row at which it ends
	Column             // of a step's relation, or of the head
	Next               // chain of an index
	Table              // of an index or a set
	Tag                // of a dense index's keys
	Last               // number of the last place of a dense index's table
	Shift              // of a table of hashes: what leaves the offset of a place, with two low bits
	Mask               // of such offsets
	Lo                 // only rows from here on count
	Hi                 // and only those below
	Key                // column of a hashed index's keys
	Term               // a constant; Col is its number
	Bits               // of a matrix
	Dim                // bits of a matrix for a term of the first column
)
