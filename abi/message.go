package abi

// The exports of a reasoner, in the Component Model's naming of core exports.
// Each but describe and stats takes a list<u8> and gives a
// result<list<u8>, list<u8>>: the response, or a Failure; both are CBOR.
const (
	ReasonerInterface = "ox:plugin/reasoner@" + Version
	ExportDescribe    = ReasonerInterface + "#describe"
	ExportLoad        = ReasonerInterface + "#load"
	ExportAssert      = ReasonerInterface + "#assert"
	ExportQuery       = ReasonerInterface + "#query"
	ExportDerive      = ReasonerInterface + "#derive"
	ExportExplain     = ReasonerInterface + "#explain"
	ExportCompute     = ReasonerInterface + "#compute"
	ExportMutate      = ReasonerInterface + "#mutate"
	ExportChecks      = ReasonerInterface + "#checks"
	ExportStats       = ReasonerInterface + "#stats"

	// ExportRunning is optional: () -> i32, the address of a u32 that holds one
	// more than the index of the rule that is being evaluated, or 0. The host
	// reads it where a limit stopped the guest.
	ExportRunning = "ox_running"

	EvaluatorInterface      = "ox:plugin/check-evaluator@" + Version
	ExportEvaluatorDescribe = EvaluatorInterface + "#describe"
	ExportEvaluate          = EvaluatorInterface + "#evaluate"

	ImportLog = "ox:plugin/log@" + Version
)

// The worlds that a guest may say it implements.
const (
	WorldReasoner  = "reasoner"
	WorldEvaluator = "check-evaluator"
)

// Description is what describe answers.
type Description struct {
	ABI     string
	World   string
	Name    string
	Version string
}

// Limits is everything that may stop a call. Zero means "no limit of this
// kind" inside a guest; the host always sets all of them.
type Limits struct {
	Fuel        uint64 // units of the fuel schedule
	Memory      uint64 // bytes of linear memory an instance
	Deadline    uint64 // milliseconds of wall time
	Depth       uint64 // WebAssembly call frames
	Calls       uint64 // nested language-level calls
	Rounds      uint64 // rounds of fixpoint evaluation in a call
	Derived     uint64 // tuples derived in a call
	Rows        uint64 // rows of a page
	ResultBytes uint64 // bytes of a result as JSON
	HostCalls   uint64
	HostBytes   uint64
	OutputBytes uint64 // bytes of a guest's answer
	SourceBytes uint64 // bytes of a package's source
	BodyBytes   uint64 // bytes of an ad-hoc body
}

// Call is the context of one call: the same Call on the same state gives the
// same answer.
type Call struct {
	Now    Value    // KindInstant
	Seed   [32]byte // ids of new individuals come from it
	Limits Limits
}

// Failure is the error side of a guest's answer.
type Failure struct {
	Code    string // one of the Failure constants
	Message string
	Span    Span
	Limit   *Breach // of FailureLimit; also of FailureEval where one value grew past its bound (LimitValue)
	Rule    int     // rule that was running, or -1
}

// The codes of a Failure.
const (
	FailureLimit     = "limit"       // a limit of the call was breached: Limit says which
	FailureEval      = "eval"        // an expression of fn, mutate or test failed, or a value anywhere grew past its bound
	FailureUndefined = "undefined"   // an expression of fn, mutate or test goes by a tuple that is neither true nor false
	FailureRequire   = "require"     // a require was false
	FailureRequest   = "bad_request" // the message does not fit the loaded program
	FailureState     = "bad_state"   // called out of order
	FailureUnbound   = "unbound"     // a query parameter that the body does not bind has no argument
	FailureInternal  = "internal"
)

func (f *Failure) Error() string { return f.Code + ": " + f.Message }

