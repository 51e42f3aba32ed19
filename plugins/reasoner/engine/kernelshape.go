package engine

import (
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/kernel"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/relation"
)

// shaped is a plan that is ready to run, as a kernel sees it.
type shaped struct {
	shape kernel.Shape
	steps []*step         // the shape's
	from  []relation.From // the head's columns
	terms []abi.Term      // constants
	slots []kernel.Source // where what is bound comes from
}

// source says where an operand comes from.
func (s *shaped) source(o operand) kernel.Source {
	if o.slot >= 0 {
		return s.slots[o.slot]
	}
	s.terms = append(s.terms, o.term)
	return kernel.Source{Step: -1, Col: len(s.terms) - 1}
}

// shapeOf returns the shape of a plan whose steps are prepared; ok is false if
// there is no kernel for such a plan.
func (e *Engine) shapeOf(p *plan, head []abi.Arg) (out *shaped, ok bool) {
	out = &shaped{slots: make([]kernel.Source, p.width)}
	if len(p.steps) == 0 || p.steps[0].op != opScan || len(head) == 0 || len(head) > 3 {
		return nil, false
	}
	for i, s := range p.steps {
		if s.op == opAlias {
			out.slots[s.slot] = out.source(s.a)
			continue
		}
		kind, ok := kindOf(s)
		if !ok || kind == kernel.Scan && i > 0 {
			return nil, false
		}
		k := kernel.Step{Kind: kind, Any: s.any}
		keys := s.keys
		if s.op == opCompare {
			keys = []operand{s.a, s.b}
		}
		for _, o := range keys {
			k.Keys = append(k.Keys, out.source(o))
		}
		for _, b := range s.binds {
			k.Cols = append(k.Cols, b.col)
			out.slots[b.slot] = kernel.Source{Step: len(out.steps), Col: b.col}
		}
		out.shape.Steps, out.steps = append(out.shape.Steps, k), append(out.steps, s)
	}
	for _, a := range head {
		if a.Op != abi.ArgSlot {
			return nil, false
		}
		x := out.slots[a.Index]
		if x.Step < 0 {
			return nil, false
		}
		out.shape.Head = append(out.shape.Head, x)
		out.from = append(out.from, relation.From{Rel: out.steps[x.Step].target, Col: x.Col})
	}
	return out, true
}

// kindOf says what a step that is prepared is to a kernel.
func kindOf(s *step) (kind kernel.Kind, ok bool) {
	if s.neg || s.holes || s.lost != nil || len(s.same) > 0 || s.linear {
		return 0, false
	}
	switch s.op {
	case opScan:
		return kernel.Scan, true
	case opProbe:
		c, ok := s.probe.Index.Chains(s.hi)
		if c.Dense {
			return kernel.Dense, ok
		}
		return kernel.Hashed, ok && len(s.keys) <= 2
	case opMember:
		_, _, ok := s.target.Table()
		return kernel.Member, ok && len(s.keys) <= 3
	case opCompare:
		if s.cmp == abi.CmpNe {
			return kernel.Unequal, true
		}
		return kernel.Equal, s.cmp == abi.CmpEq
	}
	return 0, false
}
