// Package diag is the catalog of diagnostic codes and the shape of a
// diagnostic. Every stage of host/argon reports through a List; no stage
// prints.
package diag

// Severity of a diagnostic.
type Severity uint8

// The severities.
const (
	Error Severity = iota
	Warning
	Info
	Hint
)

// Place is a range of a file: byte offsets into the text.
type Place struct {
	Path  string // relative to the package root, with '/'
	Start int
	End   int
}

// Related points at another place that has to do with a diagnostic.
type Related struct {
	Place   Place
	Message string
}

// Fix is an edit that repairs what a diagnostic reports.
type Fix struct {
	Title string
	Edits []Edit
}

// Edit replaces a place by a text.
type Edit struct {
	Place Place
	Text  string
}

// Diagnostic is one finding: what (Code, Message), where (Place, Related),
// why (the catalog entry of Code) and what to do next (Help, Fix).
type Diagnostic struct {
	Code     string
	Severity Severity
	Message  string
	Place    Place
	Related  []Related
	Help     string
	Fix      *Fix
	Macro    string // the macros whose own words it speaks of at a use; empty elsewhere
	Follows  bool   // it follows from another one, and nobody sees it
}

// List gathers diagnostics. Its zero value is ready.
type List struct {
	Items    []Diagnostic
	Keep     bool      // note Sections
	Sections []Section // in the order of Items
}

// Add appends d.
func (l *List) Add(d Diagnostic) { l.Items = append(l.Items, d) }

// HasErrors reports whether an Error was added.
func (l *List) HasErrors() bool {
	for _, d := range l.Items {
		if d.Severity == Error {
			return true
		}
	}
	return false
}
