package abi

// References visits what rules, expressions and statements refer to in their
// program, each place by a pointer: what is visited may be renumbered. A nil
// function is not called.
type References struct {
	Relation func(*int) // an index of Program.Relations
	Constant func(*int) // of Program.Constants
	Function func(*int) // of Program.Functions
	Span     func(*Span)
	Builtin  func(name string)
}

func (v References) at(f func(*int), i *int) {
	if f != nil {
		f(i)
	}
}

func (v References) place(s *Span) {
	if v.Span != nil {
		v.Span(s)
	}
}

// Rule visits a rule: its head, its arguments and its body.
func (v References) Rule(r *Rule) {
	v.at(v.Relation, &r.Head)
	v.Args(r.Args)
	v.Atoms(r.Body)
	v.place(&r.Span)
}

// Args visits the constants among arguments.
func (v References) Args(args []Arg) {
	for i := range args {
		if args[i].Op == ArgConst {
			v.at(v.Constant, &args[i].Index)
		}
	}
}

// Atoms visits the atoms of a body, those inside them too.
func (v References) Atoms(body []Atom) {
	for i := range body {
		a := &body[i]
		if a.Op == AtomScan {
			v.at(v.Relation, &a.Rel)
		}
		v.Args(a.Args)
		if a.Expr != nil {
			v.Expr(a.Expr)
		}
		if a.Pattern != nil {
			v.Pattern(a.Pattern)
		}
		v.Atoms(a.Body)
		v.place(&a.Span)
	}
}

// Pattern visits the constants of a pattern.
func (v References) Pattern(p *Pattern) {
	if p.Op == PatConst {
		v.at(v.Constant, &p.Const)
	}
	for i := range p.Items {
		v.Pattern(&p.Items[i])
	}
}

// Expr visits an expression with all that is in it.
func (v References) Expr(x *Expr) {
	switch x.Op {
	case ExprConst:
		v.at(v.Constant, &x.Index)
	case ExprCall:
		v.at(v.Function, &x.Index)
	case ExprRead, ExprReadAll, ExprHolds:
		v.at(v.Relation, &x.Index)
	case ExprBuiltin:
		if v.Builtin != nil {
			v.Builtin(x.Name)
		}
	}
	for i := range x.Args {
		v.Expr(&x.Args[i])
	}
	for i := range x.Arms {
		arm := &x.Arms[i]
		v.Pattern(&arm.Pattern)
		if arm.Guard != nil {
			v.Expr(arm.Guard)
		}
		v.Expr(&arm.Body)
	}
	if x.Sub != nil {
		v.Atoms(x.Sub.Body)
		if x.Sub.Out != nil {
			v.Expr(x.Sub.Out)
		}
	}
	v.place(&x.Span)
}

// Payload visits what a check says.
func (v References) Payload(p *Payload) {
	v.Expr(&p.Severity)
	v.Expr(&p.Code)
	v.Expr(&p.Message)
}

// Stmts visits the expressions of statements; the relations that statements
// themselves write are not visited.
func (v References) Stmts(list []Stmt) {
	for i := range list {
		s := &list[i]
		for j := range s.Exprs {
			v.Expr(&s.Exprs[j])
		}
		for j := range s.Fields {
			v.Expr(&s.Fields[j].Value)
		}
		if s.At != nil {
			v.Expr(s.At)
		}
		v.Stmts(s.Body)
		v.Stmts(s.Else)
	}
}
