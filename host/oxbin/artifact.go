// Package oxbin reads and writes the artifact: one content-addressed file that
// holds everything a runtime needs of a package. FORMAT.md gives the layout.
// Equal inputs give equal bytes on every machine, and a reader takes nothing
// that it cannot verify.
package oxbin

import (
	"encoding/hex"

	"github.com/ox-mcp/ox-mcp/abi"
)

// Artifact is the content of an .oxbin file.
type Artifact struct {
	Build   Build
	Symbols []byte // the schema, deterministic CBOR; opaque here
	Events  []Event
	Lattice []byte // standpoint lattice, deterministic CBOR; empty for none
	Tiers   []Tier // one a rule, in the program's order
	Program abi.Program
	Sources []Source
}

// Build says what made the artifact, and of what.
type Build struct {
	Package   string
	Version   string
	Entry     string // path of the entry file
	Compiler  string
	Workspace [32]byte // BLAKE3-256 over the build's inputs; see host/coherence
	Inputs    []Input  // sorted by path
	TestMode  bool
}

// Input is one file that the artifact was made from.
type Input struct {
	Path string   // relative to the package, with '/'
	Hash [32]byte // BLAKE3-256
}

// Event is one axiom of the package: a declaration, or declared facts.
type Event struct {
	Kind string // "concept_decl", "iof_assertion", …
	Name string // what it is about: a construct, or a base relation
	Body []byte // canonical CBOR; of facts: a frame (abi)
	// Lines says for each fact where it was declared: pairs of an index into
	// Sources and a 1-based line. Of declarations it is empty.
	Lines []int
	// Layer is the standpoint that declares the facts; empty for those of all
	// views, and for declarations.
	Layer string
	// From and To bound the valid time of facts, from From on up to To. Nil is
	// no bound.
	From, To *Instant
}

// Instant is a point of valid time.
type Instant struct {
	Seconds int64 // since 1970-01-01T00:00:00Z
	Nanos   int32 // 0 to 999,999,999
}

// Structural reports whether the event is part of the wiring: it is, unless
// it is instance data.
func (e *Event) Structural() bool {
	switch e.Kind {
	case KindAssertion, KindRefutation, KindTuple, KindTupleRefutation, KindProperty:
		return false
	}
	return true
}

// The kinds of instance data.
const (
	KindAssertion       = "iof_assertion"
	KindRefutation      = "iof_refutation"
	KindTuple           = "relation_tuple"
	KindTupleRefutation = "relation_refutation"
	KindProperty        = "property_assertion"
)

// Tier is the decidability tier of one rule.
type Tier struct {
	Rule     string
	Tier     uint8 // index into Tiers
	Temporal uint8 // index into TemporalTiers
}

// The decidability ladders, low to high.
var (
	MainTiers     = []string{"structural", "closure", "expressive", "recursive", "fol", "modal", "metaorder"}
	TemporalTiers = []string{"none", "snapshot", "acyclic-stratified", "stratified", "forward-propagating", "unstratified"}
)

// What this runtime supports.
const (
	MaxTierSupported     = 5 // modal: at one world, so that it costs what the atoms do
	MaxTemporalSupported = 2 // acyclic-stratified
)

// Source is one source text, for explanations and for compiling ad-hoc bodies.
type Source struct {
	Path string // relative to its package, with '/'; a dependency's begins with its name and ':'
	Text string
}

// Hash is an artifact hash.
type Hash [32]byte

// String returns the hash as it is stamped on results.
func (h Hash) String() string { return "sha256:" + hex.EncodeToString(h[:]) }

// Error is a refusal to load, with the load-validation code.
type Error struct {
	Code    string // OE1204, OE1210 … OE1214, OE1250s
	Message string
}

func (e *Error) Error() string { return e.Code + ": " + e.Message }

// The load-validation codes.
const (
	CodeTierMismatch      = "OE1204" // the artifact claims a tier that this runtime does not support
	CodeSymbols           = "OE1210" // a reference does not resolve
	CodeLattice           = "OE1211" // the standpoint lattice has a cycle
	CodeSignature         = "OE1213" // a hash does not match
	CodeTierTable         = "OE1214" // the tier table does not fit the claim or the rules
	CodeMalformed         = "OE1255" // not an artifact, or damaged
	CodeUnknownSection    = "OE1256" // a mandatory section of an unknown type
	CodeUnsupportedFormat = "OE1257" // another version of the format
)
