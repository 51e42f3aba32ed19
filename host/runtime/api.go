package runtime

import (
	"encoding/json"
	"fmt"

	"github.com/ox-mcp/ox-mcp/host/governor"
)

// Envelope is what every runtime result carries beside its own keys.
type Envelope struct {
	ModuleHash string `json:"moduleHash,omitempty"` // "sha256:…" of the artifact that answered
	Reasoner   *Build `json:"reasoner,omitempty"`   // build that answered
	Scope      *Scope `json:"scope,omitempty"`
	Usage      *Usage `json:"usage,omitempty"`
	Outcome
}

// Build names a plugin build.
type Build struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Blake3  string `json:"blake3"`
}

// Scope is the scope of a call, as it was resolved.
type Scope struct {
	Tenant      string   `json:"tenant"`
	Fork        string   `json:"fork"`
	Standpoints []string `json:"standpoints"`
	AsOf        AsOf     `json:"asOf"`
	Principal   string   `json:"principal"`
	WritesTo    string   `json:"writesTo,omitempty"`
}

// AsOf is a read point: a transaction stamp, a valid time (a date or RFC 3339
// date-time, UTC), or both. The zero AsOf is now.
type AsOf struct {
	TT *int64 `json:"tt,omitempty"`
	VT string `json:"vt,omitempty"`
}

// Usage is what a call cost. It holds no wall time, so that it can be compared
// between machines.
type Usage struct {
	Fuel        uint64 `json:"fuel"`
	MemoryBytes uint64 `json:"memoryBytes"`
	Rounds      uint64 `json:"rounds"`
	Derived     uint64 `json:"derived"`
}

// Outcome is the refusal part of a result. The zero Outcome is success.
type Outcome struct {
	Code               string                  `json:"code,omitempty"`
	Message            string                  `json:"message,omitempty"`
	NextStep           *NextStep               `json:"nextStep,omitempty"`
	NeedsBuild         bool                    `json:"needs_build,omitempty"`
	NeedsRebuild       bool                    `json:"needs_rebuild,omitempty"`
	StaleArtifact      bool                    `json:"stale_artifact,omitempty"`
	SchemaIncompatible *SchemaChanges          `json:"schema_incompatible,omitempty"`
	DiagnosticCodes    []string                `json:"diagnostic_codes,omitempty"`
	LimitExceeded      *governor.LimitExceeded `json:"limit_exceeded,omitempty"`
	CapabilityRequired *CapabilityRequired     `json:"capability_required,omitempty"`
	Diagnostics        []Diagnostic            `json:"diagnostics,omitempty"` // of an ill-typed ad-hoc body or a refused write
	Lowered            []string                `json:"lowered,omitempty"`     // limits that were asked for above the ceiling
	Retryable          bool                    `json:"retryable,omitempty"`
	Truncated          *bool                   `json:"truncated,omitempty"`
}

// Refused reports whether the outcome is a refusal.
func (o *Outcome) Refused() bool { return o.Code != "" }

// Outcomes returns the outcome of a result; frontends use it for exit codes.
func (e *Envelope) Outcomes() *Outcome { return &e.Outcome }

// Result is any operation's result.
type Result interface{ Outcomes() *Outcome }

// NextStep is the one call that moves the caller on.
type NextStep struct {
	Tool      string         `json:"tool"`
	Arguments map[string]any `json:"arguments"`
}

// CapabilityRequired names a capability and how an operator grants it.
type CapabilityRequired struct {
	Capability string `json:"capability"`
	How        string `json:"how"`
}

// SchemaChanges lists what a new module would do to live facts.
type SchemaChanges struct {
	Changes []SchemaChange `json:"changes"`
	Confirm string         `json:"confirm"` // what argon_build {onIncompatible: "discard"} takes as confirm
}

// SchemaChange is one incompatibility: removed, retyped or rekeyed.
type SchemaChange struct {
	Relation string `json:"relation"`
	Change   string `json:"change"`
	Facts    int    `json:"facts"`
}

