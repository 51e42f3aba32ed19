package runtime

// MutateRequest runs a declared mutation, or with Body an ad-hoc one.
type MutateRequest struct {
	Name                string            `json:"name,omitempty"`
	Body                string            `json:"body,omitempty"`
	Args                Args              `json:"args,omitempty"`
	IncludeDerivedDelta bool              `json:"includeDerivedDelta,omitempty"`
	DryRun              bool              `json:"dryRun,omitempty"`
	IdempotencyKey      string            `json:"idempotencyKey,omitempty"`
	Fork                string            `json:"fork,omitempty"`
	Standpoints         []string          `json:"standpoints,omitempty"` // at most one: the layer that is written to
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

// ScenarioRequest runs a scenario file's steps on a throw-away copy.
type ScenarioRequest struct {
	File string // path, relative to the package or absolute
}

// ScenarioResult is the answer of RunScenario.
type ScenarioResult struct {
	Envelope
	File  string         `json:"file,omitempty"` // where several are run
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
