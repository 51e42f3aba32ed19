package engine

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
)

// reach says how a goal depends on a relation: as a set of ways.
type reach uint8

const (
	reachedPlainly reach = 1 << iota // more of it can only mean more of the goal
	reachedDenied                    // more of it can only mean less
	reachedAnyhow                    // through a fold, or two negations: no telling
)

// reaches returns how the goals depend on each relation.
func (e *Engine) reaches(goals []int) []reach {
	out := make([]reach, len(e.rels))
	type visit struct {
		rel int
		how reach
	}
	var work []visit
	add := func(rel int, how reach) {
		if out[rel]&how == 0 {
			out[rel] |= how
			work = append(work, visit{rel, how})
		}
	}
	var body func(comp int, atoms []abi.Atom, how reach)
	body = func(comp int, atoms []abi.Atom, how reach) {
		for i := range atoms {
			a, way := &atoms[i], how
			if a.Neg {
				way = way.denied()
			}
			switch a.Op {
			case abi.AtomScan:
				if to := e.rels[a.Rel].comp; way == reachedDenied && to >= 0 && to != comp && e.comps[to].costs != nil {
					way = reachedAnyhow // a better one takes its place
				}
				add(a.Rel, way)
			case abi.AtomExists:
				body(comp, a.Body, way)
			case abi.AtomFold:
				for _, way := range e.foldReach(a, comp, way) {
					body(comp, a.Body, way)
				}
			}
		}
	}
	for _, rel := range goals {
		add(rel, reachedPlainly)
	}
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		c := e.rels[v.rel].comp
		if c < 0 {
			continue
		}
		for _, rs := range e.comps[c].rules {
			if rs.rule.Head == v.rel {
				body(c, rs.rule.Body, v.how)
			}
		}
	}
	return out
}

// denied is how it is reached through one more negation.
func (r reach) denied() reach {
	if r == reachedPlainly {
		return reachedDenied
	}
	return reachedAnyhow
}

// foldReach is how what a fold reads is reached where the fold is.
func (e *Engine) foldReach(a *abi.Atom, comp int, how reach) []reach {
	own := e.comps[comp].costs != nil && e.readsOwn(a.Body, comp)
	switch {
	case !picks(a) || e.mayBeUndefined(a.Body):
	case how == reachedPlainly:
		// More may be the value that is asked for, or one that outdoes it.
		return []reach{reachedPlainly, reachedDenied}
	case how == reachedDenied && own:
		// What is in the way is a value that is too good, and of more facts only
		// better ones follow.
		return []reach{reachedDenied}
	}
	return []reach{reachedAnyhow}
}

// mayBeUndefined reports whether something that the body rests on goes round
// through negation.
func (e *Engine) mayBeUndefined(body []abi.Atom) bool {
	seen := make([]bool, len(e.comps))
	var founded func(id int) bool
	founded = func(id int) bool {
		if id < 0 || seen[id] {
			return false
		}
		seen[id] = true
		return e.comps[id].founded || slices.ContainsFunc(e.comps[id].reads, founded)
	}
	var reads func(body []abi.Atom) bool
	reads = func(body []abi.Atom) bool {
		return slices.ContainsFunc(body, func(a abi.Atom) bool {
			return a.Op == abi.AtomScan && founded(e.rels[a.Rel].comp) || reads(a.Body)
		})
	}
	return reads(body)
}