// The codes of outcomes.
const (
	CodeResultTooLarge       = "ARGON_RUNTIME_RESULT_TOO_LARGE"
	CodeDeriveFailed         = "ARGON_RUNTIME_DERIVE_FAILED"
	CodeCheckViolation       = "ARGON_RUNTIME_CHECK_VIOLATION"
	CodeWriteRefused         = "ARGON_RUNTIME_WRITE_REFUSED"
	CodeEvaluation           = "ARGON_RUNTIME_EVALUATION"
	CodeDirtyWorkspace       = "DIRTY_WORKSPACE"
	CodeNoArtifact           = "NO_ARTIFACT"
	CodeNoProject            = "NO_PROJECT"
	CodeGateFailed           = "GATE_FAILED"
	CodeSchemaIncompatible   = "SCHEMA_INCOMPATIBLE"
	CodeLimitExceeded        = "LIMIT_EXCEEDED"
	CodeConfirmationRequired = "CONFIRMATION_REQUIRED"
	CodeCapabilityRequired   = "CAPABILITY_REQUIRED"
	CodeStaleCursor          = "STALE_CURSOR"
	CodeIllTyped             = "ILL_TYPED"
	CodeNotSupported         = "NOT_SUPPORTED"
	CodeLockMismatch         = "LOCK_MISMATCH"
)

// Error is "could not run".
type Error struct {
	Status  int            `json:"status"` // HTTP status that fits
	Code    string         `json:"code"`
	Message string         `json:"message"`
	Details map[string]any `json:"details,omitempty"`
}

func (e *Error) Error() string { return e.Message }

// InvalidArguments says what is wrong with a call's arguments.
type InvalidArguments struct {
	Code     string    `json:"code"` // INVALID_ARGUMENTS
	Problems []Problem `json:"problems"`
}

// Problem is one wrong argument.
type Problem struct {
	Path     string `json:"path"`
	Expected string `json:"expected"`
	Got      string `json:"got"`
	Nearest  string `json:"nearest,omitempty"`
}

func (e *InvalidArguments) Error() string {
	if len(e.Problems) == 0 {
		return "invalid arguments"
	}
	p := e.Problems[0]
	s := fmt.Sprintf("%s: expected %s, got %s", p.Path, p.Expected, p.Got)
	if p.Nearest != "" {
		s += fmt.Sprintf(" (did you mean %s?)", p.Nearest)
	}
	return s
}

// Invalid returns an InvalidArguments with one problem.
func Invalid(path, expected, got, nearest string) error {
	return &InvalidArguments{Code: "INVALID_ARGUMENTS", Problems: []Problem{{path, expected, got, nearest}}}
}

// Cell is one value of a result: JSON for machines, Text for terminals.
type Cell struct {
	Text string
	JSON any
}

// MarshalJSON writes the cell's JSON form.
func (c Cell) MarshalJSON() ([]byte, error) { return EncodeJSON(c.JSON) }

// Common are the parameters that runtime reads share.
type Common struct {
	Fork        string            `json:"fork,omitempty"`
	AsOf        *AsOf             `json:"asOf,omitempty"`
	Standpoints []string          `json:"standpoints,omitempty"`
	Page        *Page             `json:"page,omitempty"`
	ProjectK3   bool              `json:"projectK3,omitempty"`
	Limits      map[string]uint64 `json:"limits,omitempty"` // wishes by name of the limit; only ever narrower
}

// Page asks for a part of a result.
type Page struct {
	Limit  int    `json:"limit,omitempty"`
	Cursor string `json:"cursor,omitempty"`
}

// Args are the arguments of an invocable by parameter name. A string is taken
// in the literal form of the parameter's type.
type Args map[string]json.RawMessage

// Position is a place in a text: 1-based, columns in code points.
type Position struct {
	Line   int `json:"line"`
	Column int `json:"column"`
}

