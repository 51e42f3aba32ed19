package runtime

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fxamacker/cbor/v2"
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon"
	"github.com/ox-mcp/ox-mcp/host/argon/lower"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
	"github.com/ox-mcp/ox-mcp/host/store"
)

// nodeID is what a node id says: everything that is needed to find the node
// again on any host that serves the module.
type nodeID struct {
	_           struct{} `cbor:",toarray"`
	Module      []byte
	TT          int64
	Seconds     int64
	Nanos       int32
	Relation    int
	Tuple       [][]byte
	Path        []uint32
	Alternative uint32 // which derivation of the fact the path goes through
	View        string // standpoint
}

func sealNode(n nodeID) string {
	enc, err := cbor.CoreDetEncOptions().EncMode()
	if err != nil {
		return ""
	}
	b, err := enc.Marshal(n)
	if err != nil {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

func openNode(text string) (nodeID, bool) {
	var n nodeID
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(b) > 1<<16 {
		return n, false
	}
	dec, err := cbor.DecOptions{IndefLength: cbor.IndefLengthForbidden, DupMapKey: cbor.DupMapKeyEnforcedAPF}.DecMode()
	if err != nil {
		return n, false
	}
	return n, dec.Unmarshal(b, &n) == nil && len(n.Path) <= 10_000
}

// Explain shows why a fact holds, or why it does not. With a node id it shows
// the proof from that node on.
func (s *Service) Explain(ctx context.Context, req ExplainRequest) (*ExplainResult, error) {
	if req.MaxDepth < 0 || req.MaxNodes < 0 || req.Alternative < 0 {
		return nil, Invalid("maxDepth", "a number from 1 on", "a negative number", "")
	}
	if formats := []string{"json", "text", "dot", "svg"}; req.Format != "" && !slices.Contains(formats, req.Format) {
		return nil, Invalid("format", "json, text, dot or svg", req.Format, Nearest(req.Format, formats))
	}
	repairs := abi.MaxRepair
	if req.Repairs != nil {
		if repairs = *req.Repairs; repairs < 0 || repairs > abi.MaxRepair {
			return nil, Invalid("repairs", fmt.Sprintf("a number of facts, 0 to %d", abi.MaxRepair), fmt.Sprint(repairs), "")
		}
	}
	ses, refused, err := s.begin(ctx, req.Common)
	if ses == nil {
		return explainRefused(refused), err
	}
	defer ses.end()
	if err := ses.oneView("an explanation"); err != nil {
		return nil, err
	}
	msg := abi.ExplainRequest{MaxDepth: uint32(req.MaxDepth), MaxNodes: uint32(req.MaxNodes), Alternative: uint32(req.Alternative)}
	if msg.MaxDepth == 0 {
		msg.MaxDepth = uint32(s.cfg.Settings.Int("explain.depth"))
	}
	if msg.MaxNodes == 0 {
		msg.MaxNodes = uint32(s.cfg.Settings.Int("explain.nodes"))
	}
	if out, err := ses.target(ctx, req, &msg); err != nil || out.Refused() {
		ses.env.Outcome = out
		env := ses.finish()
		return explainRefused(&env), err
	}
	var resp abi.Explanation
	var attacks map[string]string
	refuted := false
	var found *foundRepairs
	err = ses.g.run(ctx, ses.scope, ses.point, true, func(in *sandbox.Instance) error {
		msg.Call = ses.dated(ses.point)
		if err := ses.ask(ctx, in, abi.ExportExplain, &msg, &resp); err != nil {
			return err
		}
		var err error
		if attacks, err = ses.attacks(ctx, in, msg.Call, resp.WhyNot); err != nil {
			return err
		}
		if refuted, err = ses.refuted(ctx, in, msg.Call, msg.Relation, msg.Tuple); err != nil || resp.Derived || repairs == 0 {
			return err
		}
		found, err = ses.repairs(ctx, in, &msg, uint32(repairs))
		return err
	})
	var failure *abi.Failure
	if errors.As(err, &failure) && failure.Code == abi.FailureRequest {
		return nil, Invalid("nodeId", "a node and an alternative that this fact has", failure.Message, "")
	}
	if err != nil {
		env, err := ses.refuse(err)
		if err != nil {
			return nil, err
		}
		return explainRefused(&env), nil
	}
	ses.bill(sandbox.Usage{}, resp.Work)
	p := ses.prover(ctx, &msg)
	p.attacks = attacks
	res := &ExplainResult{Fact: p.fact(msg.Relation, pointers(msg.Tuple)), Derived: resp.Derived, Folded: []FoldedNode{}}
	truth, reason := ses.m.truthOf(msg.Relation, &resp, refuted)
	res.Truth4 = truth.String()
	if len(resp.Nodes) > 0 {
		res.Root = p.node(resp.Nodes, 0, nil)
		res.Folded = p.folded
		if res.Folded == nil {
			res.Folded = []FoldedNode{}
		}
		if len(msg.Path) == 0 {
			res.Root.Truth4 = res.Truth4
		}
	} else {
		res.WhyNot = p.whyNot(resp.WhyNot, 0, msg.Relation, pointers(msg.Tuple))
		res.WhyNot.Truth4 = res.Truth4
		if reason != "" {
			res.WhyNot.Reason = reason
		}
		p.repaired(res.WhyNot, found)
	}
	switch req.Format {
	case "text":
		res.Rendered = RenderText(res)
	case "dot":
		res.Rendered = RenderDOT(res)
	case "svg":
		res.Rendered = RenderSVG(res)
	}
	res.Envelope = ses.finish()
	return res, nil
}

func explainRefused(env *Envelope) *ExplainResult {
	if env == nil {
		return nil
	}
	return &ExplainResult{Envelope: *env, Folded: []FoldedNode{}}
}

func pointers(vs []abi.Value) []*abi.Value {
	out := make([]*abi.Value, len(vs))
	for i := range vs {
		out[i] = &vs[i]
	}
	return out
}

// target fills in the fact, and for a node id the path and the read point.
func (ses *session) target(ctx context.Context, req ExplainRequest, msg *abi.ExplainRequest) (Outcome, error) {
	given := 0
	for _, set := range []bool{req.Fact != "", req.Head != "", req.NodeID != ""} {
		if set {
			given++
		}
	}
	if given != 1 {
		return Outcome{}, Invalid("fact", `one of fact ("Head(a, b)"), head with tuple, or nodeId`, fmt.Sprintf("%d of them", given), "")
	}
	if req.NodeID != "" {
		return ses.node(req.NodeID, msg)
	}
	if req.Head != "" {
		return Outcome{}, ses.headTuple(req, msg)
	}
	c, err := ses.m.recompiled(ctx)
	if err != nil {
		return Outcome{}, err
	}
	rel, tuple, err := argon.ParseFact(c.Module, req.Fact)
	if err != nil {
		return Outcome{}, Invalid("fact", `a fact such as "Head(a, b)"`, err.Error(), "")
	}
	msg.Relation, msg.Tuple = rel, tuple
	for i, v := range tuple {
		// What is written as a name may be the id of an individual made at run time.
		if v.Kind == abi.KindNamed {
			tuple[i] = ses.individualNamed(ctx, v)
		}
	}
	return Outcome{}, nil
}

// individualNamed resolves a name that is not declared: by id, or by the name
// field of an individual made at run time.
func (ses *session) individualNamed(ctx context.Context, v abi.Value) abi.Value {
	if _, declared := ses.m.declared[v.Str]; declared {
		return ses.m.individual(v.Str)
	}
	if id, ok := parseUUID(v.Str); ok {
		return abi.MintedValue(id)
	}
	var found []abi.Value
	for id, name := range ses.names(ctx).minted {
		if name == v.Str {
			found = append(found, abi.MintedValue(id))
		}
	}
	if len(found) == 1 {
		return found[0]
	}
	return v
}

func (ses *session) headTuple(req ExplainRequest, msg *abi.ExplainRequest) error {
	rel, err := ses.m.derivable(req.Head)
	if err != nil {
		return err
	}
	columns := ses.m.program.Relations[rel].Columns
	if len(req.Tuple) != len(columns) {
		return Invalid("tuple", fmt.Sprintf("%d values", len(columns)), fmt.Sprintf("%d", len(req.Tuple)), "")
	}
	msg.Relation = rel
	for i, raw := range req.Tuple {
		v, err := decodeValue(json.RawMessage(raw), columns[i].Type, fmt.Sprintf("tuple[%d]", i), ses.m)
		if err != nil {
			return err
		}
		msg.Tuple = append(msg.Tuple, v)
	}
	return nil
}

func (ses *session) node(text string, msg *abi.ExplainRequest) (Outcome, error) {
	n, ok := openNode(text)
	if !ok || n.Relation < 0 || n.Relation >= len(ses.m.program.Relations) || len(n.Tuple) != len(ses.m.program.Relations[n.Relation].Columns) {
		return Outcome{}, Invalid("nodeId", "a nodeId of an earlier proof, unchanged", "something else", "")
	}
	if string(n.Module) != string(ses.m.hash[:]) {
		return Outcome{Code: CodeStaleCursor, Message: "the node belongs to another module than the served one; explain the fact again"}, nil
	}
	for _, b := range n.Tuple {
		v, err := abi.DecodeValue(b)
		if err != nil {
			return Outcome{}, Invalid("nodeId", "a nodeId of an earlier proof, unchanged", "something else", "")
		}
		msg.Tuple = append(msg.Tuple, v)
	}
	latest := ses.point.tt
	vt := store.Moment{Seconds: n.Seconds, Nanos: n.Nanos}
	if n.View != "" && !slices.Contains(ses.m.standpoints, n.View) {
		return Outcome{}, Invalid("nodeId", "a nodeId of an earlier proof, unchanged", "something else", "")
	}
	ses.point = readPoint{tt: n.TT, vt: vt, view: n.View, live: n.TT == latest && ses.point.live && !momentOf(ses.now).Before(vt)}
	if ses.point.live {
		ses.point.vt = momentOf(ses.now)
	}
	msg.Relation, msg.Path = n.Relation, n.Path
	if msg.Alternative == 0 {
		msg.Alternative = n.Alternative
	}
	return Outcome{}, nil
}

// prover turns the reasoner's nodes into what frontends show.
type prover struct {
	ses    *session
	m      *module
	names  *names
	msg    *abi.ExplainRequest
	prov   *provenance
	folded []FoldedNode

	attacks map[string]string // what defeated, by defeatKey
}

func (ses *session) prover(ctx context.Context, msg *abi.ExplainRequest) *prover {
	return &prover{ses: ses, m: ses.m, names: ses.names(ctx), msg: msg, prov: ses.provenance(ctx)}
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
			parts[i] = displayText(*v, r.Columns[at].Type, p.names)
			if v.Kind == abi.KindString {
				parts[i] = quote(v.Str)
			}
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
	rule := p.m.rule(n.Rule)
	switch n.Kind {
	case abi.ProofAsserted:
		out.Source, out.Event = p.prov.of(n.Relation, n.Tuple)
		out.Pending = p.prov.isPending(n.Relation, n.Tuple)
	case abi.ProofRule:
		if rule != nil {
			out.Rule = &RuleRef{ID: n.Rule, Name: rule.Name, Span: p.m.rangeOf(rule.Span)}
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
		if n.Kind == abi.ProofRule && rule != nil && len(n.Children) == len(rule.Body) && p.m.measures(rule.Body, k) {
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
	for i, s := range rule.Slots {
		if s.Name != "" && i < len(values) && values[i] != nil && mentions(text, s.Name) {
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
