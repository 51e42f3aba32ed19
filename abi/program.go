package abi

// Program is the typed rule program: what lowering makes of a package, and all
// that a reasoner build gets to see of it. It is logical, not physical: join
// orders, indexes and the plan are the build's own business.
//
// Cross references are indexes into the slices of the same Program. Qualified
// names are "module::item".
type Program struct {
	ABI        string
	Module     string
	Files      []string // paths relative to the package, with '/'; a Span's File indexes it
	Types      []TypeDef
	Relations  []Relation
	Constants  []Value
	Rules      []Rule
	Components []Component // in evaluation order: a component reads only itself and earlier ones
	Functions  []Function
	Mutations  []Mutation
	Queries    []Query
	Checks     []Check
	Tests      []Test
}

// Span is a half-open byte range of a source file; the zero Span is "nowhere".
type Span struct {
	File  int
	Start int
	End   int
}

// TypeOp is the head of a static type.
type TypeOp uint8

// The heads of static types.
const (
	TypeTop TypeOp = iota // in a TypeDef, Name may be the number of a type parameter, from 0: what the argument at that place says
	TypeBot
	TypeBool
	TypeNat // Name of an integer with bounds: "u8" and so on
	TypeInt // Name of an integer with bounds: "i8" and so on
	TypeReal
	TypeDecimal
	TypeMoney
	TypeString
	TypeDate
	TypeTime
	TypeDateTime
	TypeDuration
	TypeConcept // Name
	TypeStruct  // Name, Args where the declaration has type parameters
	TypeEnum    // Name, Args where the declaration has type parameters
	TypeList    // Args[0]
	TypeSet     // Args[0]
	TypeOption  // Args[0]
	TypeMap     // Args[0], Args[1]
	TypeRange   // Args[0]
	TypeRef     // reference to a declared type; Args[0] is its bound, if any
	TypeFn      // Args: parameters, then the result
	typeOpCount
)

// Type is a static type.
type Type struct {
	Op   TypeOp
	Name string // qualified name of a concept, struct or enum
	Args []Type
}

// TypeDef is a declared concept, struct or enum.
type TypeDef struct {
	Name     string // qualified
	Op       TypeOp // TypeConcept, TypeStruct or TypeEnum
	Supers   []int  // direct supertypes of a concept, indexes into Types
	Fields   []FieldDef
	Variants []VariantDef // of an enum, in declared order
	Abstract bool
	Extent   int // relation that holds a concept's members, else -1
	Span     Span
}

// FieldDef is a field of a concept or struct. Inherited fields are not
// repeated.
type FieldDef struct {
	Name     string
	Type     Type
	Mut      bool
	Required bool // neither optional, nor a collection, nor defaulted
	Relation int  // relation that stores a concept's field, else -1
	Default  *Expr
}

// VariantDef is one alternative of an enum.
type VariantDef struct {
	Name   string // qualified: "module::Enum::Tag"
	Fields []FieldDef
	Named  bool // written with braces: the payload has field names
}

// Role says where the tuples of a relation come from.
type Role uint8

// The roles of relations.
const (
	Base    Role = iota // asserted: changed by assert frames and writes
	Derived             // defined by rules
)

// Origin says what a relation was in the source.
type Origin uint8

// The origins of relations.
const (
	OriginConcept Origin = iota
	OriginField
	OriginRelation
	OriginDerive
	OriginQuery
	OriginCheck
	OriginAux
)

// Relation is a typed n-ary relation. A concept C or a relation R of the
// source becomes up to three: "C+" (base, asserted), "C-" (base, refuted;
// only where something refutes) and "C" (derived: from C+ and from each
// direct subtype). A field f of C is the base relation "C.f" with columns
// (self, value), a field of a relation the endpoints and then the value.
type Relation struct {
	Name     string
	Role     Role
	Origin   Origin
	Columns  []Column
	Key      []int // columns that determine the others; empty: the whole tuple
	Open     bool  // open world: an absent tuple is Can, not Not
	Asserted int   // of a derived relation: its base "+" twin, else -1
	Refuted  int   // its base "-" twin, else -1
	Mut      bool  // of a field: update may change it
	Span     Span
}

