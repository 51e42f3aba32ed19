package runtime

import (
	"context"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/lower"
	"github.com/ox-mcp/ox-mcp/host/store"
)

// prover turns the reasoner's nodes into what frontends show.
type prover struct {
	ses    *session
	m      *module
	names  *names
	msg    *abi.ExplainRequest
	prov   *provenance
	events []store.Event // that are recorded
	folded []FoldedNode

	foldedFrom []*abi.ProofNode // of folded, in its order

	attacks map[string]string     // what defeated, by defeatKey
	folds   map[string]*abi.Value // what folds have that fail, by attemptKey
	days    map[string]string     // on which days operators over time miss what they look for, by the same
}

func (ses *session) prover(ctx context.Context, msg *abi.ExplainRequest) *prover {
	events, _ := ses.history(ctx) // without them less is told
	return &prover{ses: ses, m: ses.m, names: ses.names(ctx), msg: msg, prov: ses.provenance(ctx), events: events}
}

// fact prints a fact: "Head(a, b)", and of a field "a.field = b".
func (p *prover) fact(rel int, tuple []*abi.Value) string { return p.pattern(rel, tuple, nil) }

// pattern is fact with names for places that have no value; without one they
// are "_".
func (p *prover) pattern(rel int, tuple []*abi.Value, unbound []string) string {
	if rel < 0 {
		return ""
	}
	r := &p.m.program.Relations[rel]
	if name, column := lower.MeasuredOf(r); column >= 0 {
		// It has the ends of an interval behind.
		if of, ok := p.m.relations[name]; ok {
			n := len(p.m.program.Relations[of].Columns)
			return p.pattern(of, tuple[:n], unbound[:min(n, len(unbound))])
		}
	}
	var parts []string
	for i, v := range tuple {
		if !p.m.declaredColumn(rel, i) {
			continue
		}
		parts = append(parts, "_")
		i, at := len(parts)-1, i
		if at < len(unbound) && unbound[at] != "" {
			parts[i] = unbound[at]
		}
		if v != nil {
			parts[i] = shownIn(*v, r.Columns[at].Type, p.names)
		}
	}
	if text := lower.PathText(r); text != r.Name {
		return shortName(text) + "(" + strings.Join(parts, ", ") + ")"
	}
	if text, ok := p.daysText(rel, tuple, parts); ok {
		return text
	}
	if text, ok := p.m.defeated(rel, parts); ok {
		return text
	}
	if text, ok := catalogText(r.Name, parts); ok {
		return text
	}
	if lower.Lifted(r) {
		// "exists { … }", which the source negates.
		text := strings.TrimPrefix(p.m.sourceText(r.Span), "not ")
		if columns := strings.Join(parts, ", "); columns != "" {
			text += " of " + columns
		}
		return text
	}
	if r.Origin == abi.OriginField && len(parts) == 2 {
		return parts[0] + r.Name[strings.LastIndex(r.Name, "."):] + " = " + parts[1]
	}
	if strings.HasSuffix(r.Name, "-") {
		return "not " + p.m.title(rel) + "(" + strings.Join(parts, ", ") + ")"
	}
	return p.m.title(rel) + "(" + strings.Join(parts, ", ") + ")"
}

func quote(s string) string {
	b, err := EncodeJSON(s)
	if err != nil {
		return s
	}
	return string(b)
}

var proofKinds = [...]string{"asserted", "rule", "absent", "compare", "aggregate", "folded"}

// node shows node i; parent is the rule whose body it stands in, nil for the
// root.
func (p *prover) node(nodes []abi.ProofNode, i int, parent *abi.Rule) *ProofNode {
	n := &nodes[i]
	// C(x) from C+(x) is the fact itself: show it once, as asserted.
	if n.Kind == abi.ProofRule && len(n.Children) == 1 && n.Relation >= 0 && n.Children[0] < len(nodes) {
		child := &nodes[n.Children[0]]
		if child.Kind == abi.ProofAsserted && child.Relation == p.m.program.Relations[n.Relation].Asserted {
			out := p.node(nodes, n.Children[0], nil)
			out.Fact, out.Alternatives = p.fact(n.Relation, n.Tuple), int(n.Alternatives)
			return out
		}
	}
	out := &ProofNode{
		NodeID: p.id(n.Path), Truth4: abi.Is.String(), Kind: proofKinds[n.Kind], Children: []*ProofNode{},
		Alternatives: int(n.Alternatives), Fact: p.fact(n.Relation, n.Tuple),
	}
	if out.Within = p.undecided(n); out.Within != nil {
		out.Truth4 = abi.Can.String()
	}
	rule := p.m.rule(n.Rule)
	switch n.Kind {
	case abi.ProofAsserted:
		out.Source, out.Event = p.prov.of(n.Relation, n.Tuple)
		out.Pending = p.prov.isPending(n.Relation, n.Tuple)
	case abi.ProofRule:
		if rule != nil {
			out.Tag = p.m.strengths.tag(n.Rule)
			out.Rule = &RuleRef{ID: n.Rule, Name: strings.TrimSuffix(rule.Name, lower.Within), Span: p.m.rangeOf(rule.Span)}
			out.Bindings = p.bind(rule, n.Bindings)
		}
	case abi.ProofAbsent:
		out.Truth4 = abi.Not.String()
		out.Fact = "not " + out.Fact
		if n.Relation < 0 {
			out.Fact = p.condition(parent, n)
		}
	case abi.ProofCompare, abi.ProofAggregate:
		out.Fact = p.condition(parent, n)
		if parent != nil && p.m.fromOpen(parent.Body, n.Atom) {
			out.Kind, out.Truth4 = "refuted", abi.Not.String()
		}
	case abi.ProofFolded:
		out.Size = int(n.Size)
		p.folded = append(p.folded, FoldedNode{NodeID: out.NodeID, Fact: out.Fact, Size: out.Size})
		p.foldedFrom = append(p.foldedFrom, n)
	}
	if n.Kind != abi.ProofRule {
		rule = parent
	}
	if n.Kind == abi.ProofRule && p.m.ofOperator(n.Relation) {
		out.Children = p.operatorChildren(nodes, i)
		return out
	}
	shown := map[string]bool{}
	for k, c := range n.Children {
		if c <= i || c >= len(nodes) || nodes[c].Relation < 0 && n.Relation >= 0 && lower.Made(&p.m.program.Relations[n.Relation]) {
			continue // a condition that is in no source
		}
		if n.Kind == abi.ProofRule && rule != nil && len(n.Children) == len(rule.Body) && p.m.fromOpen(rule.Body, k+1) {
			continue // the second condition of this negation says more
		}
		if n.Kind == abi.ProofRule && rule != nil && len(n.Children) == len(rule.Body) && p.m.measuresIn(rule, k) {
			continue
		}
		// A body may ask for one fact in several places; once is enough to believe it.
		child := p.node(nodes, c, rule)
		if nodes[c].Relation >= 0 && shown[child.Fact] {
			continue
		}
		shown[child.Fact] = true
		child.Filter = n.Kind == abi.ProofRule && rule != nil && len(n.Children) == len(rule.Body) && p.m.ofHead(rule, &rule.Body[k])
		out.Children = append(out.Children, child)
	}
	return out
}

