package types

import (
	"context"
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// Env is a checked workspace: every declaration with its types, and every body
// as typed atoms, expressions and statements. Slices are in source order,
// dependencies first.
type Env struct {
	World *resolve.World
	Files []string // what a Span's File indexes

	Relations []abi.Relation
	Constants Pool

	Concepts   map[string]*Concept // by qualified name, as the maps below
	Structs    map[string]*Struct
	Enums      map[string]*Enum
	Predicates map[string]*Predicate    // by qualified name and arity: see predicateKey
	derived    map[*resolve.Symbol]bool // that have a predicate of some arity
	Rels       map[string]*Relation
	Fns        map[string]*Fn
	Queries    map[string]*Query
	Mutations  map[string]*Mutation
	Checks     map[string]*Check
	Axes       map[string]*Axis
	Metas      map[string]*Meta // metatypes and metarels

	Catalog map[string]int // relations about declarations that something reads, by name

	ConceptList   []*Concept
	StructList    []*Struct
	EnumList      []*Enum
	PredicateList []*Predicate
	RelList       []*Relation
	FnList        []*Fn
	QueryList     []*Query
	MutationList  []*Mutation
	CheckList     []*Check
	TestList      []*Test
	AxisList      []*Axis
	MetaList      []*Meta
	GroupList     []*Group

	Clauses []*Clause // of derives, in source order
	Metrics []Metric  // the temporal operators of bodies
	Paths   []Path    // what quantified steps go along, each after those that it needs
	Facts   []Fact

	Standpoints []*Standpoint

	// Text returns the text of a source or facts file.
	Text func(path string) (string, bool)

	paths    map[pathKey]int
	vars     map[string]abi.Type    // the type parameters in scope
	erase    solution               // of the type parameters of the concept whose fields are being declared
	bounds   map[string]paramBounds // of type parameters, by the name of the type
	asked    []askedBound           // of type arguments, until the types are known
	closures closures
	counted  *syntax.ListType             // a list type that may have a number of items
	selves   map[*resolve.Symbol]abi.Type // of traits: see selfType
	needless map[*resolve.Impl]bool       // reported: there is one above them
	subs     map[*Concept][]*Concept      // direct subtypes; nil until asked for
	places   map[*Concept]int             // in ConceptList

	list        []declared       // every item, until all are typed
	hints       int              // suggestions made so far
	unread      map[string][]int // where the parser complained, by file; nil until asked for
	tables      []factTable      // until their rows are typed
	files       map[string]int
	individuals map[*resolve.Symbol]abi.Type
	higher      map[string]bool // concepts that have types among their members, by qualified name
	introducers map[string]bool // what was reported once for a module: unknown introducers by their word, numbers that are not exact
	diags       *diag.List

	workers int             // asked for: see workers.Count
	ctx     context.Context // while bodies are typed: see ended; else nil
	trial   *trial          // what bodies typed on trial came to; else nil

	sharing map[syntax.Item]bool       // items whose bodies leave behind what others share: see Retype
	texts   map[*resolve.Module]string // texts that the places of modules are in, where they are not those of their sources
}

// Concept is a declared concept.
type Concept struct {
	Name       string
	Symbol     *resolve.Symbol
	Node       *syntax.Concept
	Supers     []*Concept
	InstanceOf []*Concept // the concepts that it is itself a member of
	Params     []abi.Type // its type parameters
	Fields     []*Field   // its own
	Plus       int        // base relation of asserted members; -1 if it is defined
	Rel        int        // derived relation of all members
	Abstract   bool
	Fixed      bool
	Meta       *Meta               // its introducer; nil if that is not known
	Axes       map[*Axis]AxisValue // what it says in the place of its introducer
	Refined    *Clause             // its refinement: the first slot is self. Nil: none

	above   []*Concept              // ancestors, once they are known
	args    map[*Concept][]abi.Type // what it gives its direct supertypes for their type parameters
	unknown solution                // its type parameters by what is known of them: their bounds
}

// Type returns the type whose values are c's members.
func (c *Concept) Type() abi.Type { return abi.Type{Op: abi.TypeConcept, Name: c.Name} }

// ancestors returns c and what is above it, nearest first.
func (c *Concept) ancestors() []*Concept {
	if c.above != nil {
		return c.above
	}
	seen := map[*Concept]bool{c: true}
	list := []*Concept{c}
	for i := 0; i < len(list); i++ {
		for _, s := range list[i].Supers {
			if !seen[s] {
				seen[s] = true
				list = append(list, s)
			}
		}
	}
	return list
}

// Is reports whether c is up or below it.
func (c *Concept) Is(up *Concept) bool {
	for _, a := range c.ancestors() {
		if a == up {
			return true
		}
	}
	return false
}

// Field returns the field of c or of what is above it.
func (c *Concept) Field(name string) *Field {
	for _, a := range c.ancestors() {
		for _, f := range a.Fields {
			if f.Name == name {
				return c.typed(a, f)
			}
		}
	}
	return nil
}

// AllFields returns the fields of c and of what is above it, nearest first.
func (c *Concept) AllFields() []*Field {
	var list []*Field
	for _, a := range c.ancestors() {
		for _, f := range a.Fields {
			list = append(list, c.typed(a, f))
		}
	}
	return list
}

// Field is a field of a concept, relation, struct or enum constant.
type Field struct {
	Name     string
	Node     *syntax.Field
	Module   *resolve.Module
	Type     abi.Type // as declared
	Over     abi.Type // of a concept with type parameters: Type, over these; Type has their bounds
	Each     bool     // of a concept: [T] or Set<T>, one tuple an item
	Optional bool
	Mut      bool
	Relation int // where it is stored, or -1
	Default  *abi.Expr
	View     *View // what it shows, where it is a view of a relation; else nil
}

// Stored returns the type of the value column.
func (f *Field) Stored() abi.Type {
	switch {
	case f.Each || f.Optional:
		return f.Type.Args[0]
	}
	return f.Type
}

// Required reports whether `insert C { … }` must give the field.
func (f *Field) Required() bool {
	return !f.Each && !f.Optional && f.Node.Default == nil && f.View == nil
}

// Struct is a declared struct.
type Struct struct {
	Name   string
	Symbol *resolve.Symbol
	Node   *syntax.Struct
	Params []abi.Type // its type parameters
	Fields []*Field
}

// Enum is a declared enum.
type Enum struct {
	Name     string
	Symbol   *resolve.Symbol
	Node     *syntax.Enum
	Params   []abi.Type // its type parameters
	Variants []*Variant
}

// Variant is one constant of an enum.
type Variant struct {
	Name   string // qualified
	Short  string
	Fields []*Field // the payload; names are empty in the tuple form
	Named  bool
}

// Variant returns the constant called short, or nil.
func (e *Enum) Variant(short string) *Variant {
	for _, v := range e.Variants {
		if v.Short == short {
			return v
		}
	}
	return nil
}

// Relation is a declared relation.
type Relation struct {
	Name    string
	Symbol  *resolve.Symbol
	Node    *syntax.Relation
	Columns []abi.Column
	Supers  []*Relation
	Fields  []*Field
	Plus    int
	Rel     int
	Meta    *Meta // as of a Concept
	Axes    map[*Axis]AxisValue
}

// Predicate is a derived predicate: the clauses of one name and arity.
type Predicate struct {
	Name    string
	Symbol  *resolve.Symbol
	Columns []abi.Column
	Rel     int
	Nodes   []*syntax.Derive
	Module  *resolve.Module
	modules map[*syntax.Derive]*resolve.Module // of clauses that stand in another module
	known   []bool                             // a clause or inference has typed the column
	any     []int                              // columns that a trait leaves to its implementations: each may have another type

	labels   map[string]*syntax.Derive // the labelled clauses
	defaults int                       // clauses that may be defeated
}

// Clause is one rule before lowering. Filters hold the tests of typed head
// parameters: they never bind. A Default clause loses the tuples that an attack
// on it fits; others are strict.
type Clause struct {
	Name    string
	Label   string
	Head    int
	Args    []abi.Arg
	Slots   []abi.Slot
	Body    []abi.Atom
	Filters []abi.Atom
	Default bool
	Marked  syntax.Span // of a default clause: its #[default]
	Attacks []Attack
	Broken  bool // it was reported: what it binds is not known
	Bound   TierBound
	Modal   bool
	Module  *resolve.Module
	Span    syntax.Span
}

// Fn is a function.
type Fn struct {
	Name   string
	Symbol *resolve.Symbol
	Node   *syntax.Fn
	Vars   []abi.Type // its type parameters
	Params []abi.Param
	Result abi.Type
	Slots  []abi.Slot
	Body   abi.Expr
	Index  int
	Span   abi.Span // of one that no source declares: Symbol and Node are nil
}

// Query is a query. Body is typed but not lowered.
type Query struct {
	Name    string
	Symbol  *resolve.Symbol
	Node    *syntax.Query
	Module  *resolve.Module
	Params  []abi.Param
	Result  abi.Type
	Slots   []abi.Slot
	Body    []abi.Atom
	Out     []abi.Arg
	Columns []abi.Column
	AsOf    *abi.AsOf
	Across  []string // qualified names of standpoints
	Broken  bool     // as of a Clause
	Bound   TierBound
	Modal   bool
	Truth   int
	Index   int
}

// Mutation is a mutate.
type Mutation struct {
	Name   string
	Symbol *resolve.Symbol
	Node   *syntax.Mutate
	Params []abi.Param
	Result *abi.Type
	Slots  []abi.Slot
	Body   []abi.Stmt
	Index  int
	Span   abi.Span // of one that no source declares: Symbol and Node are nil
}

// Check is a check: Payload's expressions are over Clause's slots.
type Check struct {
	Name      string
	Symbol    *resolve.Symbol
	Node      *syntax.Check
	Clause    *Clause
	Payload   abi.Payload
	Severity  abi.Severity
	Code      string
	Evaluator string
	Params    int // the first slots
	Index     int
}

// Test is a test. A run of statements is in Runs, which a step's Mutation
// indexes until lowering gives it its place.
type Test struct {
	Name   string
	Module *resolve.Module
	Node   *syntax.Test
	Slots  []abi.Slot
	Steps  []abi.TestStep
	Runs   [][]abi.Stmt
	Wild   map[int][]bool // by step of TestDerivable, the places that hold anything: their Exprs are left out
}

// Fact is one declared tuple.
type Fact struct {
	Relation int
	Tuple    []abi.Value
	Layer    string // the standpoint that says so, qualified; empty: all of them
	Place    diag.Place
	Default  bool // made from a field's default: an explicit value displaces it
	Period   *Period
}
