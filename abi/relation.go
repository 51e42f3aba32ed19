package abi

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
