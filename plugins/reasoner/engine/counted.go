package engine

import (
	"math/big"
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/internal/term"
)

// maxMembers is how many members a count may have at most for proofs of one more
// than that to be looked for.
const maxMembers = 32

// crowd is a bar that holds while a count has more than so many members.
type crowd struct {
	most int
	over []int // slots that tell the members apart
}

// crowdOf returns the bar that keeps a count from being what its rule asks for, as
// far as that is to be no more than a number; ok is false where it is not.
func (e *Engine) crowdOf(body []abi.Atom, at int, slots []abi.Term) (c *crowd, ok bool) {
	a := &body[at]
	if a.Op != abi.AtomFold || a.Fold != abi.FoldCount || len(a.Over) == 0 || !e.rests(a.Body) {
		return nil, false
	}
	c = &crowd{most: -1, over: a.Over}
	note := func(x abi.Term, strict bool) {
		v := e.terms.Value(x)
		if v.Kind != abi.KindNum {
			return
		}
		n := new(big.Int).Div(v.Number().Num(), v.Number().Denom())
		if !n.IsInt64() || n.Sign() < 0 || n.Int64() > maxMembers {
			return
		}
		most := int(n.Int64())
		if strict && v.Number().IsInt() {
			most--
		}
		if most >= 0 && (c.most < 0 || most < c.most) {
			c.most = most
		}
	}
	if x := slots[a.Slot]; x != unbound {
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
				cmp = mirrored(cmp)
			}
			if x.Op != abi.ArgSlot || x.Index != a.Slot || cmp != abi.CmpLt && cmp != abi.CmpLe && cmp != abi.CmpEq {
				continue
			}
			if y := e.argTerms(b.Args[1-k:2-k], slots)[0]; y != unbound {
				note(y, cmp == abi.CmpLt)
			}
		}
	}
	return c, c.most >= 0
}

// mirrored is the comparison with its sides exchanged.
func mirrored(op abi.CmpOp) abi.CmpOp {
	switch op {
	case abi.CmpLt:
		return abi.CmpGt
	case abi.CmpLe:
		return abi.CmpGe
	case abi.CmpGt:
		return abi.CmpLt
	case abi.CmpGe:
		return abi.CmpLe
	}
	return op
}

// crowding returns the base facts of one member more than the count may have: of
// members with short proofs, such as have most of them in common. ok is false
// where there are no more than it may have; known, where that is not known.
func (s *repairing) crowding(c *crowd, d *demand, body []abi.Atom, found [][]abi.Term) (facts []baseFact, ok, known bool, f *abi.Failure) {
	members := s.e.membersOf(c, body, found)
	if len(members) <= c.most {
		return nil, false, len(found) < maxAttempted, nil
	}
	members = members[:min(len(members), 4*(c.most+1)+8)]
	var sets [][]baseFact
	for _, slots := range members {
		grounds, f := s.e.grounds(body, slots, nil)
		if f != nil {
			return nil, false, false, f
		}
		rest, whole, f := s.e.restOn(grounds, d, s.bounds.goals)
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
			for _, x := range set {
				if !taken[keyOf([]baseFact{x})] {
					n++
				}
			}
			if least < 0 || n < more {
				least, more = i, n
			}
		}
		for _, x := range sets[least] {
			if key := keyOf([]baseFact{x}); !taken[key] {
				taken[key] = true
				facts = append(facts, x)
			}
		}
		sets = slices.Delete(sets, least, least+1)
	}
	return facts, true, true, nil
}

// membersOf returns of each member one solution, those first that were derived in
// the fewest rounds.
func (e *Engine) membersOf(c *crowd, body []abi.Atom, found [][]abi.Term) (members [][]abi.Term) {
	rounds := make([]uint32, len(found))
	order := make([]int, len(found))
	for i, slots := range found {
		order[i] = i
		for k := range body {
			a := &body[k]
			if a.Op != abi.AtomScan || a.Neg || e.rels[a.Rel].comp < 0 {
				continue
			}
			tuple := e.argTerms(a.Args, slots)
			if slices.Contains(tuple, unbound) {
				continue
			}
			if at, ok := e.rels[a.Rel].data.Find(tuple); ok {
				_, round := e.rels[a.Rel].data.Tag(at)
				rounds[i] = max(rounds[i], round)
			}
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(rounds[a]) - int(rounds[b]) })
	seen := map[string]bool{}
	for _, i := range order {
		key := make([]abi.Term, len(c.over))
		for k, slot := range c.over {
			key[k] = found[i][slot]
		}
		if name := keyOf([]baseFact{{0, key}}); !seen[name] {
			seen[name] = true
			members = append(members, found[i])
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
