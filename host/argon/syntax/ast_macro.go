package syntax

// Macro is a `macro name { (pattern) => { template }; … }`.
type Macro struct {
	Decl
	Arms []MacroArm
}

// MacroArm is one rule of a macro: the spans of what stands inside its
// brackets, which expansion reads.
type MacroArm struct {
	Span
	Pattern  Span
	Template Span
}

// MacroCall is `name!(…)` in the place of a declaration; Name of its Decl is
// empty.
type MacroCall struct {
	Decl
	Macro  Path
	Tokens Span // inside the brackets
}

// MacroExpr is `name!(…)` in a body: in the place of an expression, an atom or a
// statement, which is the CompareAtom or ExprStmt around it.
type MacroExpr struct {
	Span
	Macro  Path
	Tokens Span // inside the brackets
}

func (*MacroExpr) expr() {}

// ProcMacro is a fn with #[procmacro]: its body is for expansion to read.
type ProcMacro struct {
	Decl
	Params []*Param
	Result Type
	Tokens Span // the body, without `=` and `;`, or with its braces
}
