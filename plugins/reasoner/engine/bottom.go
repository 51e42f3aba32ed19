package engine

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
)

// bottom says of a component with costs whether none of them can be better than
// zero, with what a search may add: of sums of what is no better than it. A walk
// from what a cost is to be back to what it is made of would else go round for
// ever.
type bottom struct {
	s      *repairing
	comp   int
	most   bool
	leaves map[columnRef]bool // columns of base relations that the costs are made of
	open   bool               // one of these may have other values than those that are known
}

// bottomOf returns what is known of a component; nil where its costs may be better
// than zero.
func (s *repairing) bottomOf(comp int) *bottom {
	if b, known := s.bottoms[comp]; known {
		return b
	}
	c := s.e.comps[comp]
	b := &bottom{s: s, comp: comp, most: c.costs.most, leaves: map[columnRef]bool{}}
	for _, rs := range c.rules {
		column, costs := c.costs.columns[rs.rule.Head]
		if costs && !b.arg(rs.rule.Body, &rs.rule.Args[column], len(rs.rule.Body)+1) {
			b = nil
			break
		}
	}
	if s.bottoms == nil {
		s.bottoms = map[int]*bottom{}
	}
	s.bottoms[comp] = b
	return b
}

// ends reports whether what is asked of a relation may be told by the values that
// sums come to: in a circle there is no end to those, but where costs have a bottom.
func (s *repairing) ends(rel int) bool {
	id := s.e.rels[rel].comp
	if id < 0 || !s.e.comps[id].recursive {
		return true
	}
	return s.e.comps[id].costs != nil && s.bottomOf(id) != nil
}

func (b *bottom) arg(body []abi.Atom, x *abi.Arg, depth int) bool {
	switch x.Op {
	case abi.ArgConst:
		return b.value(b.s.e.consts[x.Index])
	case abi.ArgSlot:
		return b.slot(body, x.Index, depth)
	}
	return false
}

// value reports whether a number is no better than zero.
func (b *bottom) value(x abi.Term) bool {
	v := b.s.e.terms.Value(x)
	if v.Kind != abi.KindNum {
		return false
	}
	sign := v.Number().Sign()
	return sign == 0 || (sign < 0) == b.most
}

// slot reports whether one of the atoms gives a slot only such numbers.
func (b *bottom) slot(body []abi.Atom, slot, depth int) bool {
	if depth == 0 {
		return false
	}
	for i := range body {
		a := &body[i]
		switch {
		case a.Op == abi.AtomScan && !a.Neg:
			for c, x := range a.Args {
				if x.Op == abi.ArgSlot && x.Index == slot && b.column(columnRef{a.Rel, c}) {
					return true
				}
			}
		case a.Op == abi.AtomCmp && a.Cmp == abi.CmpEq:
			for k := range a.Args {
				if x := &a.Args[k]; x.Op == abi.ArgSlot && x.Index == slot && b.arg(body, &a.Args[1-k], depth-1) {
					return true
				}
			}
		case a.Op == abi.AtomLet && a.Slot == slot:
			if b.expr(body, a.Expr, depth-1) {
				return true
			}
		case picks(a) && a.Slot == slot:
			if b.expr(a.Body, a.Expr, len(a.Body)+1) {
				return true
			}
		}
	}
	return false
}

func (b *bottom) expr(body []abi.Atom, x *abi.Expr, depth int) bool {
	switch x.Op {
	case abi.ExprConst:
		return b.value(b.s.e.consts[x.Index])
	case abi.ExprSlot:
		return b.slot(body, x.Index, depth)
	case abi.ExprAdd:
		return b.expr(body, &x.Args[0], depth) && b.expr(body, &x.Args[1], depth)
	case abi.ExprMul:
		return !b.most && b.expr(body, &x.Args[0], depth) && b.expr(body, &x.Args[1], depth)
	}
	return false
}

// column reports whether a column has only such numbers.
func (b *bottom) column(at columnRef) bool {
	s := b.s
	if id := s.e.rels[at.rel].comp; id >= 0 {
		c := s.e.comps[id]
		if !c.copies {
			column, costs := s.e.comps[b.comp].costs.columns[at.rel]
			return costs && column == at.col
		}
		return !slices.ContainsFunc(c.rules, func(rs *ruleState) bool {
			return rs.rule.Head == at.rel && !b.arg(rs.rule.Body, &rs.rule.Args[at.col], 1)
		})
	}
	if b.leaves[at] {
		return true
	}
	data := s.e.rels[at.rel].data
	for _, row := range liveRows(data) {
		if !b.value(data.Column(at.col)[row]) {
			return false
		}
	}
	b.leaves[at] = true
	switch s.e.prog.Relations[at.rel].Columns[at.col].Type.Op {
	case abi.TypeNat:
		b.open = b.open || b.most
	case abi.TypeTop:
	default:
		b.open = true
	}
	return true
}

// tooGood reports whether a tuple has a cost that no facts come to, or a part of
// one that is better than zero, where none that is known is.
func (s *repairing) tooGood(rel int, tuple []abi.Term) bool {
	e := s.e
	better := func(b *bottom, x abi.Term) bool {
		if x == unbound || b.value(x) || e.terms.Value(x).Kind != abi.KindNum {
			return false
		}
		s.guessed = s.guessed || b.open
		return true
	}
	if id := e.rels[rel].comp; id >= 0 {
		if e.comps[id].costs == nil {
			return false
		}
		column, costs := e.comps[id].costs.columns[rel]
		if !costs {
			return false
		}
		b := s.bottomOf(id)
		return b != nil && better(b, tuple[column])
	}
	tooGood := false
	for _, b := range s.bottoms {
		for c, x := range tuple {
			tooGood = b != nil && b.leaves[columnRef{rel, c}] && better(b, x) || tooGood
		}
	}
	return tooGood
}
