package relation

import "github.com/ox-mcp/ox-mcp/abi"

// Join is the shape of most recursive rules, a binary head over two scans that
// share one column, run as a single loop:
//
//	head(a, b) :- left(…, a, …, k, …), right(…, k, …, b, …)
//
// or with the head's columns exchanged. What it finds goes straight into the
// head's relation.
type Join struct {
	Left      *Relation
	Take, Key int    // left's columns: the one that the head takes, the shared one
	From, To  uint32 // only left's rows [From, To) are joined
	Index     *Index // right's, on its shared column
	Right     int    // right's column that the head takes
	Lo        uint32 // only right's rows from Lo on match
	Into      *Relation
	Swap      bool // the head is (right, left)

	take, key []abi.Term // of left's rows; each key is in the index's table
	mapped    []abi.Term // room for keys of which some were not
	i         int
	at        uint32    // row+1 that comes next for left row i-1
	terms     [2]spread // of the head's columns
}

// Start makes the join ready to run from its first row. It reports false if
// the join cannot be run so: the index must be dense and hold just the rows
// below hi.
func (j *Join) Start(hi uint32) bool {
	x := j.Index
	if !x.dense || x.count != int(hi) {
		return false
	}
	j.i, j.at = 0, 0
	j.take, j.key = j.Left.cols[j.Take][j.From:j.To], j.Left.cols[j.Key][j.From:j.To]
	if k := j.Left.spread(j.Key); k.mixed || k.tag != x.tag || k.top >= uint64(len(x.table)) {
		j.mapKeys()
	}
	j.terms = [2]spread{j.Left.spread(j.Take), x.rel.spread(j.Right)}
	if j.Swap {
		j.terms[0], j.terms[1] = j.terms[1], j.terms[0]
	}
	return true
}

// mapKeys replaces the keys that the index's table has no place for by its
// last place, which is free.
func (j *Join) mapKeys() {
	x := j.Index
	j.mapped = append(j.mapped[:0], j.key...)
	free := abi.Term(len(x.table) - 1)
	for i, k := range j.mapped {
		// Another tag than the index's leaves its bits, and so a large number.
		j.mapped[i] = min(k^x.tag, free)
	}
	j.key = j.mapped
}

// Run looks at up to limit matches and adds those to the head that it lacks.
// It returns how many it added, and whether the join is done.
func (j *Join) Run(limit int) (added int, done bool) {
	r := j.Into
	before := r.rows
	r.reserve(limit)
	for c := range j.terms {
		r.spread(c) // of the rows before, as bound wants it
	}
	// The matches are written behind the head's rows, and those of them that
	// are new then moved up: two short loops keep their variables in registers,
	// where one that does both does not.
	a, b := r.cols[0][before:before+limit], r.cols[1][before:before+limit]
	n := 0
	if j.Swap {
		n = j.matches(b, a)
	} else {
		n = j.matches(a, b)
	}
	r.insertPairs(a[:n], b[:n], &j.terms)
	for c := range j.terms {
		r.bound(c, j.terms[c])
	}
	return r.rows - before, j.i == len(j.key) && j.at <= j.Lo
}

// matches writes the next pairs of left's term and right's, as many as there
// are or as the columns have room for, and returns how many.
func (j *Join) matches(dl, dr []abi.Term) (n int) {
	x := j.Index
	n, j.i, j.at = matches(j.key, j.take, j.i, j.at, x.table, x.next, x.rel.cols[j.Right], j.Lo, dl, dr)
	return n
}
