package lower

import (
	"fmt"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/types"
)

// RuleTier is the pair of rungs that a rule stands on.
type RuleTier struct {
	Main     types.Tier
	Temporal types.TemporalTier
}

// claimed is a rule, or the rules from first up to last, that an item of the
// source made, with what is allowed of it.
type claimed struct {
	first, last int
	bound       types.TierBound
	modal       bool
	what        string
	span        abi.Span
}

// claim notes that the rules from first on come from c.
func (b *builder) claim(c *types.Clause, what string, first int) {
	b.claims = append(b.claims, claimed{first, len(b.rules), c.Bound, c.Modal, what, b.env.Span(c.Module, c.Span)})
}

// tiers returns the tier of each rule, and reports the items that say more than
// they may.
func (b *builder) tiers(components []abi.Component) []RuleTier {
	out := make([]RuleTier, len(b.rules))
	component := make([]int, len(b.env.Relations)) // of a derived relation, from 1
	for i := range components {
		for _, rel := range components[i].Relations {
			component[rel] = i + 1
		}
	}
	paths := b.pathKinds()
	why := make([]string, len(b.rules))
	for i := range b.rules {
		t := tierScan{b: b, paths: paths}
		r := &b.rules[i]
		recursive, founded := false, false
		readsOf(r.Body, positive, func(rel int, kind uint8) {
			if component[rel] != 0 && component[rel] == component[r.Head] {
				recursive, founded = true, founded || kind != positive
			}
		})
		t.rule(r, recursive, founded)
		out[i], why[i] = RuleTier{t.tier, t.temporal}, t.why
	}
	for _, c := range b.claims {
		top, temporal, reason := types.Structural, types.NoTime, ""
		for i := c.first; i < c.last; i++ {
			if c.modal {
				out[i].Main, why[i] = max(out[i].Main, types.Modal), "it has a modal operator"
			}
			if out[i].Main >= top {
				top, reason = out[i].Main, why[i]
			}
			temporal = max(temporal, out[i].Temporal)
		}
		b.hold(c, top, temporal, reason)
	}
	return out
}

// hold reports an item that stands above its bound. A bound of no time at all
// is one of no operators: facts are read at an instant in any case.
func (b *builder) hold(c claimed, top types.Tier, temporal types.TemporalTier, reason string) {
	if c.bound.By != "" && top > c.bound.Main {
		b.report("OE1353", c.span, fmt.Sprintf("rewrite it, or allow it with tier: %s", top),
			"this %s is of tier %s (%s), and %s allows no more than %s", c.what, top, reason, c.bound.By, c.bound.Main)
		return
	}
	if c.bound.TemporalBy != "" && temporal > max(c.bound.Temporal, types.Snapshot) {
		b.report("OE1353", c.span, fmt.Sprintf("take the operators out, or allow them with temporal: %s", temporal),
			"this %s is of the temporal tier %s, and %s allows no more than %s", c.what, temporal, c.bound.TemporalBy, c.bound.Temporal)
	}
}

// holdQuery holds a query to its bound.
func (b *builder) holdQuery(q *types.Query, body []abi.Atom, span abi.Span) {
	if q.Symbol == nil || q.Bound == (types.TierBound{}) {
		return
	}
	t := tierScan{b: b, paths: b.pathKinds()}
	t.body(body)
	t.joins(body)
	if q.Modal {
		t.raise(types.Modal, "it has a modal operator")
	}
	b.hold(claimed{bound: q.Bound, what: "query", span: span}, t.tier, t.temporal, t.why)
}

func (b *builder) pathKinds() map[int]types.PathKind {
	kinds := map[int]types.PathKind{}
	for _, p := range b.env.Paths {
		kinds[p.Rel] = p.Kind
	}
	return kinds
}

// tierScan finds the tier of one rule, and the first reason for it.
type tierScan struct {
	b        *builder
	paths    map[int]types.PathKind
	tier     types.Tier
	temporal types.TemporalTier
	why      string
}

func (t *tierScan) raise(to types.Tier, why string) {
	if to > t.tier {
		t.tier, t.why = to, why
	}
}

