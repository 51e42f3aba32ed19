package engine

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/internal/term"
)

// lastDay is 9999-12-31, the last day that can be written.
const lastDay = 2_932_896

// cell is a range of values without its ends; unbound is none.
type cell struct{ above, below abi.Term }

// cells returns the values that may stand in a place of numbers, amounts, text, or
// times: those that are named, and of others as many as the rules can tell apart.
// The values that rules compare such a place with divide the rest into ranges. A
// value of a range does what each other of it does that nothing names, so one is
// enough; where no rule asks whether a value is another than some, none is needed
// of a range that a named one is in.
func (s *repairing) cells(rel, column int, how guess, tuple []abi.Term) []abi.Term {
	named, near := s.placed(rel, column, tuple)
	out := append(slices.Clone(named), near...)
	t, g := &s.e.prog.Relations[rel].Columns[column].Type, s.placing().group(columnRef{rel, column})
	bounds := slices.Clone(s.places.ordered[g])
	slices.SortFunc(bounds, s.e.terms.Compare)
	bounds = slices.Compact(bounds)
	if how&guessedAny != 0 || how&guessedTold != 0 && t.Op == abi.TypeMoney && len(bounds) > 0 {
		s.guess() // what is of another currency comes neither before nor after
	}
	for _, types := range s.kinds(rel, column) {
		fits := func(x abi.Term) bool {
			return !slices.ContainsFunc(types, func(t *abi.Type) bool { return !s.e.takes(t, x) })
		}
		for i := range len(bounds) + 1 {
			c := cell{unbound, unbound}
			if i > 0 {
				c.above = bounds[i-1]
			}
			if i < len(bounds) {
				c.below = bounds[i]
			}
			inside := func(x abi.Term) bool { return s.e.inside(x, c) && fits(x) }
			if slices.ContainsFunc(out[len(named):], inside) || how&guessedTold == 0 && slices.ContainsFunc(named, inside) {
				continue
			}
			if len(bounds) == 0 {
				c.above = s.e.latest(t, named) // any value does: one next to the known ones reads best
			}
			x, found, sure := s.e.between(types, c, s.currency(bounds, named), func(x abi.Term) bool {
				s.work++
				return !slices.Contains(named, x) && fits(x)
			})
			if found {
				out = append(out, x)
			} else if !sure {
				s.guess()
			}
		}
	}
	return out
}

// kinds returns the types that values of a place may be of together, as its group
// has places of several: that of the place, with each other, and with all.
func (s *repairing) kinds(rel, column int) [][]*abi.Type {
	p, t := s.placing(), &s.e.prog.Relations[rel].Columns[column].Type
	all := []*abi.Type{t}
	for _, at := range p.columns[p.group(columnRef{rel, column})] {
		u := &s.e.prog.Relations[at.rel].Columns[at.col].Type
		if u.Op != abi.TypeTop && !slices.ContainsFunc(all, func(t *abi.Type) bool { return t.Op == u.Op && t.Name == u.Name }) {
			all = append(all, u)
		}
	}
	out := [][]*abi.Type{all[:1]}
	for i := range all[1:] {
		out = append(out, []*abi.Type{t, all[1+i]})
	}
	if len(all) > 2 {
		out = append(out, all)
	}
	return out
}

// latest returns the last of some days or instants that has others after it; unbound
// is none.
func (e *Engine) latest(t *abi.Type, of []abi.Term) abi.Term {
	out, end := abi.Term(unbound), int64(lastDay)
	switch t.Op {
	case abi.TypeDate:
	case abi.TypeDateTime:
		end *= abi.SecondsPerDay
	default:
		return out
	}
	for _, x := range of {
		if v := e.terms.Value(x); (v.Kind == abi.KindDay) == (t.Op == abi.TypeDate) && v.Int < end && (out == unbound || e.terms.Compare(out, x) < 0) {
			out = x
		}
	}
	return out
}

// currency returns that of amounts that have one.
func (s *repairing) currency(of ...[]abi.Term) string {
	for _, x := range slices.Concat(of...) {
		if v := s.e.terms.Value(x); v.Kind == abi.KindMoney {
			return v.Str
		}
	}
	return ""
}

// inside reports whether a value lies in a range.
func (e *Engine) inside(x abi.Term, c cell) bool {
	if c.above != unbound {
		if order, fault := e.terms.Order(c.above, x); fault != term.OK || order >= 0 {
			return false
		}
	}
	if c.below != unbound {
		if order, fault := e.terms.Order(x, c.below); fault != term.OK || order >= 0 {
			return false
		}
	}
	return true
}