// Range is a place in a source file of the package.
type Range struct {
	File  string   `json:"file"`
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// Diagnostic is a finding about source, or about a write.
type Diagnostic struct {
	Code        string       `json:"code"`
	Severity    string       `json:"severity"` // Error, Warning, Info, Hint
	Message     string       `json:"message"`
	Range       *Range       `json:"range,omitempty"`
	Related     []Related    `json:"related,omitempty"`
	Fix         *Fix         `json:"fix,omitempty"`
	Help        string       `json:"help,omitempty"`
	Remediation *Remediation `json:"remediation,omitempty"` // on the first diagnostic of each code
	Check       string       `json:"check,omitempty"`       // check that found it, for findings over facts
}

// Related is another place that a diagnostic talks about.
type Related struct {
	Message string `json:"message"`
	Range   Range  `json:"range"`
}

// Fix is a machine-applicable repair.
type Fix struct {
	Title string `json:"title"`
	Edits []Edit `json:"edits"`
}

// Edit replaces a range.
type Edit struct {
	Range Range  `json:"range"`
	Text  string `json:"text"`
}

// Remediation is the catalog's way out.
type Remediation struct {
	Class string `json:"class"`
	Text  string `json:"text"`
}

// CheckRequest checks the sources. Overlay holds unsaved texts by path.
type CheckRequest struct {
	Package string            `json:"package,omitempty"`
	Overlay map[string]string `json:"overlay,omitempty"`
}

// CheckResult is the answer of Check. Diagnostics stand in Findings so that
// the key is always there.
type CheckResult struct {
	Envelope
	Findings []Diagnostic `json:"diagnostics"`
	Summary  CheckSummary `json:"summary"`
}

// CheckSummary counts diagnostics.
type CheckSummary struct {
	Errors   int `json:"errors"`
	Warnings int `json:"warnings"`
	Infos    int `json:"infos"`
	Files    int `json:"files"`
}

// BuildRequest builds the package and, where it is the served one, reloads.
type BuildRequest struct {
	Package        string            `json:"package,omitempty"`
	Out            string            `json:"-"`                        // command line only
	Frozen         bool              `json:"-"`                        // command line only: ox.lock must fit
	OnIncompatible string            `json:"onIncompatible,omitempty"` // refuse (default), migrate, discard
	Renames        map[string]string `json:"renames,omitempty"`
	Confirm        string            `json:"confirm,omitempty"`
}

// BuildResult is the answer of Build.
type BuildResult struct {
	Envelope
	OK           bool         `json:"ok"`
	WroteOxbin   string       `json:"wroteOxbin,omitempty"` // relative to the package
	GateFailures []Diagnostic `json:"gateFailures"`
	Findings     []Diagnostic `json:"warnings"`
	Reloaded     bool         `json:"reloaded"`
	Dumped       string       `json:"dumped,omitempty"` // file that holds what discard removed
}

// StatusResult is the answer of Status.
type StatusResult struct {
	Envelope
	LoadedModuleHash string            `json:"loadedModuleHash"`
	OnDiskOxbinHash  string            `json:"onDiskOxbinHash"`
	SourceDirty      bool              `json:"sourceDirty"`
	DirtyInputs      []string          `json:"dirtyInputs"`
	ArtifactLoaded   bool              `json:"artifactLoaded"`
	Profile          string            `json:"profile"`
	Fork             string            `json:"fork"`
	AsOf             AsOf              `json:"asOf"`
	Stamp            int64             `json:"stamp"` // latest transaction stamp of the scope
	DirtyPolicy      string            `json:"dirtyPolicy"`
	Limits           map[string]uint64 `json:"limits"`
	Capabilities     []string          `json:"capabilities"`
	Plugins          []PluginStatus    `json:"plugins"`
	Paths            map[string]string `json:"paths"`
	Notes            []string          `json:"notes,omitempty"` // ignored keys of ox.toml, watcher trouble, …
}

// PluginStatus describes one sandboxed build.
type PluginStatus struct {
	Build
	Plugin      string      `json:"plugin,omitempty"` // its name in the configuration; empty: a build that comes with the program
	World       string      `json:"world"`
	Metered     string      `json:"metered"` // BLAKE3 of the metered module
	Loaded      bool        `json:"loaded"`
	Grants      []string    `json:"grants"`
	Calls       uint64      `json:"calls"`
	Fuel        uint64      `json:"fuel"`
	Traps       uint64      `json:"traps"`                 // crashes, and answers that are none
	Refusals    uint64      `json:"refusals"`              // admissions refused, and calls that a limit stopped
	CacheHits   uint64      `json:"cacheHits"`             // states that were there already when a call needed one
	PeakMemory  uint64      `json:"peakMemory"`            // bytes of the largest instance after a call
	Compiled    string      `json:"compiled,omitempty"`    // "cached" or "cold": where its code came from; not in frozen runs
	Latency     *Latency    `json:"latency,omitempty"`     // not in frozen runs
	LastSwap    *SwapResult `json:"lastSwap,omitempty"`    // of the reasoner: the last try to put another build in its place
	Quarantined string      `json:"quarantined,omitempty"` // why the build is not called any more
	Problem     string      `json:"problem,omitempty"`     // why it cannot be used
}

// Latency is the wall time of calls, in microseconds. It is no part of any
// receipt.
type Latency struct {
	Mean      int64    `json:"mean"`
	Max       int64    `json:"max"`
	Histogram []Bucket `json:"histogram"` // without the empty buckets
}

// Bucket counts the calls of a latency histogram that took up to UpTo
// microseconds, and longer than the bucket before; 0 is without an end.
type Bucket struct {
	UpTo  int64  `json:"upTo,omitempty"`
	Calls uint64 `json:"calls"`
}

// TestRequest runs the package's tests; Filter is a regular expression.
type TestRequest struct {
	Package string `json:"package,omitempty"`
	Filter  string `json:"filter,omitempty"`

	// Receipts asks for receipts: the tests see a fixed instant.
	Receipts bool `json:"-"`
}

// TestResult is the answer of Test.
type TestResult struct {
	Envelope
	Built    bool         `json:"built"`
	Findings []Diagnostic `json:"diagnostics"`
	Tests    []TestReport `json:"tests"`
	Summary  TestSummary  `json:"summary"`
	Receipts *Receipts    `json:"-"` // where they were asked for
}

// TestReport is the outcome of one test: PASS, FAIL, ERROR or INCONCLUSIVE.
type TestReport struct {
	Name       string       `json:"name"`
	Outcome    string       `json:"outcome"`
	Assertions int          `json:"assertions"`
	Failure    *TestFailure `json:"failure,omitempty"` // the first
}

// TestFailure says what went wrong, and where.
type TestFailure struct {
	Message string `json:"message"`
	Range   *Range `json:"range,omitempty"`
}

// TestSummary counts tests.
type TestSummary struct {
	Passed       int `json:"passed"`
	Failed       int `json:"failed"`
	Errors       int `json:"errors"`
	Inconclusive int `json:"inconclusive"`
}

// QueryRequest runs a declared query, or with Body an ad-hoc one.
type QueryRequest struct {
	Name string `json:"name,omitempty"`
	Body string `json:"body,omitempty"`
	Args Args   `json:"args,omitempty"`
	Common
}

// DeriveRequest reads an extent: of a rule head, concept, relation or check.
type DeriveRequest struct {
	Name    string `json:"name"`
	Explain bool   `json:"explain,omitempty"`
	Common
}

// RowsResult is the answer of Query and Derive.
type RowsResult struct {
	Envelope
	Name       string   `json:"name,omitempty"` // qualified
	Columns    []Column `json:"columns"`
	Rows       []Row    `json:"rows"`
	Hidden     Hidden   `json:"hidden"`
	NextCursor string   `json:"nextCursor,omitempty"`
	Total      int      `json:"total"`
}

// Column is a column of a result.
type Column struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// Row is a row of a result.
type Row struct {
	Values []Cell `json:"values"`
	Truth4 string `json:"truth4,omitempty"`
	Proof  string `json:"proof,omitempty"` // with explain: rule and round, or "asserted"
}

// Hidden counts the rows that projectK3 drops, by truth value.
type Hidden struct {
	Can  int `json:"can"`
	Both int `json:"both"`
	Not  int `json:"not"`
}

// ExplainRequest explains a fact: "Head(a, b)", or Head and Tuple.
type ExplainRequest struct {
	Fact        string            `json:"fact,omitempty"`
	Head        string            `json:"head,omitempty"`
	Tuple       []json.RawMessage `json:"tuple,omitempty"`
	NodeID      string            `json:"nodeId,omitempty"` // of expand
	Alternative int               `json:"alternative,omitempty"`
	MaxDepth    int               `json:"maxDepth,omitempty"`
	MaxNodes    int               `json:"maxNodes,omitempty"`
	Format      string            `json:"format,omitempty"` // json (default), text, dot
	Common
}

// ExplainResult is the answer of Explain and Expand.
type ExplainResult struct {
	Envelope
	Fact     string       `json:"fact"`
	Derived  bool         `json:"derived"`
	Root     *ProofNode   `json:"root,omitempty"`
	Folded   []FoldedNode `json:"folded"`
	WhyNot   *WhyNotNode  `json:"whyNot,omitempty"`
	Rendered string       `json:"rendered,omitempty"`
}

// ProofNode is a node of a proof as frontends show it.
type ProofNode struct {
	NodeID       string          `json:"nodeId"`
	Fact         string          `json:"fact"`
	Truth4       string          `json:"truth4"`
	Kind         string          `json:"kind"` // asserted, rule, absent, aggregate, compare, folded
	Rule         *RuleRef        `json:"rule,omitempty"`
	Bindings     map[string]Cell `json:"bindings,omitempty"`
	Children     []*ProofNode    `json:"children"`
	Alternatives int             `json:"alternatives"`
	Event        *EventRef       `json:"event,omitempty"`
	Source       *Range          `json:"source,omitempty"`
	Pending      bool            `json:"pending,omitempty"` // asserted by the write that is being judged
	Filter       bool            `json:"filter,omitempty"`  // tests the type of a head parameter; drawings leave it out
	Size         int             `json:"size,omitempty"`
}

// RuleRef names a rule.
type RuleRef struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
	Span *Range `json:"span,omitempty"`
}

