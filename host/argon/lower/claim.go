package lower

import (
	"github.com/ox-mcp/ox-mcp/abi"
)

// claim is what a call says of a variable that it is given: the concept of the
// parameter.
type claim struct {
	slot int
	rel  int // the concept's relation
	t    abi.Type
	span abi.Span
}

// claim notes that a function is called with a variable, where that is certain.
func (h *hoist) claim(arg abi.Expr, t abi.Type, out *[]abi.Atom) {
	if !h.rule || out != h.top || h.depth != 1 || t.Op != abi.TypeConcept {
		return
	}
	if c := h.b.env.Concepts[t.Name]; c != nil {
		h.claims = append(h.claims, claim{slot: arg.Index, rel: c.Rel, t: t, span: arg.Span})
	}
}

// claimed adds to a body the concepts that calls claim of variables of which no
// atom says as much: what a function reads of its parameter has a row for
// whatever the value is, and would let the variable be anything.
func (h *hoist) claimed(body []abi.Atom) []abi.Atom {
	for _, c := range h.claims {
		if !h.b.fits(c.t, body, c.slot) {
			body = append(body, abi.Atom{Op: abi.AtomScan, Rel: c.rel, Args: []abi.Arg{slotArg(c.slot)}, Span: c.span})
		}
	}
	h.claims = nil
	return body
}
