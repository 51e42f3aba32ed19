package load

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxColumns is how many different keys the objects of a file may have.
const maxColumns = 1000

const byteOrderMark = "\uFEFF"

// csv reads comma-separated values with RFC 4180 quoting. A quoting mistake
// ends the file, because what follows may be inside or outside of quotes.
func (r *factReader) csv() {
	skip := 0
	if strings.HasPrefix(r.text, byteOrderMark) {
		skip = len(byteOrderMark)
	}
	text := r.text[skip:]
	starts := lineStarts(text)
	c := csv.NewReader(strings.NewReader(text))
	c.FieldsPerRecord = -1
	for {
		fields, err := c.Read()
		if err == io.EOF {
			return
		}
		if err != nil {
			var p *csv.ParseError
			line, message := 1, err.Error()
			if errors.As(err, &p) {
				line, message = p.Line, p.Err.Error()
			}
			start := skip + starts[min(line, len(starts))-1]
			r.problem(line, start, endOfLine(r.text, start), message+"; the rest of the file is not read")
			return
		}
		line, column := c.FieldPos(0)
		start := starts[line-1] + column - 1
		end := start + len(strings.TrimRight(text[start:int(c.InputOffset())], "\r\n"))
		r.fields(fields, line, skip+start, skip+end)
	}
}

// tsv reads lines of fields between tabs. There is no quoting: a field holds
// neither a tab nor a line break.
func (r *factReader) tsv() {
	r.lines(func(text string, line, start int) {
		r.fields(strings.Split(text, "\t"), line, start, start+len(text))
	})
}

// json reads one object, or one array, a line. Values are scalars, or arrays of
// them. The cells
// of all rows may not outnumber the bytes of the file, so that rows with
// nothing in common cannot fill the memory with missing cells.
func (r *factReader) json() {
	r.index = map[string]int{}
	arrays := false
	budget := len(r.text)
	r.lines(func(text string, line, start int) {
		cells, isArray, err := r.jsonRow(text)
		switch {
		case err != nil:
		case len(r.file.Rows) > 0 && isArray != arrays:
			err = errors.New("objects and arrays are mixed in one file")
		case len(cells) > budget:
			err = errors.New("the rows have too few columns in common")
		case isArray && len(cells) > len(r.file.Names):
			if len(r.file.Rows) > 0 {
				err = fmt.Errorf("the row has %d values, and %d are expected", len(cells), len(r.file.Names))
			} else {
				r.file.Names = numbered(len(cells))
			}
		}
		if err != nil {
			r.problem(line, start, start+len(text), err.Error())
			return
		}
		arrays = isArray
		budget -= len(cells)
		r.file.Rows = append(r.file.Rows, FactRow{Line: line, Start: start, End: start + len(text), Cells: cells})
	})
}

func (r *factReader) jsonRow(text string) (cells []Cell, isArray bool, err error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	open, err := d.Token()
	if err != nil {
		return nil, false, jsonError(err)
	}
	switch open {
	case json.Delim('['):
		isArray = true
	case json.Delim('{'):
		cells = make([]Cell, 0, min(len(r.file.Names), 16))
	default:
		return nil, false, errors.New("a line is a JSON object or array")
	}
	known := len(r.file.Names)
	for d.More() {
		at := len(cells)
		if !isArray {
			key, err := d.Token()
			if err != nil {
				r.forget(known)
				return nil, false, jsonError(err)
			}
			name := key.(string)
			var seen bool
			if at, seen = r.index[name]; !seen && len(r.file.Names) >= maxColumns {
				r.forget(known)
				return nil, false, fmt.Errorf("there are more than %d columns", maxColumns)
			} else if !seen {
				at = len(r.file.Names)
				r.index[name] = at
				r.file.Names = append(r.file.Names, name)
			}
			if at < len(cells) && cells[at].Kind != CellMissing {
				r.forget(known)
				return nil, false, fmt.Errorf("the key %q stands twice", name)
			}
		}
		cell, err := jsonCell(d, text)
		if err != nil {
			r.forget(known)
			return nil, false, err
		}
		for at >= len(cells) {
			cells = append(cells, Cell{})
		}
		cells[at] = cell
	}
	if _, err := d.Token(); err != nil {
		r.forget(known)
		return nil, false, jsonError(err)
	}
	if strings.TrimSpace(text[d.InputOffset():]) != "" {
		r.forget(known)
		return nil, false, errors.New("there is more after the row's value")
	}
	return cells, isArray, nil
}

// forget takes back the columns that a malformed row brought.
func (r *factReader) forget(known int) {
	for _, name := range r.file.Names[known:] {
		delete(r.index, name)
	}
	r.file.Names = r.file.Names[:known]
}

// jsonCell reads the next value of a row's text: a scalar, or an array of them.
func jsonCell(d *json.Decoder, text string) (Cell, error) {
	token, err := d.Token()
	if err != nil {
		return Cell{}, jsonError(err)
	}
	if token != json.Delim('[') {
		return scalarCell(token)
	}
	start := d.InputOffset() - 1
	for d.More() {
		if _, err := jsonScalar(d); err != nil {
			return Cell{}, err
		}
	}
	if _, err := d.Token(); err != nil {
		return Cell{}, jsonError(err)
	}
	return Cell{CellList, text[start:d.InputOffset()]}, nil
}

func jsonScalar(d *json.Decoder) (Cell, error) {
	token, err := d.Token()
	if err != nil {
		return Cell{}, jsonError(err)
	}
	return scalarCell(token)
}

func scalarCell(token json.Token) (Cell, error) {
	switch v := token.(type) {
	case string:
		return Cell{CellText, v}, nil
	case json.Number:
		return Cell{CellNumber, v.String()}, nil
	case bool:
		return Cell{CellBool, fmt.Sprint(v)}, nil
	case nil:
		return Cell{Kind: CellNull}, nil
	}
	return Cell{}, errors.New("a value is a text, a number, true, false, null or an array of these: nothing nested deeper")
}

func jsonError(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return errors.New("the JSON value is not finished on its line")
	}
	return fmt.Errorf("this is not JSON: %w", err)
}

// lines calls f for each line that is not blank, with its number and offset.
func (r *factReader) lines(f func(text string, line, start int)) {
	start := 0
	if strings.HasPrefix(r.text, byteOrderMark) {
		start = len(byteOrderMark)
	}
	for line := 1; start < len(r.text); line++ {
		end := endOfLine(r.text, start)
		if text := strings.TrimSuffix(r.text[start:end], "\r"); strings.TrimSpace(text) != "" {
			f(text, line, start)
		}
		start = end + 1
	}
}

func lineStarts(text string) []int {
	starts := []int{0}
	for i := 0; i < len(text); i++ {
		if text[i] == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

func endOfLine(text string, start int) int {
	if i := strings.IndexByte(text[start:], '\n'); i >= 0 {
		return start + i
	}
	return len(text)
}
