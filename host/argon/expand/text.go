package expand

import (
	"reflect"
	"sort"
	"strings"

	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// tok is a token with where it comes from.
type tok struct {
	class syntax.TokenClass
	text  string
	doc   string     // the doc comment before it
	glued bool       // to the token before it
	at    diag.Place // where somebody wrote it
	mark  int        // of the expansion that put it there; 0 for the author of the use
}

// text is tokens as a source that the parser reads.
type text struct {
	src    *syntax.Source
	toks   []tok
	starts []int // of each token in src
	uses   bool  // a macro is used in a body of what was read of it
}

// render writes tokens with blanks where they are needed. path is only for
// those who read src's.
func render(toks []tok, path string) *text {
	t := &text{toks: toks, starts: make([]int, len(toks))}
	var b strings.Builder
	for i := range toks {
		if doc := toks[i].doc; doc != "" {
			b.WriteString("\n/// " + strings.ReplaceAll(doc, "\n", "\n/// ") + "\n")
		} else if i > 0 && !joined(&toks[i-1], &toks[i]) {
			b.WriteByte(' ')
		}
		t.starts[i] = b.Len()
		b.WriteString(toks[i].text)
	}
	t.src = &syntax.Source{Path: path, Text: b.String()}
	return t
}

// joined reports whether b may stand right behind a: it did where it was
// written, and the two do not read as one.
func joined(a, b *tok) bool {
	if !b.glued {
		return false
	}
	wordy := func(t *tok) bool { return t.class == syntax.WordToken || t.class == syntax.LiteralToken }
	if wordy(a) && wordy(b) {
		return false
	}
	return a.class != syntax.SignToken || b.class != syntax.SignToken || a.mark == b.mark && a.at.Path == b.at.Path && a.at.End == b.at.Start
}

// index returns the number of the token that holds the offset, or of the last
// one before it.
func (t *text) index(offset int) int {
	return sort.SearchInts(t.starts, offset+1) - 1
}

func (t *text) tokenAt(offset int) *tok {
	if i := t.index(offset); i >= 0 {
		return &t.toks[i]
	}
	return nil
}

// tokens returns what stands in a span: of a text, or of the module's file.
func (x *expander) tokens(at syntax.Span, from *text) []tok {
	if from != nil {
		lo := sort.SearchInts(from.starts, at.Start)
		hi := max(sort.SearchInts(from.starts, at.End), lo)
		return append([]tok(nil), from.toks[lo:hi]...)
	}
	return read(x.at.Source, at, 0)
}

// read cuts a part of a file into tokens.
func read(src *syntax.Source, at syntax.Span, mark int) []tok {
	list := syntax.Tokens(src, at)
	out := make([]tok, len(list))
	for i, t := range list {
		out[i] = tok{class: t.Class, text: t.Text, doc: t.Doc, glued: t.Glued, mark: mark, at: diag.Place{Path: src.Path, Start: t.Start, End: t.End}}
	}
	return out
}

func (x *expander) place(s syntax.Span) diag.Place {
	return diag.Place{Path: x.at.Source.Path, Start: s.Start, End: s.End}
}

// placeOf is the place in the author's text of a span of a text.
func (x *expander) placeOf(s syntax.Span, from *text) diag.Place {
	if from == nil {
		return x.place(s)
	}
	return x.relocated(s, from)
}

// relocated is the place of a span of t: where the author wrote it, or, if a
// macro wrote a part of it, the use.
func (x *expander) relocated(s syntax.Span, t *text) diag.Place {
	i, j := t.index(s.Start), t.index(max(s.End-1, s.Start))
	if i < 0 || j < 0 {
		return x.call
	}
	a, b := &t.toks[i], &t.toks[j]
	if a.mark != 0 || b.mark != 0 {
		from, to := x.wrote(a), x.wrote(b)
		if from.Path != to.Path {
			return x.call
		}
		return diag.Place{Path: from.Path, Start: min(from.Start, to.Start), End: max(from.End, to.End)}
	}
	if a.at.Path != x.call.Path || b.at.Path != x.call.Path {
		return x.call
	}
	start := min(a.at.Start+s.Start-t.starts[i], a.at.End)
	end := min(b.at.Start+s.End-t.starts[j], b.at.End)
	if s.End == s.Start {
		end = start
	}
	if end < start {
		return x.call
	}
	return diag.Place{Path: x.call.Path, Start: start, End: end}
}

// wrote is where the author wrote a token, or used the macro that made it.
func (x *expander) wrote(t *tok) diag.Place {
	if t.mark > 0 {
		return x.marks[t.mark-1].call
	}
	return t.at
}

// relocate gives every part of a tree that was read from t its place in the
// author's text.
func (x *expander) relocate(tree any, t *text) {
	syntax.Visit(tree, func(part any) bool {
		if s, ok := part.(*syntax.Span); ok {
			p := x.relocated(*s, t)
			s.Start, s.End = p.Start, p.End
		}
		return true
	})
}

// without copies an item, so that its attributes can change.
func without(item syntax.Item) syntax.Item {
	old := reflect.ValueOf(item).Elem()
	made := reflect.New(old.Type())
	made.Elem().Set(old)
	return made.Interface().(syntax.Item)
}
