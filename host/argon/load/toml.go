package load

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/ox-mcp/ox-mcp/host/argon/diag"
)

// maxTOMLDepth bounds the nesting of arrays and tables in a manifest, and with
// it the recursion of the TOML parser.
const maxTOMLDepth = 64

// document is a TOML file with the place of each of its keys.
type document struct {
	path   string
	text   string
	tree   map[string]any
	places map[string]diag.Place // by the key's parts, joined by NUL
}

// parseTOML reads a manifest's text. On failure the document is nil and the
// diagnostic says where.
func parseTOML(path, text string) (*document, *diag.Diagnostic) {
	d := &document{path: path, text: text, places: map[string]diag.Place{}}
	fail := func(place diag.Place, message string) *diag.Diagnostic {
		return &diag.Diagnostic{Code: "OE1260", Message: message, Place: place,
			Help: "correct the TOML; nothing of the package is read until it parses"}
	}
	if offset, ok := tooDeep(text); ok {
		return nil, fail(diag.Place{Path: path, Start: offset, End: offset + 1},
			fmt.Sprintf("brackets nest deeper than %d levels", maxTOMLDepth))
	}
	if err := toml.Unmarshal([]byte(text), &d.tree); err != nil {
		place := diag.Place{Path: path}
		message := err.Error()
		var decode *toml.DecodeError
		if errors.As(err, &decode) {
			row, column := decode.Position()
			place = lineSpan(path, text, row, column)
			message = strings.TrimPrefix(message, "toml: ")
		}
		return nil, fail(place, message)
	}
	d.locate()
	return d, nil
}

// tooDeep looks for brackets nested beyond maxTOMLDepth. It counts those in
// strings and comments too: no manifest of worth comes near.
func tooDeep(text string) (int, bool) {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '[', '{':
			if depth++; depth > maxTOMLDepth {
				return i, true
			}
		case ']', '}':
			depth = max(depth-1, 0)
		}
	}
	return 0, false
}

func (d *document) locate() {
	var p unstable.Parser
	p.Reset([]byte(d.text))
	var table []string
	for p.NextExpression() {
		e := p.Expression()
		switch e.Kind {
		case unstable.Table, unstable.ArrayTable:
			table = d.key(e.Key(), nil)
		case unstable.KeyValue:
			d.value(d.key(e.Key(), table), e.Value())
		}
	}
}

func (d *document) value(key []string, v *unstable.Node) {
	if v.Kind != unstable.InlineTable {
		return
	}
	for it := v.Children(); it.Next(); {
		if e := it.Node(); e.Kind == unstable.KeyValue {
			d.value(d.key(e.Key(), key), e.Value())
		}
	}
}

func (d *document) key(it unstable.Iterator, prefix []string) []string {
	full := append([]string(nil), prefix...)
	for it.Next() {
		n := it.Node()
		full = append(full, string(n.Data))
		name := strings.Join(full, "\x00")
		if _, ok := d.places[name]; !ok {
			start := int(n.Raw.Offset)
			d.places[name] = diag.Place{Path: d.path, Start: start, End: start + int(n.Raw.Length)}
		}
	}
	return full
}

// place returns where a key stands, or the nearest key above it.
func (d *document) place(key ...string) diag.Place {
	for n := len(key); n > 0; n-- {
		if p, ok := d.places[strings.Join(key[:n], "\x00")]; ok {
			return p
		}
	}
	return diag.Place{Path: d.path}
}

// lineSpan is the place from a row and a column in bytes, both 1-based, to the
// end of the row.
func lineSpan(path, text string, row, column int) diag.Place {
	start := 0
	for ; row > 1; row-- {
		i := strings.IndexByte(text[start:], '\n')
		if i < 0 {
			break
		}
		start += i + 1
	}
	end := len(text)
	if i := strings.IndexByte(text[start:], '\n'); i >= 0 {
		end = start + i
	}
	if column > 1 {
		start = min(start+column-1, end)
	}
	return diag.Place{Path: path, Start: start, End: end}
}
