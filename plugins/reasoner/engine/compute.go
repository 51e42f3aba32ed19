package engine

import "github.com/ox-mcp/ox-mcp/abi"

// Compute evaluates a function or an expression over the state as it stands.
func (e *Engine) Compute(r *abi.ComputeRequest) (*abi.ComputeResponse, *abi.Failure) {
	if f := e.begin(&r.Call); f != nil {
		return nil, f
	}
	if _, f := e.attach(r.Extension); f != nil {
		return nil, f
	}
	e.vm.Reader = &state{e: e}
	defer func() { e.vm.Reader = nil }()
	var x abi.Term
	if r.Expr != nil {
		if err := e.prog.ValidateExpr(r.Expr, len(r.Slots), nil); err != nil {
			return nil, badRequest("the expression does not fit the program: %s", err)
		}
		slots := unboundSlots(r.Expr.Slots(len(r.Slots)))
		copy(slots, e.internOptional(r.Slots))
		code, f := e.vm.Compile(r.Expr, len(slots))
		if f != nil {
			return nil, f
		}
		if x, f = e.vm.EvalStrict(code, slots); f != nil {
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
