package syntax

// Span is a half-open range of byte offsets in one file.
type Span struct{ Start, End int }

// Source is one source file's text.
type Source struct {
	Path string // relative to the package root, with '/'; "std/…" for the embedded packages
	Text string
}

// Node is anything with a place in the source.
type Node interface{ Range() Span }

// Range makes a Span a Node; every tree node embeds one.
func (s Span) Range() Span { return s }

// File is a parsed source file.
type File struct {
	Source *Source
	Doc    string // its //! comments
	Items  []Item
}

// Ident is a name in the source. Name is empty after a syntax error.
type Ident struct {
	Span
	Name string
}

// Path is a::b::c. A lone name is a Path of one part. Type arguments stand
// only where a type may.
type Path struct {
	Span
	Parts []Ident
}

// String returns the path as written, with "::" between its parts.
func (p Path) String() string {
	s := ""
	for i, part := range p.Parts {
		if i > 0 {
			s += "::"
		}
		s += part.Name
	}
	return s
}

// Visibility of an item.
type Visibility uint8

// The visibilities: private to the module, pub(pkg), pub.
const (
	Private Visibility = iota
	PubPackage
	Public
)

// Attr is #[name] or #[name(args)].
type Attr struct {
	Span
	Name Path
	Args []Expr
	Text string // the argument text as written, without the parentheses
}

// Item is a declaration.
type Item interface {
	Node
	Head() *Decl
}

// Decl is what every item begins with.
type Decl struct {
	Span  // the whole item, from its first attribute on
	Attrs []Attr
	Doc   string
	Vis   Visibility
	Name  Ident
}

// Head returns the item's common part.
func (d *Decl) Head() *Decl { return d }

// Use is a `use`: one for each leaf of the braces.
type Use struct {
	Decl       // Name is the name it introduces (empty for a glob)
	Path  Path // without the glob
	Glob  bool
	Alias bool
}

// Mod is `mod name;` or `mod name { … }`.
type Mod struct {
	Decl
	Inline bool
	Items  []Item
}

// Struct is a struct declaration.
type Struct struct {
	Decl
	Fields []*Field
}

// Enum is an enum declaration.
type Enum struct {
	Decl
	Variants []*Variant
}

// Variant is one alternative of an enum.
type Variant struct {
	Decl
	Tuple  []Type   // Name(T, …)
	Fields []*Field // Name { f: T, … }
	Braces bool
}

// Field is a field of a struct, concept, relation or variant.
type Field struct {
	Decl
	Mut     bool
	Type    Type
	Default Expr // or nil
	From    *Path
	// FromEndpoint is the endpoint of From, in from Relation.endpoint; or nil.
	FromEndpoint *Ident
}

// Metatype is `metatype name = { axis: value, … };`.
type Metatype struct {
	Decl
	Abstract, Fixed bool
	Bindings        []AxisBinding
}

// AxisBinding is axis: value or axis::value.
type AxisBinding struct {
	Span
	Axis  Ident
	Value Expr
}

// Metarel is `metarel name(position: metatype, …);`.
type Metarel struct {
	Decl
	Abstract, Fixed bool
	Positions       []*Param
	Bindings        []AxisBinding
}

// Concept is a concept declaration; Introducer is its metatype word.
type Concept struct {
	Decl
	Introducer Path
	Supers     []Path
	InstanceOf []Path // after ':'
	Members    []Member
	Cover      []Path // { A, B } form
	Refinement *Refinement
	Body       bool // braces were written
}

// Member is a member of a concept body: exactly one field is set.
type Member struct {
	Field    *Field
	Override *AxisBinding // axis::value
	Value    *FieldInit   // name = expr
}

// Refinement is `where { P, … }` or `iff { P, … }`.
type Refinement struct {
	Span
	Iff        bool
	Predicates []Expr
}

// Relation is a relation declaration; Introducer is its metarel word.
type Relation struct {
	Decl
	Introducer    Path
	Params        []*Param
	Cardinalities []Cardinality
	Supers        []Path
	Fields        []*Field
}

// Cardinality is [n..m]; Max -1 is '*'.
type Cardinality struct {
	Span
	Min, Max int64
}

// Param is name: Type. Type is nil for a bare name. In the head of a derive or
// check, Term holds an argument that is no plain name.
type Param struct {
	Span
	Name Ident
	Type Type
	Term Expr
}

// Fact is `fact Head(args);` or `not_fact Head(args);`, with optional field
// values: `fact C(x) { f: e };`.
type Fact struct {
	Decl     // Name is empty
	Negative bool
	Target   Path
	Args     []Expr
	Fields   []*FieldInit
	At       Expr
}

// Derive is one clause.
type Derive struct {
	Decl
	Params  []*Param
	HasBody bool
	Body    []Atom
}

// Query is a query in either form.
type Query struct {
	Decl
	Params  []*Param
	Result  Type // in the short form: the concept or derived predicate, as a NamedType
	Across  []Path
	AsOf    Expr // or nil
	Short   bool
	Select  *Projection
	From    []Atom
	Where   []Atom
	Refused []RefusedClause
}

// Projection is what a query selects: one expression, or named columns.
type Projection struct {
	Span
	Expr    Expr
	Columns []*FieldInit
}

// RefusedClause is a clause that is read whole and refused with its code.
type RefusedClause struct {
	Span
	Code string
	What string
}

// Check is a check: Body => Diagnostic { … }.
type Check struct {
	Decl
	Params  []*Param
	Body    []Atom
	Payload *StructLit
}

// Fn is a function.
type Fn struct {
	Decl
	Params []*Param
	Result Type
	Body   Expr
}

// Mutate is a mutation.
type Mutate struct {
	Decl
	Params []*Param
	Result Type // or nil
	Body   []Stmt
}

// Test is a test block; Title is its string.
type Test struct {
	Decl
	Title string
	Body  []Stmt
}

// Unsupported is a construct of the language that is read to its end and not
// taken yet; What names it ("metaxis", "trait", "disjoint axiom", …).
type Unsupported struct {
	Decl
	What string
}

// Bad is what could not be read; a diagnostic has been reported.
type Bad struct{ Decl }

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
	}
	// Aggregate is sum(e), or sum(e for x in s where c, atoms).
	Aggregate struct {
		Span
		Func   string
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
	TupleStmt struct {
		Span
		Delete bool
		Path   Path
		Args   []Expr
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
