package runtime

import (
	"fmt"
	"slices"
	"strings"
)

// knownFormat refuses a format that no explanation has. "" is json.
func knownFormat(format string) error {
	if formats := []string{"json", "text", "dot", "svg"}; format != "" && !slices.Contains(formats, format) {
		return Invalid("format", "json, text, dot or svg", format, Nearest(format, formats))
	}
	return nil
}

// draw fills in the drawing that a format asks for.
func (r *WhyResult) draw(format string) {
	switch format {
	case "text":
		var b strings.Builder
		for i := range r.Firings {
			b.WriteString(r.Firings[i].Rendered)
		}
		r.Rendered = b.String()
	case "dot":
		r.Rendered = renderFiringsDOT(r.Firings)
	case "svg":
		r.Rendered = renderFiringsSVG(r.Firings)
	}
}

// firingColor fills what heads the tree of a firing.
const firingColor = "#fff3d6"

func renderFiringsDOT(firings []Firing) string {
	d := newDotDrawing()
	for i := range firings {
		f := &firings[i]
		id := d.node(f.headline(), ", style=filled, fillcolor=\""+firingColor+"\"")
		if f.Trace != nil {
			d.edge(id, d.proof(f.Trace))
		}
	}
	return d.end()
}

func renderFiringsSVG(firings []Firing) string {
	var roots []*svgBox
	for i := range firings {
		f := &firings[i]
		root := &svgBox{lines: Wrapped(f.headline(), svgText, svgText), fill: firingColor}
		if f.Trace != nil {
			root.children = append(root.children, svgProof(f.Trace))
		}
		roots = append(roots, root)
	}
	return svgImage(fmt.Sprintf("%d violation(s)", len(firings)), roots)
}
