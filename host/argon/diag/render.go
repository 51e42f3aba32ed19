package diag

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Options of Render.
type Options struct {
	Color bool // ANSI colours, for a terminal that takes them
}

const (
	maxExcerptLines = 6
	maxExcerptWidth = 160 // code points of one source line that are shown
	tabWidth        = 4
)

// Render writes a diagnostic for people: the code and message, an excerpt of
// each place with carets under it, what else has to do with it, and what to do
// next. text gives the files that may be shown; of others only the name is.
func Render(w io.Writer, d Diagnostic, text func(path string) (string, bool), o Options) error {
	var b strings.Builder
	p := painter{o.Color}
	fmt.Fprintf(&b, "%s: %s\n", p.paint(colorOf(d.Severity), d.Severity.String()+"["+d.Code+"]"), p.paint(bold, line(d.Message)))
	excerpt(&b, p, d.Place, text, colorOf(d.Severity))
	for _, r := range d.Related {
		fmt.Fprintf(&b, "%s: %s\n", p.paint(cyan, "related"), line(r.Message))
		excerpt(&b, p, r.Place, text, cyan)
	}
	if d.Help != "" {
		fmt.Fprintf(&b, "%s: %s\n", p.paint(green, "help"), line(d.Help))
	}
	if d.Fix != nil {
		fmt.Fprintf(&b, "%s: %s\n", p.paint(green, "fix"), line(d.Fix.Title))
		for _, e := range d.Fix.Edits {
			fmt.Fprintf(&b, "  %s: %s\n", position(e.Place, text), edit(e, text))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func edit(e Edit, text func(string) (string, bool)) string {
	old := ""
	if t, ok := text(e.Place.Path); ok && e.Place.Start >= 0 && e.Place.Start <= e.Place.End && e.Place.End <= len(t) {
		old = t[e.Place.Start:e.Place.End]
	}
	switch {
	case old == "":
		return fmt.Sprintf("insert %q", e.Text)
	case e.Text == "":
		return fmt.Sprintf("remove %q", old)
	}
	return fmt.Sprintf("replace %q by %q", old, e.Text)
}

// excerpt writes where a place is and the lines that it covers.
func excerpt(b *strings.Builder, p painter, at Place, text func(string) (string, bool), color string) {
	if at.Path == "" {
		return
	}
	fmt.Fprintf(b, "  %s %s\n", p.paint(blue, "-->"), position(at, text))
	t, ok := text(at.Path)
	if !ok || t == "" {
		return
	}
	start := min(max(at.Start, 0), len(t))
	end := min(max(at.End, start), len(t))
	if end > start && t[end-1] == '\n' {
		end-- // the line after the place has no part in it
	}
	first := 1 + strings.Count(t[:start], "\n")
	last := first + strings.Count(t[start:end], "\n")
	gutter := len(fmt.Sprint(last))
	fmt.Fprintf(b, "%s %s\n", strings.Repeat(" ", gutter), p.paint(blue, "|"))
	begin := strings.LastIndexByte(t[:start], '\n') + 1
	for n := first; n <= last; n++ {
		stop := len(t)
		if i := strings.IndexByte(t[begin:], '\n'); i >= 0 {
			stop = begin + i
		}
		// Of a long place the beginning and the last line are enough.
		if n < first+maxExcerptLines-1 || n == last {
			shown, marks := marked(t[begin:stop], start-begin, end-begin)
			fmt.Fprintf(b, "%s %s %s\n", p.paint(blue, fmt.Sprintf("%*d", gutter, n)), p.paint(blue, "|"), shown)
			fmt.Fprintf(b, "%s %s %s\n", strings.Repeat(" ", gutter), p.paint(blue, "|"), p.paint(color, marks))
		} else if n == last-1 {
			fmt.Fprintf(b, "%s %s\n", p.paint(blue, strings.Repeat(".", gutter)), p.paint(blue, "|"))
		}
		begin = stop + 1
	}
}

// marked gives a source line as it is shown, and carets under its bytes from
// start to end. A place without length gets one caret. Tabs become spaces and
// other control characters a dot, so that carets stand where they should.
func marked(source string, start, end int) (shown, marks string) {
	var s, m strings.Builder
	width, caret := 0, false
	put := func(text string, n int, mark bool) {
		s.WriteString(text)
		width += n
		if mark {
			m.WriteString(strings.Repeat("^", n))
			caret = true
		} else {
			m.WriteString(strings.Repeat(" ", n))
		}
	}
	for i, r := range source {
		if width >= maxExcerptWidth {
			s.WriteString("…")
			break
		}
		mark := i >= start && i < end || i == start && end <= start
		switch {
		case r == '\t':
			put(strings.Repeat(" ", tabWidth), tabWidth, mark)
		case r == '\r' && i == len(source)-1:
		case r < ' ' || r == utf8.RuneError || r == 0x7f:
			put(".", 1, mark)
		default:
			put(string(r), 1, mark)
		}
	}
	if !caret && (start >= len(source) || end <= start || width >= maxExcerptWidth) {
		m.WriteByte('^')
	}
	return s.String(), strings.TrimRight(m.String(), " ")
}

// position is path:line:column, both from 1, columns in code points.
func position(at Place, text func(string) (string, bool)) string {
	t, ok := text(at.Path)
	if !ok {
		return at.Path
	}
	before := t[:min(max(at.Start, 0), len(t))]
	row := 1 + strings.Count(before, "\n")
	column := 1 + utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])
	return fmt.Sprintf("%s:%d:%d", at.Path, row, column)
}

// line keeps a message from the sources from moving the cursor.
func line(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return ' '
		}
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, s)
}

const (
	bold  = "1"
	red   = "1;31"
	amber = "1;33"
	blue  = "34"
	cyan  = "36"
	green = "32"
)

func colorOf(s Severity) string {
	switch s {
	case Error:
		return red
	case Warning:
		return amber
	}
	return cyan
}

type painter struct{ on bool }

func (p painter) paint(color, text string) string {
	if !p.on || text == "" {
		return text
	}
	return "\x1b[" + color + "m" + text + "\x1b[0m"
}
