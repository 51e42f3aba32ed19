package engine

import "github.com/ox-mcp/ox-mcp/abi"

// spoken returns which constants the rules and functions speak of: the others are
// those of writes and of the messages of checks.
func (e *Engine) spoken() []bool {
	out := make([]bool, len(e.consts))
	var expr func(*abi.Expr)
	var pattern func(*abi.Pattern)
	var body func([]abi.Atom)
	note := func(k int) {
		if k >= 0 && k < len(out) {
			out[k] = true
		}
	}
	args := func(args []abi.Arg) {
		for _, x := range args {
			if x.Op == abi.ArgConst {
				note(x.Index)
			}
		}
	}
	pattern = func(p *abi.Pattern) {
		if p == nil {
			return
		}
		if p.Op == abi.PatConst {
			note(p.Const)
		}
		for i := range p.Items {
			pattern(&p.Items[i])
		}
	}
	expr = func(x *abi.Expr) {
		if x == nil {
			return
		}
		if x.Op == abi.ExprConst {
			note(x.Index)
		}
		for i := range x.Args {
			expr(&x.Args[i])
		}
		for i := range x.Arms {
			pattern(&x.Arms[i].Pattern)
			expr(x.Arms[i].Guard)
			expr(&x.Arms[i].Body)
		}
		if x.Sub != nil {
			body(x.Sub.Body)
			expr(x.Sub.Out)
		}
	}
	body = func(atoms []abi.Atom) {
		for i := range atoms {
			a := &atoms[i]
			args(a.Args)
			expr(a.Expr)
			pattern(a.Pattern)
			body(a.Body)
		}
	}
	for _, rs := range e.rules {
		args(rs.rule.Args)
		body(rs.rule.Body)
	}
	for i := range e.prog.Functions {
		expr(&e.prog.Functions[i].Body)
	}
	return out
}
