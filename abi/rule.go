package abi

// Rule is one clause: Head(Args) :- Body. Slots are the clause's variables.
type Rule struct {
	Name  string // qualified name of the head as written
	Label string
	Head  int // relation
	Args  []Arg
	Slots []Slot
	Body  []Atom
	Span  Span
}

// Slot is a variable of a clause or a body. Name is empty for one that the
// compiler made.
type Slot struct {
	Name string
	Type Type
}

// ArgOp says what an argument is.
type ArgOp uint8

// The arguments of atoms.
const (
	ArgWild  ArgOp = iota
	ArgSlot        // Index is a slot
	ArgConst       // Index is a constant of the Program
)

// Arg is an argument of an atom or a head.
type Arg struct {
	Op    ArgOp
	Index int
}

// Expr is the expression whose value the argument is, which must not be a wildcard.
func (x Arg) Expr() Expr {
	if x.Op == ArgConst {
		return Expr{Op: ExprConst, Index: x.Index}
	}
	return Expr{Op: ExprSlot, Index: x.Index}
}

// AtomOp says what an atom does.
type AtomOp uint8

// The atoms of bodies.
const (
	AtomScan   AtomOp = iota // Rel(Args), or its absence if Neg (negation as failure: Args bound or wild)
	AtomCmp                  // Args[0] Cmp Args[1], both bound; == binds one side that is not yet bound
	AtomLet                  // Slot := Expr; if Slot is bound already: equal
	AtomFilter               // Expr is true
	AtomMatch                // Slot's value matches Pattern, binding its slots; no match fails
	AtomIn                   // Slot ranges over the items of the list or set Expr; if bound: membership
	AtomIs                   // Slot's value has the value type Type (never binds)
	AtomExists               // Body has (Neg: has no) solution
	AtomFold                 // Slot := Fold of Expr over the distinct solutions of Body, projected to the slots Over
	atomOpCount
)

// CmpOp is a comparison.
type CmpOp uint8

// The comparisons.
const (
	CmpEq CmpOp = iota
	CmpNe
	CmpLt
	CmpLe
	CmpGt
	CmpGe
)

// Mirrored is the comparison that says the same with its sides exchanged.
func (op CmpOp) Mirrored() CmpOp {
	switch op {
	case CmpLt:
		return CmpGt
	case CmpLe:
		return CmpGe
	case CmpGt:
		return CmpLt
	case CmpGe:
		return CmpLe
	}
	return op
}

// FoldOp is an aggregate function.
type FoldOp uint8

// The aggregate functions. Count counts distinct solutions of the body; the
// others fold Expr over them. Sum of nothing is 0, the list of nothing is empty;
// min, max and avg of nothing fail the atom.
const (
	FoldCount FoldOp = iota
	FoldSum
	FoldMin
	FoldMax
	FoldAvg
	FoldList // the values as a list in term order, which only an expression of the same body may read
)

// Atom is one condition of a body. Which fields are used depends on Op. Slots
// that are bound outside a nested Body are seen inside; slots that only a
// nested Body binds stay inside.
//
// AtomFold groups by the outer slots that its body mentions. Over lists the
// slots whose distinct combinations count as one solution each (bag
// semantics over those: two ships of equal weight are two solutions, because
// the ship is in Over).
type Atom struct {
	Op      AtomOp
	Rel     int
	Args    []Arg
	Neg     bool
	Cmp     CmpOp
	Slot    int
	Expr    *Expr
	Pattern *Pattern
	Type    *Type
	Fold    FoldOp
	Over    []int
	Body    []Atom
	Span    Span

	// Possible is of a fold: it is over the solutions that the body may have,
	// where undefined tuples count, and not over those that it has.
	Possible bool
}

// Component is a strongly connected set of derived relations with the rules
// that define them. Components come in evaluation order. Recursion is positive,
// or, where WellFounded says so, goes through negated scans, too: such a
// component has the well-founded model, in which a tuple may be undefined.
// Recursion through a negated body is never allowed, and through a fold only
// where there are Costs: see Cost.
type Component struct {
	Relations   []int
	Rules       []int
	Recursive   bool
	Stratum     int
	WellFounded bool   // its relations may be read by its rules through Neg of a scan
	Costs       []Cost // folds of its rules may read its relations
}

// Cost says that Column of Relation holds a quantity of which, as far as the
// rest of the component goes, only the best of each group counts, a group being
// the tuples that are equal elsewhere. The best is the least, or with Most the
// greatest; all costs of a component agree in that. A component that has costs
// is not well-founded, and of each of its rules at most one fold reads it: a min
// (max with Most) at the top of the body, whose Slot occurs once more, in the
// head.
//
// The compiler vouches that whatever a rule makes of a better cost is better,
// and of an equal one equal. The model is then the one that is reached if each
// fold is always given the best of what was derived so far.
type Cost struct {
	Relation int
	Column   int
	Most     bool
}
