package syntax

// StepAtom is x.role(y: T), x.Rel+(y) or x.a{1, n}(y).b*(z): from x along each
// step in turn.
type StepAtom struct {
	Span
	From  Expr
	Steps []*Step
}

// Step is one step of a path along a field or relation.
type Step struct {
	Span
	Name Ident
	// Quantified says that the step may be taken Min to Max times; otherwise it
	// is taken once. Max is -1 where there is no bound, or where Limit names it.
	Quantified bool
	Min, Max   int64
	Limit      *Ident
	Parens     bool
	To         []Binder // what is reached, with the places in between where there are several
}

// Binder is x, x: T or any expression that the end of a step has to equal.
type Binder struct {
	Span
	Expr Expr
	Type Type // or nil
}

func (*StepAtom) atom() {}

// roleStep is what the reader of postfixes gives where an atom turns out to be
// a path: only exprAtom sees it.
type roleStep struct {
	Span
	from Expr
	name Ident
}

func (*roleStep) expr() {}
