package runtime

import (
	"context"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
)

// foundRepairs are the repairs that the reasoner found for a fact that does not
// hold, and of each whether the fact held once it was made.
type foundRepairs struct {
	search   abi.RepairSearch
	verified []bool
}

// repairs looks for what would make the fact of msg hold, and tries what it
// finds: all on a clone of in, since a search that passes a limit ends the
// instance that it runs on. nil means that the instance cannot be cloned, or
// that its build does not look for repairs.
func (ses *session) repairs(ctx context.Context, in *sandbox.Instance, msg *abi.ExplainRequest, most uint32) (*foundRepairs, error) {
	clone, err := in.Clone(ctx)
	if err != nil {
		return nil, ctx.Err()
	}
	defer drop(ctx, &clone)
	ask := abi.ExplainRequest{Call: msg.Call, Relation: msg.Relation, Tuple: msg.Tuple, MaxDepth: 1, MaxNodes: 1, Repairs: most}
	var resp abi.Explanation
	if err := ses.ask(ctx, clone, abi.ExportExplain, &ask, &resp); err != nil {
		if dead(err) {
			// It was stopped on its way, so nothing is known of what it covered.
			return &foundRepairs{search: abi.RepairSearch{MaxSize: 0}}, ctx.Err()
		}
		return nil, nil
	}
	ses.bill(sandbox.Usage{}, resp.Work)
	if resp.Repairs == nil {
		return nil, nil
	}
	out := &foundRepairs{search: *resp.Repairs, verified: make([]bool, len(resp.Repairs.Repairs))}
	for i := range out.search.Repairs {
		ok, err := ses.verify(ctx, clone, msg, &out.search.Repairs[i])
		if dead(err) {
			return out, ctx.Err()
		}
		out.verified[i] = ok && err == nil
	}
	return out, nil
}

// verify reports whether the fact holds in the state of in with a repair made.
// Afterwards in is as before.
func (ses *session) verify(ctx context.Context, in *sandbox.Instance, msg *abi.ExplainRequest, r *abi.Repair) (holds bool, err error) {
	if err := ses.assert(ctx, in, msg.Call, r, false); err != nil {
		return false, err
	}
	var resp abi.Explanation
	ask := abi.ExplainRequest{Call: msg.Call, Relation: msg.Relation, Tuple: msg.Tuple, MaxDepth: 1, MaxNodes: 1}
	if err := ses.ask(ctx, in, abi.ExportExplain, &ask, &resp); err != nil {
		return false, err
	}
	ses.bill(sandbox.Usage{}, resp.Work)
	return resp.Derived, ses.assert(ctx, in, msg.Call, r, true)
}

// assert adds the facts of a repair, or takes them back.
func (ses *session) assert(ctx context.Context, in *sandbox.Instance, call abi.Call, r *abi.Repair, remove bool) error {
	req := abi.AssertRequest{Call: call}
	for _, f := range r.Facts {
		b := abi.FrameBuilder{Arity: len(f.Tuple)}
		b.Add(f.Tuple)
		req.Deltas = append(req.Deltas, abi.Delta{Relation: f.Relation, Remove: remove, Frame: b.Frame()})
	}
	return ses.ask(ctx, in, abi.ExportAssert, &req, &abi.AssertResponse{})
}

// repaired adds what was found to the root of a why-not answer.
func (p *prover) repaired(n *WhyNotNode, found *foundRepairs) {
	if found == nil {
		return
	}
	n.Searched = &Searched{MaxSize: int(found.search.MaxSize), Complete: found.search.Complete}
	for i, r := range found.search.Repairs {
		shown := Repair{Facts: []string{}, Verified: found.verified[i]}
		for _, f := range r.Facts {
			if f.Relation >= 0 && f.Relation < len(p.m.program.Relations) {
				shown.Facts = append(shown.Facts, p.fact(f.Relation, pointers(f.Tuple)))
			}
		}
		n.Repairs = append(n.Repairs, shown)
	}
}
