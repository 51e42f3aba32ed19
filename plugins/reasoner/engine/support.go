package engine

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/relation"
)

// fewRows is how many tuples are looked at together at first. Those that have
// support wait for the others, so more pay only where each has few derivations,
// and fewer where they have many.
const (
	fewRows        = 64
	fewDerivations = 16
)

// unsupported looks for rules that derive the tuples of rows from what the
// window shows. It hands those that have none to lacking, and those that a rule
// derives to having; either may be nil. The rows may be marked as removed.
func (u *upkeep) unsupported(rel int, rows []uint32, w *window, lacking, having func(rs *ruleState, rows []uint32)) *abi.Failure {
	size := fewRows
	for len(rows) > 0 {
		left := slices.Clone(rows[:min(size, u.e.batch, len(rows))])
		rows = rows[len(left):]
		looked, before := len(left), u.e.flow
		for _, rs := range u.c.usesOf(rel).heads {
			if rs.rule.Head != rel || len(left) == 0 {
				continue
			}
			var have []uint32
			var f *abi.Failure
			if left, have, f = u.derivable(rs, left, w); f != nil {
				return f
			}
			if having != nil && len(have) > 0 {
				having(rs, have)
			}
		}
		if lacking != nil && len(left) > 0 {
			lacking(nil, left)
		}
		if u.e.flow-before < fewDerivations*looked {
			size = min(2*size, u.e.batch)
		} else {
			size = max(1, size/2)
		}
	}
	return nil
}

// derivable divides rows, few enough for one batch, by whether the rule derives
// their tuples.
func (u *upkeep) derivable(rs *ruleState, rows []uint32, w *window) (left, have []uint32, f *abi.Failure) {
	e := u.e
	bound := newSlotSet(rs.width)
	addArgs(bound, rs.rule.Args)
	need := newSlotSet(rs.width)
	if rs.checks != nil {
		need = rs.checks.clone()
	}
	p, f := e.kept(&rs.check, rs.body, rs.width, planOptions{bound: bound, need: need, first: -1})
	if f != nil {
		return nil, nil, f
	}
	in := &batch{cols: make([][]abi.Term, rs.width)}
	fit, rest := u.fit(rs, rows, in)
	if in.n = len(fit); in.n == 0 {
		return rest, nil, nil
	}
	for i := range in.n {
		in.ord = append(in.ord, abi.TagInt|abi.Term(i))
	}
	if u.marks.seen == nil {
		u.marks.seen = make([]bool, e.batch)
	}
	clear(u.marks.seen)
	u.marks.left, u.marks.choice = in.n, rs.choice
	if f := e.run(p, in, w, &u.marks); f != nil {
		return nil, nil, f
	}
	for i, at := range fit {
		if u.marks.seen[i] {
			have = append(have, at)
		} else {
			rest = append(rest, at)
		}
	}
	return rest, have, nil
}

// fit divides rows by whether their tuples can be the rule's head, and binds in
// to the slots that the head gives those that can.
func (u *upkeep) fit(rs *ruleState, rows []uint32, in *batch) (fit, rest []uint32) {
	return u.e.fit(rs.rule.Args, u.e.rels[rs.rule.Head].data, rows, in)
}

// fit divides rows of a relation by whether their tuples can be the arguments,
// and binds in to the slots that these give those that can.
func (e *Engine) fit(args []abi.Arg, data *relation.Relation, rows []uint32, in *batch) (fit, rest []uint32) {
	if distinct(args) {
		fit = rows
		for c, x := range args {
			in.cols[x.Index] = make([]abi.Term, len(fit))
			relation.Gather(in.cols[x.Index], data.Column(c), fit)
		}
		return fit, nil
	}
	first := make([]int, len(in.cols)) // column+1 that binds the slot
next:
	for _, at := range rows {
		clear(first)
		for c, x := range args {
			t := data.Column(c)[at]
			switch {
			case x.Op == abi.ArgConst:
				if t != e.consts[x.Index] {
					rest = append(rest, at)
					continue next
				}
			case first[x.Index] == 0:
				first[x.Index] = c + 1
			case t != data.Column(first[x.Index] - 1)[at]:
				rest = append(rest, at)
				continue next
			}
		}
		fit = append(fit, at)
	}
	for c, x := range args {
		if x.Op == abi.ArgSlot && in.cols[x.Index] == nil && len(fit) > 0 {
			in.cols[x.Index] = make([]abi.Term, len(fit))
			relation.Gather(in.cols[x.Index], data.Column(c), fit)
		}
	}
	return fit, rest
}

// distinct reports whether the arguments are slots, each in one place.
func distinct(args []abi.Arg) bool {
	for i, x := range args {
		if x.Op != abi.ArgSlot || slices.Contains(args[:i], x) {
			return false
		}
	}
	return true
}
