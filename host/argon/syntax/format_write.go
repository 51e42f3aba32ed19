package syntax

import (
	"sort"
	"strings"
)

// group is a run of pieces that stands on one line, or breaks at all of its
// places at once.
type group struct {
	first, last int
	must        bool // it never stands on one line
	parent      *group

	base   int // where its lines begin, in blanks
	broken bool
}

const indentStep = 4

func (f *formatter) group(first, last int) *group {
	g := &group{first: first, last: last}
	f.groups = append(f.groups, g)
	return g
}

// breakAt lets the line before piece i break with g.
func (f *formatter) breakAt(i int, g *group, indent int) {
	if i > 0 && i < len(f.pieces) && g != nil {
		q := f.pieces[i]
		q.breaks, q.indent = g, indent
	}
}

// nest orders the groups from the outside in and finds out which of them
// cannot stand on one line.
func (f *formatter) nest() (opens map[int][]*group) {
	sort.SliceStable(f.groups, func(i, j int) bool {
		a, b := f.groups[i], f.groups[j]
		if a.first != b.first {
			return a.first < b.first
		}
		return a.last > b.last
	})
	opens = map[int][]*group{}
	for _, g := range f.groups {
		opens[g.first] = append(opens[g.first], g)
	}
	var stack []*group
	for i, q := range f.pieces {
		for len(stack) > 0 && stack[len(stack)-1].last < i {
			stack = stack[:len(stack)-1]
		}
		if len(stack) > 0 && (len(q.lead) > 0 || q.verbatim && q.first) {
			stack[len(stack)-1].must = true
		}
		for _, g := range opens[i] {
			if len(stack) > 0 {
				g.parent = stack[len(stack)-1]
			}
			stack = append(stack, g)
		}
	}
	for i := len(f.groups) - 1; i >= 0; i-- {
		if g := f.groups[i]; g.must && g.parent != nil {
			g.parent.must = true
		}
	}
	return opens
}

type writer struct {
	b      strings.Builder
	column int
	indent int // of the line at hand
}

func (w *writer) put(s string) {
	w.b.WriteString(s)
	if i := strings.LastIndexByte(s, '\n'); i >= 0 {
		w.column = width(s[i+1:])
	} else {
		w.column += width(s)
	}
}

func (w *writer) newLine(indent int, blank bool) {
	if w.b.Len() > 0 {
		w.b.WriteByte('\n')
		if blank {
			w.b.WriteByte('\n')
		}
	}
	w.b.WriteString(strings.Repeat(" ", indent))
	w.column, w.indent = indent, indent
}

// write renders the pieces.
func (f *formatter) write() string {
	opens := f.nest()
	// upTo is the width of all before and of each piece, on one line.
	upTo := make([]int, len(f.pieces))
	for i, q := range f.pieces {
		n := width(q.whole())
		if i > 0 {
			n += upTo[i-1]
			if f.blankBefore(i) {
				n++
			}
		}
		upTo[i] = n
	}
	own := func(i int) int { return width(f.pieces[i].whole()) }
	fits := func(g *group, column int) bool {
		last := g.last
		for last+1 < len(f.pieces) {
			q := f.pieces[last+1]
			if q.breaks != nil && isClose(q.kind) && q.match >= 0 && f.endsList(last+1) {
				column++ // its comma
			}
			if q.breaks != nil || q.kind == tEOF || len(q.lead) > 0 || q.verbatim && q.first {
				break
			}
			last++
		}
		return column+upTo[last]-upTo[g.first]+own(g.first) <= lineWidth
	}
	w := &writer{}
	var stack []*group
	anchors, columns := f.shifts()
	lineOf := make([]int, len(f.pieces)) // the indent of the line on which a piece stands
	for i, q := range f.pieces {
		for len(stack) > 0 && stack[len(stack)-1].last < i {
			stack = stack[:len(stack)-1]
		}
		broken := q.breaks != nil && q.breaks.broken
		if q.match >= 0 && q.match < i && f.endsList(i) && broken {
			w.put(",")
		}
		indent := w.indent
		switch {
		case broken:
			indent = q.breaks.base + indentStep*q.indent
		case q.verbatim:
			anchor := anchors[i]
			indent = max(0, q.column-columns[anchor]+lineOf[anchor])
		case len(q.lead) > 0 && i > 0:
			indent += indentStep
		}
		f.remarks(w, i, indent)
		opener := i > 0 && isOpen(f.pieces[i-1].kind) && len(q.lead) == 0
		switch {
		case broken || len(q.lead) > 0 || q.verbatim && q.first:
			if q.kind == tEOF {
				break
			}
			blank := q.blank && !isClose(q.kind) && !opener && (q.keep || len(q.lead) > 0 || q.verbatim)
			w.newLine(indent, blank)
		case i > 0 && f.blankBefore(i):
			w.put(" ")
		}
		for _, g := range opens[i] {
			g.base = w.indent
			flat := len(stack) > 0 && !stack[len(stack)-1].broken
			g.broken = g.must || !flat && !fits(g, w.column)
			stack = append(stack, g)
		}
		w.put(q.whole())
		lineOf[i] = w.indent
	}
	text := strings.TrimRight(w.b.String(), "\n")
	if text == "" {
		return ""
	}
	return text + "\n"
}

// remarks writes the comments before piece i, those that have lines of their own
// at indent.
func (f *formatter) remarks(w *writer, i, indent int) {
	q := f.pieces[i]
	inner := indent
	if isClose(q.kind) && q.breaks != nil && q.indent == 0 {
		inner += indentStep
	}
	for n, c := range q.lead {
		if c.trailing {
			w.put(" " + c.text)
			continue
		}
		behindOpening := n == 0 && i > 0 && isOpen(f.pieces[i-1].kind)
		w.newLine(inner, c.blank && !behindOpening)
		w.put(c.text)
	}
}

// endsList tells whether the list that piece i closes ends with a comma where
// it has several lines.
func (f *formatter) endsList(i int) bool {
	q := f.pieces[i]
	open := f.pieces[q.match]
	if open.plain || open.noBreaks || q.match == i-1 || q.seen || f.pieces[i-1].kind == tComma {
		return false
	}
	if q.comma {
		return true
	}
	for k := q.match + 1; k < i; k++ {
		if p := f.pieces[k]; p.kind == tComma && p.inside == q.match {
			return true
		}
	}
	return false
}

// shifts gives for each piece of a verbatim part the piece before that part, by
// whose line its lines are placed; -1 elsewhere. columns is where the line of
// each piece begins in the source.
func (f *formatter) shifts() (anchors, columns []int) {
	anchors, columns = make([]int, len(f.pieces)), make([]int, len(f.pieces))
	anchor, column := -1, 0
	for i, q := range f.pieces {
		if q.first {
			column = q.column
		}
		columns[i] = column
		if !q.verbatim {
			anchor = -1
		} else if anchor < 0 {
			anchor = max(i-1, 0)
		}
		anchors[i] = anchor
	}
	return anchors, columns
}
