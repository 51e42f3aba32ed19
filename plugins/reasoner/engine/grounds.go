package engine

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
)

// grounds returns facts that make a body hold under the slots, of what it denies
// and counts apart: while they are there it does. Of a fold that picks the best of
// its own component it is one that gives this, since with more facts that is only
// outdone.
func (e *Engine) grounds(body []abi.Atom, slots []abi.Term, w *window) (out []baseFact, f *abi.Failure) {
	for i := range body {
		a := &body[i]
		inside := a.Body
		switch {
		case a.Neg:
			continue
		case a.Op == abi.AtomScan:
			p, f := e.condition(a, i, slots, w)
			if f != nil {
				return nil, f
			}
			out = append(out, baseFact{p.rel, p.tuple})
			continue
		case a.Op == abi.AtomFold && w != nil && picks(a) && e.readsOwn(a.Body, w.comp):
			inside = givesBody(a)
		case a.Op != abi.AtomExists:
			continue
		}
		found, _, f := e.bindings(inside, slots, w, nil, maxAttempted, 1)
		if f != nil || len(found) == 0 {
			return nil, f
		}
		more, f := e.grounds(inside, found[0], w)
		if f != nil {
			return nil, f
		}
		out = append(out, more...)
	}
	return out, nil
}

// groundsOf returns the facts of the canonical derivation of a derived one; known
// is false where it has none of its own.
func (e *Engine) groundsOf(x baseFact) (facts []baseFact, known bool, f *abi.Failure) {
	if c := e.comps[e.rels[x.rel].comp]; c.mirrors >= 0 {
		return []baseFact{{c.mirrors, x.tuple}}, true, nil
	}
	// Under an assumption what is there is as good, if it has rules at all.
	if c := e.comps[e.rels[x.rel].comp]; e.holding == 0 || c.held && c.founded && c.state == fresh {
		if f := e.exact(x.rel); f != nil {
			return nil, false, f
		}
	}
	data := e.rels[x.rel].data
	row, ok := data.Find(x.tuple)
	if !ok {
		return nil, false, nil
	}
	id := e.rels[x.rel].comp
	rule, round := data.Tag(row)
	at := slices.IndexFunc(e.comps[id].rules, func(rs *ruleState) bool { return rs.rule.Head == x.rel && rs.index == rule })
	if at < 0 {
		return nil, false, nil
	}
	rs, within := e.comps[id].rules[at], &window{comp: id, round: round}
	slots, ok, f := e.leastDerivation(rs, x.tuple, within)
	if f != nil || !ok {
		return nil, false, f
	}
	facts, f = e.grounds(rs.rule.Body, slots, within)
	return facts, f == nil, f
}

// restOn returns the base facts that some facts rest on, by their canonical
// derivations. whole is false where some of these are not known, or more than most
// facts would have to be looked at. Of the relations of a demand only the answers
// are facts.
func (e *Engine) restOn(facts []baseFact, d *demand, most int) (out []baseFact, whole bool, f *abi.Failure) {
	whole = true
	seen := map[string]bool{}
	queue := slices.Clone(facts)
	for at := 0; at < len(queue); at++ {
		x := queue[at]
		if d != nil && x.rel >= d.rels && !d.answers(x.rel) {
			continue
		}
		key := keyOf([]baseFact{x})
		if seen[key] {
			continue
		}
		seen[key] = true
		if e.rels[x.rel].comp < 0 {
			out = append(out, x)
			continue
		}
		if len(seen) > most {
			return out, false, nil
		}
		more, known, f := e.groundsOf(x)
		if f != nil {
			return nil, false, f
		}
		whole = whole && known
		queue = append(queue, more...)
	}
	return out, whole, nil
}
