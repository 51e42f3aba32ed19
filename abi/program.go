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
