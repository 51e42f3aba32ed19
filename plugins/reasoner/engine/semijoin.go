package engine

import "github.com/ox-mcp/ox-mcp/plugins/reasoner/relation"

// partner is the step after a probe, where it joins what the probe finds with a
// relation that may drop most of it. If that relation does not change while the
// rule runs, again and again, an index of the rows that it keeps finds no
// others: with p being computed and q not,
//
//	h(x, z) :- d(x, y), p(y, w), q(w, z)
//
// need not look at rows of p whose w is none of q's.
type partner struct {
	next   *step
	column int   // of the probe's relation, ...
	on     []int // ... whose terms are looked up in this column of next's
	used   bool
}

// A probe looks at chosen rows once it has found as many as semijoinAfter
// batches hold, of which the next step has let through no more than one in
// semijoinShare.
const (
	semijoinAfter = 64
	semijoinShare = 3
)

// findPartners finds the probes of a plan that have partners.
func findPartners(p *plan) {
	for k, s := range p.steps {
		if k+1 == len(p.steps) || s.op != opProbe {
			continue
		}
		next := p.steps[k+1]
		if next.op != opProbe && next.op != opMember || next.neg || next.flip {
			continue
		}
		for i, key := range next.keys {
			for _, b := range s.binds {
				if s.partner == nil && key.slot == b.slot {
					s.partner = &partner{next: next, column: b.col, on: next.on[i : i+1 : i+1]}
				}
			}
		}
	}
}

// chosen returns the index of the rows that a probe's partner keeps, or nil if
// the probe is to use the index of all. It belongs to s.target.
func (e *Engine) chosen(s *step, w *window) *relation.Index {
	p := s.partner
	if p == nil || w == nil || w.round > 0 || w.active == nil || w.from != nil || w.ghosts != nil || e.upper || w.active[p.next.rel] {
		return nil
	}
	if !p.used && (s.made < semijoinAfter*e.batch || p.next.made*semijoinShare > s.made) {
		return nil
	}
	data := e.rels[p.next.rel].data
	by := data.Index(p.on)
	by.Cover(data.Rows())
	x, _ := s.target.SemijoinIndex(s.on, p.column, by)
	p.used = true
	return x
}
