package cli

import (
	"fmt"

	"github.com/ox-mcp/ox-mcp/host/runtime"
)

// testText is a test's line: its outcome, its name and what went wrong, with
// note at the end. Where several things went wrong each has a line of its own
// below.
func testText(t *runtime.TestReport, note string) string {
	line := t.Outcome + " " + t.Name
	if len(t.Failures) == 0 {
		if t.Failure != nil {
			line += failureText(t.Failure)
		}
		return line + note + "\n"
	}
	line += fmt.Sprintf(": %d failures", len(t.Failures)) + note + "\n"
	for i := range t.Failures {
		line += "  " + t.Failures[i].Outcome + failureText(&t.Failures[i]) + "\n"
	}
	return line
}

func failureText(f *runtime.TestFailure) string {
	where := ""
	if r := f.Range; r != nil {
		where = fmt.Sprintf(" (%s:%d)", r.File, r.Start.Line)
	}
	return where + ": " + f.Message
}
