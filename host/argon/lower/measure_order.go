package lower

import (
	"slices"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
)

// A rule is lowered after those that it goes by: what these are found to give as
// an interval, or to leave undefined, is so in its body, too.

// measureRules lowers the rules that are not done, until none has to be; fresh
// reads the rules anew.
func (b *builder) measureRules(g **reading, fresh func(), done, guards map[int]bool) {
	var lowered []int
	for again := true; again; {
		fresh()
		again = false
		if len((*g).component) == 0 { // of an extension
			again = b.measureCircle(*g, -1, b.undone(indexes(b.rules), done, guards), done, &lowered)
			continue
		}
		rules := b.rulesOf(0)
		for at, circle := range (*g).circles {
			(*g).spread(circle)
			var list []int
			for _, rel := range circle {
				list = append(list, b.undone(rules[rel], done, guards)...)
			}
			again = b.measureCircle(*g, at, list, done, &lowered) || again
		}
	}
	for _, i := range lowered {
		r, m := &b.rules[i], b.measuringOf(i, *g)
		if at := slices.IndexFunc(r.Body, func(a abi.Atom) bool { return m.column(&a) >= 0 }); at >= 0 && !b.diags.HasErrors() {
			m.refuse(r.Body[at].Span, "a value that may be an interval and goes by itself", "compare it in a derive of its own, and read that here")
		}
	}
}

func indexes[T any](list []T) (out []int) {
	for i := range list {
		out = append(out, i)
	}
	return out
}

// undone are the rules of the list that are not done.
func (b *builder) undone(list []int, done, guards map[int]bool) (out []int) {
	for _, i := range list {
		if !done[i] && !guards[b.rules[i].Head] {
			out = append(out, i)
		}
	}
	return out
}

func (b *builder) measuringOf(i int, g *reading) *measuring {
	r := &b.rules[i]
	return &measuring{b: b, g: g, head: r.Head, slots: &r.Slots, name: r.Name}
}

// measureCircle lowers those of the rules that have to be, which are of the
// component at, with the rules that are made of their nested bodies. It reports
// whether there was one.
func (b *builder) measureCircle(g *reading, at int, list []int, done map[int]bool, lowered *[]int) (changed bool) {
	for again := true; again; {
		again = false
		for _, i := range list {
			m := b.measuringOf(i, g)
			if done[i] || !m.needed(b.rules[i].Body) {
				continue
			}
			again, changed = true, true
			if before := len(b.rules); strings.Count(m.name, liftMark) < maxNested {
				if body, nested := m.unnest(b.rules[i].Body, slotsOf(b.rules[i].Args)); nested {
					b.rules[i].Body = body
					g.grow(at, len(b.env.Relations))
					var made []int
					for added := before; added < len(b.rules); added++ {
						made = append(made, added)
					}
					b.measureCircle(g, at, made, done, lowered)
					g.doubts(b.rules[i].Head)
					m = b.measuringOf(i, g)
				}
			}
			if !m.needed(b.rules[i].Body) {
				continue // it goes by what its nested bodies are now
			}
			done[i] = true
			*lowered = append(*lowered, i)
			before := len(b.rules)
			b.measureRule(i, b.measuringOf(i, g))
			for added := before; added < len(b.rules); added++ {
				done[added] = true
			}
			g.grow(at, len(b.env.Relations))
			g.doubts(b.rules[i].Head)
		}
	}
	return changed
}

// grow gives the relations that were made since the component of what they were
// made for.
func (g *reading) grow(at, relations int) {
	for len(g.component) > 0 && len(g.component) < relations {
		g.component, g.undefined = append(g.component, at), append(g.undefined, false)
	}
}

// doubts notes that the tuples of a relation may be undefined.
func (g *reading) doubts(rel int) {
	if rel < len(g.undefined) && len(g.component) > 0 {
		g.undefined[rel] = true
	}
}

// spread notes it of a circle that reads such a relation, or has one.
func (g *reading) spread(circle []int) {
	open := false
	for _, rel := range circle {
		open = open || g.undefined[rel]
		for _, e := range g.edges[rel] {
			open = open || g.undefined[e.to]
		}
	}
	for _, rel := range circle {
		g.undefined[rel] = open
	}
}
