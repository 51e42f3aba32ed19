package engine

import "github.com/ox-mcp/ox-mcp/abi"

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
	for at := range uint32(data.Rows()) {
		differ := 0
		for _, c := range bound {
			if cols[c][at] != tuple[c] {
				if differ++; differ > 1 {
					break
				}
			}
		}
		if differ == 1 && !data.Dead(at) && (best < 0 || compare(at, uint32(best)) < 0) {
			best = int(at)
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
