package engine

import "github.com/ox-mcp/ox-mcp/abi"

// Compute evaluates a function or an expression over the state as it stands.
func (e *Engine) Compute(r *abi.ComputeRequest) (*abi.ComputeResponse, *abi.Failure) {
	if f := e.begin(&r.Call); f != nil {
		return nil, f
	}
	if f := e.attach(r.Extension); f != nil {
		return nil, f
	}
	e.vm.Reader = &state{e: e}
	defer func() { e.vm.Reader = nil }()
	var x abi.Term
	if r.Expr != nil {
		code, f := e.vm.Compile(r.Expr, len(r.Slots))
		if f != nil {
			return nil, f
		}
		if x, f = e.vm.EvalStrict(code, e.internOptional(r.Slots)); f != nil {
			return nil, f
		}
	} else {
		args := make([]abi.Term, len(r.Args))
		for i := range r.Args {
			args[i] = e.terms.Intern(r.Args[i])
		}
		var f *abi.Failure
		if x, f = e.vm.Call(r.Function, args); f != nil {
			return nil, f
		}
	}
	return &abi.ComputeResponse{Value: e.terms.Value(x), Work: e.spent()}, nil
}
