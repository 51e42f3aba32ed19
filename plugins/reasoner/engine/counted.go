package engine

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/internal/term"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/relation"
)

// maxMembers is how many members a count may have at most for proofs of one more
// than that to be looked for.
const maxMembers = 32

// crowd is a bar that holds while a count has more than so many members.
type crowd struct {
	most int
	over []int // slots that tell the members apart
}

// mostOf returns the whole number that a body asks a slot to be no more than, of those
// up to maxMembers; -1 where there is none.
func (e *Engine) mostOf(body []abi.Atom, slot int, slots []abi.Term) (most int) {
	most = -1
	note := func(x abi.Term, strict bool) {
		v := e.terms.Value(x)
		if v.Kind != abi.KindNum || v.Rat != nil || v.Int < 0 || v.Int > maxMembers {
			return
		}
		k := int(v.Int)
		if strict {
			k--
		}
		if k >= 0 && (most < 0 || k < most) {
			most = k
		}
	}
	if x := slots[slot]; x != unbound {
		note(x, false)
	}
	for i := range body {
		b := &body[i]
		if b.Op != abi.AtomCmp {
			continue
		}
		for k, x := range b.Args {
			cmp := b.Cmp
			if k == 1 {
				cmp = cmp.Mirrored()
			}
			if x.Op != abi.ArgSlot || x.Index != slot || cmp != abi.CmpLt && cmp != abi.CmpLe && cmp != abi.CmpEq {
				continue
			}
			if y := e.argTerms(b.Args[1-k:2-k], slots)[0]; y != unbound {
				note(y, cmp == abi.CmpLt)
			}
		}
	}
	return most
}

// crowding returns the base facts of one member more than the count may have: of
// members with short proofs, such as have most of them in common. ok is false
// where there are no more than it may have; known, where that is not known.
func (s *repairing) crowding(x *bar, body []abi.Atom, slots []abi.Term) (facts []baseFact, ok, known bool, f *abi.Failure) {
	e, c := s.e, x.crowd
	sink := &bindingSink{rel: relation.New(len(x.found.cols)), slots: x.found.cols, limit: maxAttempted}
	f = e.run(x.found.plan, presets(slots), nil, sink)
	if e.release(x.found.plan); f != nil {
		return nil, false, false, f
	}
	members := e.membersOf(c, body, slots, sink.rel, x.found.cols, 2*(c.most+1)+4)
	if len(members) <= c.most {
		return nil, false, sink.rel.Rows() < maxAttempted, nil
	}
	var sets [][]baseFact
	for _, slots := range members {
		grounds, f := e.grounds(body, slots, nil)
		if f != nil {
			return nil, false, false, f
		}
		rest, whole, f := e.restOn(grounds, x.demand, s.bounds.goals)
		if f != nil {
			return nil, false, false, f
		}
		if whole {
			sets = append(sets, rest)
		}
	}
	if len(sets) <= c.most {
		return nil, false, false, nil
	}
	taken := map[string]bool{}
	for range c.most + 1 {
		least, more := -1, 0
		for i, set := range sets {
			n := 0
			for _, fact := range set {
				if !taken[keyOf([]baseFact{fact})] {
					n++
				}
			}
			if least < 0 || n < more {
				least, more = i, n
			}
		}
		for _, fact := range sets[least] {
			if key := keyOf([]baseFact{fact}); !taken[key] {
				taken[key] = true
				facts = append(facts, fact)
			}
		}
		sets = slices.Delete(sets, least, least+1)
	}
	return facts, true, true, nil
}

// membersOf returns of up to most members one solution each, those first that were
// derived in the fewest rounds.
func (e *Engine) membersOf(c *crowd, body []abi.Atom, given []abi.Term, rows *relation.Relation, cols []int, most int) (members [][]abi.Term) {
	var byRound [][]uint32
	slots := slices.Clone(given)
	fill := func(row uint32) {
		for i, slot := range cols {
			slots[slot] = rows.Column(i)[row]
		}
	}
	for row := range uint32(rows.Rows()) {
		fill(row)
		round := uint32(0)
		for k := range body {
			a := &body[k]
			if a.Op != abi.AtomScan || a.Neg || e.rels[a.Rel].comp < 0 {
				continue
			}
			if at, ok := e.rels[a.Rel].data.Find(e.argTerms(a.Args, slots)); ok {
				_, of := e.rels[a.Rel].data.Tag(at)
				round = max(round, of)
			}
		}
		for uint32(len(byRound)) <= round {
			byRound = append(byRound, nil)
		}
		byRound[round] = append(byRound[round], row)
	}
	seen := map[string]bool{}
	key := make([]abi.Term, len(c.over))
	for _, rows := range byRound {
		for _, row := range rows {
			fill(row)
			for k, slot := range c.over {
				key[k] = slots[slot]
			}
			if name := keyOf([]baseFact{{0, key}}); !seen[name] {
				if len(members) == most {
					return members
				}
				seen[name] = true
				members = append(members, slices.Clone(slots))
			}
		}
	}
	return members
}

// counts reports whether the atom counts something.
func counts(a *abi.Atom) bool { return a.Op == abi.AtomFold && a.Fold == abi.FoldCount }

// counted adds what gives a count more members, where it has fewer than it is
// asked to have. There is no telling what else a change does to it, so that all
// facts that it reads are tried as well, but later.
func (w *candidateWalk) counted(a *abi.Atom, slots []abi.Term) *abi.Failure {
	if slots[a.Slot] == unbound {
		return nil
	}
	free := slices.Clone(slots)
	free[a.Slot] = unbound
	found, _, f := w.e.bindings([]abi.Atom{*a}, free, nil, nil, 1, 1)
	if f != nil || len(found) == 0 {
		return f
	}
	if order, fault := w.e.terms.Order(found[0][a.Slot], slots[a.Slot]); fault != term.OK || order >= 0 {
		return nil
	}
	return w.body(a.Body, slots)
}
