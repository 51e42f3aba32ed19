package runtime

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/governor"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
)

// trialFuel is what the trials of the repairs of one answer may cost together,
// in units of docs/fuel.md. The first may cost what the call has left: an answer
// names one at least that was tried.
const trialFuel = 1_000_000_000

// searchFuel is what a search for repairs may cost before anything is tried, in
// units of docs/fuel.md. Where it rests on a relation without an end it would
// else go on for the time that a call has, and end by the clock.
const searchFuel = 5_000_000_000

// foundRepairs are the repairs that the reasoner found for a fact that does not
// hold, and of each whether the fact held once it was made.
type foundRepairs struct {
	search   abi.RepairSearch
	verified []bool
	spoilt   bool        // a trial failed: the state that they were tried in is not what it was
	stopped  string      // why the search could not be made, or not be ended; "": it was
	judged   []judgement // nil: no check refuses anything
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
	before, within := ses.spendable, ses.usage.Fuel+searchFuel
	own := before == 0 || within < before
	if own {
		ses.spendable = within
	}
	err = ses.ask(ctx, clone, abi.ExportExplain, &ask, &resp)
	if ses.spendable = before; err != nil {
		// Nothing is known of what it covered.
		return &foundRepairs{stopped: stoppedBy(err, own)}, ctx.Err()
	}
	ses.bill(sandbox.Usage{}, resp.Work)
	if resp.Repairs == nil {
		return nil, nil
	}
	out := &foundRepairs{search: *resp.Repairs}
	if l := resp.Repairs.Limit; l != nil {
		out.stopped = breachText(l, own)
		return out, nil
	}
	if resp.Work.ByDemand == 0 {
		ses.g.searched.Store(msg.Relation, true)
	}
	if err := ses.tryRepairs(ctx, clone, msg, out); err != nil {
		return out, err
	}
	return out, ses.judge(ctx, clone, msg.Call, out)
}

// stoppedBy says in words what ended a search; own means that its fuel was
// bounded by searchFuel.
func stoppedBy(err error, own bool) string {
	if l := governor.FromError(err); l != nil {
		return breachText(&abi.Breach{Limit: l.Limit, Allowed: l.Allowed}, own)
	}
	return err.Error()
}

func breachText(l *abi.Breach, own bool) string {
	if own && l.Limit == abi.LimitFuel {
		return fmt.Sprintf("it took the %d units of fuel that a search may take", uint64(searchFuel))
	}
	return fmt.Sprintf("it passed the limit %s of %d", l.Limit, l.Allowed)
}

// warm evaluates a relation in a served instance, where an earlier search for
// repairs has had to do so on its clone: so that the ones to come do not.
func (ses *session) warm(ctx context.Context, in *sandbox.Instance, msg *abi.ExplainRequest) error {
	if _, wanted := ses.g.searched.Load(msg.Relation); !wanted || ses.g.service.canonical(ctx) {
		return nil
	}
	ask := abi.DeriveRequest{Call: msg.Call, Relation: msg.Relation, Page: abi.Page{Limit: 1}}
	var rows abi.Rows
	err := ses.ask(ctx, in, abi.ExportDerive, &ask, &rows)
	if dead(err) {
		return err
	}
	ses.bill(sandbox.Usage{}, rows.Work)
	return nil
}

// tryRepairs tries what was found, and keeps what could be tried within
// trialFuel: what it has no room for is left out as if it had not been found.
func (ses *session) tryRepairs(ctx context.Context, in *sandbox.Instance, msg *abi.ExplainRequest, out *foundRepairs) error {
	list, most, dearest := out.search.Repairs, ses.spendable, uint64(0)
	defer func() { ses.spendable = most }()
	within := ses.usage.Fuel + trialFuel
	if most > 0 {
		within = min(within, most)
	}
	for i := range list {
		before := ses.usage.Fuel
		if i > 0 && before+dearest > within {
			out.until(i)
			return nil
		}
		holds, err := ses.verify(ctx, in, msg, &list[i])
		if err != nil {
			out.until(i)
			out.spoilt = true
			return ctx.Err()
		}
		dearest = max(dearest, ses.usage.Fuel-before)
		ses.spendable = within
		out.verified = append(out.verified, holds)
	}
	return nil
}

// until leaves out the repairs from the one at n on.
func (f *foundRepairs) until(n int) {
	f.search.Repairs, f.search.Complete = f.search.Repairs[:n], false
}

// verify reports whether the fact is seen to hold in the state of in with a
// repair made: not where that passes a limit. Afterwards in is as before; after
// an error it may not be.
func (ses *session) verify(ctx context.Context, in *sandbox.Instance, msg *abi.ExplainRequest, r *abi.Repair) (holds bool, err error) {
	if err := ses.assert(ctx, in, msg.Call, r.Removed, r.Facts); err != nil {
		return false, err
	}
	// Whether it holds, and not how: a proof would have the rules and rounds of an
	// evaluation from nothing.
	var resp abi.ComputeResponse
	ask := abi.ComputeRequest{Call: msg.Call, Expr: &abi.Expr{Op: abi.ExprHolds, Index: msg.Relation}}
	for i := range msg.Tuple {
		ask.Slots = append(ask.Slots, &msg.Tuple[i])
		ask.Expr.Args = append(ask.Expr.Args, abi.Expr{Op: abi.ExprSlot, Index: i})
	}
	asked := ses.ask(ctx, in, abi.ExportCompute, &ask, &resp)
	if dead(asked) {
		return false, asked
	}
	ses.bill(sandbox.Usage{}, resp.Work)
	if err := ses.assert(ctx, in, msg.Call, r.Facts, r.Removed); err != nil {
		return false, err
	}
	return asked == nil && resp.Value.Kind == abi.KindBool && resp.Value.Int != 0, nil
}