// The names of limits, as they stand in a limit_exceeded payload.
const (
	LimitFuel      = "fuel"
	LimitMemory    = "memory"
	LimitDeadline  = "deadline"
	LimitDepth     = "depth"
	LimitCalls     = "calls"
	LimitRounds    = "rounds"
	LimitDerived   = "derived"
	LimitRows      = "rows"
	LimitBytes     = "bytes"
	LimitSource    = "source"
	LimitBody      = "body"
	LimitHostCalls = "hostCalls"
	LimitHostBytes = "hostBytes" // bytes that pass in host calls
	LimitOutput    = "output"
	LimitValue     = "value" // bytes, or items, of one value: a bound that no setting raises
)

// Breach says which limit was passed, and by what.
type Breach struct {
	Limit   string
	Allowed uint64
	Used    uint64
}

// Work is what a call cost inside the guest.
type Work struct {
	Rounds  uint64
	Derived uint64

	// ByDemand is how many questions of the call were answered by what they ask
	// for alone. The others were answered by the extents of what they read.
	ByDemand uint64
}

// LoadRequest loads a program into a fresh instance.
type LoadRequest struct {
	Call    Call
	Program Program
}

// LoadResponse answers LoadRequest.
type LoadResponse struct{ Work Work }

// Delta is a change of one base relation: the frame's tuples are added, or
// removed. Order matters; adding a tuple that is there and removing one that
// is not are no error. For a relation with a key, an added tuple replaces the
// one with the same key.
type Delta struct {
	Relation int
	Remove   bool
	Frame    Frame
}

// AssertRequest changes base relations. Nothing is evaluated: derived
// relations are brought up to date when something reads them.
type AssertRequest struct {
	Call   Call
	Deltas []Delta
}

// AssertResponse answers AssertRequest.
type AssertResponse struct {
	Added   uint64
	Removed uint64
	Work    Work
}

// Extension is program text for one call only: an ad-hoc query or mutate, or
// a test's steps. Its indexes continue those of the loaded program.
type Extension struct {
	Constants  []Value
	Relations  []Relation
	Rules      []Rule
	Components []Component
	Functions  []Function
	Queries    []Query
	Mutations  []Mutation
}

// Page asks for at most Limit rows that come after the row After (nil: from
// the start). Limit 0 asks for all.
type Page struct {
	Limit uint64
	After []Value
}

// QueryRequest runs a query. Args is parallel to its parameters; nil is "not
// given".
type QueryRequest struct {
	Call      Call
	Query     int
	Args      []*Value
	Page      Page
	Extension *Extension
}

// Rows is a page of an extent or a query, in the order of the rows' values.
type Rows struct {
	Frame  Frame // with Truth
	Total  uint64
	More   bool
	Hidden Hidden
	Tags   []Tag // one a row if tags were asked for
	Work   Work
}

// Hidden counts the rows of a result by the truth values that a projection to
// certain truth drops.
type Hidden struct {
	Can, Both, Not uint64
}

// Tag says where a tuple came from first.
type Tag struct {
	Rule  int // -1: asserted
	Round uint32
}

// DeriveRequest reads the extent of a relation.
type DeriveRequest struct {
	Call     Call
	Relation int
	Page     Page
	Tags     bool
}

// ExplainRequest asks why a tuple is, or is not, in a relation.
type ExplainRequest struct {
	Call        Call
	Relation    int
	Tuple       []Value
	MaxDepth    uint32
	MaxNodes    uint32
	Alternative uint32   // which derivation of the root is shown: 0 is the canonical one
	Path        []uint32 // child numbers from the root to the node to start at
	Repairs     uint32   // of a tuple that is not derived: most facts of a repair to look for; 0: none are looked for
}

// Explanation is a proof, or the reasons why there is none. Nodes is in
// preorder; Nodes[0] is the root (after Path).
type Explanation struct {
	Derived bool
	Nodes   []ProofNode // of a derived tuple
	WhyNot  []WhyNotNode
	Work    Work
	Repairs *RepairSearch // nil: none was asked for, or the tuple is derived
}

// MaxRepair is the most facts of a repair that a reasoner looks for.
const MaxRepair = 3

