package conformance

import (
	"context"
	"fmt"
	"strconv"

	"github.com/ox-mcp/ox-mcp/abi"
)

// explain reads "explain Relation (…)". Which of several proofs a build shows
// is its own business, and so is the order in which it tries the atoms of a
// rule: the answer says whether there is a proof, and what is wrong with it
// where it is none.
func (r *runner) explain(ctx context.Context, in *reader) ([]string, error) {
	req := abi.ExplainRequest{MaxDepth: 50, MaxNodes: 500}
	var err error
	if req.Relation, err = in.relation(); err != nil {
		return nil, err
	}
	if req.Tuple, err = in.all("(", ")"); err != nil {
		return nil, err
	}
	if in.take("alternative ") {
		n, err := strconv.ParseUint(in.word(), 10, 32)
		if err != nil {
			return nil, err
		}
		req.Alternative = uint32(n)
	}
	req.Call = r.call()
	var x abi.Explanation
	if got := r.ask(ctx, abi.ExportExplain, &req, &x); got != nil {
		return got, nil
	}
	p := &proof{r: r, x: &x, extents: map[int]*abi.Rows{}}
	if !x.Derived {
		if why := p.attempts(&req); why != "" {
			return []string{"not derived, but " + why}, nil
		}
		return []string{fmt.Sprintf("%s, %d rules tried", p.verdict(), len(x.WhyNot[0].Attempts))}, nil
	}
	if why := p.wrong(ctx, &req); why != "" {
		return []string{"no proof: " + why}, nil
	}
	if root := x.Nodes[0]; root.Kind == abi.ProofRule {
		return []string{"derived"}, nil
	}
	return []string{"asserted"}, nil
}

// proof checks an explanation.
type proof struct {
	r       *runner
	x       *abi.Explanation
	extents map[int]*abi.Rows
}

// verdict says what an explanation without proof makes of the fact.
func (p *proof) verdict() string {
	for _, a := range p.x.WhyNot[0].Attempts {
		if a.Reason == abi.ReasonUndefined {
			return "undefined"
		}
	}
	return "not derived"
}

// wrong says what is wrong with a proof; "" for a proof that is one.
func (p *proof) wrong(ctx context.Context, req *abi.ExplainRequest) string {
	nodes := p.x.Nodes
	if len(nodes) == 0 {
		return "it has no nodes"
	}
	if root := &nodes[0]; root.Relation != req.Relation || !fits(root.Tuple, req.Tuple) {
		return "its root is another fact"
	}
	for i := range nodes {
		if why := p.node(ctx, i, -1); why != "" {
			return why
		}
		for _, c := range nodes[i].Children {
			if c <= i || c >= len(nodes) {
				return fmt.Sprintf("node %d has the child %d", i, c)
			}
			if why := p.node(ctx, c, i); why != "" {
				return why
			}
		}
	}
	return ""
}

// node checks one node; parent is -1 where only what does not depend on it is
// looked at.
func (p *proof) node(ctx context.Context, i, parent int) string {
	n, prog := &p.x.Nodes[i], &p.r.vector.program
	bad := func(format string, args ...any) string {
		return fmt.Sprintf("node %d: ", i) + fmt.Sprintf(format, args...)
	}
	switch n.Kind {
	case abi.ProofAsserted, abi.ProofRule:
		if n.Relation < 0 || n.Relation >= len(prog.Relations) {
			return bad("there is no relation %d", n.Relation)
		}
		if n.Kind == abi.ProofRule {
			if n.Rule < 0 || n.Rule >= len(prog.Rules) || prog.Rules[n.Rule].Head != n.Relation {
				return bad("rule %d does not derive %s", n.Rule, p.r.relation(n.Relation))
			}
		} else if prog.Relations[n.Relation].Role != abi.Base {
			return bad("%s is derived, not asserted", p.r.relation(n.Relation))
		}
		if holds, got := p.holds(ctx, n.Relation, n.Tuple, false); !holds {
			return bad("%s %s does not hold%s", p.r.relation(n.Relation), p.r.names.pointers(n.Tuple), got)
		}
	case abi.ProofAbsent:
		if n.Relation >= 0 {
			if holds, _ := p.holds(ctx, n.Relation, n.Tuple, true); holds {
				return bad("%s %s is there, or undefined", p.r.relation(n.Relation), p.r.names.pointers(n.Tuple))
			}
		}
	}
	if parent < 0 || n.Kind == abi.ProofAsserted || n.Kind == abi.ProofRule || n.Kind == abi.ProofFolded {
		return ""
	}
	if rule := p.x.Nodes[parent].Rule; p.x.Nodes[parent].Kind == abi.ProofRule && (n.Atom < 0 || n.Atom >= len(prog.Rules[rule].Body)) {
		return bad("rule %d has no atom %d", rule, n.Atom)
	}
	return ""
}

// holds looks for a tuple that fits in the extent of a relation: a true one, or
// also one that is undefined.
func (p *proof) holds(ctx context.Context, rel int, pattern []*abi.Value, undefined bool) (bool, string) {
	rows := p.extents[rel]
	if rows == nil {
		rows = new(abi.Rows)
		if got := p.r.ask(ctx, abi.ExportDerive, &abi.DeriveRequest{Call: p.r.call(), Relation: rel}, rows); got != nil {
			return false, ": " + got[0]
		}
		p.extents[rel] = rows
	}
	f := &rows.Frame
	for i := range f.Rows {
		if (undefined || len(f.Truth) == 0 || f.Truth[i] != abi.Can) && fits(pattern, f.Row(nil, i)) {
			return true, ""
		}
	}
	return false, ""
}

func fits(pattern []*abi.Value, row []abi.Value) bool {
	if len(pattern) != len(row) {
		return false
	}
	for i, v := range pattern {
		if v != nil && !abi.Equal(*v, row[i]) {
			return false
		}
	}
	return true
}

// attempts says what is wrong with the reasons for an absence.
func (p *proof) attempts(req *abi.ExplainRequest) string {
	if len(p.x.WhyNot) == 0 {
		return "no reasons are given"
	}
	if root := &p.x.WhyNot[0]; root.Relation != req.Relation || !fits(root.Tuple, req.Tuple) {
		return "the reasons are those of another fact"
	}
	rules := p.r.vector.program.Rules
	for _, n := range p.x.WhyNot {
		for _, a := range n.Attempts {
			if a.Rule < 0 || a.Rule >= len(rules) || rules[a.Rule].Head != n.Relation {
				return fmt.Sprintf("rule %d does not derive %s", a.Rule, p.r.relation(n.Relation))
			}
			if a.Failed < -1 || a.Failed >= len(rules[a.Rule].Body) || a.Child < -1 || a.Child >= len(p.x.WhyNot) {
				return fmt.Sprintf("an attempt of rule %d fails at an atom, or goes on at a node, that is not there", a.Rule)
			}
		}
	}
	return ""
}
