package load

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"

	"github.com/ox-mcp/ox-mcp/host/argon/diag"
)

// maxFactProblems is how many malformed rows of one file are reported.
const maxFactProblems = 20

// loadFacts reads the files of p's [facts].
func (l *loader) loadFacts(p *Package, packageReal string) {
	for _, f := range p.Manifest.Facts {
		if l.ctx.Err() != nil {
			return
		}
		written := f.Path
		f.Path = path.Join(p.Root, written)
		p.Facts = append(p.Facts, f)
		if l.skipFacts {
			continue
		}
		text, problem := l.factsText(f, written, packageReal)
		if problem != nil {
			problem.Place = f.Place
			l.diags.Add(*problem)
			continue
		}
		l.ws.facts[f.Path] = text
		if !l.unread {
			if same := f.sameFile(p.Facts[:len(p.Facts)-1]); same != nil {
				f.Names, f.Rows = same.Names, same.Rows
			} else {
				l.diags.Items = append(l.diags.Items, f.read(text)...)
			}
			l.checkColumns(p, f)
		}
	}
}

// sameFile returns the entry among others that reads the same rows: one file
// may fill several relations.
func (f *FactFile) sameFile(others []*FactFile) *FactFile {
	for _, o := range others {
		if o.Path == f.Path && o.Format == f.Format && o.Header == f.Header {
			return o
		}
	}
	return nil
}

func (l *loader) factsText(f *FactFile, written, packageReal string) (string, *diag.Diagnostic) {
	problem := func(code, message, help string) (string, *diag.Diagnostic) {
		return "", &diag.Diagnostic{Code: code, Message: message, Help: help}
	}
	real, err := l.files.Real(f.Path)
	if err == nil && !within(packageReal, real) {
		d := escaped(f.Place, written, "its package")
		return "", &d
	}
	var text string
	if err == nil {
		text, err = l.read(f.Path)
	}
	switch {
	case errors.Is(err, ErrTooLarge):
		return problem("OE1266", fmt.Sprintf("the facts file %s is larger than the limit of %d bytes", f.Path, l.limit),
			"split it, or raise the setting limits.sourceBytes")
	case errors.Is(err, fs.ErrNotExist):
		l.inputs[f.Path] = Input{Path: f.Path, Err: err}
		return problem("OE1267", fmt.Sprintf("the facts file %s is not there", written), "correct the path, which is relative to this ox.toml")
	case err != nil:
		return problem("OE1267", fmt.Sprintf("the facts file %s cannot be read: %v", f.Path, err), "")
	}
	return text, nil
}

// read fills f.Names and f.Rows. Malformed rows are reported and left out.
func (f *FactFile) read(text string) []diag.Diagnostic {
	r := factReader{file: f, text: text}
	if i := invalidUTF8(text); i >= 0 {
		r.problem(1, i, i+1, fmt.Sprintf("%s is not UTF-8 at byte %d", f.Path, i))
		return r.problems
	}
	switch f.Format {
	case CSV:
		r.csv()
	case TSV:
		r.tsv()
	case JSONLines:
		r.json()
	}
	if extra := r.dropped - maxFactProblems; extra > 0 {
		last := &r.problems[len(r.problems)-1]
		last.Help = fmt.Sprintf("%d more rows of this file are malformed", extra)
	}
	return r.problems
}

func (l *loader) checkColumns(p *Package, f *FactFile) {
	if len(f.Names) == 0 {
		return // the file is empty or malformed, which is no fault of the manifest
	}
	for name, column := range f.Columns {
		if _, ok := f.Column(name); ok {
			continue
		}
		d := diag.Diagnostic{Code: "OE1261", Place: p.Manifest.doc.place("facts", f.Target, "columns", name),
			Message: fmt.Sprintf("%s has no column %q", f.Path, column)}
		if near, ok := diag.Nearest(column, f.Names); ok {
			d.Help = fmt.Sprintf("did you mean %q?", near)
		}
		l.diags.Add(d)
	}
}

// factReader reads one facts file.
type factReader struct {
	file     *FactFile
	text     string
	problems []diag.Diagnostic
	dropped  int
	index    map[string]int // of JSON keys in file.Names
}

func (r *factReader) problem(line, start, end int, message string) {
	if r.dropped++; r.dropped > maxFactProblems {
		return
	}
	r.problems = append(r.problems, diag.Diagnostic{Code: "OE1267",
		Message: fmt.Sprintf("line %d: %s", line, message),
		Place:   diag.Place{Path: r.file.Path, Start: start, End: end}})
}

// fields takes one record of a CSV or TSV file.
func (r *factReader) fields(fields []string, line, start, end int) {
	f := r.file
	if f.Names == nil {
		if f.Header {
			f.Names = append([]string{}, fields...)
			r.checkHeader(line, start, end)
			return
		}
		f.Names = numbered(len(fields))
	}
	if len(fields) != len(f.Names) {
		r.problem(line, start, end, fmt.Sprintf("the row has %d fields, and %d are expected", len(fields), len(f.Names)))
		return
	}
	cells := make([]Cell, len(fields))
	for i, text := range fields {
		cells[i] = Cell{Kind: CellText, Text: text}
	}
	f.Rows = append(f.Rows, FactRow{Line: line, Start: start, End: end, Cells: cells})
}

func (r *factReader) checkHeader(line, start, end int) {
	seen := map[string]bool{}
	for _, name := range r.file.Names {
		if seen[name] {
			r.problem(line, start, end, fmt.Sprintf("the header names the column %q twice", name))
			return
		}
		seen[name] = true
	}
}

func numbered(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = strconv.Itoa(i + 1)
	}
	return names
}
