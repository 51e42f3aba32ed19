package engine

import "github.com/ox-mcp/ox-mcp/abi"

// clock says how finely a component depends on the call's instant: what it
// derives is good for an instant, for a day, or for ever.
type clock uint8

const (
	timeless clock = iota
	daily
	momentary
)

// tick makes the components stale that depend on the instant, where it has
// moved since the last call.
func (e *Engine) tick(now abi.Value) {
	was := e.now
	e.now = now
	if abi.Equal(was, now) {
		return
	}
	sameDay := day(was) == day(now)
	for _, c := range e.comps {
		if c.clock == timeless || c.clock == daily && sameDay {
			continue
		}
		c.forget() // it may lose tuples, so that it cannot only gain
		c.state, c.failure = stale, nil
		for _, r := range c.rels {
			e.dirty(r)
		}
	}
}

// day is the day that an instant falls in.
func day(v abi.Value) int64 {
	d := v.Int / abi.SecondsPerDay
	if v.Int%abi.SecondsPerDay < 0 {
		d--
	}
	return d
}

// clockOf returns how a rule depends on the instant.
func (e *Engine) clockOf(r *abi.Rule) clock {
	return e.bodyClock(r.Body, &visited{})
}

func (e *Engine) bodyClock(body []abi.Atom, seen *visited) clock {
	c := timeless
	for i := range body {
		if x := body[i].Expr; x != nil {
			c = max(c, e.exprClock(x, seen))
		}
		c = max(c, e.bodyClock(body[i].Body, seen))
	}
	return c
}

// exprClock looks at an expression and at the functions that it calls; seen
// holds those that were looked at.
func (e *Engine) exprClock(x *abi.Expr, seen *visited) clock {
	c := timeless
	switch {
	case x.Op == abi.ExprBuiltin && x.Name == abi.BuiltinNow:
		c = momentary
	case x.Op == abi.ExprBuiltin && x.Name == abi.BuiltinToday:
		c = daily
	case x.Op == abi.ExprCall && seen.first(x.Index):
		c = e.exprClock(&e.prog.Functions[x.Index].Body, seen)
	}
	for i := range x.Args {
		c = max(c, e.exprClock(&x.Args[i], seen))
	}
	for i := range x.Arms {
		if g := x.Arms[i].Guard; g != nil {
			c = max(c, e.exprClock(g, seen))
		}
		c = max(c, e.exprClock(&x.Arms[i].Body, seen))
	}
	if x.Sub != nil {
		c = max(c, e.bodyClock(x.Sub.Body, seen))
		if x.Sub.Out != nil {
			c = max(c, e.exprClock(x.Sub.Out, seen))
		}
	}
	return c
}

// visited is a set of functions; most rules call none.
type visited struct{ functions map[int]bool }

// first adds a function and reports whether it was absent.
func (v *visited) first(function int) bool {
	if v.functions[function] {
		return false
	}
	if v.functions == nil {
		v.functions = map[int]bool{}
	}
	v.functions[function] = true
	return true
}
