package runtime

import (
	"encoding/xml"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// The measures of a drawn explanation, in pixels.
const (
	svgLine   = 18  // height of a line of text
	svgGap    = 8   // between boxes
	svgPad    = 6   // inside a box
	svgIndent = 26  // a level
	svgLetter = 7.3 // width of a letter of the font
	svgText   = 68  // letters a line, before it is broken
)

// svgBox is a node of the drawing: a tree whose levels are indented, so that it
// reads from top to bottom like the text form.
type svgBox struct {
	lines    []string
	fill     string
	dashed   bool
	children []*svgBox
}

// RenderSVG draws an explanation as an SVG image. It needs no script, no font
// but a monospaced one, and no other file.
func RenderSVG(r *ExplainResult) string {
	var roots []*svgBox
	switch {
	case r.Root != nil:
		roots = append(roots, svgProof(r.Root))
	case r.WhyNot != nil:
		roots = append(roots, svgWhyNot(r.WhyNot))
		if r.WhyNot.Searched != nil {
			repairs := &svgBox{lines: Wrapped(searchedText(r.WhyNot), svgText, svgText), fill: "#ffffff"}
			for _, l := range repairLines(r.WhyNot.Repairs) {
				repairs.children = append(repairs.children, &svgBox{lines: Wrapped(repairText(&l), svgText, svgText), fill: "#e8f4ea"})
			}
			roots = append(roots, repairs)
		}
	}
	return svgImage(r.Fact, roots)
}

// svgImage draws trees one below the other.
func svgImage(title string, roots []*svgBox) string {
	d := &svgDrawing{y: svgGap}
	for _, root := range roots {
		d.box(root, svgGap)
	}
	var out strings.Builder
	fmt.Fprintf(&out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" font-family=\"monospace\" font-size=\"12\">\n",
		d.width+svgGap, d.y, d.width+svgGap, d.y)
	fmt.Fprintf(&out, "<title>%s</title>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n", svgEscaped(title))
	out.WriteString(d.links.String())
	out.WriteString(d.boxes.String())
	out.WriteString("</svg>\n")
	return out.String()
}

func svgProof(n *ProofNode) *svgBox {
	b := &svgBox{lines: Wrapped(n.Fact, svgText, svgText), fill: "#f4f6fb", dashed: n.Kind == "folded"}
	if n.Kind == "asserted" {
		b.fill = "#e8f4ea"
	}
	if note := proofNote(n); note != "" {
		b.lines = append(b.lines, Wrapped("‹"+note+"›", svgText, svgText)...)
	}
	for _, c := range n.drawn() {
		b.children = append(b.children, svgProof(c))
	}
	return b
}

func svgWhyNot(n *WhyNotNode) *svgBox {
	b := &svgBox{lines: Wrapped(whyNotHead(n), svgText, svgText), fill: "#fbe9e7"}
	if note := whyNotNote(n); note != "" {
		b.lines = append(b.lines, Wrapped("‹"+note+"›", svgText, svgText)...)
	}
	for _, text := range n.unknownText(false) {
		b.lines = append(b.lines, Wrapped(text, svgText, svgText)...)
	}
	for i := range n.Rules {
		a := &n.Rules[i]
		rule := &svgBox{fill: "#f4f6fb", lines: Wrapped(attemptText(a), svgText, svgText)}
		for _, note := range attemptNotes(a) {
			rule.lines = append(rule.lines, Wrapped(note, svgText, svgText)...)
		}
		for _, c := range a.Children {
			rule.children = append(rule.children, svgWhyNot(c))
		}
		b.children = append(b.children, rule)
	}
	return b
}

// attemptNotes is what stands below a rule that does not give the fact: the
// premises that fail, and the nearest fact to the last of them.
func attemptNotes(a *Attempt) (notes []string) {
	for _, f := range append(slices.Clone(a.Also), a.Failed) {
		notes = append(notes, missingText(&f)+"  ‹"+reasonOf(&f)+"›")
	}
	if near, note := nearText(a); near != "" {
		if note != "" {
			near += "  ‹" + note + "›"
		}
		notes = append(notes, near)
	}
	return notes
}

// svgDrawing places boxes one below the other.
type svgDrawing struct {
	boxes, links strings.Builder
	y, width     int // of what is drawn so far
}

// box draws a box at x, and below it its children. It returns the height of the
// middle of its first line.
func (d *svgDrawing) box(b *svgBox, x int) (middle int) {
	letters := 0
	for _, l := range b.lines {
		letters = max(letters, utf8.RuneCountInString(l))
	}
	width, height := int(float64(letters)*svgLetter)+2*svgPad, len(b.lines)*svgLine+svgPad
	top := d.y
	dash := ""
	if b.dashed {
		dash = " stroke-dasharray=\"4 3\""
	}
	fmt.Fprintf(&d.boxes, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"3\" fill=\"%s\" stroke=\"#8a94a6\"%s/>\n", x, top, width, height, b.fill, dash)
	for i, l := range b.lines {
		fmt.Fprintf(&d.boxes, "<text x=\"%d\" y=\"%d\" xml:space=\"preserve\">%s</text>\n", x+svgPad, top+svgPad/2+(i+1)*svgLine-5, svgEscaped(l))
	}
	d.y = top + height + svgGap
	d.width = max(d.width, x+width)
	trunk := x + svgIndent/2
	for _, c := range b.children {
		at := d.box(c, x+svgIndent)
		fmt.Fprintf(&d.links, "<path d=\"M%d %dV%dH%d\" fill=\"none\" stroke=\"#8a94a6\"/>\n", trunk, top+height, at, x+svgIndent)
	}
	return top + svgPad/2 + svgLine/2
}

func svgEscaped(text string) string {
	var b strings.Builder
	if err := xml.EscapeText(&b, []byte(text)); err != nil {
		return ""
	}
	return b.String()
}