// assert takes some facts away and adds others.
func (ses *session) assert(ctx context.Context, in *sandbox.Instance, call abi.Call, removed, added []abi.RepairFact) error {
	req := abi.AssertRequest{Call: call}
	note := func(facts []abi.RepairFact, remove bool) {
		for _, f := range facts {
			b := abi.FrameBuilder{Arity: len(f.Tuple)}
			b.Add(f.Tuple)
			req.Deltas = append(req.Deltas, abi.Delta{Relation: f.Relation, Remove: remove, Frame: b.Frame()})
		}
	}
	note(removed, true)
	note(added, false)
	return ses.ask(ctx, in, abi.ExportAssert, &req, &abi.AssertResponse{})
}

// repaired adds what was found to the root of a why-not answer.
func (p *prover) repaired(n *WhyNotNode, found *foundRepairs) {
	if found == nil {
		return
	}
	// The reasoner neither adds nor takes away days.
	complete := found.search.Complete && !p.m.restsOnDays(p.msg.Relation) && !p.m.waitsForRefutation(p.msg.Relation)
	n.Searched = &Searched{MaxSize: int(found.search.MaxSize), Complete: complete, Removals: found.search.Removals, Tried: int(min(found.search.Tried, math.MaxInt32)), Stopped: found.stopped}
	for i := range found.search.Repairs {
		shown := p.repair(&found.search.Repairs[i])
		shown.Verified = found.verified[i]
		if shown.Verified && found.judged != nil {
			p.judged(&shown, found.judged[i])
		}
		n.Repairs = append(n.Repairs, shown)
	}
	// What no check forbids comes first.
	slices.SortStableFunc(n.Repairs, func(a, b Repair) int { return min(len(a.Refused), 1) - min(len(b.Refused), 1) })
}

// repair shows a repair. What makes way for another value is shown with that.
func (p *prover) repair(r *abi.Repair) Repair {
	out := Repair{Facts: []string{}}
	replaced := make([]bool, len(r.Removed))
	was := make([]string, 0, len(r.Facts))
	for _, f := range r.Facts {
		if f.Relation < 0 || f.Relation >= len(p.m.program.Relations) {
			continue
		}
		out.Facts = append(out.Facts, p.fact(f.Relation, pointers(f.Tuple)))
		was = append(was, "")
		of := f
		for i, old := range r.Removed {
			if key := p.m.program.Relations[f.Relation].Key; old.Relation == f.Relation && sameKey(key, f.Tuple, old.Tuple) {
				replaced[i], of = true, old
				was[len(was)-1] = p.displaced(&f, &old)
				out.Was = was
			}
		}
		out.Fixed = append(out.Fixed, p.fixed(&of)...)
	}
	if out.Was != nil {
		out.Was = was
	}
	for i, f := range r.Removed {
		if !replaced[i] && f.Relation >= 0 && f.Relation < len(p.m.program.Relations) {
			out.Removed = append(out.Removed, p.fact(f.Relation, pointers(f.Tuple)))
			out.Fixed = append(out.Fixed, p.fixed(&f)...)
		}
	}
	return out
}

// fixed says that the value of a field is not for an update to change, and where
// it comes from instead.
func (p *prover) fixed(f *abi.RepairFact) []string {
	r := &p.m.program.Relations[f.Relation]
	if r.Origin != abi.OriginField || r.Mut {
		return nil
	}
	name := p.m.title(f.Relation) + " is not mut"
	source, event := p.prov.of(f.Relation, pointers(f.Tuple))
	switch {
	case source != nil:
		return []string{name + ": change " + place(source)}
	case event != nil:
		return []string{name + ": no write changes it"}
	}
	return []string{name + ": it is given with the individual"}
}

// sameKey reports whether two tuples agree in the columns of a key, which is not
// all of them.
func sameKey(key []int, a, b []abi.Value) bool {
	if len(key) == 0 || len(key) >= len(a) || len(a) != len(b) {
		return false
	}
	for _, c := range key {
		if c >= len(a) || !abi.Equal(a[c], b[c]) {
			return false
		}
	}
	return true
}

// displaced is the text of the value that a fact takes the place of, or of the
// fact where it is more than one value.
func (p *prover) displaced(f, old *abi.RepairFact) string {
	r := &p.m.program.Relations[old.Relation]
	differ := -1
	for i := range old.Tuple {
		if !abi.Equal(f.Tuple[i], old.Tuple[i]) {
			if differ >= 0 {
				return p.fact(old.Relation, pointers(old.Tuple))
			}
			differ = i
		}
	}
	if differ < 0 || differ >= len(r.Columns) {
		return p.fact(old.Relation, pointers(old.Tuple))
	}
	if v := old.Tuple[differ]; v.Kind == abi.KindString {
		return quote(v.Str)
	}
	return displayText(old.Tuple[differ], r.Columns[differ].Type, p.names)
}
