// Package lower makes the rule program of a typed workspace: fields and
// relations read inside expressions become joins, concepts and relations their
// rules, checks their violation relations, and rules their components.
package lower

import (
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/types"
)

// Module is a compiled package.
type Module struct {
	Program abi.Program
	Facts   []FactSet  // by layer, then relation: those that have always held
	Periods []FactSet  // by layer, beginning and relation: those with a period; where two give a key a value, the later one counts
	Tiers   []RuleTier // by rule
	Schema  Schema

	Standpoints []Standpoint // those of dependencies first

	// Measures are the columns, by relation, whose values may be intervals.
	Measures map[int]Measure

	// Env is the typed workspace, which ad-hoc bodies are compiled against.
	// They extend it and do not change it.
	Env *types.Env

	metrics     *metricWork
	readers     []bool
	views       map[viewKey]int
	undefinable []bool // by relation of Program: may have undefined tuples
	open        int    // as of a builder
}

// FactSet is the declared facts that one layer has of one base relation, with
// the place of each row.
type FactSet struct {
	Relation int
	Layer    string // the standpoint that says so, qualified; empty: all of them
	Frame    abi.Frame
	Places   []Place
	Period   types.Period
}

// Place is a range of a file and the line it begins in (from 1).
type Place struct {
	Path  string
	Line  int
	Start int
	End   int
}

// Schema is what a package declares, for look-up.
type Schema struct {
	Constructs []Construct // sorted by name, then kind
}

// Construct is one declaration.
type Construct struct {
	Name      string // qualified
	Kind      string // concept, relation, struct, enum, fn, derive, query, mutate, check, test, metatype, metarel, standpoint, trait, macro
	Doc       string
	Signature string // one line, as it is written in source
	Public    bool
	Params    []Param
	Result    string
	Fields    []Field
	Supers    []string
	Variants  []string
	World     string   // of a concept or relation: "open" or "closed"
	WorldFrom string   // where World comes from: WorldOfMark, WorldOfPackage, or empty: from neither
	Across    []string // of a federated query: qualified names of standpoints
	Place     Place
	Index     int // into the program's relations, functions, queries, mutations, checks or tests; else -1
}

// Param is a parameter or a column.
type Param struct {
	Name string
	Type string
}

// Field is a field of a concept, struct or relation.
type Field struct {
	Name     string
	Type     string
	Mut      bool
	Required bool
	From     string // the concept it is inherited from, or empty
}
