package runtime

import (
	"context"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
)

// Compute evaluates a declared fn over the state.
func (s *Service) Compute(ctx context.Context, req ComputeRequest) (*ComputeResult, error) {
	ses, refused, err := s.begin(ctx, req.Common)
	if ses == nil {
		return computeRefused(refused), err
	}
	defer ses.end()
	if err := ses.oneView("a computation"); err != nil {
		return nil, err
	}
	items := make([]string, len(ses.m.program.Functions))
	for i, f := range ses.m.program.Functions {
		items[i] = f.Name
	}
	i, err := ses.m.named("fn", req.Name, items)
	if err != nil {
		return nil, err
	}
	f := &ses.m.program.Functions[i]
	if !fromOutside(f) {
		return nil, Invalid("name", "a fn whose parameters and result are values of known types", f.Name+", which is generic or takes or gives a function", "")
	}
	msg := abi.ComputeRequest{Function: i}
	if err := unknownArgs(req.Args, f.Params); err != nil {
		return nil, err
	}
	for _, p := range f.Params {
		raw, ok := req.Args[p.Name]
		if !ok {
			return nil, Invalid("args."+p.Name, expectation(p.Type), "nothing", "")
		}
		v, err := decodeValue(raw, p.Type, "args."+p.Name, ses.m)
		if err != nil {
			return nil, err
		}
		msg.Args = append(msg.Args, v)
	}
	var resp abi.ComputeResponse
	err = ses.g.run(ctx, ses.scope, ses.point, true, func(in *sandbox.Instance) error {
		msg.Call = ses.dated(ses.point)
		return ses.ask(ctx, in, abi.ExportCompute, &msg, &resp)
	})
	if err != nil {
		env, err := ses.refuse(err)
		if err != nil {
			return nil, err
		}
		return computeRefused(&env), nil
	}
	ses.bill(sandbox.Usage{}, resp.Work)
	c := cell(resp.Value, f.Result, ses.names(ctx))
	return &ComputeResult{Envelope: ses.finish(), Name: f.Name, Value: &c, Emissions: []Diagnostic{}}, nil
}

func computeRefused(env *Envelope) *ComputeResult {
	if env == nil {
		return nil
	}
	return &ComputeResult{Envelope: *env, Emissions: []Diagnostic{}}
}
