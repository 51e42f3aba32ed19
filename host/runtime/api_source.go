package runtime

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
	Package        string `json:"package,omitempty"`
	Out            string `json:"-"`                        // command line only
	Frozen         bool   `json:"-"`                        // command line only: ox.lock must fit
	OnIncompatible string `json:"onIncompatible,omitempty"` // refuse (default) or discard
	Confirm        string `json:"confirm,omitempty"`
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
	Failure    *TestFailure `json:"failure,omitempty"` // what the outcome is for

	// Failures are all that went wrong, in order, where that is more than one.
	Failures []TestFailure `json:"failures,omitempty"`
}

// TestFailure says what went wrong, and where. Outcome is what it comes to by
// itself, FAIL, ERROR or INCONCLUSIVE; it is given in the list of several.
type TestFailure struct {
	Outcome string `json:"outcome,omitempty"`
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