func (p *prover) id(path []uint32) string {
	n := nodeID{
		Module: p.m.hash[:], TT: p.ses.point.tt, Seconds: p.ses.point.vt.Seconds, Nanos: p.ses.point.vt.Nanos,
		Relation: p.msg.Relation, Path: path, Alternative: p.msg.Alternative, View: p.ses.point.view,
	}
	for _, v := range p.msg.Tuple {
		n.Tuple = append(n.Tuple, abi.AppendValue(nil, v))
	}
	return sealNode(n)
}

func (p *prover) bind(rule *abi.Rule, values []*abi.Value) map[string]Cell {
	out := map[string]Cell{}
	for i, s := range rule.Slots {
		if s.Name != "" && i < len(values) && values[i] != nil {
			out[s.Name] = cell(*values[i], s.Type, p.names)
		}
	}
	return out
}

// condition prints a body condition as its source has it, followed by the
// values of its variables.
func (p *prover) condition(rule *abi.Rule, n *abi.ProofNode) string {
	if rule == nil || n.Atom < 0 || n.Atom >= len(rule.Body) {
		return "condition"
	}
	return p.atom(rule, n.Atom, n.Bindings, false)
}

// atom prints an atom of a rule's body under the values of its slots. Of one
// that failed it says what its parts came to; a proof has a node for each.
func (p *prover) atom(rule *abi.Rule, atom int, values []*abi.Value, failed bool) string {
	if p.m.fromOpen(rule.Body, atom) {
		atom-- // two conditions, of one atom of the source
	}
	a := &rule.Body[atom]
	text := p.m.sourceText(a.Span)
	if text == "" {
		text = "condition of " + shortName(rule.Name)
	}
	if a.Op == abi.AtomScan {
		args := make([]*abi.Value, len(a.Args))
		unbound := make([]string, len(a.Args))
		uses := map[int]int{}
		for _, x := range a.Args {
			if x.Op == abi.ArgSlot {
				uses[x.Index]++
			}
		}
		for i, x := range a.Args {
			switch {
			case x.Op == abi.ArgConst:
				args[i] = &p.m.program.Constants[x.Index]
			case x.Op == abi.ArgSlot && x.Index < len(values):
				args[i] = values[x.Index]
				// Q(v, v) asks for more than Q(_, _) does.
				if uses[x.Index] > 1 {
					unbound[i] = rule.Slots[x.Index].Name
				}
			}
		}
		text := p.pattern(a.Rel, args, unbound)
		if a.Neg {
			return "not " + text
		}
		return text
	}
	var with []string
	ranges := p.ranges(rule, a, values)
	for i, s := range rule.Slots {
		switch {
		case s.Name == "" || i >= len(values) || values[i] == nil || !mentions(text, s.Name):
		case ranges[i] != "":
			with = append(with, s.Name+" "+ranges[i])
		default:
			with = append(with, s.Name+" = "+displayText(*values[i], s.Type, p.names))
		}
	}
	if failed {
		with = append(with, p.computed(rule, atom, values)...)
	}
	if slot := a.Slot; a.Op == abi.AtomFold && slot < len(values) && values[slot] != nil && (rule.Slots[slot].Name == "" || !mentions(text, rule.Slots[slot].Name)) {
		text += " = " + displayText(*values[slot], rule.Slots[slot].Type, p.names)
	}
	if len(with) > 0 {
		text += "  (" + strings.Join(with, ", ") + ")"
	}
	return text
}

// mentions reports whether the word name stands in text.
func mentions(text, name string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			return false
		}
		i += from
		before := i == 0 || !wordByte(text[i-1])
		end := i + len(name)
		if before && (end == len(text) || !wordByte(text[end])) {
			return true
		}
		from = i + 1
	}
}

func wordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= 0x80
}
