package lower

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/types"
)

// holders returns the concepts that the members of c, which is not defined by
// an `iff`, are handed on to: its supertypes and, past each that is defined,
// what is above that. A defined concept hands nothing on itself. Its members are
// taken from its supertypes, and a rule back to them would make a recursion of
// every definition.
func holders(c *types.Concept) []*types.Concept {
	var out []*types.Concept
	queue := slices.Clone(c.Supers)
	for at := 0; at < len(queue); at++ {
		up := queue[at]
		if slices.Contains(out, up) {
			continue
		}
		out = append(out, up)
		if up.Defined() {
			queue = append(queue, up.Supers...)
		}
	}
	return out
}

// definition adds the rule of a concept with an `iff`: its members are those
// of its supertypes that satisfy the condition.
func (b *builder) definition(c *types.Concept) {
	cl := c.Refined
	if cl == nil || cl.Broken {
		return
	}
	span := b.env.Span(cl.Module, cl.Span)
	r := abi.Rule{Name: c.Name, Head: c.Rel, Args: []abi.Arg{slotArg(0)}, Slots: slices.Clone(cl.Slots), Span: span}
	for i, up := range c.Supers {
		at := span
		if i < len(c.Node.Supers) {
			at = b.env.Span(c.Symbol.Module, c.Node.Supers[i].Span)
		}
		r.Body = append(r.Body, abi.Atom{Op: abi.AtomScan, Rel: up.Rel, Args: []abi.Arg{slotArg(0)}, Span: at})
	}
	h := &hoist{b: b, slots: &r.Slots, rule: true}
	r.Body = append(r.Body, h.body(cl.Body)...)
	if b.safe(r.Slots, r.Body, nil, r.Args, span) {
		b.rule(r)
		b.holdsStill(c, r.Body[len(c.Supers):], span)
	}
}

// holdsStill warns of a definition whose concept is fixed and that reads what
// writes can change (OW0157).
func (b *builder) holdsStill(c *types.Concept, body []abi.Atom, span abi.Span) {
	if !c.Fixed {
		return
	}
	told := false
	readsOf(body, positive, func(rel int, _ uint8) {
		for key, view := range b.views {
			if view == rel {
				rel = key.field
			}
		}
		r := &b.env.Relations[rel]
		switch r.Origin {
		case abi.OriginAux:
			return
		case abi.OriginField:
			if r.Role == abi.Base && !r.Mut && len(r.Key) > 0 {
				return
			}
		case abi.OriginConcept:
			if up := b.env.Concepts[r.Name]; up != nil && up.Fixed {
				return
			}
		}
		if !told {
			told = true
			b.diags.Add(diag.Diagnostic{
				Code: "OW0157", Severity: diag.Warning, Place: b.place(span),
				Message: fmt.Sprintf("the metatype of %s is fixed, and its members come and go with %s, which writes can change", c.Name, r.Name),
				Help:    "introduce it with a metatype that is not fixed, or let the condition read what never changes",
			})
		}
	})
}

// refinements adds the guards of refinements (OE0668). A condition is held
// against the members of a concept with `where`, and against those that a
// concept with `iff` has because they were put into a subtype.
func (b *builder) refinements(p *abi.Program) {
	given := map[*types.Concept][]*types.Concept{} // by defined concept: what hands members on to it
	for _, sub := range b.env.ConceptList {
		if sub.Defined() {
			continue
		}
		for _, c := range holders(sub) {
			if c.Defined() {
				given[c] = append(given[c], sub)
			}
		}
	}
	for _, c := range b.env.ConceptList {
		if c.Refined == nil || c.Refined.Broken {
			continue
		}
		if !c.Defined() {
			p.Checks = append(p.Checks, b.condition(c, c)...)
		}
		for _, sub := range given[c] {
			p.Checks = append(p.Checks, b.condition(c, sub)...)
		}
	}
}

// condition is violated by the members of sub for which the refinement of c
// does not hold; an absent value does not satisfy it.
func (b *builder) condition(c, sub *types.Concept) []abi.Check {
	cl := c.Refined
	span := b.env.Span(cl.Module, cl.Span)
	name := sub.Name + "[where]"
	if c != sub {
		name = sub.Name + "[" + short(c.Name) + "]"
	}
	r := abi.Rule{Name: name, Args: []abi.Arg{slotArg(0)}, Slots: slices.Clone(cl.Slots), Span: span}
	member := abi.Atom{Op: abi.AtomScan, Rel: sub.Rel, Args: []abi.Arg{slotArg(0)}, Span: span}
	h := &hoist{b: b, slots: &r.Slots, rule: true}
	r.Body = []abi.Atom{member, absent(h.body(cl.Body), []int{0}, span)}
	if !b.safe(r.Slots, r.Body, nil, r.Args, span) {
		return nil
	}
	text := strings.Join(strings.Fields(cl.Module.Source.Text[cl.Span.Start:cl.Span.End]), " ")
	return []abi.Check{b.guard(r, "OE0668", abi.SeverityError, 0, " is in "+short(sub.Name)+" and does not satisfy "+short(c.Name)+" "+text)}
}

// definitionCycles reports concepts whose `iff` reads itself, also by way of
// others (OE0281). A recursion that goes through a derive is one of rules, which
// have a meaning, and passes.
func (b *builder) definitionCycles() {
	defined := map[int]*types.Concept{}
	for _, c := range b.env.ConceptList {
		if c.Defined() {
			defined[c.Rel] = c
		}
	}
	if len(defined) == 0 {
		return
	}
	clauses := map[int]bool{}
	for _, c := range b.env.Clauses {
		clauses[c.Head] = true
	}
	ofRule := func(rel int) bool { return clauses[rel] }
	edges := make([][]edge, len(b.env.Relations))
	for i := range b.rules {
		r := &b.rules[i]
		if ofRule(r.Head) {
			continue
		}
		readsOf(r.Body, positive, func(rel int, _ uint8) {
			if !ofRule(rel) {
				edges[r.Head] = append(edges[r.Head], edge{to: rel})
			}
		})
	}
	for _, scc := range connected(len(edges), edges) {
		around := len(scc) > 1 || slices.ContainsFunc(edges[scc[0]], func(e edge) bool { return e.to == scc[0] })
		if !around {
			continue
		}
		slices.Sort(scc)
		var names []string
		var first *types.Concept
		for _, rel := range scc {
			if c := defined[rel]; c != nil {
				if first == nil {
					first = c
				}
				names = append(names, c.Name)
			}
		}
		if first == nil {
			continue
		}
		for _, rel := range scc {
			if b.ownTerms == nil {
				b.ownTerms = map[int]bool{}
			}
			b.ownTerms[rel] = true
		}
		b.report("OE0281", b.env.Span(first.Symbol.Module, first.Node.Refinement.Span),
			"say it with a derive, which may be recursive, and read that in the `iff`",
			"the definition of %s depends on itself", strings.Join(names, " and of "))
	}
}
