package types

import (
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

func place(m *resolve.Module, s syntax.Span) diag.Place {
	return diag.Place{Path: m.Source.Path, Start: s.Start, End: s.End}
}

func (e *Env) report(m *resolve.Module, code string, s syntax.Span, help, format string, args ...any) {
	e.diags.Add(diag.Diagnostic{Code: code, Message: fmt.Sprintf(format, args...), Place: place(m, s), Help: help})
}

// unsupported reports a construct that the language has and this version does
// not take.
func (e *Env) unsupported(m *resolve.Module, s syntax.Span, what, help string) {
	for _, w := range meanwhile {
		if help == "" && strings.HasPrefix(what, w.what) {
			help = w.help
		}
	}
	e.report(m, "OE1350", s, help, "%s: not supported yet", what)
}

// reportAt is report at a span of the program.
func (e *Env) reportAt(span abi.Span, code, help, format string, args ...any) {
	e.diags.Add(diag.Diagnostic{
		Code: code, Message: fmt.Sprintf(format, args...), Help: help,
		Place: diag.Place{Path: e.Files[span.File], Start: span.Start, End: span.End},
	})
}

// errors counts what was reported so far.
func (e *Env) errors() int { return len(e.diags.Items) }

// misread reports whether the parser complained about a part of item: then
// what is left of it may lack what the rest binds.
func (e *Env) misread(m *resolve.Module, item syntax.Item) bool {
	e.readUnread()
	at := e.unread[m.Source.Path]
	span := item.Head().Span
	i := sort.SearchInts(at, span.Start)
	if i == len(at) {
		return false
	}
	// An item may end where the parser stopped understanding it.
	return at[i] <= span.End || strings.Trim(m.Source.Text[span.End:min(at[i], len(m.Source.Text))], " \t") == ""
}

// cutOff reports whether the parser complained right before or behind span: then
// it is a part of something else that was meant, whose type is not known.
func (e *Env) cutOff(m *resolve.Module, span syntax.Span) bool {
	e.readUnread()
	at, text := e.unread[m.Source.Path], m.Source.Text
	if i := sort.SearchInts(at, span.End); i < len(at) && at[i] <= len(text) && strings.Trim(text[span.End:at[i]], " \t") == "" {
		return true
	}
	i := sort.SearchInts(at, span.Start) - 1
	if i < 0 {
		return false
	}
	_, sign := utf8.DecodeRuneInString(text[at[i]:])
	return at[i]+sign <= span.Start && strings.Trim(text[at[i]+sign:span.Start], " \t") == ""
}

// readUnread notes where the parser complained.
func (e *Env) readUnread() {
	if e.unread != nil {
		return
	}
	e.unread = map[string][]int{}
	for _, d := range e.diags.Items {
		if strings.HasPrefix(d.Code, "OE000") || d.Code == "OE0051" || d.Code == "OE0052" {
			e.unread[d.Place.Path] = append(e.unread[d.Place.Path], d.Place.Start)
		}
	}
	for _, at := range e.unread {
		sort.Ints(at)
	}
}

// meanwhile says what to write in the place of a construct that is not taken
// yet, by the beginning of its name.
var meanwhile = []struct{ what, help string }{
	{"trait", "write the rules and functions for each type"},
}

// Span returns the place of s in m as the program refers to it.
func (e *Env) Span(m *resolve.Module, s syntax.Span) abi.Span {
	return abi.Span{File: e.file(m.Source.Path), Start: s.Start, End: s.End}
}

func (e *Env) file(path string) int {
	if i, ok := e.files[path]; ok {
		return i
	}
	if e.spoils() {
		return 0
	}
	i := len(e.Files)
	e.Files = append(e.Files, path)
	e.files[path] = i
	return i
}

// maxHints bounds the suggestions of nearest names in one compilation: each
// looks at every candidate.
const maxHints = 100

// nearest suggests the candidate that name may have been meant to be.
func (e *Env) nearest(name string, candidates []string) string {
	if e.hints++; e.hints > maxHints {
		return ""
	}
	sort.Strings(candidates)
	return diag.DidYouMean(name, candidates)
}

func plural(n int, word string) string {
	if n == 1 {
		return fmt.Sprintf("%d %s", n, word)
	}
	return fmt.Sprintf("%d %ss", n, word)
}