// EventRef names the stored event behind a fact.
type EventRef struct {
	ID        string `json:"id"`
	TT        int64  `json:"tt"`
	ValidFrom string `json:"validFrom,omitempty"`
	ValidTo   string `json:"validTo,omitempty"`
}

// FoldedNode is a subtree that was left out.
type FoldedNode struct {
	NodeID string `json:"nodeId"`
	Fact   string `json:"fact"`
	Size   int    `json:"size"`
}

// WhyNotNode explains an absent fact.
type WhyNotNode struct {
	Fact     string    `json:"fact"`
	Reason   string    `json:"reason,omitempty"`
	Rules    []Attempt `json:"rules"`
	Searched *Searched `json:"searched,omitempty"`
}

// Attempt is how far one rule gets.
type Attempt struct {
	Rule     RuleRef       `json:"rule"`
	Reached  int           `json:"reached"`
	Of       int           `json:"of"`
	Failed   FailedAtom    `json:"failed"`
	NearMiss string        `json:"nearMiss,omitempty"`
	Children []*WhyNotNode `json:"children"`
}

// FailedAtom is the premise that does not hold.
type FailedAtom struct {
	Atom     string          `json:"atom"`
	Bindings map[string]Cell `json:"bindings"`
	Reason   string          `json:"reason"`
}

