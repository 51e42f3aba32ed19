package runtime

import (
	"reflect"
	"slices"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/lower"
)

var whyNotReasons = [...]string{
	abi.ReasonNoMatch:         "no_match",
	abi.ReasonRefuted:         "refuted",
	abi.ReasonComparisonFalse: "comparison_false",
	abi.ReasonBlocked:         "blocked_by",
	abi.ReasonHead:            "no_match",
	abi.ReasonUndefined:       "undefined",
}

// What an attempt may leave out, as JSON says it.
const (
	leftNear     = "nearMisses"
	leftBindings = "bindings"
)

// trivial reports whether a rule only says that what is asserted holds.
func (p *prover) trivial(rule *abi.Rule) bool {
	return len(rule.Body) == 1 && rule.Body[0].Op == abi.AtomScan && !rule.Body[0].Neg && rule.Body[0].Rel == p.m.program.Relations[rule.Head].Asserted
}

func (p *prover) whyNot(nodes []abi.WhyNotNode, i, rel int, tuple []*abi.Value) *WhyNotNode {
	out := &WhyNotNode{Fact: p.fact(rel, tuple), Truth4: abi.Not.String(), Rules: []Attempt{}}
	if i < 0 || i >= len(nodes) || len(nodes[i].Attempts) == 0 {
		out.Reason = "no rule has this head"
		return out
	}
	if undefined(nodes[i].Attempts) {
		out.Truth4 = abi.Can.String()
	}
	for _, a := range nodes[i].Attempts {
		rule := p.m.rule(a.Rule)
		if rule == nil {
			continue
		}
		if p.trivial(rule) {
			if out.Reason = p.otherDays(rel, tuple); out.Reason == "" {
				out.Reason = "nothing asserts it"
			}
			continue
		}
		at := p.attempt(nodes, i, &a, rule)
		if slices.ContainsFunc(out.Rules, func(told Attempt) bool { return nearer(told, at) }) {
			continue
		}
		out.Rules = slices.DeleteFunc(out.Rules, func(told Attempt) bool { return nearer(at, told) })
		out.Rules = append(out.Rules, at)
	}
	if len(out.Rules) > 0 && out.Truth4 == abi.Not.String() {
		out.Tag = p.m.strengths.refuted(p.m.program, rel)
	}
	return out
}

// nearer reports whether a and b are of one clause, which has become several rules,
// and all that a lacks b lacks, too: then b says nothing that a does not.
func nearer(a, b Attempt) bool {
	if a.Rule.Name != b.Rule.Name || !reflect.DeepEqual(a.Rule.Span, b.Rule.Span) {
		return false
	}
	lacks := append(slices.Clone(b.Also), b.Failed)
	return !slices.ContainsFunc(append(slices.Clone(a.Also), a.Failed), func(f FailedAtom) bool {
		return !slices.ContainsFunc(lacks, func(g FailedAtom) bool { return f.written() == g.written() && f.Reason == g.Reason })
	})
}

// written is an atom without the values that its names and parts have.
func (f *FailedAtom) written() string {
	text, _, _ := strings.Cut(f.Atom, "  (")
	return text
}

