package types

import "github.com/ox-mcp/ox-mcp/abi"

// renumber gives the own constants of a trial, in all that it typed, the indexes
// that they have got in the pool that took them over. What two bodies share may
// be met twice: an index that was renumbered is none of a pool that is apart.
func (e *Env) renumber(indexes Adopted) {
	if len(indexes) == 0 {
		return
	}
	r := renumbering{indexes}
	for _, c := range e.Clauses {
		r.clause(c)
	}
	for _, f := range e.trial.fns {
		r.expr(&f.own.Body)
	}
	for _, q := range e.trial.queries {
		r.atoms(q.own.Body)
		r.args(q.own.Out)
	}
	for _, mu := range e.trial.mutations {
		r.stmts(mu.own.Body)
	}
	for _, c := range e.trial.checks {
		r.clause(c.own.Clause)
		r.expr(&c.own.Payload.Severity)
		r.expr(&c.own.Payload.Code)
		r.expr(&c.own.Payload.Message)
	}
}

type renumbering struct{ to Adopted }

func (r renumbering) clause(c *Clause) {
	if c == nil {
		return
	}
	r.args(c.Args)
	r.atoms(c.Body)
	r.atoms(c.Filters)
	for i := range c.Attacks {
		r.args(c.Attacks[i].Args)
	}
}

func (r renumbering) args(args []abi.Arg) {
	for i := range args {
		if args[i].Op == abi.ArgConst {
			args[i].Index = r.to.Of(args[i].Index)
		}
	}
}

func (r renumbering) atoms(list []abi.Atom) {
	for i := range list {
		a := &list[i]
		r.args(a.Args)
		if a.Expr != nil {
			r.expr(a.Expr)
		}
		if a.Pattern != nil {
			r.pattern(a.Pattern)
		}
		r.atoms(a.Body)
	}
}

func (r renumbering) pattern(p *abi.Pattern) {
	if p.Op == abi.PatConst {
		p.Const = r.to.Of(p.Const)
	}
	for i := range p.Items {
		r.pattern(&p.Items[i])
	}
}

func (r renumbering) expr(x *abi.Expr) {
	if x.Op == abi.ExprConst {
		x.Index = r.to.Of(x.Index)
	}
	for i := range x.Args {
		r.expr(&x.Args[i])
	}
	for i := range x.Arms {
		arm := &x.Arms[i]
		r.pattern(&arm.Pattern)
		if arm.Guard != nil {
			r.expr(arm.Guard)
		}
		r.expr(&arm.Body)
	}
	if x.Sub != nil {
		r.atoms(x.Sub.Body)
		if x.Sub.Out != nil {
			r.expr(x.Sub.Out)
		}
	}
}

func (r renumbering) stmts(list []abi.Stmt) {
	for i := range list {
		s := &list[i]
		for j := range s.Exprs {
			r.expr(&s.Exprs[j])
		}
		for j := range s.Fields {
			r.expr(&s.Fields[j].Value)
		}
		if s.At != nil {
			r.expr(s.At)
		}
		r.stmts(s.Body)
		r.stmts(s.Else)
	}
}
