package runtime

import (
	"context"
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/lower"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
)

// fromOpen reports whether atom at of the body is the second condition of the
// negation before it: that what is open is not only absent, but excluded.
func (m *module) fromOpen(body []abi.Atom, at int) bool {
	if at < 1 || at >= len(body) || body[at].Op != abi.AtomExists || !body[at].Neg || len(body[at].Body) == 0 {
		return false
	}
	last := &body[at].Body[len(body[at].Body)-1]
	return last.Op == abi.AtomScan && last.Neg && last.Rel < len(m.program.Relations) && m.program.Relations[last.Rel].Name == lower.OpenRelation
}

// measures reports whether atom at of the body only serves one before it that has
// the same place: it finds the interval of an aggregate.
func (m *module) measures(body []abi.Atom, at int) bool { return m.again(body, at) && m.doubts(body) }

// measuresIn is measures of the body of a rule, which may be one that gives the
// interval itself.
func (m *module) measuresIn(rule *abi.Rule, at int) bool {
	if !m.again(rule.Body, at) {
		return false
	}
	_, column := lower.MeasuredOf(&m.program.Relations[rule.Head])
	return column >= 0 || m.doubts(rule.Body)
}

// again reports whether an atom before that at of the body has the same place.
func (m *module) again(body []abi.Atom, at int) bool {
	if at < 1 || at >= len(body) || body[at].Span == (abi.Span{}) {
		return false
	}
	return slices.ContainsFunc(body[:at], func(a abi.Atom) bool { return a.Span == body[at].Span })
}

// waitsForRefutation reports whether what a relation holds may be undecided by
// something open of which nothing is refuted. A program has no relation for what
// nobody refutes, so that no repair can write into it.
func (m *module) waitsForRefutation(rel int) bool {
	seen, decides, unrefuted := map[int]bool{}, false, false
	var visit func(rel int)
	var read func(body []abi.Atom)
	read = func(body []abi.Atom) {
		for i := range body {
			if body[i].Op == abi.AtomScan {
				visit(body[i].Rel)
			}
			read(body[i].Body)
		}
	}
	visit = func(rel int) {
		if seen[rel] {
			return
		}
		seen[rel] = true
		r := &m.program.Relations[rel]
		decides = decides || r.Name == lower.OpenRelation
		unrefuted = unrefuted || r.Open && r.Refuted < 0 && (r.Role == abi.Base || r.Asserted >= 0)
		for i := range m.program.Rules {
			if m.program.Rules[i].Head == rel {
				read(m.program.Rules[i].Body)
			}
		}
	}
	visit(rel)
	return decides && unrefuted
}

// refuted reports whether the state in the instance refutes the fact.
func (ses *session) refuted(ctx context.Context, in *sandbox.Instance, call abi.Call, rel int, tuple []abi.Value) (bool, error) {
	minus := ses.m.program.Relations[rel].Refuted
	if minus < 0 {
		return false, nil
	}
	var resp abi.Explanation
	err := ses.ask(ctx, in, abi.ExportExplain, &abi.ExplainRequest{Call: call, Relation: minus, Tuple: tuple, MaxDepth: 1, MaxNodes: 1}, &resp)
	ses.bill(sandbox.Usage{}, resp.Work)
	return resp.Derived, err
}

// truthOf is the truth of a fact whose explanation is e, and for one that does
// not hold the reason in words where it is another than that nothing says so.
func (m *module) truthOf(rel int, e *abi.Explanation, refuted bool) (abi.Truth4, string) {
	switch {
	case e.Derived && refuted:
		return abi.Both, ""
	case e.Derived:
		return abi.Is, ""
	case len(e.WhyNot) > 0 && undefined(e.WhyNot[0].Attempts):
		return abi.Can, ""
	case refuted:
		return abi.Not, "it is refuted"
	case m.program.Relations[rel].Open:
		return abi.Can, "nothing asserts or refutes it, and its world is open"
	}
	return abi.Not, ""
}

func undefined(attempts []abi.Attempt) bool {
	for i := range attempts {
		if attempts[i].Reason == abi.ReasonUndefined {
			return true
		}
	}
	return false
}

// doubts reports whether the body has a condition that is undefined where the
// value of an aggregate is not settled.
func (m *module) doubts(body []abi.Atom) bool {
	for i := range body {
		a := &body[i]
		if a.Op == abi.AtomScan && !a.Neg && m.program.Relations[a.Rel].Name == lower.OpenRelation || m.doubts(a.Body) {
			return true
		}
	}
	return false
}
