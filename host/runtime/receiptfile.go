package runtime

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/ox-mcp/ox-mcp/host/coherence"
	"github.com/ox-mcp/ox-mcp/host/governor"
)

// receiptForm is the version of the form of a file of receipts.
const receiptForm = 1

// maxReceipts bounds the file of receipts that is read, in bytes.
const maxReceipts = 64 << 20

// Receipts are the receipts of a package's tests with what they depend on:
// where all that is equal, the receipts are equal, on every machine and engine.
type Receipts struct {
	Form       int               `json:"form"`
	Package    string            `json:"package"`
	ModuleHash string            `json:"moduleHash"`           // of the package with its tests
	Metered    string            `json:"metered"`              // BLAKE3 of the reasoner, metered
	Evaluators []string          `json:"evaluators,omitempty"` // the same of the check evaluators that were asked
	Now        string            `json:"now"`                  // instant that the tests see
	Seed       string            `json:"seed"`                 // BLAKE3 of the seed
	Limits     map[string]uint64 `json:"limits"`
	Tests      []TestReceipt     `json:"tests"` // sorted by name
}

// TestReceipt is the receipt of one test, over all of its steps.
type TestReceipt struct {
	Name        string `json:"name"`
	Outcome     string `json:"outcome"`
	Steps       int    `json:"steps"`      // that were run
	InputHash   string `json:"inputHash"`  // of everything that the test's run depends on
	ResultHash  string `json:"resultHash"` // of the answers to its steps
	Fuel        uint64 `json:"fuel"`
	MemoryBytes uint64 `json:"memoryBytes"` // of the largest instance
	Rounds      uint64 `json:"rounds"`
}

// Text is the file of receipts: the same bytes on every machine.
func (r *Receipts) Text() ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(r); err != nil {
		return nil, fmt.Errorf("write the receipts: %w", err)
	}
	return buf.Bytes(), nil
}

// WriteReceipts puts a file of receipts in place in one step.
func WriteReceipts(path string, r *Receipts) error {
	text, err := r.Text()
	if err == nil {
		err = coherence.Write(path, text)
	}
	if err != nil {
		return &Error{Status: 500, Code: "RECEIPTS_UNWRITABLE", Message: err.Error()}
	}
	return nil
}

// ReadReceipts reads a file of receipts; it is nil where there is none.
func ReadReceipts(path string) (*Receipts, error) {
	bad := func(format string, args ...any) error {
		return &Error{Status: 400, Code: "RECEIPTS_UNREADABLE", Message: "the receipts cannot be read: " + fmt.Sprintf(format, args...)}
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, bad("%v", err)
	case !info.Mode().IsRegular():
		return nil, bad("%s is no file", path)
	case info.Size() > maxReceipts:
		return nil, bad("%s has %d bytes, more than %d", path, info.Size(), maxReceipts)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, bad("%v", err)
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	r := new(Receipts)
	if err := dec.Decode(r); err != nil {
		return nil, bad("%s is not what `ox-mcp test --receipts` writes (%v); write it anew with --update-receipts", path, err)
	}
	if r.Form != receiptForm {
		return nil, bad("%s has the form %d, this program reads %d; write it anew with --update-receipts", path, r.Form, receiptForm)
	}
	return r, nil
}

// Differences says how now differs from the receipts r, a line each: first in
// what the receipts depend on, then test by test. With partial set, tests that
// now lacks were not run and are no difference.
func (r *Receipts) Differences(now *Receipts, partial bool) []string {
	out := []string{}
	differ := func(what, was, is string) {
		if was != is {
			out = append(out, fmt.Sprintf("%s: was %s, is %s", what, orNothing(was), orNothing(is)))
		}
	}
	differ("package", r.Package, now.Package)
	differ("sources and tests", r.ModuleHash, now.ModuleHash)
	differ("reasoner, metered", r.Metered, now.Metered)
	if !partial {
		differ("check evaluators, metered", strings.Join(r.Evaluators, ", "), strings.Join(now.Evaluators, ", "))
	}
	differ("now", r.Now, now.Now)
	differ("seed", r.Seed, now.Seed)
	names := maps.Clone(r.Limits)
	if names == nil {
		names = map[string]uint64{}
	}
	maps.Copy(names, now.Limits)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		differ("limit of "+name, fmt.Sprint(r.Limits[name]), fmt.Sprint(now.Limits[name]))
	}
	explained := len(out) > 0
	was := map[string]*TestReceipt{}
	for i := range r.Tests {
		was[r.Tests[i].Name] = &r.Tests[i]
	}
	for i := range now.Tests {
		t := &now.Tests[i]
		if old := was[t.Name]; old != nil {
			out = append(out, old.differences(t, explained)...)
		} else {
			out = append(out, fmt.Sprintf("test %q: it has no receipt", t.Name))
		}
		delete(was, t.Name)
	}
	if !partial {
		for _, name := range slices.Sorted(maps.Keys(was)) {
			out = append(out, fmt.Sprintf("test %q: it has a receipt, and was not run or gave none", name))
		}
	}
	return out
}

// differences leaves out that the inputs differ where that was explained.
func (t *TestReceipt) differences(now *TestReceipt, explained bool) []string {
	var out []string
	say := func(format string, args ...any) {
		out = append(out, fmt.Sprintf("test %q: ", t.Name)+fmt.Sprintf(format, args...))
	}
	if t.Outcome != now.Outcome {
		say("the outcome was %s, is %s", t.Outcome, now.Outcome)
	}
	if t.Steps != now.Steps {
		say("it ran %d steps, now %d", t.Steps, now.Steps)
	}
	if t.ResultHash != now.ResultHash {
		say("its steps are answered differently")
	}
	for _, x := range []struct {
		what    string
		was, is uint64
	}{{"fuel", t.Fuel, now.Fuel}, {"memory in bytes", t.MemoryBytes, now.MemoryBytes}, {"rounds", t.Rounds, now.Rounds}} {
		if x.was != x.is {
			say("%s was %d, is %d%s", x.what, x.was, x.is, percent(x.was, x.is))
		}
	}
	if len(out) == 0 && t.InputHash != now.InputHash && !explained {
		say("its inputs differ")
	}
	return out
}

func percent(was, is uint64) string {
	if was == 0 {
		return ""
	}
	return fmt.Sprintf(" (%+.1f %%)", (float64(is)-float64(was))/float64(was)*100)
}

func orNothing(s string) string {
	if s == "" {
		return "nothing"
	}
	return s
}

// receiptLimits are the limits that a receipt depends on.
func (s *Service) receiptLimits() map[string]uint64 {
	out := governor.ByName(s.limits())
	out["loadFuel"] = s.loadLimits().Fuel
	e := s.evaluatorLimits()
	out["evaluator.fuel"], out["evaluator.memory"], out["evaluator.deadline"] = e.Fuel, e.Memory, e.Deadline
	return out
}