// RepairSearch is what a search for repairs found: the smallest changes of base
// facts that derive the tuple, all of one size, those that change what is there
// first, and then in the order of their values. A fact that takes the place of
// another counts as one. Complete says that every set of up to MaxSize facts was
// covered, over the values that the state, the program and the tuple name, and
// that all which derive the tuple are listed.
type RepairSearch struct {
	MaxSize  uint32
	Complete bool
	Repairs  []Repair
	Removals bool    // sets that take facts away were tried, too
	Tried    uint64  // sets that were tried, where that were not all; 0: all, or it is not known
	Limit    *Breach // what the relations that the search goes by passed, so that it could not begin; nil: they did not
}

// Repair is a change of base facts: Facts, none of which is there, are added,
// and Removed, which are, taken away. A fact that is added where a relation's
// key has another takes its place; that one is in Removed, too.
type Repair struct {
	Facts   []RepairFact
	Removed []RepairFact
}

// RepairFact is a tuple of a base relation.
type RepairFact struct {
	Relation int
	Tuple    []Value
}

// ProofKind says what a proof node is.
type ProofKind uint8

// The kinds of proof nodes.
const (
	ProofAsserted  ProofKind = iota // base tuple
	ProofRule                       // derived by Rule from Children
	ProofAbsent                     // a tuple that is not there: negation as failure
	ProofCompare                    // a comparison or another condition that holds
	ProofAggregate                  // a fold: Children are its witnesses
	ProofFolded                     // left out: Size nodes at least
	proofKindCount
)

// ProofNode is a node of a proof. For ProofRule, Children follow the body's
// atoms in order. For conditions (ProofCompare, ProofAbsent, ProofAggregate),
// Atom is the atom's index in the parent's rule body and Bindings the values
// of the rule's slots; Relation is -1 where there is no fact.
type ProofNode struct {
	Kind         ProofKind
	Relation     int
	Tuple        []*Value // nil: anything (of an absent tuple)
	Rule         int
	Round        uint32
	Atom         int
	Bindings     []*Value // the rule's slots; nil: not bound
	Children     []int
	Alternatives uint32
	Size         uint32
	Path         []uint32 // from the explanation's fact
}

// WhyNotReason says why an atom failed.
type WhyNotReason uint8

// The reasons.
const (
	ReasonNoMatch         WhyNotReason = iota // no tuple fits
	ReasonRefuted                             // it is refuted
	ReasonComparisonFalse                     // the condition is false, or its expression failed
	ReasonBlocked                             // the tuple that must be absent is there
	ReasonHead                                // the head cannot be this tuple
	ReasonUndefined                           // it is neither true nor false in the well-founded model
	whyNotReasonCount
)

// WhyNotNode is a fact that does not hold, with one attempt for each rule
// whose head fits it. Nodes of the same Explanation refer to each other by
// index.
type WhyNotNode struct {
	Relation int
	Tuple    []*Value // nil: anything
	Attempts []Attempt
}

// AtomState says what is known of an atom of an attempt's body.
type AtomState uint8

// The states of atoms.
const (
	AtomUnknown AtomState = iota // not tried: it goes by a value that an atom which fails would have
	AtomHolds
	AtomFails
	AtomUndefined // neither true nor false
	atomStateCount
)

// Attempt is how far one rule gets: Reached atoms hold under Bindings, the most
// for which there are some, and the atom Failed does not. Where the rule's body
// is false, Reached counts the atoms that are undefined, too; where it is
// undefined, so that Reason is ReasonUndefined, it does not.
type Attempt struct {
	Rule     int
	Reached  int
	Atoms    int // atoms of the body
	Failed   int // index into the body; -1: the head
	Bindings []*Value
	Reason   WhyNotReason
	NearMiss []Value     // of the failed atom's relation: a tuple that differs in one place
	Child    int         // WhyNotNode of the failed atom's fact, or -1
	States   []AtomState // of each atom of the body; nil: nothing is said of them

	// What was not looked at, because of what it would cost.
	NearCut     bool // tuples that differ in one place: NearMiss may be missing, or not the least
	BindingsCut bool // bindings that get as far, or that satisfy more atoms
}

