package runtime

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/ox-mcp/ox-mcp/host/argon/load"
	"github.com/ox-mcp/ox-mcp/host/coherence"
)

// Fixed is one fix that was applied.
type Fixed struct {
	Code  string `json:"code"`
	Title string `json:"title"`
	Range Range  `json:"range"` // before the fixes of its round
}

// FixResult is what Fix did, and what is left.
type FixResult struct {
	CheckResult
	Fixed []Fixed  `json:"fixed"`
	Left  []string `json:"left"` // files whose fixes were not applied, since they would not have mended what they are for
}

// maxFixRounds bounds how often Fix goes on with what its fixes uncovered.
const maxFixRounds = 16

// Fix checks the package, applies the machine-applicable fixes of what it
// finds, and checks again, until there is nothing more to apply. The fixes of one
// file are applied together or not at all: the file with them is checked first,
// and each of the findings must be gone from it without a new syntax error. Of
// fixes that overlap the first is applied. Each file is written in one step.
func (s *Service) Fix(ctx context.Context) (*FixResult, error) {
	out := &FixResult{Fixed: []Fixed{}, Left: []string{}}
	for round := 0; ; round++ {
		res, err := s.Check(ctx, CheckRequest{})
		if err != nil {
			return nil, err
		}
		if out.CheckResult = *res; s.cfg.Project == nil || round == maxFixRounds {
			return out, nil
		}
		var fixed []Fixed
		if fixed, out.Left, err = s.fixRound(ctx, res); err != nil {
			return nil, err
		}
		if len(fixed) == 0 {
			return out, nil
		}
		out.Fixed = append(out.Fixed, fixed...)
	}
}

// fixRound applies the fixes of what a check found; left are the files whose
// fixes do not work.
func (s *Service) fixRound(ctx context.Context, res *CheckResult) (done []Fixed, left []string, err error) {
	left = []string{}
	fixable := map[string][]Diagnostic{}
	for _, d := range res.Findings {
		if d.Fix == nil || len(d.Fix.Edits) == 0 || d.Range == nil {
			continue
		}
		file := d.Fix.Edits[0].Range.File
		own := filepath.IsLocal(file) && (filepath.Ext(file) == ".ar" || file == load.ManifestName) && !strings.HasPrefix(file, "std/")
		for _, e := range d.Fix.Edits {
			own = own && e.Range.File == file
		}
		if own {
			fixable[file] = append(fixable[file], d)
		}
	}
	for _, file := range sortedKeys(fixable) {
		fixed, err := s.fixFile(ctx, file, fixable[file], res.Findings)
		if err != nil {
			return nil, nil, err
		}
		if len(fixed) == 0 {
			left = append(left, file)
		}
		done = append(done, fixed...)
	}
	return done, left, nil
}

// fixFile applies the fixes of one file, if they mend what they are for.
func (s *Service) fixFile(ctx context.Context, file string, list []Diagnostic, before []Diagnostic) ([]Fixed, error) {
	path := filepath.Join(s.cfg.Project.Folder(), filepath.FromSlash(file))
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, &Error{Status: 500, Code: "SOURCE_UNREADABLE", Message: err.Error()}
	}
	after, applied := applyFixes(string(text), list)
	again, err := s.Check(ctx, CheckRequest{Overlay: map[string]string{file: after}})
	if err != nil {
		return nil, err
	}
	var fixed []Fixed
	allowed := syntaxErrors(before, file)
	for _, i := range applied {
		d := list[i]
		if isSyntax(d) {
			allowed--
		}
		if occurrences(again.Findings, d) >= occurrences(before, d) {
			return nil, nil
		}
		fixed = append(fixed, Fixed{Code: d.Code, Title: d.Fix.Title, Range: *d.Range})
	}
	if syntaxErrors(again.Findings, file) > allowed {
		return nil, nil
	}
	if err := coherence.Write(path, []byte(after)); err != nil {
		return nil, &Error{Status: 500, Code: "SOURCE_UNWRITABLE", Message: fmt.Sprintf("%s was not fixed: %v; see that the folder can be written", file, err)}
	}
	return fixed, nil
}

// occurrences counts the findings that say the same as d in the same file.
func occurrences(list []Diagnostic, d Diagnostic) int {
	n := 0
	for _, x := range list {
		if x.Code == d.Code && x.Message == d.Message && x.Range != nil && x.Range.File == d.Range.File {
			n++
		}
	}
	return n
}

func isSyntax(d Diagnostic) bool { return strings.HasPrefix(d.Code, "OE00") }

func syntaxErrors(list []Diagnostic, file string) int {
	n := 0
	for _, x := range list {
		if isSyntax(x) && x.Range != nil && x.Range.File == file {
			n++
		}
	}
	return n
}

// applyFixes gives the text with the edits of the fixes, and which of the list
// were applied: one that overlaps an earlier one is left out, and an edit that
// several of them have is done once.
func applyFixes(text string, list []Diagnostic) (after string, applied []int) {
	type edit struct {
		start, end int
		text       string
	}
	var edits []edit
	for i, d := range list {
		var own []edit
		free := true
		for _, e := range d.Fix.Edits {
			x := edit{offsetIn(text, e.Range.Start), offsetIn(text, e.Range.End), e.Text}
			if slices.Contains(edits, x) {
				continue
			}
			for _, y := range edits {
				free = free && (x.end <= y.start || y.end <= x.start)
			}
			own = append(own, x)
		}
		if free {
			edits = append(edits, own...)
			applied = append(applied, i)
		}
	}
	sort.SliceStable(edits, func(i, j int) bool { return edits[i].start < edits[j].start })
	var b strings.Builder
	from := 0
	for _, e := range edits {
		b.WriteString(text[from:e.start])
		b.WriteString(e.text)
		from = e.end
	}
	b.WriteString(text[from:])
	return b.String(), applied
}

func offsetIn(text string, p Position) int {
	offset := 0
	for line := 1; line < p.Line; line++ {
		i := strings.IndexByte(text[offset:], '\n')
		if i < 0 {
			return len(text)
		}
		offset += i + 1
	}
	column := 1
	for i := range text[offset:] {
		if column == p.Column {
			return offset + i
		}
		column++
	}
	return len(text)
}
