package engine

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
)

// opens are the columns in which a value that nothing names may help. The goal's
// own values are given, so that what its rules read under their variables is, too;
// and so is what stands in facts that no repair adds to.
type opens struct {
	e     *Engine
	reach []reach
	open  map[columnRef]bool
	still []bool // by relation: no repair gives it a tuple of values that nothing names
	grown bool
}

// opensOf returns the open columns of what the goals reach.
func (e *Engine) opensOf(reached []reach) map[columnRef]bool {
	o := &opens{e: e, reach: reached, open: map[columnRef]bool{}, still: make([]bool, len(e.rels))}
	for rel := range o.still {
		// Facts are at most taken from what is only denied.
		o.still[rel] = e.rels[rel].comp >= 0 || !e.addable(rel) || reached[rel] == reachedDenied && e.rels[rel].key == nil
	}
	for o.grown = true; o.grown; {
		o.grown = false
		for _, rs := range e.rules {
			if head := rs.rule.Head; o.still[head] && !o.stillBody(rs.rule.Body) {
				o.still[head], o.grown = false, true
			}
		}
	}
	for o.grown = true; o.grown; {
		o.grown = false
		for _, rs := range e.rules {
			if reached[rs.rule.Head] != 0 {
				o.rule(rs)
			}
		}
	}
	return o.open
}

func (o *opens) rule(rs *ruleState) {
	given := newSlotSet(rs.width)
	for c, x := range rs.rule.Args {
		if x.Op == abi.ArgSlot && !o.open[columnRef{rs.rule.Head, c}] {
			given.add(x.Index)
		}
	}
	o.body(rs.rule.Body, given)
}

// body notes the columns that a body reads under variables which are not given.
func (o *opens) body(body []abi.Atom, given slotSet) {
	given = given.clone()
	for i := range body {
		switch a := &body[i]; {
		case a.Op == abi.AtomScan && !a.Neg && o.still[a.Rel]:
			addArgs(given, a.Args)
		case a.Op == abi.AtomCmp && a.Cmp == abi.CmpEq:
			for k, x := range a.Args {
				if x.Op == abi.ArgSlot && a.Args[1-k].Op == abi.ArgConst {
					given.add(x.Index)
				}
			}
		}
	}
	for i := range body {
		a := &body[i]
		o.body(a.Body, given)
		if a.Op != abi.AtomScan {
			continue
		}
		for c, x := range a.Args {
			at := columnRef{a.Rel, c}
			if !o.open[at] && (x.Op == abi.ArgWild || x.Op == abi.ArgSlot && !given.has(x.Index)) {
				o.open[at], o.grown = true, true
			}
		}
	}
}

// stillBody reports whether what a body binds stands in facts that no repair adds
// to.
func (o *opens) stillBody(body []abi.Atom) bool {
	return !slices.ContainsFunc(body, func(a abi.Atom) bool {
		switch a.Op {
		case abi.AtomScan:
			return !a.Neg && !o.still[a.Rel]
		case abi.AtomExists:
			return !a.Neg && !o.stillBody(a.Body)
		case abi.AtomLet, abi.AtomMatch, abi.AtomIn, abi.AtomFold:
			return true
		}
		return false
	})
}
