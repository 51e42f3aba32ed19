package abi

// Test is a `test`, lowered to steps that share slots.
type Test struct {
	Name  string
	Slots []Slot
	Steps []TestStep
	Span  Span
}

// TestOp is what a test step does.
type TestOp uint8

// The test steps.
const (
	TestRun       TestOp = iota // run mutation Mutation; its slots are the test's
	TestAssert                  // Expr must be true
	TestDerivable               // relation Rel has (Neg: has not) the tuple Exprs
	TestRejects                 // mutation Mutation must be refused, with Code if it is given
)

// TestStep is one step of a test.
type TestStep struct {
	Op       TestOp
	Mutation int
	Expr     *Expr
	Rel      int
	Exprs    []Expr
	Neg      bool
	Code     string
	Text     string // source text of the assertion
	Span     Span
}