// ComputeRequest evaluates a function, or (Expr) an expression over Slots.
type ComputeRequest struct {
	Call      Call
	Function  int
	Args      []Value
	Expr      *Expr // if set, evaluated instead, with Slots preset
	Slots     []*Value
	Extension *Extension
}

// ComputeResponse answers ComputeRequest.
type ComputeResponse struct {
	Value Value
	Work  Work
}

// MutateRequest runs a mutation's body, applies its writes to this instance,
// and evaluates the checks. Nothing is committed: the host keeps the instance
// or drops it.
type MutateRequest struct {
	Call      Call
	Mutation  int
	Args      []Value  // parallel to the parameters
	Slots     []*Value // of a test step: presets, parallel to the mutation's slots
	Delta     bool     // report what the writes changed in derived relations
	Extension *Extension
}

// MutateResponse answers MutateRequest.
type MutateResponse struct {
	Writes     []Write
	Minted     []Minted
	Result     *Value
	Slots      []*Value     // values of the mutation's slots at the end
	Violations []Violations // of each check: violations that were not there before
	Changes    []Change     // with Delta
	Work       Work
	Detached   bool // the extension of the request is no part of the instance any more
}

// Write is one change of a base relation. A Set replaces the tuple with the
// same key; it is an Assert for relations without a key. One whose period is
// empty is a default: it counts from ValidFrom on wherever no other tuple has
// its key, which the host finds out. With a nil ValidFrom it counts at the call.
type Write struct {
	Relation  int
	Remove    bool
	Tuple     []Value
	ValidFrom *Value // instant; nil: the call's
	ValidTo   *Value // instant; nil: no end
}

// IsDefault reports whether the period of the write is empty.
func (w *Write) IsDefault() bool {
	return !w.Remove && w.ValidTo != nil && (w.ValidFrom == nil || Equal(*w.ValidFrom, *w.ValidTo))
}

// Minted is an individual that the call made.
type Minted struct {
	ID      Value
	Concept string
}

// Change is the difference of one derived relation.
type Change struct {
	Relation int
	Added    Frame
	Removed  Frame
}

// ChecksRequest asks for the violations of all checks, or of one.
type ChecksRequest struct {
	Call  Call
	Check int // -1: all
}

// ChecksResponse answers ChecksRequest: an entry for each check that has
// violations, in the order of the checks. A check whose evaluation passed a
// limit is in Breached.
type ChecksResponse struct {
	Violations []Violations
	Breached   []CheckBreach
	Work       Work
}

// Violations are the violating tuples of a check.
type Violations struct {
	Check int
	Frame Frame
}

// CheckBreach is a check that could not be evaluated inside the limits.
type CheckBreach struct {
	Check int
	Rule  int // rule that was running, or -1
	Limit Breach
}

// Stats is what stats answers.
type Stats struct {
	Terms     uint64
	Tuples    uint64
	Relations []RelationStats
}

// RelationStats is the size of one relation.
type RelationStats struct {
	Relation int
	Tuples   uint64
	Current  bool // up to date
}

// EvaluateRequest asks a check evaluator for the diagnostics of violations.
// Constants and Functions are those that Payload needs.
type EvaluateRequest struct {
	Call      Call
	Check     string
	Constants []Value
	Functions []Function
	Payload   Payload
	Columns   []Column
	Frame     Frame
}

// EvaluateResponse answers EvaluateRequest, one verdict a row.
type EvaluateResponse struct{ Verdicts []Verdict }

// Verdict is the evaluator's word on one violation. Drop says that the
// binding is no violation after all.
type Verdict struct {
	Drop     bool
	Severity Severity
	Code     string
	Message  string
}
