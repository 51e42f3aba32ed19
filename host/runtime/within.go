package runtime

import (
	"strconv"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/lower"
)

// Within says how far a value of a row that is an aggregate could be from what
// is known: it is that of the rows that hold, and others are unknown or
// undefined.
type Within struct {
	Column string `json:"column"`
	Least  *Cell  `json:"least,omitempty"` // nil: there is no bound
	Most   *Cell  `json:"most,omitempty"`  // nil: there is no bound
	Left   *int   `json:"left,omitempty"`  // rows that were left out; nil: any number
}

// withinColumns is how many columns an interval takes behind the others.
const withinColumns = 3

// measured reports whether the last columns are the interval of one before.
func measured(columns []abi.Column) (column string, ok bool) {
	n := len(columns)
	if n <= withinColumns {
		return "", false
	}
	return strings.CutSuffix(columns[n-1].Name, lower.WithinLeft)
}

// shown is the relation to read for the tuples of rel: where a column of it is
// measured, the one that has the intervals, too.
func (m *module) shown(rel int) int {
	if at, ok := m.relations[m.program.Relations[rel].Name+lower.Shown]; ok {
		return at
	}
	return rel
}

// within takes the interval off a row's values; it is nil where all rows are
// known.
func within(column string, columns []abi.Column, values []abi.Value, names *names) ([]abi.Value, *Within) {
	n := len(values) - withinColumns
	least, most, left := values[n], values[n+1], values[n+2]
	if left.Kind == abi.KindNum && left.Number().Sign() == 0 {
		return values[:n], nil
	}
	w := &Within{Column: column}
	end := func(v abi.Value) *Cell {
		if v.Kind == abi.KindNone {
			return nil
		}
		c := cell(v, columns[n].Type, names)
		return &c
	}
	w.Least, w.Most = end(least), end(most)
	if left.Kind == abi.KindNum {
		k := int(left.Int)
		w.Left = &k
	}
	return values[:n], w
}

// undecided is the interval of a premise whose value is read for how far it may
// go, where that leaves open whether this value is the one; else nil.
func (p *prover) undecided(n *abi.ProofNode) *Within {
	if n.Relation < 0 || n.Kind == abi.ProofAbsent {
		return nil
	}
	r := &p.m.program.Relations[n.Relation]
	if _, column := lower.MeasuredOf(r); column < 0 {
		return nil
	}
	row := make([]abi.Value, len(n.Tuple))
	for i, v := range n.Tuple {
		if v == nil {
			return nil
		}
		row[i] = *v
	}
	least, most := row[len(row)-withinColumns], row[len(row)-withinColumns+1]
	if least.Kind != abi.KindNone && abi.Equal(least, most) {
		return nil
	}
	name, _ := measured(r.Columns)
	_, w := within(name, r.Columns, row, p.names)
	return w
}

// hull widens the interval of a row by that of another row of the same values:
// what several views say of the value lies in it.
func hull(row, other []abi.Value) {
	n := len(other) - withinColumns
	for i, wider := range []int{-1, 1, 1} {
		at, v := &row[n+i], other[n+i]
		switch {
		case at.Kind == abi.KindNone: // no bound
		case v.Kind == abi.KindNone || abi.Compare(v, *at) == wider:
			*at = v
		}
	}
}

// Text says the interval to a person.
func (w *Within) Text() string {
	b := w.Column + " " + rangeText(w.Least, w.Most)
	switch {
	case w.Left == nil:
		return b + ", any number of rows left out"
	case *w.Left == 1:
		return b + ", 1 row left out"
	}
	return b + ", " + strconv.Itoa(*w.Left) + " rows left out"
}
