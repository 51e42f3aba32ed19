package types

import (
	"cmp"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// Period is the valid time of a declared fact, from From on up to To, which does
// not belong to it. Both are of KindInstant; nil is no bound.
type Period struct {
	From, To *abi.Value
}

// Covers reports whether an instant lies in p. A nil p is all of time, and a nil
// instant is before all others.
func (p *Period) Covers(at *abi.Value) bool {
	if p == nil {
		return true
	}
	if at == nil {
		return p.From == nil
	}
	return (p.From == nil || Instants(p.From, at) <= 0) && (p.To == nil || Instants(at, p.To) < 0)
}

// Begin is the bound From of a period that may be nil.
func (p *Period) Begin() *abi.Value {
	if p == nil {
		return nil
	}
	return p.From
}

// Meets reports whether two periods have an instant in common.
func (p *Period) Meets(q *Period) bool { return p.Covers(q.Begin()) || q.Covers(p.Begin()) }

// Instants compares instants of KindInstant; nil is before all others.
func Instants(a, b *abi.Value) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return -1
	case b == nil:
		return 1
	}
	return cmp.Or(cmp.Compare(a.Int, b.Int), cmp.Compare(a.Nano, b.Nano))
}

// period types when a fact holds.
func (s *scope) period(x *syntax.Period) (*Period, bool) {
	var p Period
	var ok bool
	if x.From != nil {
		if p.From, ok = s.end(x.From, false); !ok {
			return nil, false
		}
	}
	if x.To != nil {
		if p.To, ok = s.end(x.To, true); !ok {
			return nil, false
		}
	}
	if p.From != nil && p.To != nil && Instants(p.From, p.To) >= 0 {
		s.report("OE0051", x, "write the earlier one first", "a period that ends before it begins")
		return nil, false
	}
	return &p, true
}

// end folds one end of a period. Both ends belong to it, as in a Range, and a
// day that ends one belongs to it as a whole; the answer for an end is the first
// instant after it.
func (s *scope) end(x syntax.Expr, last bool) (*abi.Value, bool) {
	v, t := s.value(x, Top)
	if unknown(t) {
		return nil, false
	}
	if !moment(t) {
		s.report("OE0257", x, "a date is written #2031-07-04#", "at takes a Date or DateTime, not %s", Print(t))
		return nil, false
	}
	c, ok := s.e.constant(&v)
	if !ok {
		s.report("OE1342", x, "write a date, or insert the fact in a mutate", "when a declared fact holds is a constant")
		return nil, false
	}
	at := abi.Value{Kind: abi.KindInstant, Int: c.Int, Nano: c.Nano}
	switch {
	case c.Kind == abi.KindDay && last:
		at.Int = (c.Int + 1) * abi.SecondsPerDay
	case c.Kind == abi.KindDay:
		at.Int = c.Int * abi.SecondsPerDay
	case last:
		if at.Nano++; at.Nano == nanosPerSecond {
			at.Int, at.Nano = at.Int+1, 0
		}
	}
	return &at, true
}

const nanosPerSecond = 1_000_000_000
