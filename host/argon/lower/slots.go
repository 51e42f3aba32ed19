package lower

import "github.com/ox-mcp/ox-mcp/abi"

// slotWalk visits the slots of atoms and expressions. use is called for each
// slot that is read or bound in the open; inner for each that an expression
// binds for itself.
type slotWalk struct {
	use   func(*int)
	inner func(*int)
}

func (w slotWalk) atoms(body []abi.Atom) {
	for i := range body {
		w.atom(&body[i])
	}
}

func (w slotWalk) args(args []abi.Arg) {
	for i := range args {
		if args[i].Op == abi.ArgSlot {
			w.use(&args[i].Index)
		}
	}
}

func (w slotWalk) atom(a *abi.Atom) {
	w.args(a.Args)
	switch a.Op {
	case abi.AtomLet, abi.AtomMatch, abi.AtomIn, abi.AtomIs, abi.AtomFold:
		w.use(&a.Slot)
	}
	if a.Expr != nil {
		w.expr(a.Expr)
	}
	if a.Pattern != nil {
		w.pattern(a.Pattern, w.use)
	}
	for i := range a.Over {
		w.use(&a.Over[i])
	}
	w.atoms(a.Body)
}

func (w slotWalk) pattern(p *abi.Pattern, visit func(*int)) {
	if p.Op == abi.PatBind {
		visit(&p.Slot)
	}
	for i := range p.Items {
		w.pattern(&p.Items[i], visit)
	}
}

func (w slotWalk) expr(x *abi.Expr) {
	switch x.Op {
	case abi.ExprSlot:
		w.use(&x.Index)
	case abi.ExprLet, abi.ExprFor:
		w.inner(&x.Index)
	case abi.ExprFold:
		if len(x.Args) > 1 {
			w.inner(&x.Index)
		}
	}
	for i := range x.Args {
		w.expr(&x.Args[i])
	}
	for i := range x.Arms {
		arm := &x.Arms[i]
		w.pattern(&arm.Pattern, w.inner)
		if arm.Guard != nil {
			w.expr(arm.Guard)
		}
		w.expr(&arm.Body)
	}
	if x.Sub != nil {
		w.atoms(x.Sub.Body)
		for i := range x.Sub.Over {
			w.use(&x.Sub.Over[i])
		}
		if x.Sub.Out != nil {
			w.expr(x.Sub.Out)
		}
	}
}

// open returns the slots that atoms use and that no expression inside them
// binds for itself.
func open(visit func(slotWalk)) map[int]bool {
	used, own := map[int]bool{}, map[int]bool{}
	visit(slotWalk{use: func(i *int) { used[*i] = true }, inner: func(i *int) { own[*i] = true }})
	for i := range own {
		delete(used, i)
	}
	return used
}

func openExpr(x *abi.Expr) map[int]bool { return open(func(w slotWalk) { w.expr(x) }) }

// copyExpr returns x with nothing shared.
func copyExpr(x abi.Expr) abi.Expr {
	x.Args = append([]abi.Expr(nil), x.Args...)
	for i := range x.Args {
		x.Args[i] = copyExpr(x.Args[i])
	}
	x.Arms = append([]abi.Arm(nil), x.Arms...)
	for i := range x.Arms {
		arm := &x.Arms[i]
		arm.Pattern = copyPattern(arm.Pattern)
		if arm.Guard != nil {
			g := copyExpr(*arm.Guard)
			arm.Guard = &g
		}
		arm.Body = copyExpr(arm.Body)
	}
	if x.Sub != nil {
		sub := *x.Sub
		sub.Body = copyAtoms(sub.Body)
		sub.Over = append([]int(nil), sub.Over...)
		if sub.Out != nil {
			out := copyExpr(*sub.Out)
			sub.Out = &out
		}
		x.Sub = &sub
	}
	return x
}

func copyPattern(p abi.Pattern) abi.Pattern {
	p.Items = append([]abi.Pattern(nil), p.Items...)
	for i := range p.Items {
		p.Items[i] = copyPattern(p.Items[i])
	}
	return p
}

func copyAtoms(body []abi.Atom) []abi.Atom {
	if body == nil {
		return nil
	}
	out := make([]abi.Atom, len(body))
	for i, a := range body {
		a.Args = append([]abi.Arg(nil), a.Args...)
		a.Over = append([]int(nil), a.Over...)
		if a.Expr != nil {
			x := copyExpr(*a.Expr)
			a.Expr = &x
		}
		if a.Pattern != nil {
			p := copyPattern(*a.Pattern)
			a.Pattern = &p
		}
		a.Body = copyAtoms(a.Body)
		out[i] = a
	}
	return out
}

// reads reports whether x reads relations, also by the functions it calls.
func (b *builder) reads(x *abi.Expr) bool {
	switch x.Op {
	case abi.ExprRead, abi.ExprReadAll, abi.ExprHolds, abi.ExprSub_:
		return true
	case abi.ExprCall:
		if x.Index < len(b.readers) && b.readers[x.Index] {
			return true
		}
	}
	for i := range x.Args {
		if b.reads(&x.Args[i]) {
			return true
		}
	}
	for i := range x.Arms {
		if x.Arms[i].Guard != nil && b.reads(x.Arms[i].Guard) || b.reads(&x.Arms[i].Body) {
			return true
		}
	}
	return false
}
