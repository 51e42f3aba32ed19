package runtime

// CatalogEntry is one entry of the diagnostic catalog: what a code means and
// how to get rid of it.
type CatalogEntry struct {
	Code        string       `json:"code"`
	Severity    string       `json:"severity"` // Error, Warning, Info, Hint
	Title       string       `json:"title"`
	Explanation string       `json:"explanation"`
	Remediation *Remediation `json:"remediation,omitempty"`
	Failing     string       `json:"failing,omitempty"`  // source that gives the code
	Repaired    string       `json:"repaired,omitempty"` // the same source without the mistake
	Reserved    bool         `json:"reserved"`           // kept for a form that is accepted by now
}
