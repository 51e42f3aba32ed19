package abi

// StmtOp is a statement of a mutate body.
type StmtOp uint8

// The statements.
const (
	StmtRequire StmtOp = iota // Exprs[0] must be true
	StmtLet                   // slot Slot := Exprs[0]
	StmtNew                   // slot Slot := a new individual of the concept Type; Fields set; asserts every relation in Rels with it
	StmtAssert                // assert Rel(Exprs…) from At (absent: now) on
	StmtRetract               // retract Rel(Exprs…) from At on; operands marked in Wild match anything
	StmtSet                   // set field Rel of Exprs[0] to Exprs[1] by Assign
	StmtFor                   // for slot Slot over the list or set Exprs[0]: Body
	StmtIf                    // if Exprs[0]: Body, else Else
	StmtCall                  // slot Slot (or -1) := mutation Index (Exprs…)
	StmtReturn                // Exprs[0] is the result
	StmtExpr                  // evaluate Exprs[0] for its failure only
	stmtOpCount
)

// AssignOp is the operator of an update.
type AssignOp uint8

// The assignments.
const (
	AssignSet AssignOp = iota
	AssignAdd
	AssignSub
	AssignDefault // where the field has no other value (see Write); the absent value is none
)

// FieldInit gives a field of a new individual its value.
type FieldInit struct {
	Relation int
	Value    Expr
	Each     bool // Value is a list or set: one tuple an item
}

// Stmt is a statement.
type Stmt struct {
	Op     StmtOp
	Slot   int
	Index  int
	Rel    int
	Rels   []int
	Type   string
	Assign AssignOp
	Exprs  []Expr
	Wild   []bool // of StmtRetract: operands that match anything
	Fields []FieldInit
	At     *Expr
	Body   []Stmt
	Else   []Stmt
	Text   string // source text of a require, for its message
	Span   Span
}

// Mutation is a `mutate`, or the statements of a test step.
type Mutation struct {
	Name   string
	Params []Param
	Slots  []Slot // the first len(Params) are the parameters
	Result *Type
	Body   []Stmt
	Public bool
	Span   Span
}
