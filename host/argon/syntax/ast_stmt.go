package syntax

// Stmt is a statement of a mutate, a test or a block.
type Stmt interface {
	Node
	stmt()
}

// The statements.
type (
	// Require is require e;
	Require struct {
		Span
		Cond Expr
	}
	// Let is let x: T = e;
	Let struct {
		Span
		Name  Ident
		Type  Type
		Value Expr
	}
	// InsertStmt is insert C { … };
	InsertStmt struct {
		Span
		Insert *Insert
	}
	// TupleStmt is insert|delete R(args) at d; or insert|delete iof(x, C) at d;
	// An insert may have { f: e, … } behind its arguments.
	TupleStmt struct {
		Span
		Delete bool
		Path   Path
		Args   []Expr
		Fields []*FieldInit
		At     Expr
	}
	// IntoStmt is insert e into x.f; or delete e from x.f;
	IntoStmt struct {
		Span
		Delete bool
		Value  Expr
		Target Expr
		At     Expr
	}
	// Update is update x set { f = e, g += e } at d; Type is written in update x: C set.
	Update struct {
		Span
		Target Expr
		Type   Type
		Sets   []*FieldInit
		At     Expr
	}
	// For is for x in e { … }.
	For struct {
		Span
		Var    Ident
		Source Expr
		Body   []Stmt
	}
	// IfStmt is if c { … } else { … } over statements.
	IfStmt struct {
		Span
		Cond Expr
		Then []Stmt
		Else []Stmt
	}
	// Return is return e;
	Return struct {
		Span
		Value Expr
	}
	// ExprStmt is a call of a mutate or fn.
	ExprStmt struct {
		Span
		X Expr
	}
	// Assert is assert e; in a test.
	Assert struct {
		Span
		Cond Expr
	}
	// AssertDerivable is assert [not] derivable F(args);
	AssertDerivable struct {
		Span
		Not  bool
		Path Path
		Args []Expr
	}
	// AssertRejects is assert rejects [(Code)] { … };
	AssertRejects struct {
		Span
		Code string
		Body []Stmt
	}
	// UnsupportedStmt is a statement that is read and not taken yet.
	UnsupportedStmt struct {
		Span
		What string
	}
	// BadStmt is a statement that could not be read.
	BadStmt struct{ Span }
)

func (*Require) stmt()         {}
func (*Let) stmt()             {}
func (*InsertStmt) stmt()      {}
func (*TupleStmt) stmt()       {}
func (*IntoStmt) stmt()        {}
func (*Update) stmt()          {}
func (*For) stmt()             {}
func (*IfStmt) stmt()          {}
func (*Return) stmt()          {}
func (*ExprStmt) stmt()        {}
func (*Assert) stmt()          {}
func (*AssertDerivable) stmt() {}
func (*AssertRejects) stmt()   {}
func (*UnsupportedStmt) stmt() {}
func (*BadStmt) stmt()         {}
