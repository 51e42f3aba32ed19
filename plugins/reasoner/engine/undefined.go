package engine

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/abi/phrase"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/relation"
)

// undefinedFact returns the least undefined tuple of the relation that equals
// the given one where that is bound. ok is false if there is none, or a true
// one.
func (e *Engine) undefinedFact(rel int, pattern []abi.Term) (tuple []abi.Term, ok bool) {
	s := e.rels[rel]
	if s.maybe == nil || len(e.fitting(rel, pattern)) > 0 {
		return nil, false
	}
	rows := (&state{e: e}).matching(s.maybe, pattern, wildcards(pattern))
	if len(rows) == 0 {
		return nil, false
	}
	return s.maybe.Row(nil, slices.MinFunc(rows, e.compareRowsOf(columnsOf(s.maybe)))), true
}

func wildcards(tuple []abi.Term) []bool {
	wild := make([]bool, len(tuple))
	for i, t := range tuple {
		wild[i] = t == unbound
	}
	return wild
}

// undefinedAttempt is the attempt of a rule at an undefined fact, if the rule's
// body is undefined, too: the least binding for which it is, up to the first
// atom that is. ok is false if the body is false.
func (e *Engine) undefinedAttempt(rs *ruleState, m missingFact, slots []abi.Term, child func(rel int, tuple []abi.Term) int) (out abi.Attempt, ok bool, f *abi.Failure) {
	if _, undefined := e.undefinedFact(m.rel, m.tuple); !undefined {
		return out, false, nil
	}
	body := rs.rule.Body
	e.upper = true
	found, _, f := e.bindings(body, slots, nil, nil, maxAttempted, 1)
	e.upper = false
	if f != nil || len(found) == 0 {
		return out, false, f
	}
	order, f := e.order(body, len(slots), planOptions{bound: boundSlots(slots), first: -1, stable: true})
	if f != nil {
		return out, false, f
	}
	out = abi.Attempt{Rule: rs.index, Atoms: len(body), Failed: -1, Child: -1, Bindings: e.optional(found[0]), States: make([]abi.AtomState, len(body))}
	for _, at := range order {
		holds, _, f := e.bindings(body, found[0], nil, []int{at}, 1, 1)
		switch {
		case f != nil:
			return out, false, f
		case len(holds) > 0:
			out.States[at] = abi.AtomHolds
			out.Reached++
			continue
		}
		out.States[at] = abi.AtomFails
		if out.Failed >= 0 {
			continue
		}
		out.Failed, out.Reason = at, abi.ReasonUndefined
		if a := &body[at]; a.Op == abi.AtomScan {
			if tuple, ok := e.undefinedFact(a.Rel, e.argTerms(a.Args, found[0])); ok {
				out.Child = child(a.Rel, tuple)
			}
		}
	}
	// If each atom holds by itself, what they have in common does not.
	return out, out.Failed >= 0, nil
}

// noValue is what becomes of an expression that would go by an undefined tuple:
// to take it for false there would be to say what the model does not.
func (e *Engine) noValue(rel int) *abi.Failure {
	return &abi.Failure{Code: abi.FailureUndefined, Rule: -1, Message: phrase.Of(
		"the expression goes by %s, which is undefined here: neither true nor false under the well-founded model. "+
			"Ask a query for its rows, which says which of them are undefined", e.prog.Relations[rel].Name)}
}

// absentFromOpen reports whether nothing is known of a tuple that an open
// relation does not have.
func (e *Engine) absentFromOpen(rel int, tuple []abi.Term) bool {
	return e.prog.Relations[rel].Open && truthOf(e.refutedTwin(rel), tuple) != abi.Both
}

// noKnowledge is what becomes of an expression that would go by the absence of
// a tuple from an open relation.
func (e *Engine) noKnowledge(rel int) *abi.Failure {
	return &abi.Failure{Code: abi.FailureUndefined, Rule: -1, Message: phrase.Of(
		"the expression goes by a tuple that is absent from %s, whose world is open: it is neither true nor false. "+
			"Refute it with a not_fact, or ask a derive that says what to do with the unknown", e.prog.Relations[rel].Name)}
}

// settled returns the solutions of a subquery, if undefined tuples make no
// difference to it.
func (e *Engine) settled(sub *abi.Sub, slots []abi.Term, out []abi.Arg) (*relation.Relation, *abi.Failure) {
	upper := e.upper
	defer func() { e.upper = upper }()
	e.upper = false
	rel, f := e.solutions(sub.Body, slots, out, false)
	if f != nil || !e.uncertainBody(sub.Body) || sub.Op == abi.SubExists && rel.Rows() > 0 {
		return rel, f
	}
	e.upper = true
	possible, f := e.solutions(sub.Body, slots, out, false)
	if f == nil && possible.Rows() > rel.Rows() {
		if open := e.firstOpen(sub.Body); open >= 0 {
			return rel, e.noKnowledge(open)
		}
		f = e.noValue(e.firstUncertain(sub.Body))
	}
	return rel, f
}

// firstOpen returns the first open relation that the body reads, or -1.
func (e *Engine) firstOpen(body []abi.Atom) int {
	for i := range body {
		if body[i].Op == abi.AtomScan && e.prog.Relations[body[i].Rel].Open {
			return body[i].Rel
		}
		if open := e.firstOpen(body[i].Body); open >= 0 {
			return open
		}
	}
	return -1
}

// firstUncertain returns the first relation that the body reads and that has
// undefined tuples; the body reads one.
func (e *Engine) firstUncertain(body []abi.Atom) int {
	for i := range body {
		if body[i].Op == abi.AtomScan && e.rels[body[i].Rel].maybe != nil {
			return body[i].Rel
		}
		if e.uncertainBody(body[i].Body) {
			return e.firstUncertain(body[i].Body)
		}
	}
	return -1
}
