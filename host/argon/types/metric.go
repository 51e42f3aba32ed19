package types

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// Metric is an operator over time. An atom that stands for one is an
// AtomExists whose Rel is MetricAtom(i), i its index in Env.Metrics; its Body
// has an AtomExists for each operand, with its variables in Over, what holds
// meanwhile first.
type Metric struct {
	Word     string
	From, To int64 // days; To is -1 where there is no bound
}

// MetricAtom is the Rel of the atom that stands for a metric.
func MetricAtom(i int) int { return -1 - i }

// MetricOf returns the operator that a stands for.
func (e *Env) MetricOf(a *abi.Atom) (Metric, bool) {
	i := -1 - a.Rel
	if a.Op != abi.AtomExists || i < 0 || i >= len(e.Metrics) {
		return Metric{}, false
	}
	return e.Metrics[i], true
}

// maxDistance bounds the distances of an operator, in days.
const maxDistance = 1_000_000

// metricAtom types box_minus[a, b](atoms) and its like.
func (s *scope) metricAtom(a *syntax.MetricAtom) []abi.Atom {
	switch {
	case s.crossNested(a):
		return nil
	case s.root().word == "refinement":
		s.unsupported(a, a.Word+" in a refinement", "derive a predicate with it, and check for that")
		return nil
	case a.Left != nil && (len(a.Left) != 1 || len(a.Body) != 1):
		s.report("OE0258", a, "write what holds meanwhile, then what it is "+a.Word, "%s takes two atoms", a.Word)
		return nil
	case a.To >= 0 && a.To < a.From:
		s.report("OE0051", a, "write the lesser distance first", "the upper bound %d is below the lower bound %d", a.To, a.From)
		return nil
	case max(a.From, a.To) > maxDistance:
		s.report("OE0051", a, "write * for no bound", "a distance of more than %d days", maxDistance)
		return nil
	}
	out := abi.Atom{Op: abi.AtomExists, Rel: MetricAtom(len(s.e.Metrics)), Span: s.span(a)}
	if s.e.spoils() {
		return nil
	}
	s.e.Metrics = append(s.e.Metrics, Metric{Word: a.Word, From: a.From, To: a.To})
	for _, operand := range [][]syntax.Atom{a.Left, a.Body} {
		if len(operand) > 0 {
			for _, inner := range operand {
				if _, not := inner.(*syntax.NotAtom); not {
					s.unsupported(inner, "a negation inside "+a.Word, "derive its opposite from something that is stated, or negate the operator")
					return nil
				}
				s.hint(inner)
			}
			out.Body = append(out.Body, abi.Atom{Op: abi.AtomExists, Body: s.body(operand), Over: s.metricVariables(operand), Span: s.span(a)})
		}
	}
	return []abi.Atom{out}
}

// metricVariables returns the slots of the variables in an operand: what a call
// of a query makes of them has no names any more.
func (s *scope) metricVariables(operand []syntax.Atom) []int {
	var out []int
	visit := func(id syntax.Ident) {
		if i, ok := s.find(id.Name); ok && !slices.Contains(out, i) {
			out = append(out, i)
		}
	}
	for _, a := range s.unboxed(operand) {
		atomNames(a, visit)
		if is, ok := a.(*syntax.IsAtom); ok {
			patternNames(is.Pattern, visit)
		}
	}
	return out
}

// notMetric types not box_minus[a, b](atoms).
func (s *scope) notMetric(a *syntax.MetricAtom) []abi.Atom {
	out := s.metricAtom(a)
	if len(out) > 0 {
		out[0].Neg = true
	}
	return out
}

// metricNames visits the variables of an operator's atoms: they are those of
// the rule.
func (w *nameWalk) metricNames(a *syntax.MetricAtom) {
	for _, list := range [][]syntax.Atom{a.Left, a.Body} {
		for _, inner := range list {
			w.atom(inner)
		}
	}
}

// metricHints takes from an operator's atoms what they say of their variables'
// types.
func (s *scope) metricHints(a *syntax.MetricAtom) {
	for _, list := range [][]syntax.Atom{a.Left, a.Body} {
		for _, inner := range list {
			s.hint(inner)
		}
	}
}
