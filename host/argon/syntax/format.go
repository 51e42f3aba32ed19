package syntax

import (
	"fmt"
	"strings"

	"github.com/ox-mcp/ox-mcp/host/argon/diag"
)

// lineWidth is how many code points a formatted line has at most, where it can
// be broken.
const lineWidth = 100

// Format gives a file in its canonical form: the layout follows from the tokens
// and comments alone, apart from single blank lines between declarations,
// members and statements. Formatting what was formatted changes nothing.
//
// A file with syntax errors is not formatted; they are added to diags, and the
// text is empty. Where the result would not be the same program with the same
// comments, err says so.
func Format(src *Source, diags *diag.List) (text string, err error) {
	var found diag.List
	file := ParseFile(src, &found)
	if found.HasErrors() {
		diags.Items = append(diags.Items, found.Items...)
		return "", nil
	}
	f := newFormatter(src)
	f.layout(file)
	text = f.write()
	if err := sameProgram(file, src, &Source{Path: src.Path, Text: text}); err != nil {
		return "", fmt.Errorf("%s cannot be formatted: %w; leave it as it is and report this file", src.Path, err)
	}
	return text, nil
}

// sameProgram compares what two texts say: their trees, and their comments in
// order.
func sameProgram(before *File, a, b *Source) error {
	var found diag.List
	after := ParseFile(b, &found)
	if len(found.Items) > 0 {
		line, _ := b.Position(found.Items[0].Place.Start)
		return fmt.Errorf("line %d of the result would not be read: %s", line, found.Items[0].Message)
	}
	was, is := outline(before), outline(after)
	for i := range max(len(was), len(is)) {
		if i >= len(was) || i >= len(is) || was[i] != is[i] {
			return fmt.Errorf("the result would say something else at %s", strings.Join(was[min(max(i-3, 0), len(was)):min(i+3, len(was))], " "))
		}
	}
	was, is = remarks(a), remarks(b)
	if len(was) != len(is) {
		return fmt.Errorf("%d comments would become %d", len(was), len(is))
	}
	for i := range was {
		if was[i] != is[i] {
			return fmt.Errorf("the comment %q would be lost or moved", clip(was[i]))
		}
	}
	return nil
}

// outline is a tree as the tokens of its canonical print, without the commas
// that may end a list, and with all tokens of what macros look at.
func outline(f *File) []string {
	var b strings.Builder
	if err := Print(&b, f); err != nil {
		return nil
	}
	src := &Source{Text: b.String()}
	var out []string
	for _, t := range Tokens(src, Span{0, len(src.Text)}) {
		if (t.Class == CloseToken || t.Text == ">" || t.Text == "|" || t.Text == "||") && len(out) > 0 && out[len(out)-1] == "," {
			out = out[:len(out)-1]
		}
		if t.Text == "||" { // a closure without parameters may be written | |
			out = append(out, "|")
			t.Text = "|"
		}
		out = append(out, t.Text)
	}
	for _, at := range macroInput(f) {
		for _, t := range Tokens(f.Source, at) {
			out = append(out, t.Text)
		}
	}
	return append(out, f.Doc)
}

// remarks are the comments of a text, in order.
func remarks(src *Source) []string {
	var out []string
	for _, p := range newFormatter(src).pieces {
		for _, c := range p.lead {
			out = append(out, c.text)
		}
		out = append(out, p.inline...)
	}
	return out
}
