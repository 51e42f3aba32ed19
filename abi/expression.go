package abi

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
