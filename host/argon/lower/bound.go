package lower

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
)

// Need is a relation of which it matters what other views hold.
type Need struct {
	Relation int
	// Columns says, for a column, which values alone can matter; nil: any.
	Columns [][]abi.Value
}

// manyBound is the number of values of a column from which on it counts as
// free.
const manyBound = 32

// span is what is known of a variable or column of the tuples that matter: one
// of a few values, or with free nothing. Without either, none matter so far.
type span struct {
	free   bool
	values []abi.Value
}

// widen adds what other allows; it reports whether that was more.
func (s *span) widen(other span) (more bool) {
	if s.free {
		return false
	}
	for _, v := range other.values {
		if !slices.ContainsFunc(s.values, func(x abi.Value) bool { return abi.Equal(x, v) }) {
			s.values, more = append(s.values, v), true
		}
	}
	if other.free || len(s.values) > manyBound {
		*s, more = span{free: true}, true
	}
	return more
}

// demand is what matters of each relation that stands beside one of the
// program, for the tuples of a body that are asked for.
type demand struct {
	r     *Refuting
	spans map[int][]span // by relation, then column
	again bool
}

// demanded finds what matters of the twins that r was asked for by a body whose
// first variables have the values of args, where these are not nil.
func (r *Refuting) demanded(body []abi.Atom, args []*abi.Value) map[int][]span {
	d := &demand{r: r, spans: map[int][]span{}}
	asked := map[int]span{}
	for i, v := range args {
		if v != nil {
			asked[i] = span{values: []abi.Value{*v}}
		}
	}
	d.body(body, asked)
	for d.again {
		d.again = false
		for i := r.firstRule; i < len(r.rules); i++ {
			rule := &r.rules[i]
			columns, ok := d.spans[rule.Head]
			if !ok {
				continue
			}
			known := map[int]span{}
			for c, a := range rule.Args {
				if a.Op == abi.ArgSlot {
					narrow(known, a.Index, columns[c])
				}
			}
			d.body(rule.Body, known)
		}
	}
	return d.spans
}

// narrow notes what is known of a variable: the less, the better.
func narrow(known map[int]span, slot int, s span) {
	if was, ok := known[slot]; !s.free && (!ok || len(s.values) < len(was.values)) {
		known[slot] = s
	}
}

// body takes in what a body asks for whose variables are known to have one of
// some values.
func (d *demand) body(body []abi.Atom, known map[int]span) {
	for range 2 { // an equation may help one before it
		for i := range body {
			if a := &body[i]; a.Op == abi.AtomCmp && a.Cmp == abi.CmpEq && !a.Neg {
				for at, x := range a.Args {
					if x.Op == abi.ArgSlot {
						narrow(known, x.Index, d.of(a.Args[1-at], known))
					}
				}
			}
		}
	}
	d.atoms(body, known)
}

func (d *demand) atoms(body []abi.Atom, known map[int]span) {
	for i := range body {
		a := &body[i]
		d.atoms(a.Body, known)
		if a.Op != abi.AtomScan || a.Rel < d.r.firstRel {
			continue
		}
		columns := d.spans[a.Rel]
		if columns == nil {
			columns = make([]span, len(a.Args))
			d.spans[a.Rel], d.again = columns, true
		}
		for c := range a.Args {
			if columns[c].widen(d.of(a.Args[c], known)) {
				d.again = true
			}
		}
	}
}

// of is what is known of an argument.
func (d *demand) of(a abi.Arg, known map[int]span) span {
	switch a.Op {
	case abi.ArgConst:
		return span{values: []abi.Value{d.r.values[a.Index]}}
	case abi.ArgSlot:
		if s, ok := known[a.Index]; ok {
			return s
		}
	}
	return span{free: true}
}