// Column is a column of a relation or a result.
type Column struct {
	Name string
	Type Type
}

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

// FoldOp is an aggregate function.
type FoldOp uint8

// The aggregate functions. Count counts distinct solutions of the body; the
// others fold Expr over them. Sum of nothing is 0; min, max and avg of nothing
// fail the atom.
const (
	FoldCount FoldOp = iota
	FoldSum
	FoldMin
	FoldMax
	FoldAvg
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

// PatternOp says what a pattern is.
type PatternOp uint8

// The patterns.
const (
	PatWild    PatternOp = iota
	PatBind              // binds Slot
	PatConst             // equals constant Const
	PatVariant           // enum constant Name with payload patterns Items
	PatStruct            // struct Name with field patterns Items (PatWild where not written)
	PatOr                // any of Items; binds nothing
	PatNone              // the absent value
	PatSome              // any other value; Items[0] matches it
)

// Pattern takes a value apart.
type Pattern struct {
	Op    PatternOp
	Slot  int
	Const int
	Name  string
	Items []Pattern
}

// ExprOp is an operator of the expression language.
type ExprOp uint8

// The operators. Operands are in Args, in order, unless said otherwise.
const (
	ExprConst ExprOp = iota // constant Index
	ExprSlot                // slot Index
	ExprNeg                 // number, money, duration
	ExprNot                 // Bool
	ExprAdd                 // numbers, money, String, Date or DateTime + Duration, Duration
	ExprSub                 // numbers, money, dates (giving Duration), Date - Duration
	ExprMul
	ExprDiv // exact; by zero fails
	ExprMod
	ExprEq
	ExprNe
	ExprLt
	ExprLe
	ExprGt
	ExprGe
	ExprAnd     // short-circuit
	ExprOr      // short-circuit
	ExprIn      // Args[0] is an item of Args[1]
	ExprCall    // function Index
	ExprBuiltin // builtin named Name
	ExprIf      // condition, then, else
	ExprMatch   // Args[0] scrutinee; Arms
	ExprLet     // slot Index := Args[0] in Args[1]
	ExprVariant // enum constant Name with payload Args
	ExprStruct  // struct Name, fields Args in declared order
	ExprField   // item Index of the struct Args[0]
	ExprWith    // struct Args[0] with item Index replaced by Args[1]
	ExprList
	ExprSet
	ExprIndex   // Args[0][Args[1]]; out of range fails
	ExprSlice   // Args[0][Args[1]..Args[2]]; a missing bound is the constant None
	ExprFor     // list of Args[1] for slot Index in Args[0], where Args[2] (may be missing) holds
	ExprFold    // Fold of Args[1] for slot Index in Args[0] where Args[2]; with one operand: Fold of the list itself
	ExprText    // concatenation of the display forms of Args
	ExprIsType  // value of Args[0] has value type Type
	ExprRead    // only in fn, mutate, test: the value column of relation Index at the key Args; absent fails
	ExprReadAll // only there: the set of values of relation Index at the key Args
	ExprHolds   // only there: whether relation Index has the tuple Args
	ExprSub_    // only there: a subquery, see Sub
	exprOpCount
)

// SubOp is what a subquery gives.
type SubOp uint8

// The subqueries.
const (
	SubExists SubOp = iota
	SubCount
	SubSet  // distinct values of Sub.Out
	SubOne  // the only value of Sub.Out; none or several fails
	SubList // values of Sub.Out in term order, one a solution
	SubFold // Fold of Sub.Out over the solutions
)

// Sub is a body evaluated inside an expression, over the state as it stands.
type Sub struct {
	Op   SubOp
	Fold FoldOp
	Body []Atom
	Over []int // slots that make a solution distinct
	Out  *Expr
}

// Expr is a pure expression. An expression that fails (division by zero, an
// absent value, an index out of range) fails the atom in a rule and is an
// error with its Span in fn, mutate and test.
type Expr struct {
	Op    ExprOp
	Index int
	Name  string
	Args  []Expr
	Arms  []Arm
	Fold  FoldOp
	Type  *Type
	Sub   *Sub
	Span  Span
}

// Arm is one alternative of a match.
type Arm struct {
	Pattern Pattern
	Guard   *Expr
	Body    Expr
}

// The names of ExprBuiltin.
const (
	BuiltinToday         = "today"           // () -> Date, of the call's fixed instant
	BuiltinNow           = "now"             // () -> DateTime
	BuiltinRound         = "round"           // (number[, digits]): half away from zero
	BuiltinRoundHalfEven = "round_half_even" // (number[, digits])
	BuiltinTrunc         = "trunc"           // (number[, digits])
	BuiltinAbs           = "abs"
	BuiltinLen           = "len"     // items of a list or set, code points of a String
	BuiltinSome          = "some"    // Some(x): x itself; an absent optional is none
	BuiltinIsSome        = "is_some" // Bool
	BuiltinUnwrapOr      = "or"      // (optional, default)
	BuiltinText          = "text"    // display form of a value as String
	BuiltinStartsWith    = "starts_with"
	BuiltinEndsWith      = "ends_with"
	BuiltinContains      = "contains" // (String, String)
	BuiltinLower         = "lower"
	BuiltinUpper         = "upper"
	BuiltinYear          = "year"
	BuiltinMonth         = "month"
	BuiltinDay           = "day"
	BuiltinDays          = "days" // (Duration or Int): whole days of a Duration; a Duration of n days
)

// Function is a `fn`.
type Function struct {
	Name   string
	Params []Param
	Slots  []Slot // the first len(Params) are the parameters
	Result Type
	Body   Expr
	Public bool
	Span   Span
}

// Param is a parameter of an invocable.
type Param struct {
	Name string
	Type Type
}

// Query is a goal: with the parameters' slots preset from the arguments, the
// distinct values of Out over the solutions of Body are the rows. A parameter
// without an argument is a free variable; that is an error if Body does not
// bind it.
type Query struct {
	Name    string
	Params  []Param
	Slots   []Slot // the first len(Params) are the parameters
	Body    []Atom
	Out     []Arg
	Columns []Column
	AsOf    *AsOf // nil: the latest state
	Truth   int   // relation whose tuples are the rows as they stand (extent form), for truth values; else -1
	Public  bool
	Span    Span
}

// AsOf is a read point written in the source: a transaction stamp or a date.
type AsOf struct {
	TT   int64
	VT   *Value // KindDay or KindInstant
	ByVT bool
}

// Severity of a diagnostic.
type Severity uint8

// The severities.
const (
	SeverityError Severity = iota
	SeverityWarning
	SeverityInfo
	SeverityHint
)

func (s Severity) String() string { return [...]string{"Error", "Warning", "Info", "Hint"}[s&3] }

// Check is a denial: the tuples of Relation are its violations, one column a
// variable that the payload or a parameter names.
type Check struct {
	Name      string
	Relation  int
	Keys      int // how many of the relation's first columns tell one violation from another; 0: all
	Rule      int
	Severity  Severity // as far as it is constant; Error otherwise
	Code      string   // as far as it is constant
	Payload   Payload
	Guard     bool   // made by the compiler from a declaration, not written as a check
	Evaluator string // name of a check-evaluator plugin, or empty for the built-in one
	Span      Span
}

// Payload is what a check says of one violation. Slot i of its expressions is
// column i of the check's relation.
type Payload struct {
	Severity Expr // enum constant std::core::Severity::*
	Code     Expr // String
	Message  Expr // String
}

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
