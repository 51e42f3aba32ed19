package relation

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
)

// semijoin restricts an index to the rows whose term in a column is a key of
// another relation's index: those that a join with it would drop are not found
// in the first place.
type semijoin struct {
	column int
	by     *Index // on one column
	rows   int    // of by's relation when the first row was taken or left out
	found  []uint32
}

// semijoinChunk is how many rows are looked up at a time.
const semijoinChunk = 4096

// SemijoinIndex returns the index on the columns of those rows whose term in
// column is a key of by, an index on one column that covers all rows of its
// relation. It makes a new one where by has more rows than the last one knew;
// fresh says whether it did. Cover makes it hold rows.
func (r *Relation) SemijoinIndex(on []int, column int, by *Index) (x *Index, fresh bool) {
	for i, x := range r.semijoins {
		if s := x.semijoin; s.column == column && s.by.rel == by.rel && slices.Equal(s.by.on, by.on) && slices.Equal(x.on, on) {
			if s.by == by && s.rows == by.count {
				return x, false
			}
			r.semijoins = slices.Delete(r.semijoins, i, i+1)
			break
		}
	}
	x = newIndex(r, on)
	x.semijoin = &semijoin{column: column, by: by, rows: by.count}
	r.semijoins = append(r.semijoins, x)
	return x, true
}

// chosen writes, for each of the rows [from, to), a number that is not 0 where
// the row is taken. The result is good until the next call.
func (s *semijoin) chosen(r *Relation, from, to int) []uint32 {
	if s.found == nil {
		s.found = make([]uint32, semijoinChunk)
	}
	found, keys := s.found[:to-from], r.cols[s.column][from:to]
	switch by := s.by; {
	case len(by.table) == 0:
		clear(found)
	case by.dense:
		findDense(found, keys, by.tag, by.table)
	default:
		find(found, [][]abi.Term{keys}, len(keys), by.keys, by.table, by.shift)
	}
	return found
}

// coverChosen puts those of the rows from count on in the index that its
// semijoin takes.
func (x *Index) coverChosen(rows int) {
	for from := x.count; from < rows; from += semijoinChunk {
		for i, e := range x.semijoin.chosen(x.rel, from, min(from+semijoinChunk, rows)) {
			switch row := from + i; {
			case e == 0:
			case x.dense:
				x.used += link(x.keys[0], row, row+1, x.table, x.next)
			default:
				x.put(row)
			}
		}
	}
}
