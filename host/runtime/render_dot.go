package runtime

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// RenderDOT draws an explanation for Graphviz.
func RenderDOT(r *ExplainResult) string {
	d := newDotDrawing()
	switch {
	case r.Root != nil:
		d.proof(r.Root)
	case r.WhyNot != nil:
		d.whyNot(r.WhyNot)
	}
	return d.end()
}

// dotDrawing is a graph that is being written.
type dotDrawing struct {
	strings.Builder
	nodes int
}

func newDotDrawing() *dotDrawing {
	d := &dotDrawing{}
	d.WriteString("digraph proof {\n  rankdir=TB;\n  node [shape=box, fontname=\"monospace\"];\n")
	return d
}

func (d *dotDrawing) end() string {
	d.WriteString("}\n")
	return d.String()
}

// node writes a node, its label in lines that are not too long, and returns its
// number.
func (d *dotDrawing) node(label, style string, more ...string) int {
	d.nodes++
	lines := Wrapped(label, svgText, svgText)
	for _, m := range more {
		lines = append(lines, Wrapped(m, svgText, svgText)...)
	}
	fmt.Fprintf(d, "  n%d [label=%s%s];\n", d.nodes, quote(strings.Join(lines, "\n")), style)
	return d.nodes
}

func (d *dotDrawing) edge(from, to int) { fmt.Fprintf(d, "  n%d -> n%d;\n", from, to) }

func (d *dotDrawing) proof(p *ProofNode) int {
	style := ""
	switch p.Kind {
	case "asserted":
		style = ", style=filled, fillcolor=\"#e8f4ea\""
	case "folded":
		style = ", style=dashed"
	}
	text, below := p.Fact, []string(nil)
	if note := proofNote(p); note != "" {
		if behind := text + "   ‹" + note + "›"; utf8.RuneCountInString(behind) <= svgText {
			text = behind
		} else {
			below = append(below, "‹"+note+"›")
		}
	}
	id := d.node(text, style, below...)
	for _, c := range p.drawn() {
		d.edge(id, d.proof(c))
	}
	return id
}

func (d *dotDrawing) whyNot(w *WhyNotNode) int {
	id := d.node(whyNotHead(w), ", style=filled, fillcolor=\"#fbe9e7\"", w.unknownText(true)...)
	for i := range w.Rules {
		a := &w.Rules[i]
		rule := d.node(attemptText(a), ", shape=ellipse", attemptNotes(a)...)
		d.edge(id, rule)
		for _, c := range a.Children {
			d.edge(rule, d.whyNot(c))
		}
	}
	for _, l := range repairLines(w.Repairs) {
		repair := d.node(repairText(&l), ", style=filled, fillcolor=\"#e8f4ea\"")
		fmt.Fprintf(d, "  n%d -> n%d [style=dashed];\n", id, repair)
	}
	return id
}
