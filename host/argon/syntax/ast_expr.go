package syntax

// Type is a type expression.
type Type interface {
	Node
	typ()
}

// The type expressions.
type (
	// NamedType is a path with optional arguments: Name, a::b::Name, Set<T>.
	NamedType struct {
		Span
		Path Path
		Args []Type
	}
	// OptionType is T?.
	OptionType struct {
		Span
		Elem Type
	}
	// ListType is [T] or [T; n..m].
	ListType struct {
		Span
		Elem Type
		Card *Cardinality
	}
	// FnType is fn(T, …) -> U.
	FnType struct {
		Span
		Params []Type
		Result Type
	}
	// BadType is a type that could not be read.
	BadType struct{ Span }
)

func (*NamedType) typ()  {}
func (*OptionType) typ() {}
func (*ListType) typ()   {}
func (*FnType) typ()     {}
func (*BadType) typ()    {}

// Atom is a condition of a rule body.
type Atom interface {
	Node
	atom()
}

// The atoms.
type (
	// CallAtom is Pred(args): a concept, relation or derived predicate.
	CallAtom struct {
		Span
		Path Path
		Args []Expr
	}
	// TypeAtom is e: T.
	TypeAtom struct {
		Span
		Expr Expr
		Type Type
	}
	// CompareAtom is any boolean expression: comparisons, &&, ||, in, calls of functions.
	CompareAtom struct {
		Span
		Expr Expr
	}
	// BindAtom is x = e.
	BindAtom struct {
		Span
		Name  Ident
		Value Expr
	}
	// IsAtom is e is Pattern.
	IsAtom struct {
		Span
		Expr    Expr
		Pattern Pattern
	}
	// NotAtom is not atom.
	NotAtom struct {
		Span
		Atom Atom
	}
	// ExistsAtom is exists { atoms }.
	ExistsAtom struct {
		Span
		Body []Atom
	}
	// UnsupportedAtom is an atom that is read and not taken yet: a role step,
	// box(…), box_plus[…](…), forall ….
	UnsupportedAtom struct {
		Span
		What string
	}
	// BadAtom is an atom that could not be read.
	BadAtom struct{ Span }
)

func (*CallAtom) atom()        {}
func (*TypeAtom) atom()        {}
func (*CompareAtom) atom()     {}
func (*BindAtom) atom()        {}
func (*IsAtom) atom()          {}
func (*NotAtom) atom()         {}
func (*ExistsAtom) atom()      {}
func (*UnsupportedAtom) atom() {}
func (*BadAtom) atom()         {}

// Expr is an expression.
type Expr interface {
	Node
	expr()
}

// LitKind says what a literal is.
type LitKind uint8

// The literals.
const (
	IntLit      LitKind = iota // Text: decimal digits
	DecimalLit                 // digits, point, digits
	StringLit                  // Text: the value, escapes resolved
	DateLit                    // YYYY-MM-DD
	DateTimeLit                // RFC 3339, UTC
	TimeLit                    // hh:mm:ss with an optional fraction
	BoolLit                    // true, false
	MoneyLit                   // "12.50 EUR"
)

