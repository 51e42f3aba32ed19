package diag

import (
	"slices"
	"strings"
)

// Stage says when a code is reported.
type Stage string

// The stages.
const (
	StageCheck    Stage = "check"    // of sources and manifests: by check and build
	StageWrite    Stage = "write"    // a mutation at run time is refused, or observed
	StageArtifact Stage = "artifact" // an .oxbin file is refused
	StageAsk      Stage = "ask"      // of an ad-hoc body, beside its answer
)

// Class says what kind of thing mends a finding.
type Class string

// The classes of remediation.
const (
	EditSource   Class = "edit_source"
	EditManifest Class = "edit_manifest"
	EditData     Class = "edit_data"   // facts or [facts] files
	Rewrite      Class = "rewrite"     // the same thing can be said in a form that is taken
	ChangeCall   Class = "change_call" // other arguments, or another write
	Rebuild      Class = "rebuild"
	Wait         Class = "wait" // the code is reserved
)

// Remediation is what to do about a code.
type Remediation struct {
	Class Class
	Text  string
}

// Entry is what the catalog says about one code. A code never changes meaning.
//
// Failing is a source text that gives the code and Repaired the same text put
// right; a text that begins with "-- " holds several files, each after a line
// "-- name --". Those of other stages than StageCheck may have none.
type Entry struct {
	Code        string
	Severity    Severity
	Stage       Stage
	Title       string
	Explanation string
	Remediation Remediation
	Failing     string
	Repaired    string
	Reserved    string // why the code is never reported by this version; empty if it is
}

// Lookup returns the entry of a code. Case and surrounding space are not
// counted.
func Lookup(code string) (Entry, bool) {
	code = strings.ToUpper(strings.TrimSpace(code))
	for _, part := range catalog {
		for _, e := range part {
			if e.Code == code {
				return e.complete(), true
			}
		}
	}
	return Entry{}, false
}

// All returns the entries, sorted by code.
func All() []Entry {
	var all []Entry
	for _, part := range catalog {
		for _, e := range part {
			all = append(all, e.complete())
		}
	}
	slices.SortFunc(all, func(a, b Entry) int { return strings.Compare(a.Code, b.Code) })
	return all
}

// complete fills what entries leave out: the letter of the code says the
// severity, and check is the usual stage.
func (e Entry) complete() Entry {
	if strings.HasPrefix(e.Code, "OW") {
		e.Severity = Warning
	}
	if e.Stage == "" {
		e.Stage = StageCheck
	}
	if e.Reserved != "" && e.Remediation.Class == "" {
		e.Remediation = Remediation{Wait, "Nothing reports this code yet."}
	}
	return e
}

// Files splits an example into its files. A text that does not begin with
// "-- " is the file root.ar.
func Files(example string) map[string]string {
	if !strings.HasPrefix(example, "-- ") {
		return map[string]string{"root.ar": example}
	}
	files := map[string]string{}
	name, begin, offset := "", 0, 0
	for line := range strings.Lines(example) {
		trimmed := strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(trimmed, "-- ") && strings.HasSuffix(trimmed, " --") {
			if name != "" {
				files[name] = example[begin:offset]
			}
			name, begin = strings.TrimSpace(trimmed[3:len(trimmed)-3]), offset+len(line)
		}
		offset += len(line)
	}
	files[name] = example[begin:]
	return files
}

// catalog holds the entries by family of codes.
var catalog = [...][]Entry{
	syntaxEntries, nameEntries, typeEntries, dataEntries, defeatEntries, writeEntries, reflectionEntries, metaEntries, axisEntries, logicEntries,
	artifactEntries, packageEntries, gateEntries, macroEntries, traitEntries, tierEntries,
	conceptEntries, instanceEntries, standpointEntries,
}
