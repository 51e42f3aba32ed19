package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sort"
	"strings"
)

// event is one line of go test -json.
type event struct {
	Action     string
	Package    string
	ImportPath string // of a package that does not build
	Test       string
	Output     string
	Elapsed    float64
}

// tally is what one run of go test came to.
type tally struct {
	passed, failed int
	skipped        []string
}

// goTest runs the go command and prints a line for each package, and what the
// failing tests wrote.
func (s *session) goTest(env []string, args ...string) tally {
	c := exec.Command("go", args...)
	c.Env = append(os.Environ(), env...)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	pipe, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		fmt.Fprintln(s.out, "FAIL go test:", err)
		return tally{failed: 1}
	}
	t := s.read(pipe)
	if err := c.Wait(); err != nil && t.failed == 0 {
		fmt.Fprintf(s.out, "FAIL go test: %v\n%s\n", err, bytes.TrimSpace(stderr.Bytes()))
		t.failed++
	}
	return t
}

// read follows the events of a run until it ends.
func (s *session) read(events io.Reader) tally {
	var t tally
	output := map[string]*strings.Builder{}
	failures := map[string]bool{} // packages in which a test failed
	reasons := map[string][]string{}
	d := json.NewDecoder(events)
	for {
		var e event
		if err := d.Decode(&e); err != nil {
			if !errors.Is(err, io.EOF) {
				fmt.Fprintln(s.out, "FAIL go test: its output is no JSON:", err)
				t.failed++
			}
			break
		}
		key := e.Package + e.ImportPath + " " + e.Test
		switch e.Action {
		case "output", "build-output":
			if output[key] == nil {
				output[key] = &strings.Builder{}
			}
			output[key].WriteString(e.Output)
		case "pass", "fail", "skip":
			s.ended(&t, e, output[key], failures, reasons)
			delete(output, key)
		case "build-fail":
			fmt.Fprint(s.out, output[key])
		}
	}
	names := make([]string, 0, len(reasons))
	for why := range reasons {
		names = append(names, why)
	}
	sort.Strings(names)
	for _, why := range names {
		t.skipped = append(t.skipped, fmt.Sprintf("%s: %s", strings.Join(reasons[why], ", "), why))
	}
	return t
}

func (s *session) ended(t *tally, e event, output *strings.Builder, failures map[string]bool, reasons map[string][]string) {
	text := ""
	if output != nil {
		text = output.String()
	}
	name := strings.TrimPrefix(e.Package, "github.com/ox-mcp/ox-mcp/")
	switch {
	case e.Test != "" && e.Action == "pass":
		t.passed++
	case e.Test != "" && e.Action == "fail":
		t.failed++
		failures[e.Package] = true
		fmt.Fprintf(s.out, "FAIL %s %s\n%s", name, e.Test, text)
	case e.Test != "":
		why := reason(text)
		reasons[why] = append(reasons[why], name+" "+e.Test)
	case e.Action == "pass":
		fmt.Fprintf(s.out, "ok   %s (%.1f s)\n", name, e.Elapsed)
	case e.Action == "fail":
		if !failures[e.Package] { // it does not build, or ended outside of a test
			t.failed++
		}
		fmt.Fprintf(s.out, "FAIL %s\n%s", name, text)
	}
}

// reason is what a skipped test said.
func reason(output string) string {
	for _, line := range strings.Split(output, "\n") {
		if _, said, ok := strings.Cut(line, ".go:"); ok {
			if _, said, ok = strings.Cut(said, ": "); ok {
				return strings.TrimSpace(said)
			}
		}
	}
	return "skipped without a reason"
}

func lastLine(b []byte) string {
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	return lines[len(lines)-1]
}
