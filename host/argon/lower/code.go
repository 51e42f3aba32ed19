package lower

import "github.com/ox-mcp/ox-mcp/abi"

// code finishes an expression of a fn, mutate or test, where expressions may
// read: it spells out reads of optional fields and hoists the bodies of
// subqueries, which the reasoner joins.
func (b *builder) code(x abi.Expr, slots *[]abi.Slot) abi.Expr {
	if x.Op == abi.ExprRead {
		return b.readValue(x, slots)
	}
	if x.Op == abi.ExprNot {
		x.Name = ""
	}
	x.Args = append([]abi.Expr(nil), x.Args...)
	for i := range x.Args {
		if x.Args[i].Op == abi.ExprRead && plainOperand(&x, i) {
			x.Args[i] = b.plainRead(x.Args[i], slots)
			continue
		}
		x.Args[i] = b.code(x.Args[i], slots)
	}
	x.Arms = append([]abi.Arm(nil), x.Arms...)
	for i := range x.Arms {
		if x.Arms[i].Guard != nil {
			g := b.code(*x.Arms[i].Guard, slots)
			x.Arms[i].Guard = &g
		}
		x.Arms[i].Body = b.code(x.Arms[i].Body, slots)
	}
	if x.Sub != nil {
		sub := b.codeSub(x, slots)
		x.Sub, x.Name, x.Index, x.Args = &sub, "", 0, nil
	}
	return x
}

// plainOperand reports whether operand i of x, a read, is to be the read
// itself: because x knows what to do where there is no value, or because it
// computes with the value, so that there has to be one.
func plainOperand(x *abi.Expr, i int) bool {
	switch x.Op {
	case abi.ExprMatch, abi.ExprIn:
		return i == 0
	case abi.ExprNeg, abi.ExprAdd, abi.ExprSub, abi.ExprMul, abi.ExprDiv, abi.ExprMod,
		abi.ExprEq, abi.ExprNe, abi.ExprLt, abi.ExprLe, abi.ExprGt, abi.ExprGe, abi.ExprIndex, abi.ExprSlice, abi.ExprFold:
		return true
	case abi.ExprBuiltin:
		switch x.Name {
		case abi.BuiltinUnwrapOr:
			return i == 0
		case abi.BuiltinSome, abi.BuiltinText:
			return false
		}
		return true
	}
	return false
}

// codeSub finishes a subquery: its body is joined like that of a rule, so it
// has to bind its variables. Those of the code around it have values.
func (b *builder) codeSub(x abi.Expr, slots *[]abi.Slot) abi.Sub {
	preset := map[int]bool{}
	h := &hoist{b: b, slots: slots, preset: preset}
	for i := range *slots {
		preset[i] = true
	}
	x, _ = h.expanded(x)
	sub := *x.Sub
	for _, i := range sub.Over {
		delete(preset, i)
	}
	sub.Body = h.body(sub.Body)
	if h.stuck {
		return sub
	}
	var out []abi.Arg
	if sub.Out != nil {
		finish := b.code
		if sub.Op == abi.SubFold && sub.Out.Op == abi.ExprRead {
			finish = b.plainRead // there has to be something to fold
		}
		v := finish(*sub.Out, slots)
		sub.Out = &v
		for _, i := range sorted(openExpr(&v)) {
			out = append(out, slotArg(i))
		}
	}
	b.safe(*slots, sub.Body, preset, out, x.Span)
	sub.Body = b.openedSub(&sub, preset, x.Span)
	return sub
}

// plainRead is the read itself, which fails where there is no value. What it
// is a field of has to be there.
func (b *builder) plainRead(x abi.Expr, slots *[]abi.Slot) abi.Expr {
	x.Name = ""
	x.Args = append([]abi.Expr(nil), x.Args...)
	for i := range x.Args {
		if x.Args[i].Op == abi.ExprRead {
			x.Args[i] = b.plainRead(x.Args[i], slots)
			continue
		}
		x.Args[i] = b.code(x.Args[i], slots)
	}
	return x
}

// readValue is a read as a value: of an optional field none where it is absent.
func (b *builder) readValue(x abi.Expr, slots *[]abi.Slot) abi.Expr {
	optional := x.Name != ""
	x = b.plainRead(x, slots)
	if !optional {
		return x
	}
	return abi.Expr{Op: abi.ExprBuiltin, Name: abi.BuiltinUnwrapOr, Args: []abi.Expr{x, b.constant(abi.NoneValue(), x.Span)}, Span: x.Span}
}

func (b *builder) stmts(list []abi.Stmt, slots *[]abi.Slot) []abi.Stmt {
	out := make([]abi.Stmt, len(list))
	for i, s := range list {
		s.Exprs = append([]abi.Expr(nil), s.Exprs...)
		for j := range s.Exprs {
			s.Exprs[j] = b.code(s.Exprs[j], slots)
		}
		s.Fields = append([]abi.FieldInit(nil), s.Fields...)
		for j := range s.Fields {
			s.Fields[j].Value = b.code(s.Fields[j].Value, slots)
		}
		if s.At != nil {
			at := b.code(*s.At, slots)
			s.At = &at
		}
		if s.Body != nil {
			s.Body = b.stmts(s.Body, slots)
		}
		if s.Else != nil {
			s.Else = b.stmts(s.Else, slots)
		}
		out[i] = s
	}
	return out
}