// The expressions.
type (
	// Lit is a literal.
	Lit struct {
		Span
		Kind LitKind
		Text string
	}
	// Text is a string literal with interpolations: Parts alternate between
	// StringLit literals and expressions; the first and last are literals.
	Text struct {
		Span
		Parts []Expr
	}
	// Name is a path in value position: a variable, parameter, individual,
	// enum constant or declared name.
	Name struct {
		Span
		Path Path
	}
	// Wild is _.
	Wild struct{ Span }
	// Unary is !e or -e.
	Unary struct {
		Span
		Op string
		X  Expr
	}
	// Binary is x op y, with op one of + - * / % == != < <= > >= && || in "not in".
	Binary struct {
		Span
		Op   string
		OpAt Span
		X, Y Expr
	}
	// Call is f(args) or Enum::Tag(args).
	Call struct {
		Span
		Path Path
		Args []Expr
	}
	// Method is x.name(args); Parens is false for x.name.
	Method struct {
		Span
		X      Expr
		Name   Ident
		Args   []Expr
		Parens bool
	}
	// Index is x[i].
	Index struct {
		Span
		X, I Expr
	}
	// Slice is x[from..to].
	Slice struct {
		Span
		X, From, To Expr
	}
	// Try is x?.
	Try struct {
		Span
		X Expr
	}
	// List is [a, b].
	List struct {
		Span
		Items []Expr
	}
	// Comprehension is [e for x in s where c].
	Comprehension struct {
		Span
		Elem   Expr
		Var    Ident
		Source Expr
		Where  Expr
	}
	// If is if c { a } else { b }; Else may be nil.
	If struct {
		Span
		Cond, Then, Else Expr
	}
	// Match is match x { arms }.
	Match struct {
		Span
		X    Expr
		Arms []*Arm
	}
	// Block is { let …; e }.
	Block struct {
		Span
		Stmts []Stmt
		Value Expr

		Unread bool // what is in it was not read as a whole
	}
	// Aggregate is sum(e), or sum(e for x in s where c, atoms). Other is the path
	// of one that the language does not have, nil elsewhere.
	Aggregate struct {
		Span
		Func   string
		Other  *Path
		Elem   Expr
		Var    *Ident
		Source Expr
		Where  Expr
		Atoms  []Atom
	}
	// Subquery is count { atoms }, exists { … }, set { … }, one { … }, collect { … }.
	// Select is nil where no `select` is written.
	Subquery struct {
		Span
		Func   string
		Select Expr
		Body   []Atom
	}
	// StructLit is Path { f: e, g, ..base }.
	StructLit struct {
		Span
		Path   Path
		Base   Expr
		Fields []*FieldInit
	}
	// Insert is `insert Concept { … }` as an expression.
	Insert struct {
		Span
		Concept Path
		Fields  []*FieldInit
		At      Expr
	}
	// UnsupportedExpr is an expression that is read and not taken yet.
	UnsupportedExpr struct {
		Span
		What string
	}
	// BadExpr is an expression that could not be read.
	BadExpr struct{ Span }
)

func (*Lit) expr()             {}
func (*Text) expr()            {}
func (*Name) expr()            {}
func (*Wild) expr()            {}
func (*Unary) expr()           {}
func (*Binary) expr()          {}
func (*Call) expr()            {}
func (*Method) expr()          {}
func (*Index) expr()           {}
func (*Slice) expr()           {}
func (*Try) expr()             {}
func (*List) expr()            {}
func (*Comprehension) expr()   {}
func (*If) expr()              {}
func (*Match) expr()           {}
func (*Block) expr()           {}
func (*Aggregate) expr()       {}
func (*Subquery) expr()        {}
func (*StructLit) expr()       {}
func (*Insert) expr()          {}
func (*UnsupportedExpr) expr() {}
func (*BadExpr) expr()         {}

// FieldInit is f: e, f = e, or the shorthand f.
type FieldInit struct {
	Span
	Name  Ident
	Value Expr
	Op    string // in update … set: "=", "+=", "-="
}

// Arm is one alternative of a match.
type Arm struct {
	Span
	Pattern Pattern
	Guard   Expr
	Body    Expr
}

// Pattern is a pattern of a match arm or an `is` atom.
type Pattern interface {
	Node
	pattern()
}

// The patterns.
type (
	// WildPattern is _.
	WildPattern struct{ Span }
	// LitPattern is a literal; a negative number has its sign in Lit.Text.
	LitPattern struct {
		Span
		Lit *Lit
	}
	// NamePattern is a lone name: a binding, or an enum constant in scope.
	NamePattern struct {
		Span
		Path Path
	}
	// TuplePattern is Path(p, …).
	TuplePattern struct {
		Span
		Path  Path
		Items []Pattern
	}
	// StructPattern is Path { f, g: p, .. }.
	StructPattern struct {
		Span
		Path   Path
		Fields []FieldPattern
		Rest   bool
	}
	// OrPattern is p | q.
	OrPattern struct {
		Span
		Items []Pattern
	}
	// BadPattern is a pattern that could not be read.
	BadPattern struct{ Span }
)

// FieldPattern is f or f: p.
type FieldPattern struct {
	Span
	Name    Ident
	Pattern Pattern // nil: binds Name
}

func (*WildPattern) pattern()   {}
func (*LitPattern) pattern()    {}
func (*NamePattern) pattern()   {}
func (*TuplePattern) pattern()  {}
func (*StructPattern) pattern() {}
func (*OrPattern) pattern()     {}
func (*BadPattern) pattern()    {}
