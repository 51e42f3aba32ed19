package engine

import "github.com/ox-mcp/ox-mcp/abi"

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
	var body func(atoms []abi.Atom, how reach)
	body = func(atoms []abi.Atom, how reach) {
		for i := range atoms {
			a, way := &atoms[i], how
			if a.Neg {
				way = way.denied()
			}
			switch a.Op {
			case abi.AtomScan:
				add(a.Rel, way)
			case abi.AtomExists:
				body(a.Body, way)
			case abi.AtomFold:
				body(a.Body, reachedAnyhow)
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
				body(rs.rule.Body, v.how)
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
