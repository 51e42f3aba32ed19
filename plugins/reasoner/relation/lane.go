package relation

import "github.com/ox-mcp/ox-mcp/abi"

// lane is where the rows of one first term are in a relation that has a matrix:
// by the second term's payload the row's number plus one, 0 for none. The
// matrix says whether a pair is there; few are ever asked for their row, and a
// hash of all rows for them costs more than all that they are asked for.
type lane struct {
	first abi.Term
	rows  []uint32
	count int // rows of the relation that are in
}

// The bounds of what is kept for lanes: their number, how many are filled by a
// pass over all rows before an index is made for it, and how many are filled
// before the set of all rows pays.
const (
	maxLanes   = 64
	lanePasses = 4
	laneFills  = 512
)

// lanes answers for the rows of single pairs in place of the set.
type lanes struct {
	open  []lane
	turn  int // next to make way for another
	fills int
}

// useLanes reports whether rows are found by lanes, and not by the set.
func (r *Relation) useLanes() bool {
	return r.matrix != nil && r.set.count < r.rows/2 && r.lanes.fills < laneFills
}

// locate returns the row of a pair. The relation has a matrix.
func (r *Relation) locate(a, b abi.Term) (uint32, bool) {
	m := r.matrix
	p, q := uint64(a^m.tagA), uint64(b^m.tagB)
	if p >= m.dimA || q >= m.dimB {
		return 0, false
	}
	if at := p*m.dimB + q; m.bits[at>>6]>>(at&63)&1 == 0 {
		return 0, false
	}
	l := r.lane(a)
	return l.rows[payload(b)] - 1, true
}

// lane returns the lane of a first term, up to date.
func (r *Relation) lane(a abi.Term) *lane {
	s := &r.lanes
	var l *lane
	for i := range s.open {
		if s.open[i].first == a {
			if l = &s.open[i]; l.count == r.rows {
				return l
			}
			break
		}
	}
	if l == nil {
		if len(s.open) < min(maxLanes, 1+r.rows/int(r.matrix.dimB)) {
			s.open = append(s.open, lane{})
			l = &s.open[len(s.open)-1]
		} else {
			l = &s.open[s.turn%len(s.open)]
			s.turn++
		}
		clear(l.rows)
		l.first, l.count = a, 0
	}
	if dim := int(r.matrix.dimB); len(l.rows) < dim {
		grown := make([]uint32, dim)
		copy(grown, l.rows)
		l.rows = grown
	}
	r.fillLane(l)
	return l
}

func (r *Relation) fillLane(l *lane) {
	first, second := r.cols[0], r.cols[1]
	on := []int{0}
	if r.lanes.fills++; r.lanes.fills > lanePasses || r.Indexed(on) {
		x := r.Index(on)
		x.Cover(r.rows)
		for row, ok := x.First([]abi.Term{l.first}); ok && int(row) >= l.count; row, ok = x.Next(row) {
			if !r.Dead(row) {
				l.rows[payload(second[row])] = row + 1
			}
		}
	} else {
		for row := l.count; row < r.rows; row++ {
			if first[row] == l.first && !r.Dead(uint32(row)) {
				l.rows[payload(second[row])] = uint32(row) + 1
			}
		}
	}
	l.count = r.rows
}
