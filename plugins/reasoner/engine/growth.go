package engine

import (
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/relation"
)

// source is a relation outside a component that its rules read, and what they
// had read of it when the component was last brought up to date.
type source struct {
	rel     int
	guarded bool // read under negation, exists or a fold: more of it may mean less of the component
	data    *relation.Relation
	epoch   uint32
	rows    int
}

// remember notes what the component has read.
func (e *Engine) remember(c *component) {
	for i := range c.sources {
		s := &c.sources[i]
		s.data = e.rels[s.rel].data
		s.epoch, s.rows = s.data.Epoch(), s.data.Rows()
	}
}

// forget makes the next evaluation start from scratch.
func (c *component) forget() {
	for i := range c.sources {
		c.sources[i].data = nil
	}
	c.round = 0
}

// grown reports whether since the last evaluation the component's sources have
// only gained rows, none of them guarded. The window then has their new rows.
func (e *Engine) grown(c *component, w *window) bool {
	if c.round == 0 || c.founded || c.costs != nil {
		return false
	}
	for i := range c.sources {
		s := &c.sources[i]
		data := e.rels[s.rel].data
		if data != s.data || data.Epoch() != s.epoch || s.guarded && data.Rows() > s.rows {
			return false
		}
	}
	for i := range c.sources {
		// A guarded source has not grown. So what the window restricts is never
		// read inside a nested body, whose atoms have numbers of their own.
		if s := &c.sources[i]; s.data.Rows() > s.rows {
			w.active[s.rel] = true
			w.lo[s.rel], w.hi[s.rel] = uint32(s.rows), uint32(s.data.Rows())
		}
	}
	for _, r := range c.rels {
		rows := uint32(e.rels[r].data.Rows())
		w.lo[r], w.hi[r] = rows, rows
	}
	return true
}

// exact brings the relation up to date, and sees to it that it and what it
// rests on have the rules and rounds of an evaluation from scratch: proofs
// must not depend on the order in which facts came.
func (e *Engine) exact(rel int) *abi.Failure {
	if f := e.ensure(rel); f != nil || e.rels[rel].comp < 0 {
		return f
	}
	need := make([]bool, e.rels[rel].comp+1)
	need[e.rels[rel].comp] = true
	for i := len(need) - 1; i >= 0; i-- {
		if need[i] {
			for _, d := range e.comps[i].reads {
				need[d] = true
			}
		}
	}
	for i, needed := range need {
		c := e.comps[i]
		if !needed || c.canonical {
			continue
		}
		c.forget()
		c.state = stale
		if f := e.evaluate(i); f != nil {
			return f
		}
	}
	return nil
}
