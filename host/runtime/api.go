package runtime

import (
	"encoding/json"

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
	Fuel        uint64 `json:"fuel"`               // units of docs/fuel.md
	MemoryBytes uint64 `json:"memoryBytes"`        // of the largest instance after the call
	Rounds      uint64 `json:"rounds"`             // of the fixpoint, over all components
	Derived     uint64 `json:"derived"`            // tuples
	ByDemand    uint64 `json:"byDemand,omitempty"` // questions answered without evaluating what they read; the others by its extents
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
	Diagnostics        []Diagnostic            `json:"diagnostics,omitempty"`  // of an ad-hoc body or a refused write
	Lowered            []string                `json:"lowered,omitempty"`      // limits that were asked for above the ceiling
	LatestStamp        *int64                  `json:"latest_stamp,omitempty"` // of a read at a later stamp, which there is not yet: the answer is as of this one
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
	Facts    int    `json:"facts"` // live ones that would be lost
}

// The codes of outcomes. Each is a refusal: nothing was answered or written.
const (
	CodeResultTooLarge       = "ARGON_RUNTIME_RESULT_TOO_LARGE" // more than one answer holds: ask for pages
	CodeDeriveFailed         = "ARGON_RUNTIME_DERIVE_FAILED"    // the derived model as a whole has no answer
	CodeCheckViolation       = "ARGON_RUNTIME_CHECK_VIOLATION"  // the write would newly violate a check of severity Error
	CodeWriteRefused         = "ARGON_RUNTIME_WRITE_REFUSED"    // a require of the mutation is false
	CodeEvaluation           = "ARGON_RUNTIME_EVALUATION"       // an expression has no value, such as a division by zero
	CodeDirtyWorkspace       = "DIRTY_WORKSPACE"                // the sources changed, and the policy or an error keeps them from being built
	CodeNoArtifact           = "NO_ARTIFACT"                    // the package was not built yet
	CodeNoProject            = "NO_PROJECT"                     // there is no package
	CodeGateFailed           = "GATE_FAILED"                    // the sources have errors, or violate a check
	CodeSchemaIncompatible   = "SCHEMA_INCOMPATIBLE"            // the new module does not fit the live facts
	CodeLimitExceeded        = "LIMIT_EXCEEDED"                 // LimitExceeded names the limit
	CodeConfirmationRequired = "CONFIRMATION_REQUIRED"          // the call takes something away for good
	CodeCapabilityRequired   = "CAPABILITY_REQUIRED"            // the operator has not granted what the call needs
	CodeStaleCursor          = "STALE_CURSOR"                   // a cursor or node of another module, call or state
	CodeIllTyped             = "ILL_TYPED"                      // an ad-hoc body that does not compile, and was not run
	CodeLockMismatch         = "LOCK_MISMATCH"                  // a frozen build does not find what ox.lock says
)

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
	Limit  int    `json:"limit,omitempty"`  // rows; 0, or more than limits.rows, is limits.rows
	Cursor string `json:"cursor,omitempty"` // NextCursor of the page before, unchanged

	// atOnce says that the page is asked for at once after the page before, as a
	// part of one call: the sources, which were looked at for that, are not read
	// again.
	atOnce bool
}

// Args are the arguments of an invocable by parameter name. A string is taken
// in the literal form of the parameter's type.
type Args map[string]json.RawMessage
