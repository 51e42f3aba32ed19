package lower

import (
	"slices"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
)

// edge is what a rule's body reads.
type edge struct {
	to   int
	kind uint8 // how it reads it
	rule int
}

const (
	positive uint8 = iota
	negated        // the absence of a tuple
	buried         // inside a negated body
	folded         // inside an aggregate
)

// components groups the derived relations from firstRelation on with the rules
// from firstRule on, in evaluation order. A component that reads itself through
// negated atoms has the well-founded model, and through a min or max it is
// evaluated where it is monotone; recursion through a negated body or any other
// aggregate is refused.
func (b *builder) components(firstRelation, firstRule int) []abi.Component {
	n := len(b.env.Relations)
	edges, rules := b.graph(), b.rulesOf(firstRule)
	b.edges, b.byHead = edges, rules
	stratum := make([]int, n)
	of := make([]int, n) // by relation: its component
	all := connected(n, edges)
	out := make([]abi.Component, 0, len(all))
	for at, scc := range all {
		slices.Sort(scc)
		for _, rel := range scc {
			of[rel] = at + 1
		}
		c := abi.Component{}
		var circular []edge
		var from []int
		for _, rel := range scc {
			if b.env.Relations[rel].Role != abi.Derived || rel < firstRelation {
				continue
			}
			c.Relations = append(c.Relations, rel)
			c.Rules = append(c.Rules, rules[rel]...)
			for _, e := range edges[rel] {
				if of[e.to] == at+1 {
					c.Recursive = true
					switch {
					case e.kind == positive:
					case e.kind == negated:
						c.WellFounded = true
					default:
						circular = append(circular, e)
						from = append(from, rel)
					}
					continue
				}
				above := stratum[e.to]
				if e.kind != positive {
					above++
				}
				c.Stratum = max(c.Stratum, above)
			}
		}
		slices.Sort(c.Rules)
		if len(circular) > 0 {
			var why string
			if !c.WellFounded {
				c.Costs, why = b.costsOf(c.Relations, c.Rules, firstRule)
			}
			if len(c.Costs) == 0 {
				b.cycle(scc, edges, from[0], circular[0], why)
			}
		}
		if len(c.Relations) == 0 {
			continue
		}
		for _, rel := range c.Relations {
			stratum[rel] = c.Stratum
		}
		out = append(out, c)
	}
	return out
}

// readsOf calls visit for each relation that body reads.
func readsOf(body []abi.Atom, kind uint8, visit func(int, uint8)) {
	for i := range body {
		a := &body[i]
		switch a.Op {
		case abi.AtomScan:
			if a.Neg {
				visit(a.Rel, max(kind, negated))
			} else {
				visit(a.Rel, kind)
			}
		case abi.AtomExists:
			inside := kind
			if a.Neg {
				inside = max(kind, buried)
			}
			readsOf(a.Body, inside, visit)
		case abi.AtomFold:
			readsOf(a.Body, folded, visit)
		}
	}
}

// connected returns the strongly connected components of the graph, those that
// are read before those that read them. It keeps its own stack: chains of
// predicates may be long.
func connected(n int, edges [][]edge) [][]int {
	index := make([]int, n) // 0: not seen
	low := make([]int, n)
	on := make([]bool, n)
	var stack []int
	order := make([]int, 0, n) // the components, one behind the other
	out := make([][]int, 0, n)
	next := 1
	type frame struct{ v, at int }
	var calls []frame
	for root := range n {
		if index[root] != 0 {
			continue
		}
		calls = append(calls[:0], frame{root, 0})
		for len(calls) > 0 {
			f := &calls[len(calls)-1]
			v := f.v
			if f.at == 0 {
				index[v], low[v] = next, next
				next++
				stack = append(stack, v)
				on[v] = true
			}
			if f.at < len(edges[v]) {
				w := edges[v][f.at].to
				f.at++
				if index[w] == 0 {
					calls = append(calls, frame{w, 0})
				} else if on[w] {
					low[v] = min(low[v], index[w])
				}
				continue
			}
			calls = calls[:len(calls)-1]
			if len(calls) > 0 {
				up := calls[len(calls)-1].v
				low[up] = min(low[up], low[v])
			}
			if low[v] != index[v] {
				continue
			}
			first := len(order)
			for {
				w := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				on[w] = false
				order = append(order, w)
				if w == v {
					break
				}
			}
			out = append(out, order[first:len(order):len(order)])
		}
	}
	return out
}

// cycle reports recursion through the edge e of rel and names the way round. why
// is what keeps a min or max from being part of it, or empty.
func (b *builder) cycle(scc []int, edges [][]edge, rel int, e edge, why string) {
	if b.ownTerms[rel] && b.ownTerms[e.to] {
		return // a definition that depends on itself was reported
	}
	in := map[int]bool{}
	for _, r := range scc {
		in[r] = true
	}
	// The shortest way from e.to back to rel.
	from := map[int]int{e.to: -1}
	queue := []int{e.to}
	for at := 0; at < len(queue) && queue[at] != rel; at++ {
		for _, next := range edges[queue[at]] {
			if _, seen := from[next.to]; !seen && in[next.to] {
				from[next.to] = queue[at]
				queue = append(queue, next.to)
			}
		}
	}
	var way []string
	for at := rel; at >= 0; at = from[at] {
		way = append(way, b.env.Relations[at].Name)
		if at == e.to {
			break
		}
	}
	slices.Reverse(way)
	way = append([]string{b.env.Relations[rel].Name}, way...)
	rule := &b.rules[e.rule]
	path := strings.Join(way, " reads ")
	if e.kind == folded {
		help := "fold over a predicate that does not read this one"
		if why != "" {
			help += "; " + why
		}
		b.report("OE1317", rule.Span, help, "recursion through an aggregate: %s", path)
		return
	}
	b.report("OE1350", rule.Span, "give the negated condition a derive of its own, and negate that: not that(…)",
		"recursion through the negation of atoms that need the recursion for their variables: not supported yet: %s", path)
}