// Searched says what a search for repairs covered.
type Searched struct {
	MaxSize  int  `json:"maxSize"`
	Complete bool `json:"complete"`
}

// WhyRequest asks why checks fire, over the served state or over the source's
// own facts.
type WhyRequest struct {
	Check    string `json:"check,omitempty"`
	Of       string `json:"of,omitempty"` // runtime (default), source
	MaxDepth int    `json:"maxDepth,omitempty"`
	Common
}

// WhyResult is the answer of Why.
type WhyResult struct {
	Envelope
	Firings []Firing `json:"firings"`
}

// Firing is one violation with its trace.
type Firing struct {
	Check        string          `json:"check"`
	RuleID       int             `json:"ruleId"`
	Code         string          `json:"code"`
	Severity     string          `json:"severity"`
	Message      string          `json:"message"`
	Bindings     map[string]Cell `json:"bindings"`
	Declarations []Declaration   `json:"declarations"`
	Premises     []*ProofNode    `json:"premises"`
	Trace        *ProofNode      `json:"trace"`
	Spans        []Range         `json:"spans"`
	Rendered     string          `json:"rendered"`
}

// Declaration names a declaration that a firing involves.
type Declaration struct {
	Name string `json:"name"`
	Span *Range `json:"span,omitempty"`
}

// ChecksRequest asks for the current violations.
type ChecksRequest struct {
	Name string `json:"name,omitempty"`
	Common
}

// ChecksResult is the answer of Checks.
type ChecksResult struct {
	Envelope
	Violations []Violation `json:"violations"`
	Clean      bool        `json:"clean"`
	NextCursor string      `json:"nextCursor,omitempty"`
	Total      int         `json:"total"`
}

// Violation is one violation of a check.
type Violation struct {
	Check    string          `json:"check"`
	Severity string          `json:"severity"`
	Code     string          `json:"code"`
	Message  string          `json:"message"`
	Bindings map[string]Cell `json:"bindings"`
	Text     string          `json:"-"` // the bindings as "(a, b)"
}

// MutateRequest runs a declared mutation, or with Body an ad-hoc one.
type MutateRequest struct {
	Name                string            `json:"name,omitempty"`
	Body                string            `json:"body,omitempty"`
	Args                Args              `json:"args,omitempty"`
	IncludeDerivedDelta bool              `json:"includeDerivedDelta,omitempty"`
	DryRun              bool              `json:"dryRun,omitempty"`
	IdempotencyKey      string            `json:"idempotencyKey,omitempty"`
	Fork                string            `json:"fork,omitempty"`
	Limits              map[string]uint64 `json:"limits,omitempty"`
}

