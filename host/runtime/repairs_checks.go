package runtime

import (
	"context"
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
)

// judgeFuel is what it may cost together to hold the repairs of one answer
// against the checks, in units of docs/fuel.md, and mostJudged how many are.
const (
	judgeFuel  = 100_000_000
	mostJudged = 6
)

// judgement is what the checks say of a repair.
type judgement struct {
	made     bool      // it was held against them
	refusing []verdict // what a write of it would newly violate, of severity Error
}

// judge holds the repairs that were tried against the checks, each as the write
// that it would be, on a clone of in, the instance of the trials. It ends where
// that costs too much, or where a check passes a limit: then nothing is known of
// those that are left.
func (ses *session) judge(ctx context.Context, in *sandbox.Instance, call abi.Call, out *foundRepairs) error {
	if !ses.m.refuses() {
		return nil
	}
	out.judged = make([]judgement, len(out.search.Repairs))
	if !ses.point.live || out.spoilt {
		return nil // nothing can be written there, or nobody knows what is there
	}
	most, within := ses.spendable, ses.usage.Fuel+judgeFuel
	if most > 0 {
		within = min(within, most)
	}
	ses.spendable = within
	defer func() { ses.spendable = most }()
	judged := 0
	for i := range out.search.Repairs {
		if !out.verified[i] {
			continue
		}
		if judged == mostJudged || ses.usage.Fuel >= within {
			return nil
		}
		judged++
		refusing, err := ses.refusing(ctx, in, call, &out.search.Repairs[i])
		if err != nil {
			return ctx.Err()
		}
		out.judged[i] = judgement{true, refusing}
	}
	return nil
}

// refuses reports whether the module has checks that refuse writes.
func (m *module) refuses() bool {
	return slices.ContainsFunc(m.program.Checks, func(c abi.Check) bool { return c.Severity == abi.SeverityError })
}

// refusing is what a repair would newly violate as a write.
func (ses *session) refusing(ctx context.Context, in *sandbox.Instance, call abi.Call, r *abi.Repair) ([]verdict, error) {
	clone, err := in.Clone(ctx)
	if err != nil {
		return nil, err
	}
	defer drop(ctx, &clone)
	msg := abi.MutateRequest{Call: call, Mutation: len(ses.m.program.Mutations), Extension: ses.m.asWrite(r)}
	var out abi.MutateResponse
	if err := ses.ask(ctx, clone, abi.ExportMutate, &msg, &out); err != nil {
		return nil, err
	}
	ses.bill(sandbox.Usage{}, out.Work)
	list, err := ses.verdicts(ctx, out.Violations, heldState(clone))
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(list, func(v verdict) bool { return v.Severity != abi.SeverityError }), nil
}

// asWrite is the mutation that makes a repair.
func (m *module) asWrite(r *abi.Repair) *abi.Extension {
	x := &abi.Extension{}
	var body []abi.Stmt
	state := func(op abi.StmtOp, facts []abi.RepairFact) {
		for _, f := range facts {
			s := abi.Stmt{Op: op, Rel: f.Relation}
			for _, v := range f.Tuple {
				s.Exprs = append(s.Exprs, abi.Expr{Op: abi.ExprConst, Index: len(m.program.Constants) + len(x.Constants)})
				x.Constants = append(x.Constants, v)
			}
			body = append(body, s)
		}
	}
	state(abi.StmtRetract, r.Removed)
	state(abi.StmtAssert, r.Facts)
	x.Mutations = []abi.Mutation{{Name: "repair", Body: body}}
	return x
}

// judged adds to a repair what the checks say of it.
func (p *prover) judged(r *Repair, j judgement) {
	r.Unchecked = !j.made
	for _, v := range j.refusing {
		p.names.speak(&v)
		r.Refused = append(r.Refused, v.Code+": "+v.Message)
	}
}
