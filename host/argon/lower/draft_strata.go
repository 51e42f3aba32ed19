package lower

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/types"
)

// sameStrata reports whether the rules of the edits leave all as it is that is
// reported of a program as a whole: they are in no recursion but a positive
// one, nothing becomes undefined, and no bound on a tier is broken.
func (d *Draft) sameStrata(r *Redrawn) bool {
	old, b := d.b, r.b
	g := d.edited(r)
	bounded := slices.ContainsFunc(old.claims, bounds) || slices.ContainsFunc(b.claims, bounds)
	before := readGraph{base: old.edges}
	for head := range g.changed {
		circle, recursive := g.around(head)
		circleBefore, was := before.around(head)
		if max(circle, circleBefore) != positive {
			return false
		}
		// A recursion that comes or goes raises or lowers the tiers of others,
		// and takes what is undefined round with it.
		if (was || recursive) && (bounded || old.founded || slices.Contains(r.inferred, head)) {
			return false
		}
		if old.founded && !d.asDefined(&g, head) {
			return false
		}
	}
	for i := range r.queries {
		refused := false
		readsOf(r.queries[i].Body, positive, func(rel int, kind uint8) { refused = refused || kind == folded && d.undefined(rel) })
		if refused {
			return false
		}
	}
	return !bounded || withinBounds(b)
}

func bounds(c claimed) bool { return c.bound.By != "" || c.bound.TemporalBy != "" }

// undefined reports whether rel may have undefined tuples. What the edits added
// is asked only where nothing may.
func (d *Draft) undefined(rel int) bool { return rel < len(d.b.may) && d.b.may[rel] }

// asDefined reports whether head, which is in no recursion, may have undefined
// tuples just where it might before, and nothing folds over such a relation.
func (d *Draft) asDefined(g *readGraph, head int) bool {
	may := false
	for _, e := range g.of(head) {
		if e.to >= len(d.b.may) || e.kind == folded && d.undefined(e.to) {
			return false
		}
		may = may || d.undefined(e.to)
	}
	return head >= len(d.b.may) || may == d.b.may[head]
}

// withinBounds reports whether the rules of the edits, of which none is
// recursive, keep the bounds on their tiers.
func withinBounds(b *builder) bool {
	paths := b.pathKinds()
	told := diag.List{}
	in := *b
	in.diags = &told
	for _, c := range b.claims {
		top, temporal := types.Structural, types.NoTime
		for i := c.first; i < c.last; i++ {
			t := tierScan{b: b, paths: paths}
			t.rule(&b.rules[i], false, false)
			top, temporal = max(top, t.tier), max(temporal, t.temporal)
			if c.modal {
				top = max(top, types.Modal)
			}
		}
		in.hold(c, top, temporal, "")
	}
	return len(told.Items) == 0
}

// readGraph is what relations read, where some have other rules than before.
type readGraph struct {
	base    [][]edge
	changed map[int][]edge
}

// edited is the graph after the edits.
func (d *Draft) edited(r *Redrawn) readGraph {
	g := readGraph{base: d.b.edges, changed: map[int][]edge{}}
	read := func(head int, body []abi.Atom) {
		readsOf(body, positive, func(rel int, kind uint8) { g.changed[head] = append(g.changed[head], edge{to: rel, kind: kind}) })
	}
	for _, head := range r.heads {
		if _, done := g.changed[head]; done {
			continue
		}
		g.changed[head] = nil
		if head >= len(d.b.byHead) {
			continue
		}
		for _, i := range d.b.byHead[head] {
			if !r.gone[i] {
				read(head, d.b.rules[i].Body)
			}
		}
	}
	for i := range r.b.rules {
		read(r.b.rules[i].Head, r.b.rules[i].Body)
	}
	return g
}

func (g *readGraph) of(rel int) []edge {
	if list, ok := g.changed[rel]; ok {
		return list
	}
	if rel < len(g.base) {
		return g.base[rel]
	}
	return nil
}

// around reports whether head is in a recursion, and the strongest kind of
// reading in that.
func (g *readGraph) around(head int) (kind uint8, recursive bool) {
	below := []int{head} // what head reads, also by way of others
	readers := map[int][]int{}
	seen := map[int]bool{head: true}
	for at := 0; at < len(below); at++ {
		for _, e := range g.of(below[at]) {
			readers[e.to] = append(readers[e.to], below[at])
			if !seen[e.to] {
				seen[e.to] = true
				below = append(below, e.to)
			}
		}
	}
	if len(readers[head]) == 0 {
		return positive, false
	}
	in := map[int]bool{head: true} // of what it reads, what reads it
	circle := []int{head}
	for at := 0; at < len(circle); at++ {
		for _, up := range readers[circle[at]] {
			if !in[up] {
				in[up] = true
				circle = append(circle, up)
			}
		}
	}
	for _, rel := range circle {
		for _, e := range g.of(rel) {
			if in[e.to] {
				kind = max(kind, e.kind)
			}
		}
	}
	return kind, true
}
