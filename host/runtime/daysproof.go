package runtime

import (
	"slices"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/lower"
	"github.com/ox-mcp/ox-mcp/host/overtime"
)

// ofOperator reports whether a relation is one of those that an operator over
// time is made of.
func (m *module) ofOperator(rel int) bool {
	return rel >= 0 && isOperator(&m.program.Relations[rel])
}

func isOperator(r *abi.Relation) bool { return lower.Operator(r) }

// restsOnDays reports whether what a relation holds goes by the days of facts.
func (m *module) restsOnDays(rel int) bool {
	if len(m.twins) == 0 {
		return false
	}
	seen := map[int]bool{rel: true}
	var read func(body []abi.Atom) bool
	read = func(body []abi.Atom) bool {
		for i := range body {
			a := &body[i]
			if read(a.Body) {
				return true
			}
			if a.Op != abi.AtomScan || seen[a.Rel] {
				continue
			}
			if seen[a.Rel] = true; isOperator(&m.program.Relations[a.Rel]) || m.restsThrough(a.Rel, read) {
				return true
			}
		}
		return false
	}
	return isOperator(&m.program.Relations[rel]) || m.restsThrough(rel, read)
}

// restsThrough reports whether a body of the rules of a relation is one that
// reads looks for.
func (m *module) restsThrough(rel int, reads func([]abi.Atom) bool) bool {
	return slices.ContainsFunc(m.program.Rules, func(r abi.Rule) bool { return r.Head == rel && reads(r.Body) })
}

// daysText prints a fact of an operator over time, or of the days of a fact.
func (p *prover) daysText(rel int, tuple []*abi.Value, parts []string) (string, bool) {
	r := &p.m.program.Relations[rel]
	name, twin := lower.Twin(r)
	span := ""
	if n := len(tuple); twin && n >= 2 {
		if tuple[n-2] != nil && tuple[n-1] != nil {
			span = " " + overtime.Days{From: tuple[n-2].Int, To: tuple[n-1].Int}.Text()
		}
		parts = parts[:max(0, len(parts)-2)]
	}
	switch of, known := p.m.relations[name]; {
	case p.m.ofOperator(rel):
		text := p.m.sourceText(r.Span)
		if len(parts) > 0 {
			text += " of " + strings.Join(parts, ", ")
		}
		return text + span, true
	case twin && known:
		return p.fact(of, tuple[:len(tuple)-2]) + span, true
	}
	return "", false
}

// daysOf says of an atom that fails on which days an operator over time misses
// what it looks for, or of a fact on which other days it holds; else "".
func (p *prover) daysOf(rule *abi.Rule, a *abi.Attempt, at int) string {
	if tuple, ok := p.m.operatorFails(rule, a, at); ok {
		return p.days[overtime.Key(rule.Body[at].Rel, tuple)]
	}
	if x := &rule.Body[at]; x.Op == abi.AtomScan && !x.Neg && !p.m.ofOperator(x.Rel) && a.Reason != abi.ReasonUndefined {
		return p.otherDays(x.Rel, overtime.Scanned(p.m.program, x, a.Bindings))
	}
	return ""
}

// operatorChildren shows what an operator over time rests on: the facts and the
// days on which they hold. How their ends are moved and joined is left out.
func (p *prover) operatorChildren(nodes []abi.ProofNode, i int) []*ProofNode {
	out := []*ProofNode{}
	for _, c := range nodes[i].Children {
		if c <= i || c >= len(nodes) || nodes[c].Relation < 0 {
			continue
		}
		list := []*ProofNode{}
		if p.m.ofOperator(nodes[c].Relation) {
			list = p.operatorChildren(nodes, c)
		} else {
			list = append(list, p.node(nodes, c, p.m.rule(nodes[i].Rule)))
		}
		for _, child := range list {
			for len(child.Children) == 1 && child.Children[0].Fact == child.Fact {
				child = child.Children[0] // a fact of the relation itself
			}
			if !slices.ContainsFunc(out, func(o *ProofNode) bool { return o.Fact == child.Fact }) {
				out = append(out, child)
			}
		}
	}
	return out
}
