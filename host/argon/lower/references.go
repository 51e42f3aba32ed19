package lower

import "github.com/ox-mcp/ox-mcp/abi"

// references visits what rules and expressions refer to in their program. A nil
// function is not called.
type references struct {
	relation func(*int)
	constant func(*int)
	function func(*int)
	span     func(*abi.Span)
	builtin  func(name string)
}

func (v references) at(f func(*int), i *int) {
	if f != nil {
		f(i)
	}
}

func (v references) place(s *abi.Span) {
	if v.span != nil {
		v.span(s)
	}
}

func (v references) rule(r *abi.Rule) {
	v.at(v.relation, &r.Head)
	v.args(r.Args)
	v.atoms(r.Body)
	v.place(&r.Span)
}

func (v references) args(args []abi.Arg) {
	for i := range args {
		if args[i].Op == abi.ArgConst {
			v.at(v.constant, &args[i].Index)
		}
	}
}

func (v references) atoms(body []abi.Atom) {
	for i := range body {
		a := &body[i]
		if a.Op == abi.AtomScan {
			v.at(v.relation, &a.Rel)
		}
		v.args(a.Args)
		if a.Expr != nil {
			v.expr(a.Expr)
		}
		if a.Pattern != nil {
			v.pattern(a.Pattern)
		}
		v.atoms(a.Body)
		v.place(&a.Span)
	}
}

func (v references) pattern(p *abi.Pattern) {
	if p.Op == abi.PatConst {
		v.at(v.constant, &p.Const)
	}
	for i := range p.Items {
		v.pattern(&p.Items[i])
	}
}

func (v references) expr(x *abi.Expr) {
	switch x.Op {
	case abi.ExprConst:
		v.at(v.constant, &x.Index)
	case abi.ExprCall:
		v.at(v.function, &x.Index)
	case abi.ExprRead, abi.ExprReadAll, abi.ExprHolds:
		v.at(v.relation, &x.Index)
	case abi.ExprBuiltin:
		if v.builtin != nil {
			v.builtin(x.Name)
		}
	}
	for i := range x.Args {
		v.expr(&x.Args[i])
	}
	for i := range x.Arms {
		arm := &x.Arms[i]
		v.pattern(&arm.Pattern)
		if arm.Guard != nil {
			v.expr(arm.Guard)
		}
		v.expr(&arm.Body)
	}
	if x.Sub != nil {
		v.atoms(x.Sub.Body)
		if x.Sub.Out != nil {
			v.expr(x.Sub.Out)
		}
	}
	v.place(&x.Span)
}

func (v references) payload(p *abi.Payload) {
	v.expr(&p.Severity)
	v.expr(&p.Code)
	v.expr(&p.Message)
}
