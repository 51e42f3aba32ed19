package runtime

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/fxamacker/cbor/v2"
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon"
	"github.com/ox-mcp/ox-mcp/host/overtime"
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
	if err := knownFormat(req.Format); err != nil {
		return nil, err
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
	var attacks, days map[string]string
	var folds map[string]*abi.Value
	refuted := false
	var found *foundRepairs
	var timed []overtime.Way
	err = ses.g.run(ctx, ses.scope, ses.point, true, func(in *sandbox.Instance) error {
		msg.Call = ses.dated(ses.point)
		if err := ses.ask(ctx, in, abi.ExportExplain, &msg, &resp); err != nil {
			return err
		}
		var err error
		if attacks, err = ses.attacks(ctx, in, msg.Call, resp.WhyNot); err != nil {
			return err
		}
		if days, err = ses.missingDays(ctx, in, msg.Call, resp.WhyNot); err != nil {
			return err
		}
		if folds, err = ses.foldsWrong(ctx, in, msg.Call, resp.WhyNot); err != nil {
			return err
		}
		if refuted, err = ses.refuted(ctx, in, msg.Call, msg.Relation, msg.Tuple); err != nil || resp.Derived || repairs == 0 {
			return err
		}
		// All that is asked for repairs comes out of what the call may cost once.
		ses.spendable = ses.call.Limits.Fuel
		defer func() { ses.spendable = 0 }()
		if resp.Work.ByDemand > 0 {
			if err := ses.warm(ctx, in, &msg); err != nil {
				return err
			}
		}
		if found, err = ses.repairs(ctx, in, &msg, uint32(repairs)); err != nil || found == nil {
			return err
		}
		timed, err = ses.dayRepairs(ctx, in, &msg, resp.WhyNot, found.most(repairs))
		return err
	})
	var failure *abi.Failure
	if errors.As(err, &failure) && failure.Code == abi.FailureRequest {
		if err := ses.noAlternative(ctx, &msg); err != nil {
			return nil, err
		}
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
	var of *inside
	if !resp.Derived {
		if of, err = ses.insideOf(ctx, &msg); err != nil {
			env, err := ses.refuse(err)
			if err != nil {
				return nil, err
			}
			return explainRefused(&env), nil
		}
	}
	p := ses.prover(ctx, &msg)
	p.attacks, p.days, p.folds = attacks, days, folds
	res := &ExplainResult{Fact: p.fact(msg.Relation, pointers(msg.Tuple)), Derived: resp.Derived, Folded: []FoldedNode{}}
	truth, reason := ses.m.truthOf(msg.Relation, &resp, refuted)
	res.Truth4 = truth.String()
	if len(resp.Nodes) > 0 {
		res.Root = p.node(resp.Nodes, 0, nil)
		if req.Format == "text" {
			p.words(ctx)
		}
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
		if res.Truth4 != abi.Not.String() {
			res.WhyNot.Tag = ""
		}
		if reason != "" {
			res.WhyNot.Reason = reason
		}
		p.inside(res.WhyNot, of)
		res.Truth4 = res.WhyNot.Truth4
		ses.env.Message = p.names.unknown(pointers(msg.Tuple))
		p.repaired(res.WhyNot, found)
		p.overTime(res.WhyNot, timed)
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

// noAlternative is the error for a proof that is asked for and is not there, or
// nil if it is.
func (ses *session) noAlternative(ctx context.Context, msg *abi.ExplainRequest) error {
	if msg.Alternative == 0 {
		return nil
	}
	var resp abi.Explanation
	ask := abi.ExplainRequest{Call: msg.Call, Relation: msg.Relation, Tuple: msg.Tuple, MaxDepth: 2, MaxNodes: 100}
	err := ses.g.run(ctx, ses.scope, ses.point, true, func(in *sandbox.Instance) error {
		return ses.ask(ctx, in, abi.ExportExplain, &ask, &resp)
	})
	ses.bill(sandbox.Usage{}, resp.Work)
	if err != nil || len(resp.Nodes) == 0 || resp.Nodes[0].Alternatives >= msg.Alternative {
		return nil
	}
	fact := ses.prover(ctx, msg).fact(msg.Relation, pointers(msg.Tuple))
	expected := "none: no other proof of " + fact + " was found"
	switch n := resp.Nodes[0].Alternatives; {
	case n == 1:
		expected = "1, or none: one other proof of " + fact + " was found"
	case n > 1:
		expected = fmt.Sprintf("a number up to %d, or none: so many other proofs of %s were found", n, fact)
	}
	return Invalid("alternative", expected, fmt.Sprint(msg.Alternative), "")
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
		return ses.headTuple(ctx, req, msg)
	}
	c, err := ses.m.recompiled(ctx)
	if err != nil {
		return Outcome{}, err
	}
	rel, tuple, err := argon.ParseShown(c.Module, req.Fact, ses.m.params)
	if err != nil {
		var ok bool
		var shownErr error
		if rel, tuple, ok, shownErr = ses.shownFact(ctx, undrawn(req.Fact)); !ok {
			return Outcome{}, Invalid("fact", `a fact as it is printed: Head(a, b), or x.field = value`, err.Error(), "")
		}
		if shownErr != nil {
			return Outcome{}, Invalid("fact", "a fact as it is printed", shownErr.Error(), "")
		}
	}
	msg.Relation, msg.Tuple = rel, tuple
	for i, v := range tuple {
		// What is written as a name may be the id of an individual made at run time.
		if v.Kind == abi.KindNamed {
			tuple[i] = ses.individualNamed(ctx, v)
		}
	}
	if len(tuple) < len(ses.m.program.Relations[rel].Columns) {
		return ses.whole(ctx, msg, "fact")
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
	if found := ses.names(ctx).past.called(v.Str, ses.point.tt); len(found) == 1 {
		return abi.MintedValue(found[0])
	}
	return v
}

func (ses *session) headTuple(ctx context.Context, req ExplainRequest, msg *abi.ExplainRequest) (Outcome, error) {
	rel, err := ses.m.derivable(req.Head)
	if err != nil {
		return Outcome{}, err
	}
	all := ses.m.program.Relations[rel].Columns
	columns, want := all, fmt.Sprint(len(all))
	if shown := ses.m.shownColumns(rel); len(shown) < len(all) {
		want = fmt.Sprintf("%d, or %d with those that its message has", len(shown), len(all))
		if len(req.Tuple) == len(shown) {
			columns = shown
		}
	}
	if len(req.Tuple) != len(columns) {
		return Outcome{}, Invalid("tuple", want+" values", fmt.Sprint(len(req.Tuple)), "")
	}
	msg.Relation = rel
	for i, raw := range req.Tuple {
		v, err := decodeValue(json.RawMessage(raw), columns[i].Type, fmt.Sprintf("tuple[%d]", i), ses.m)
		if err != nil {
			return Outcome{}, err
		}
		if v.Kind == abi.KindNamed {
			v = ses.individualNamed(ctx, v)
		}
		msg.Tuple = append(msg.Tuple, v)
	}
	if len(columns) < len(all) {
		return ses.whole(ctx, msg, "tuple")
	}
	return Outcome{}, nil
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
	if n.TT > latest {
		return Outcome{Code: CodeStaleCursor, Message: "the node is of a state that is not there, as of a server that has ended; explain the fact again"}, nil
	}
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