// MutateResult is the answer of Mutate.
type MutateResult struct {
	Envelope
	Name         string       `json:"name,omitempty"` // qualified
	Receipt      *Receipt     `json:"receipt,omitempty"`
	Minted       []Minted     `json:"minted"`
	Value        *Cell        `json:"value,omitempty"` // what the body returned
	DerivedDelta []HeadDelta  `json:"derivedDelta,omitempty"`
	Observed     []Diagnostic `json:"observed"`
	DryRun       bool         `json:"dryRun,omitempty"`
	Trace        []Firing     `json:"trace,omitempty"` // of a write that a check refused
}

// Receipt of an accepted write.
type Receipt struct {
	TT         int64  `json:"tt"`
	Events     int    `json:"events"`
	Now        string `json:"now"`
	ModuleHash string `json:"moduleHash"`
	InputHash  string `json:"inputHash"`
	ResultHash string `json:"resultHash"`
	*Bill             // only of a frozen run
}

// Minted is an individual that a write made.
type Minted struct {
	ID      string `json:"id"`
	Concept string `json:"concept"`
	Name    string `json:"name,omitempty"`
}

// HeadDelta is what a write changed in one derived relation.
type HeadDelta struct {
	Head         string   `json:"head"`
	Added        [][]Cell `json:"added"`
	Removed      [][]Cell `json:"removed"`
	AddedCount   int      `json:"addedCount"`
	RemovedCount int      `json:"removedCount"`
}

// ComputeRequest evaluates a fn.
type ComputeRequest struct {
	Name string `json:"name"`
	Args Args   `json:"args,omitempty"`
	Common
}

// ComputeResult is the answer of Compute.
type ComputeResult struct {
	Envelope
	Name      string       `json:"name"`
	Value     *Cell        `json:"value,omitempty"`
	Emissions []Diagnostic `json:"emissions"`
}

// SchemaRequest looks constructs up.
type SchemaRequest struct {
	Name string `json:"name,omitempty"`
	Kind string `json:"kind,omitempty"`
	Page *Page  `json:"page,omitempty"`
}

// SchemaResult is one construct, or an index.
type SchemaResult struct {
	Envelope
	Construct  *Construct       `json:"construct,omitempty"`
	Index      []ConstructEntry `json:"index,omitempty"`
	NextCursor string           `json:"nextCursor,omitempty"`
	Total      int              `json:"total"`
}

// ConstructEntry is a line of the index.
type ConstructEntry struct {
	Name      string `json:"name"`
	Kind      string `json:"kind"`
	Signature string `json:"signature"`
}

// Construct is one declared construct.
type Construct struct {
	ConstructEntry
	Doc      string       `json:"doc,omitempty"`
	Public   bool         `json:"public"`
	Params   []Column     `json:"params,omitempty"`
	Result   string       `json:"result,omitempty"`
	Fields   []FieldEntry `json:"fields,omitempty"`
	Supers   []string     `json:"supers,omitempty"`
	Variants []string     `json:"variants,omitempty"`
	World    string       `json:"world,omitempty"`
	Defined  *Range       `json:"defined,omitempty"`
}

// FieldEntry is a field of a construct.
type FieldEntry struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Mut      bool   `json:"mut,omitempty"`
	Required bool   `json:"required,omitempty"`
	From     string `json:"from,omitempty"` // concept it is inherited from
}

// ScenarioRequest runs a scenario file's steps on a throw-away copy.
type ScenarioRequest struct {
	File string // path, relative to the package or absolute
}

// ScenarioResult is the answer of RunScenario.
type ScenarioResult struct {
	Envelope
	Steps []ScenarioStep `json:"steps"`
	OK    bool           `json:"ok"`
}

// ScenarioStep is the outcome of one step; exactly one of the results is set.
type ScenarioStep struct {
	Do      string         `json:"do"`
	Label   string         `json:"label,omitempty"`
	Path    string         `json:"path"`
	Rows    *RowsResult    `json:"rows,omitempty"`
	Mutate  *MutateResult  `json:"mutate,omitempty"`
	Compute *ComputeResult `json:"compute,omitempty"`
	Failure string         `json:"failure,omitempty"` // an expectation that was not met
}