func (p *prover) attempt(nodes []abi.WhyNotNode, i int, a *abi.Attempt, rule *abi.Rule) Attempt {
	at := Attempt{
		Rule:     RuleRef{ID: a.Rule, Name: strings.TrimSuffix(rule.Name, lower.Within), Span: p.m.rangeOf(rule.Span)},
		Failed:   FailedAtom{Bindings: p.bind(rule, a.Bindings), Reason: whyNotReasons[a.Reason]},
		Children: []*WhyNotNode{},
	}
	p.tally(&at, a, rule)
	if a.NearCut {
		at.LeftOut = append(at.LeftOut, leftNear)
	}
	if a.BindingsCut {
		at.LeftOut = append(at.LeftOut, leftBindings)
	}
	if a.Failed >= 0 && a.Failed < len(rule.Body) {
		at.Failed.Atom = p.atom(rule, a.Failed, a.Bindings, true)
		at.Failed.Days = p.daysOf(rule, a, a.Failed)
		at.Failed.Is = p.foldIs(rule, a)
		at.Failed.Head = p.m.ofHead(rule, &rule.Body[a.Failed])
		if p.m.nearMiss(rule, a) {
			rel := rule.Body[a.Failed].Rel
			at.NearMiss = p.fact(rel, pointers(a.NearMiss)) + p.attacks[defeatKey(rel, a.NearMiss)]
		}
	} else {
		at.Failed.Atom = "the head of " + shortName(rule.Name)
	}
	if a.Child > i && a.Child < len(nodes) && !p.m.ofOperator(rule.Head) && (at.Failed.Days == "" || !p.m.ofOperator(nodes[a.Child].Relation)) {
		c := &nodes[a.Child]
		// A child that no rule tried says no more than the failed atom does.
		if child := p.whyNot(nodes, a.Child, c.Relation, c.Tuple); len(child.Rules) > 0 {
			at.Children = append(at.Children, child)
		}
	}
	return at
}

// tally counts the premises of an attempt, as they were written, those that are
// undefined apart, and lists those that fail beside the one that is looked into.
// The types of the head's parameters are no premises: if one fails, it is listed
// as what it is.
func (p *prover) tally(at *Attempt, a *abi.Attempt, rule *abi.Rule) {
	premises := p.m.premises(rule)
	known := states(premises, a.States)
	for i, premise := range premises {
		if !premise.head {
			at.Of++
		}
		if known == nil {
			continue
		}
		switch {
		case known[i] == abi.AtomHolds && !premise.head:
			at.Reached++
		case known[i] == abi.AtomUndefined && !premise.head:
			at.Undefined++
		case known[i] == abi.AtomFails && !slices.Contains(premise.atoms, a.Failed):
			at.Also = append(at.Also, p.alsoFailed(rule, premise, a))
		}
	}
	if slices.ContainsFunc(premises, func(q premise) bool { return q.head && slices.Contains(q.atoms, a.Failed) }) {
		// The rule is for others: what else it asks of them says nothing here.
		at.Also = slices.DeleteFunc(at.Also, func(f FailedAtom) bool { return !f.Head })
	}
	if known == nil {
		at.Reached = min(a.Reached, at.Of)
		if a.Failed >= 0 && at.Reached == at.Of {
			at.Reached = max(0, at.Of-1)
		}
	}
}

// alsoFailed shows a premise of which nothing is known but that it fails.
func (p *prover) alsoFailed(rule *abi.Rule, of premise, a *abi.Attempt) FailedAtom {
	at := of.main
	for _, i := range of.atoms {
		if i < len(a.States) && a.States[i] == abi.AtomFails {
			at = i
			break
		}
	}
	out := FailedAtom{Atom: p.atom(rule, at, a.Bindings, true), Bindings: p.bind(rule, a.Bindings), Head: of.head, Days: p.daysOf(rule, a, at)}
	atom := &rule.Body[at]
	reason := abi.ReasonComparisonFalse
	switch {
	case a.Reason == abi.ReasonUndefined:
		reason = abi.ReasonUndefined
	case atom.Neg && (atom.Op == abi.AtomScan || atom.Op == abi.AtomExists && looksForFacts(atom)):
		reason = abi.ReasonBlocked
	case !atom.Neg && (atom.Op == abi.AtomScan || atom.Op == abi.AtomExists):
		reason = abi.ReasonNoMatch
	}
	out.Reason = whyNotReasons[reason]
	return out
}

// looksForFacts reports whether a body is blocked by facts. What negates none but
// conditions and negations is how a disjunction comes, or a condition under not:
// of it nothing is there that must be absent.
func looksForFacts(body *abi.Atom) bool {
	return slices.ContainsFunc(body.Body, func(a abi.Atom) bool {
		return !a.Neg && (a.Op == abi.AtomScan || a.Op == abi.AtomExists)
	})
}
