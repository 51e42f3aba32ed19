package relation

import "sort"

// segment says that the rows from start on, up to the next segment, were
// first derived by rule in round. Rules run one after another, so a segment a
// run is enough, and a tuple's tag costs nothing.
type segment struct {
	start uint32
	round uint32
	rule  int32
}

// Begin says that the rows added from now on come from rule in round. Rounds
// must not fall.
func (r *Relation) Begin(rule int, round uint32) {
	next := segment{start: uint32(r.rows), round: round, rule: int32(rule)}
	if n := len(r.tags); n > 0 && r.tags[n-1].start == next.start {
		r.tags[n-1] = next
		return
	}
	r.tags = append(r.tags, next)
}

// Tag returns the rule that first derived row at, and its round. A row that
// no rule derived has rule -1 and round 0.
func (r *Relation) Tag(at uint32) (rule int, round uint32) {
	i := sort.Search(len(r.tags), func(i int) bool { return r.tags[i].start > at })
	if i == 0 {
		return -1, 0
	}
	return int(r.tags[i-1].rule), r.tags[i-1].round
}

// Before returns the number of rows that were derived before round: they are
// the first ones.
func (r *Relation) Before(round uint32) int {
	i := sort.Search(len(r.tags), func(i int) bool { return r.tags[i].round >= round })
	if i == len(r.tags) {
		return r.rows
	}
	return int(r.tags[i].start)
}
