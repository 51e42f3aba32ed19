package engine

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
)

// nearMiss returns what nearMiss of the engine does; all is false where not all
// of it has been asked for that it is found among. What was asked last is not
// looked for again.
func (x *excerpts) nearMiss(rel int, tuple []abi.Term) (near []abi.Value, all bool, f *abi.Failure) {
	if l := &x.last; l.tuple != nil && l.rel == rel && slices.Equal(l.tuple, tuple) {
		return x.near, x.nearAll, nil
	}
	all = true
	if p := x.excerpt(rel); p != nil && !p.whole {
		if all, f = x.around(rel, p, tuple); f != nil {
			return nil, all, f
		}
	}
	x.last, x.near, x.nearAll = baseFact{rel, tuple}, x.e.nearMiss(x.in(rel), tuple), all
	return x.near, all, nil
}

// around asks for the tuples that differ from one in one of its bound places: of
// each of them, for those that agree in the others.
func (x *excerpts) around(rel int, p *excerpt, tuple []abi.Term) (all bool, f *abi.Failure) {
	e := x.e
	all = true
	look := func(pattern []abi.Term) *abi.Failure {
		var columns uint64
		for c, t := range pattern {
			if t != unbound && c < 64 {
				columns |= 1 << c
			}
		}
		over := p.dear[columns]
		if !over {
			if over, f = x.asides(maxNear, func() *abi.Failure { return x.wantTuple(rel, pattern) }); f != nil {
				return f
			}
			p.dear[columns] = over
		}
		all = all && !over
		return nil
	}
	if key := e.prog.Relations[rel].Key; len(key) > 0 && len(key) < len(tuple) {
		pattern := unboundSlots(len(tuple))
		for _, c := range key {
			pattern[c] = tuple[c]
		}
		if given := slices.ContainsFunc(key, func(c int) bool { return tuple[c] == unbound }); !given {
			if f := look(pattern); f != nil || all && e.sameKey(p.in, tuple) != nil {
				return all, f
			}
		}
	}
	bound := 0
	for _, t := range tuple {
		if t != unbound {
			bound++
		}
	}
	for c, t := range tuple {
		if t == unbound || bound < 2 {
			continue
		}
		pattern := slices.Clone(tuple)
		pattern[c] = unbound
		if f := look(pattern); f != nil {
			return false, f
		}
	}
	return all, nil
}

// nearMiss returns a tuple of the relation that differs from the given one in
// exactly one of its bound places, and agrees with it in another: the one with
// its key, where it has one, as a field of the same individual is nearer than
// one of another; else the least.
func (e *Engine) nearMiss(rel int, tuple []abi.Term) []abi.Value {
	data := e.rels[rel].data
	if same := e.sameKey(rel, tuple); same != nil {
		return e.values(same)
	}
	var bound []int
	for c, t := range tuple {
		if t != unbound {
			bound = append(bound, c)
		}
	}
	if len(bound) < 2 {
		return nil
	}
	cols := columnsOf(data)
	compare := e.compareRowsOf(cols)
	best := -1
	take := func(at int) {
		if !data.Dead(uint32(at)) && (best < 0 || compare(uint32(at), uint32(best)) < 0) {
			best = at
		}
	}
	if len(bound) == 2 { // of most relations, and a large one has many rows
		x, y := tuple[bound[0]], tuple[bound[1]]
		other := cols[bound[1]][:data.Rows()]
		for at, t := range cols[bound[0]][:data.Rows()] {
			if (t == x) != (other[at] == y) {
				take(at)
			}
		}
	} else {
		for at := range data.Rows() {
			differ := 0
			for _, c := range bound {
				if cols[c][at] != tuple[c] {
					if differ++; differ > 1 {
						break
					}
				}
			}
			if differ == 1 {
				take(at)
			}
		}
	}
	if best < 0 {
		return nil
	}
	return e.values(data.Row(nil, uint32(best)))
}

// sameKey returns the tuple of a relation with a key that has the given one's
// key, if that is bound and they differ in one place; else nil.
func (e *Engine) sameKey(rel int, tuple []abi.Term) []abi.Term {
	key := e.prog.Relations[rel].Key
	if len(key) == 0 || len(key) == len(tuple) {
		return nil
	}
	pattern := unboundSlots(len(tuple))
	for _, c := range key {
		if pattern[c] = tuple[c]; tuple[c] == unbound {
			return nil
		}
	}
	for _, at := range e.fitting(rel, pattern) {
		row, differ := e.rels[rel].data.Row(nil, at), 0
		for c, t := range tuple {
			if t != unbound && t != row[c] {
				differ++
			}
		}
		if differ == 1 {
			return row
		}
	}
	return nil
}
