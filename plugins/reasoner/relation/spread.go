package relation

import "github.com/ox-mcp/ox-mcp/abi"

// spread is what decides whether terms can address a table directly: whether
// they have one tag, and how large their payloads are.
type spread struct {
	rows  int
	tag   abi.Term
	top   uint64
	mixed bool // more than one tag
}

// payload is a term without its tag, widened first: a guest then masks once.
func payload(t abi.Term) uint64 { return uint64(t) & uint64(abi.PayloadMask) }

// take adds terms.
func (s *spread) take(terms []abi.Term) {
	if s.rows == 0 && len(terms) > 0 {
		s.tag = terms[0].Tag()
	}
	s.rows += len(terms)
	if s.mixed {
		return
	}
	top, ok := maxPayload(terms, s.tag, s.top)
	s.top, s.mixed = top, !ok
}

// and returns the spread of both.
func (s spread) and(o spread) spread {
	switch {
	case s.rows == 0:
		return o
	case o.rows == 0:
		return s
	}
	return spread{rows: s.rows + o.rows, tag: s.tag, top: max(s.top, o.top), mixed: s.mixed || o.mixed || s.tag != o.tag}
}

// maxPayload returns the largest payload of the terms, at least least; ok is
// false where a term has another tag.
func maxPayload(terms []abi.Term, tag abi.Term, least uint64) (top uint64, ok bool) {
	// The tag's bits of a|b differ from tag's, or those of a&b do, exactly
	// where some term has another tag.
	most, or, and := extremes(terms, least)
	return most, abi.Term(or)&abi.TagMask|tag == tag && abi.Term(and)&abi.TagMask&tag == tag
}

// spread returns the spread of column c; what it has seen it does not look at
// again.
func (r *Relation) spread(c int) spread {
	if r.spreads == nil {
		r.spreads = make([]spread, r.arity)
	}
	s := &r.spreads[c]
	s.take(r.cols[c][s.rows:r.rows])
	return *s
}

// bound says that the rows added since spread looked at column c hold terms
// that are part of s. So it need not look at them, but may then give a larger
// top than there is.
func (r *Relation) bound(c int, s spread) {
	known := &r.spreads[c]
	if known.rows == r.rows {
		return
	}
	*known = known.and(s)
	known.rows = r.rows
}
