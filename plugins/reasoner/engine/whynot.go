package engine

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
)

// missingFact is a fact that does not hold and is still to be looked at.
type missingFact struct {
	rel   int
	tuple []abi.Term // unbound: anything
	depth uint32
}

// whyNot says how far each rule gets that could derive the tuple, and then the
// same of the premises that were missing.
func (e *Engine) whyNot(x *excerpts, r *abi.ExplainRequest, tuple []abi.Term) ([]abi.WhyNotNode, *abi.Failure) {
	depth, nodes := orDefault(r.MaxDepth, defaultDepth), orDefault(r.MaxNodes, defaultNodes)
	queue := []missingFact{{rel: r.Relation, tuple: tuple}}
	known := map[string]int{keyOf([]baseFact{{rel: r.Relation, tuple: tuple}}): 0}
	var out []abi.WhyNotNode
	for i := 0; i < len(queue); i++ {
		m := queue[i]
		node := abi.WhyNotNode{Relation: m.rel, Tuple: e.optional(m.tuple)}
		child := func(rel int, tuple []abi.Term) int {
			key := keyOf([]baseFact{{rel: rel, tuple: tuple}})
			if at, ok := known[key]; ok {
				return at
			}
			if e.rels[rel].comp < 0 || m.depth+1 >= depth || len(queue) >= int(nodes) {
				return -1
			}
			known[key] = len(queue)
			queue = append(queue, missingFact{rel, tuple, m.depth + 1})
			return len(queue) - 1
		}
		var f *abi.Failure
		if node.Attempts, f = e.attempts(x, m, child); f != nil {
			return nil, f
		}
		out = append(out, node)
	}
	return out, nil
}

// attempts tries each rule whose head fits the missing fact. If none does,
// each rule gets an attempt that says so.
func (e *Engine) attempts(x *excerpts, m missingFact, child func(rel int, tuple []abi.Term) int) ([]abi.Attempt, *abi.Failure) {
	comp := e.rels[m.rel].comp
	if comp < 0 {
		return nil, nil
	}
	var out, unfit []abi.Attempt
	for _, rs := range e.comps[comp].rules {
		if rs.rule.Head != m.rel {
			continue
		}
		slots, ok := e.headSlots(rs.rule, m.tuple)
		if !ok {
			unfit = append(unfit, abi.Attempt{
				Rule: rs.index, Atoms: len(rs.rule.Body), Failed: -1, Reason: abi.ReasonHead, Child: -1,
				Bindings: e.optional(unboundSlots(len(rs.rule.Slots))),
			})
			continue
		}
		var a abi.Attempt
		var f *abi.Failure
		told := false
		if x.excerpt(m.rel) == nil {
			a, told, f = e.undefinedAttempt(rs, m, slots, child)
		}
		if f == nil && !told {
			a, f = e.attempt(x, rs, slots, child)
		}
		if f != nil {
			return nil, f
		}
		out = append(out, a)
	}
	if len(out) == 0 {
		return unfit, nil
	}
	return out, nil
}

// nearest returns, of bindings that get equally far, the first for which the
// atom that fails is missed by one place only, or else the first. all is false
// where it has not looked at each of them.
func (e *Engine) nearest(x *excerpts, a *abi.Atom, bindings [][]abi.Term) (slots []abi.Term, all bool, f *abi.Failure) {
	if a.Op != abi.AtomScan || a.Neg {
		return bindings[0], true, nil
	}
	all = true
	for i, slots := range bindings {
		if i >= maxNearRows/(1+e.rels[x.in(a.Rel)].data.Rows()) {
			return bindings[0], false, nil
		}
		near, looked, f := x.nearMiss(a.Rel, e.argTerms(a.Args, slots))
		all = all && looked
		if f != nil || near != nil {
			return slots, all, f
		}
	}
	return bindings[0], all, nil
}

// failure says why an atom has no solution under the bindings.
func (e *Engine) failure(x *excerpts, out *abi.Attempt, a *abi.Atom, slots []abi.Term, child func(rel int, tuple []abi.Term) int) *abi.Failure {
	switch {
	case a.Op == abi.AtomScan && a.Neg:
		out.Reason = abi.ReasonBlocked
		tuple := e.argTerms(a.Args, slots)
		if f := x.wantTuple(a.Rel, tuple); f != nil {
			return f
		}
		if rows := e.fitting(x.in(a.Rel), tuple); len(rows) > 0 {
			data := e.rels[x.in(a.Rel)].data
			out.NearMiss = e.values(data.Row(nil, slices.MinFunc(rows, e.compareRowsOf(columnsOf(data)))))
		}
	case a.Op == abi.AtomScan:
		out.Reason = abi.ReasonNoMatch
		tuple := e.argTerms(a.Args, slots)
		if refuted := e.refutedTwin(a.Rel); refuted != nil && !slices.Contains(tuple, unbound) && truthOf(refuted, tuple) == abi.Both {
			out.Reason = abi.ReasonRefuted
		}
		near, all, f := x.nearMiss(a.Rel, tuple)
		if f != nil {
			return f
		}
		if out.NearMiss = near; !all {
			out.NearCut = true
		}
		out.Child = child(a.Rel, tuple)
	case a.Op == abi.AtomExists && a.Neg && !isCondition(a):
		out.Reason = abi.ReasonBlocked
	case a.Op == abi.AtomExists && !a.Neg:
		out.Reason = abi.ReasonNoMatch
	default:
		out.Reason = abi.ReasonComparisonFalse
	}
	return nil
}
