package term

import (
	"math/big"

	"github.com/ox-mcp/ox-mcp/abi"
)

// Intern returns the term of v. It does not recurse, so v may be nested as
// deeply as memory holds.
func (t *Table) Intern(v abi.Value) abi.Term { return t.intern(&v) }

func (t *Table) intern(v *abi.Value) abi.Term {
	if !isComposite(v.Kind) {
		return t.leaf(v)
	}
	return t.composed(*v)
}

// composed interns a composite value. It takes a copy, so that the leaves that
// most values are need no room of their own.
func (t *Table) composed(v abi.Value) abi.Term {
	type level struct {
		v    *abi.Value
		base int // where its items begin in done
	}
	levels := []level{{v: &v}}
	var done []abi.Term
	for {
		top := &levels[len(levels)-1]
		next := len(done) - top.base
		if next < len(top.v.Items) {
			item := &top.v.Items[next]
			if isComposite(item.Kind) {
				levels = append(levels, level{v: item, base: len(done)})
			} else {
				done = append(done, t.leaf(item))
			}
			continue
		}
		x := t.gather(top.v, done[top.base:])
		done = append(done[:top.base], x)
		levels = levels[:len(levels)-1]
		if len(levels) == 0 {
			return x
		}
	}
}

func (t *Table) gather(v *abi.Value, items []abi.Term) abi.Term {
	switch v.Kind {
	case abi.KindSet:
		return t.Set(items)
	case abi.KindMap:
		return t.Map(items)
	case abi.KindStruct:
		return t.Struct(v.Str, items)
	case abi.KindVariant:
		return t.Variant(v.Str, items)
	}
	return t.composite(v.Kind, 0, items)
}

func (t *Table) leaf(v *abi.Value) abi.Term {
	switch v.Kind {
	case abi.KindNum:
		return t.amount(v)
	case abi.KindMoney:
		return t.Money(t.amount(v), t.String(v.Str))
	case abi.KindDay:
		return t.Day(v.Int)
	case abi.KindInstant:
		return t.Instant(v.Int, v.Nano)
	case abi.KindSpan:
		return t.Span(v.Int, v.Nano)
	case abi.KindTime:
		return t.Time(v.Int, v.Nano)
	case abi.KindBool:
		return abi.BoolTerm(v.Int != 0)
	case abi.KindMinted:
		return t.Minted(v.ID)
	}
	if isText(v.Kind) {
		return t.Text(v.Kind, v.Str)
	}
	return abi.None
}

func (t *Table) amount(v *abi.Value) abi.Term {
	if v.Rat == nil {
		return t.Int(v.Int)
	}
	return t.Rat(v.Rat)
}

// Within reports whether the value of x, written out, has at most that many
// items in all. A value that contains another many times keeps it once in the
// table, and may be far larger outside.
func (t *Table) Within(x abi.Term, items int) bool {
	if t.Depth(x) == 0 {
		return true
	}
	rest := []abi.Term{x}
	for len(rest) > 0 {
		inner := t.Items(rest[len(rest)-1])
		rest = rest[:len(rest)-1]
		if items -= len(inner); items < 0 {
			return false
		}
		for _, y := range inner {
			if t.Depth(y) > 0 {
				rest = append(rest, y)
			}
		}
	}
	return true
}

// Value returns the value of x. It does not recurse. What a value contains many
// times is written out each time: ask Within first.
func (t *Table) Value(x abi.Term) abi.Value {
	var root abi.Value
	type job struct {
		at *abi.Value
		x  abi.Term
	}
	jobs := []job{{&root, x}}
	for len(jobs) > 0 {
		j := jobs[len(jobs)-1]
		jobs = jobs[:len(jobs)-1]
		*j.at = t.shallow(j.x)
		items := t.Items(j.x)
		if len(items) == 0 {
			continue
		}
		j.at.Items = make([]abi.Value, len(items))
		for i, item := range items {
			jobs = append(jobs, job{&j.at.Items[i], item})
		}
	}
	return root
}

// shallow returns the value of x without its items.
func (t *Table) shallow(x abi.Term) abi.Value {
	switch x.Tag() {
	case abi.TagInt:
		return abi.IntValue(x.Inline())
	case abi.TagDay:
		return abi.DayValue(x.Inline())
	case abi.TagFixed:
		if x == abi.True || x == abi.False {
			return abi.BoolValue(x == abi.True)
		}
		return abi.NoneValue()
	}
	e := &t.entries[x.Index()]
	v := abi.Value{Kind: e.kind}
	switch e.kind {
	case abi.KindNum:
		t.setNumber(&v, x)
	case abi.KindMoney:
		v.Str = t.Str(x)
		t.setNumber(&v, abi.Term(e.lo))
	case abi.KindDay:
		v.Int = e.int64()
	case abi.KindInstant, abi.KindSpan, abi.KindTime:
		v.Int, v.Nano = e.int64(), int32(e.name)
	case abi.KindMinted:
		copy(v.ID[:], t.text(e))
	default:
		// Chunks outlive no instance; a value may.
		v.Str = string([]byte(t.Str(x)))
	}
	return v
}

func (t *Table) setNumber(v *abi.Value, x abi.Term) {
	n, d, big := t.number(x)
	switch {
	case big != nil:
		v.Rat = big
	case d == 1:
		v.Int = n
	default:
		v.Rat = ratOf(n, d)
	}
}

func ratOf(n int64, d uint32) *big.Rat { return big.NewRat(n, int64(d)) }
