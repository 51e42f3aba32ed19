package types

import (
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// x? is the value of an Ok or Some, and leaves the function with the Err or
// None otherwise. Expressions have no way to leave: the body is rewritten, so
// that what follows x? becomes the arm of a match on x.

// leaving is what ? may leave: a function of the type result, Top where that is
// still open.
type leaving struct {
	result abi.Type
	marks  bool // there is a ? to rewrite
}

// tryMark marks, as the Name of an ExprMatch, x? before it is rewritten: of an
// Option with tryOption, of a Result with tryResult.
const (
	tryOption = "?option"
	tryResult = "?result"
)

// tryValue is the constant that wraps the value of a branch without a reason to
// leave, beside branches that leave.
const tryValue = "?"

func (s *scope) try(x *syntax.Try) (abi.Expr, abi.Type) {
	v, t := s.value(x.X, Top)
	switch {
	case s.leaves == nil:
		s.report("OE0291", x, "match on the value", "? leaves a function, and this is none")
		return v, Top
	case unknown(t):
		return v, Top
	case t.Op != abi.TypeOption && !isResult(t):
		s.report("OE0291", x, "take the ? out", "? takes an Option or a Result, and this is of type %s", Print(t))
		return v, t
	}
	out := abi.Expr{Op: abi.ExprMatch, Name: tryOption, Args: []abi.Expr{v}, Span: s.span(x)}
	to := s.leaves.result
	s.leaves.marks = true
	if t.Op == abi.TypeOption {
		if !unknown(to) && to.Op != abi.TypeOption {
			s.report("OE0291", x, "match on the value, or let the function give an Option", "? would leave the function with None, and its result is of type %s", Print(to))
		}
		return out, t.Args[0]
	}
	out.Name = tryResult
	switch {
	case unknown(to):
	case !isResult(to):
		s.report("OE0291", x, "match on the value, or let the function give a Result", "? would leave the function with an Err, and its result is of type %s", Print(to))
	case !s.e.Fits(t.Args[1], to.Args[1]):
		s.report("OE0291", x, "match on the value, and make an error of the other type", "? would leave the function with an error of type %s, and its errors are of type %s", Print(t.Args[1]), Print(to.Args[1]))
	}
	return out, t.Args[0]
}

// leave rewrites the ? of a function's body.
func (s *scope) leave(body abi.Expr) abi.Expr {
	if s.leaves == nil || !s.leaves.marks {
		return body
	}
	return s.tail(body)
}

func leavesIn(x *abi.Expr) bool {
	if x.Op == abi.ExprMatch && (x.Name == tryOption || x.Name == tryResult) {
		return true
	}
	for i := range x.Args {
		if leavesIn(&x.Args[i]) {
			return true
		}
	}
	for i := range x.Arms {
		if x.Arms[i].Guard != nil && leavesIn(x.Arms[i].Guard) || leavesIn(&x.Arms[i].Body) {
			return true
		}
	}
	return x.Sub != nil && leavesInSub(x.Sub)
}

func leavesInSub(sub *abi.Sub) bool {
	return sub.Out != nil && leavesIn(sub.Out) || leavesInAtoms(sub.Body)
}

func leavesInAtoms(body []abi.Atom) bool {
	for i := range body {
		if body[i].Expr != nil && leavesIn(body[i].Expr) || leavesInAtoms(body[i].Body) {
			return true
		}
	}
	return false
}

// tail rewrites x, whose value is what the function gives.
func (s *scope) tail(x abi.Expr) abi.Expr {
	if !leavesIn(&x) {
		return x
	}
	return s.branches(x, s.tail)
}

// branches rewrites x where the ends of its branches become end of them.
func (s *scope) branches(x abi.Expr, end func(abi.Expr) abi.Expr) abi.Expr {
	switch {
	case !leavesIn(&x):
		return end(x)
	case x.Op == abi.ExprLet:
		return s.bind(x.Args[0], func(v abi.Expr) abi.Expr {
			x.Args = []abi.Expr{v, s.branches(x.Args[1], end)}
			return x
		})
	case x.Op == abi.ExprIf:
		return s.bind(x.Args[0], func(v abi.Expr) abi.Expr {
			x.Args = []abi.Expr{v, s.branches(x.Args[1], end), s.branches(x.Args[2], end)}
			return x
		})
	case x.Op == abi.ExprMatch && x.Name == "":
		return s.bind(x.Args[0], func(v abi.Expr) abi.Expr {
			x.Args = []abi.Expr{v}
			x.Arms = append([]abi.Arm(nil), x.Arms...)
			for i := range x.Arms {
				if g := x.Arms[i].Guard; g != nil && leavesIn(g) {
					s.stray(*g)
				}
				x.Arms[i].Body = s.branches(x.Arms[i].Body, end)
			}
			return x
		})
	}
	return s.bind(x, end)
}

// bind evaluates x and goes on with its value in rest.
func (s *scope) bind(x abi.Expr, rest func(abi.Expr) abi.Expr) abi.Expr {
	if !leavesIn(&x) {
		return rest(x)
	}
	switch x.Op {
	case abi.ExprMatch:
		if x.Name != "" {
			return s.unwrap(x, rest)
		}
		return s.joined(x, rest)
	case abi.ExprIf:
		return s.joined(x, rest)
	case abi.ExprLet:
		return s.bind(x.Args[0], func(v abi.Expr) abi.Expr {
			return abi.Expr{Op: abi.ExprLet, Index: x.Index, Span: x.Span, Args: []abi.Expr{v, s.bind(x.Args[1], rest)}}
		})
	case abi.ExprAnd, abi.ExprOr:
		no := abi.Expr{Op: abi.ExprConst, Index: s.e.Constants.Add(abi.BoolValue(x.Op == abi.ExprOr)), Span: x.Span}
		args := []abi.Expr{x.Args[0], x.Args[1], no}
		if x.Op == abi.ExprOr {
			args = []abi.Expr{x.Args[0], no, x.Args[1]}
		}
		return s.bind(abi.Expr{Op: abi.ExprIf, Args: args, Span: x.Span}, rest)
	case abi.ExprFor, abi.ExprFold:
		for i := 1; i < len(x.Args); i++ {
			if leavesIn(&x.Args[i]) {
				s.stray(x.Args[i])
				return x
			}
		}
	case abi.ExprBuiltin:
		if x.Name == abi.BuiltinUnwrapOr && leavesIn(&x.Args[1]) {
			s.stray(x.Args[1])
			return x
		}
	case abi.ExprSub_:
		s.stray(x)
		return x
	}
	return s.operandsFrom(x, 0, rest)
}

// operandsFrom binds the operands of x from the i-th on.
func (s *scope) operandsFrom(x abi.Expr, i int, rest func(abi.Expr) abi.Expr) abi.Expr {
	if i == len(x.Args) {
		return rest(x)
	}
	return s.bind(x.Args[i], func(v abi.Expr) abi.Expr {
		x.Args = append([]abi.Expr(nil), x.Args...)
		x.Args[i] = v
		return s.operandsFrom(x, i+1, rest)
	})
}

// unwrap is x? itself.
func (s *scope) unwrap(x abi.Expr, rest func(abi.Expr) abi.Expr) abi.Expr {
	return s.bind(x.Args[0], func(v abi.Expr) abi.Expr {
		slot, whole := s.slot("", Top), s.slot("", Top)
		value := abi.Expr{Op: abi.ExprSlot, Index: slot, Span: x.Span}
		ok := abi.Pattern{Op: abi.PatSome, Items: []abi.Pattern{{Op: abi.PatBind, Slot: slot}}}
		if x.Name == tryResult {
			ok = abi.Pattern{Op: abi.PatVariant, Name: resultEnum + "::Ok", Items: ok.Items}
		}
		return s.leaveOr(v, ok, rest(value), whole, x.Span)
	})
}

// leaveOr goes on with then where v fits ok, and leaves with v itself otherwise.
func (s *scope) leaveOr(v abi.Expr, ok abi.Pattern, then abi.Expr, whole int, span abi.Span) abi.Expr {
	return abi.Expr{Op: abi.ExprMatch, Args: []abi.Expr{v}, Span: span, Arms: []abi.Arm{
		{Pattern: ok, Body: then},
		{Pattern: abi.Pattern{Op: abi.PatBind, Slot: whole}, Body: abi.Expr{Op: abi.ExprSlot, Index: whole, Span: span}},
	}}
}

// joined goes on behind branches of which some leave: the others wrap their
// value.
func (s *scope) joined(x abi.Expr, rest func(abi.Expr) abi.Expr) abi.Expr {
	wrap := func(v abi.Expr) abi.Expr {
		return abi.Expr{Op: abi.ExprVariant, Name: tryValue, Args: []abi.Expr{v}, Span: v.Span}
	}
	branched := s.branches(x, wrap)
	slot, whole := s.slot("", Top), s.slot("", Top)
	ok := abi.Pattern{Op: abi.PatVariant, Name: tryValue, Items: []abi.Pattern{{Op: abi.PatBind, Slot: slot}}}
	return s.leaveOr(branched, ok, rest(abi.Expr{Op: abi.ExprSlot, Index: slot, Span: x.Span}), whole, x.Span)
}

// stray reports a ? that is evaluated any number of times, or maybe not at all
// in a place that cannot leave.
func (s *scope) stray(x abi.Expr) {
	s.e.reportAt(x.Span, "OE0291", "match on the value here", "? cannot leave the function from inside a comprehension, an aggregate, a subquery, a guard or the argument of .or")
}
