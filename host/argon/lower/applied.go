package lower

import (
	"github.com/ox-mcp/ox-mcp/abi"
)

// A function value may stand for a function that reads, so that whatever
// applies one reads, as far as calls tell. A rule has no such function: what
// it calls is a copy that applies none that reads, and a rule that makes one
// is refused.

// unread finds out which functions read when those that apply function values
// do not, and making a value of a function that reads is reading.
func (b *builder) unread() {
	if b.plain != nil {
		return
	}
	list := b.env.FnList
	reads := make([]bool, len(list))
	for changed := true; changed; {
		changed = false
		for i, f := range list {
			if reads[i] || b.env.Applies(i) {
				continue
			}
			found := false
			visitExprs(&f.Body, func(x *abi.Expr) {
				switch x.Op {
				case abi.ExprRead, abi.ExprReadAll, abi.ExprHolds, abi.ExprSub_:
					found = true
				case abi.ExprCall:
					found = found || reads[x.Index]
				case abi.ExprVariant:
					if target, ok := b.env.FnOfTag(x.Name); ok {
						found = found || reads[target]
					}
				}
			})
			if found {
				reads[i], changed = true, true
			}
		}
	}
	b.plain = make([]bool, len(list))
	for i := range list {
		b.plain[i] = !reads[i]
	}
}

// readingValue reports whether x makes a value of a function that reads.
func (b *builder) readingValue(x *abi.Expr) bool {
	if x.Op != abi.ExprVariant {
		return false
	}
	target, ok := b.env.FnOfTag(x.Name)
	if !ok {
		return false
	}
	b.unread()
	return !b.plain[target]
}

// copyFor returns the copy of function i for a rule; ok is false where the
// function reads by itself.
func (b *builder) copyFor(i int) (index int, ok bool) {
	if b.extends {
		return 0, false // the program has its functions
	}
	b.unread()
	if i >= len(b.plain) || !b.plain[i] {
		return 0, false
	}
	if at, ok := b.copies[i]; ok {
		return at, true
	}
	if b.spoils() {
		return 0, true
	}
	if b.copies == nil {
		b.copies = map[int]int{}
	}
	index = len(b.env.FnList) + len(b.copied)
	b.copies[i] = index
	f := *b.env.FnList[i]
	f.Name += "|rule|"
	if f.Symbol != nil {
		f.Span = b.env.Span(f.Symbol.Module, f.Node.Decl.Span)
		f.Symbol = nil
	}
	f.Body = copyExpr(f.Body)
	b.copied = append(b.copied, &f)
	if b.env.Applies(i) {
		var arms []abi.Arm
		for _, arm := range f.Body.Arms {
			if arm.Body.Op == abi.ExprCall && b.plain[arm.Body.Index] {
				arms = append(arms, arm)
			}
		}
		f.Body.Arms = arms
		if len(arms) == 0 { // nothing can come to call it
			f.Body = abi.Expr{Op: abi.ExprSlot, Span: f.Span}
		}
	}
	visitExprs(&f.Body, func(x *abi.Expr) {
		if x.Op == abi.ExprCall && b.readers[x.Index] {
			x.Index, _ = b.copyFor(x.Index)
		}
	})
	return index, true
}

// copiedFunctions lists the copies, which have their place behind all others.
func (b *builder) copiedFunctions() []abi.Function {
	var list []abi.Function
	for i := 0; i < len(b.copied); i++ { // which may grow meanwhile
		list = append(list, b.function(b.copied[i]))
	}
	return list
}

// visitExprs calls f for x and what is inside, bodies of subqueries apart.
func visitExprs(x *abi.Expr, f func(*abi.Expr)) {
	f(x)
	for i := range x.Args {
		visitExprs(&x.Args[i], f)
	}
	for i := range x.Arms {
		if x.Arms[i].Guard != nil {
			visitExprs(x.Arms[i].Guard, f)
		}
		visitExprs(&x.Arms[i].Body, f)
	}
}
