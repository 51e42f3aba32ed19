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
	// BodyMacros says that a macro is used inside an item: there is a *MacroExpr.
	BodyMacros bool
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

// Mod is `mod name;` or `mod name { … }`, or a standpoint.
type Mod struct {
	Decl
	Inline     bool
	Items      []Item
	Standpoint bool
	Forward    bool   // of a standpoint: without a block
	Parents    []Path // of a standpoint
}

// Struct is a struct declaration.
type Struct struct {
	Decl
	TypeParams []TypeParam
	Where      []TypeParam // bounds behind `where`
	Fields     []*Field
}

// Enum is an enum declaration.
type Enum struct {
	Decl
	TypeParams []TypeParam
	Where      []TypeParam // bounds behind `where`
	Variants   []*Variant
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
	TypeParams []TypeParam
	Supers     []Path
	SuperArgs  [][]Type // the type arguments of each of Supers
	InstanceOf []Path   // after ':'
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

// Relation is a relation declaration; Introducer is its metarel word.
type Relation struct {
	Decl
	Introducer    Path
	Params        []*Param
	Cardinalities []Cardinality
	Supers        []Path
	Fields        []*Field
	Overrides     []AxisBinding // axis::value
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
// values and a period: `fact C(x) { f: e } at d;`.
type Fact struct {
	Decl     // Name is empty
	Negative bool
	Target   Path
	Args     []Expr
	Fields   []*FieldInit
	At       *Period // nil: it has always held
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
	TypeParams []TypeParam
	Params     []*Param
	Result     Type
	Where      []TypeParam // bounds behind `where`
	Body       Expr
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
// taken yet; What names it ("macro", "trait", "disjoint axiom", …).
type Unsupported struct {
	Decl
	What string
}

// Bad is what could not be read; a diagnostic has been reported.
type Bad struct{ Decl }