func (t *tierScan) rule(r *abi.Rule, recursive, founded bool) {
	t.body(r.Body)
	t.joins(r.Body)
	switch {
	case founded:
		t.raise(types.Recursive, "it recurs through a negation")
	case recursive && chain(r):
		t.raise(types.Closure, "it closes a relation transitively")
	case recursive && !singleScan(r.Body):
		t.raise(types.Recursive, "it is recursive")
	}
	if scan := onlyScan(r.Body); scan != nil && inverts(r, scan) {
		t.raise(types.Closure, "it turns a relation round")
	}
}

func (t *tierScan) body(body []abi.Atom) {
	for i := range body {
		a := &body[i]
		switch a.Op {
		case abi.AtomScan:
			t.temporal = max(t.temporal, types.Snapshot)
			if t.b.ofDays(a.Rel) {
				t.temporal = types.AcyclicStratified
			}
			if a.Neg {
				t.raise(types.Expressive, "it has a negation")
			}
			if kind, ok := t.paths[a.Rel]; ok && kind == types.PathCounted {
				t.raise(types.Recursive, "it counts the steps of a path")
			} else if ok {
				t.raise(types.Closure, "it follows a path")
			}
		case abi.AtomFold:
			if a.Fold == abi.FoldCount {
				t.raise(types.Expressive, "it counts")
			} else {
				t.raise(types.Recursive, "it has an aggregate")
			}
		case abi.AtomLet:
			if a.Expr.Op != abi.ExprConst && a.Expr.Op != abi.ExprSlot {
				t.raise(types.Recursive, "it computes a value")
			}
		case abi.AtomExists:
			if a.Neg {
				t.raise(types.Expressive, "it has a negation")
			} else {
				t.raise(types.Expressive, "it asks for existence")
			}
		default:
			t.raise(types.Expressive, "it has a condition on values")
		}
		t.body(a.Body)
	}
}

// joins raises a body that reads more than one relation, beside the tests of
// membership of what is read.
func (t *tierScan) joins(body []abi.Atom) {
	wide := 0
	unary := map[int]bool{}
	for i := range body {
		a := &body[i]
		if a.Op != abi.AtomScan || a.Neg {
			continue
		}
		if len(a.Args) > 1 {
			wide++
		} else if len(a.Args) == 1 && a.Args[0].Op == abi.ArgSlot {
			unary[a.Args[0].Index] = true
		}
	}
	if wide > 1 || wide == 0 && len(unary) > 1 {
		t.raise(types.Closure, "it joins relations")
	}
}

// onlyScan returns the scan of a body's only relation of several places.
func onlyScan(body []abi.Atom) *abi.Atom {
	var found *abi.Atom
	for i := range body {
		if a := &body[i]; a.Op == abi.AtomScan && len(a.Args) > 1 {
			if found != nil {
				return nil
			}
			found = a
		}
	}
	return found
}

// singleScan reports whether the body reads one relation: such a rule of a
// circle only says that one relation is below another.
func singleScan(body []abi.Atom) bool { return len(body) == 1 && body[0].Op == abi.AtomScan }

// inverts reports whether the head takes the places of scan in another order.
func inverts(r *abi.Rule, scan *abi.Atom) bool {
	place := map[int]int{}
	for i, a := range scan.Args {
		if a.Op == abi.ArgSlot {
			if _, ok := place[a.Index]; !ok {
				place[a.Index] = i
			}
		}
	}
	last := -1
	for _, a := range r.Args {
		if at, ok := place[a.Index]; ok && a.Op == abi.ArgSlot {
			if at < last {
				return true
			}
			last = at
		}
	}
	return false
}

// chain reports whether r joins two relations of two places end to end, with
// nothing but tests of membership beside: h(a, c) :- p(a, b), q(b, c).
func chain(r *abi.Rule) bool {
	var wide []*abi.Atom
	for i := range r.Body {
		a := &r.Body[i]
		switch {
		case a.Op != abi.AtomScan || a.Neg || len(a.Args) > 2:
			return false
		case len(a.Args) == 2:
			wide = append(wide, a)
		}
	}
	if len(wide) != 2 || len(r.Args) != 2 {
		return false
	}
	for _, w := range [][2]*abi.Atom{{wide[0], wide[1]}, {wide[1], wide[0]}} {
		if w[0].Args[0] == r.Args[0] && w[0].Args[1] == w[1].Args[0] && w[1].Args[1] == r.Args[1] && w[0].Args[1].Op == abi.ArgSlot {
			return true
		}
	}
	return false
}
