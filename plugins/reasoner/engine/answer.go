package engine

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/relation"
)

// answer is what a query or a read of a relation gives, and the order of its rows.
// It is kept for its further pages, until a fact changes: each costs its own rows
// and a search then, and not what all of them do.
type answer struct {
	query int        // -1: a read of a relation
	args  []abi.Term // of the query
	now   *abi.Value // for which the query was run; nil: it does not go by that
	once  bool       // it is of an extension, which is gone at the next call
	rel   int        // that was read
	truth int        // relation whose refuted twin decides between Is and Both, or -1

	is, can       *relation.Relation // what is true, and what is true or undefined
	rows, removed int                // of can, when it was put in order
	order         []uint32           // of all rows; nil: not needed yet
	both          int                // rows that are refuted as well; -1: not known yet
	changes       uint64             // of facts, when the answer was made
}

// The most bytes for answers that are kept, and the part of the memory that a call
// may take which they never pass.
const (
	keptAnswers = 16 << 20
	keptShare   = 16
)

// maxAnswers is how many answers are kept: several callers may turn pages.
const maxAnswers = 4

// answered returns the kept answer of a query, nil if there is none.
func (e *Engine) answered(query int, args []abi.Term) *answer {
	for _, a := range e.answers {
		if a.query == query && a.changes == e.changed && slices.Equal(a.args, args) && (a.now == nil || abi.Equal(*a.now, e.call.Now)) {
			return a
		}
	}
	return nil
}

// extentOf returns the answer of a read of a relation that is up to date.
func (e *Engine) extentOf(rel int) *answer {
	is, can := e.rels[rel].data, e.rels[rel].possible()
	for _, a := range e.answers {
		if a.query < 0 && a.rel == rel && a.changes == e.changed && a.is == is && a.can == can && a.rows == can.Rows() && a.removed == len(can.Removed()) {
			return a
		}
	}
	return e.newAnswer(is, can, rel)
}

// newAnswer makes the answer of a read.
func (e *Engine) newAnswer(is, can *relation.Relation, truth int) *answer {
	return &answer{query: -1, rel: truth, truth: truth, is: is, can: can, rows: can.Rows(), removed: len(can.Removed()), both: -1, changes: e.changed}
}

// bytes is about what it takes to keep an answer.
func (a *answer) bytes() int {
	n := 4 * len(a.order)
	if a.query >= 0 {
		n += a.can.Rows() * (4*a.can.Arity() + 8)
		if a.is != a.can {
			n += a.is.Rows() * (4*a.is.Arity() + 8)
		}
	}
	return n
}

// keep keeps an answer of which there are more pages, if there is room: in place
// of those that were not asked for as lately, and of those that do not hold any more.
func (e *Engine) keep(a *answer) {
	e.answers = slices.DeleteFunc(e.answers, func(b *answer) bool { return b == a || b.changes != e.changed })
	room := keptAnswers
	if m := e.call.Limits.Memory; m > 0 {
		room = int(min(uint64(room), m/keptShare))
	}
	if a.bytes() > room {
		return
	}
	e.answers = append(e.answers, a)
	for sum := 0; ; sum = 0 {
		for _, b := range e.answers {
			sum += b.bytes()
		}
		if sum <= room && len(e.answers) <= maxAnswers {
			return
		}
		e.answers = slices.Delete(e.answers, 0, 1)
	}
}

// page returns the rows of the page, in order, and whether more come after them.
// The first page of an answer is picked out of all rows if it is small; any other
// has them put in order.
func (a *answer) page(e *Engine, p *abi.Page) (rows []uint32, more bool, f *abi.Failure) {
	small := p.After == nil && p.Limit > 0 && p.Limit <= fewToOrder
	if a.order == nil && (small || p.After == nil && (p.Limit == 0 || uint64(a.can.Live()) <= p.Limit)) || a.can.Arity() == 0 {
		rows, more, f = e.page(a.can, p)
	} else {
		var after []abi.Term
		if after, f = e.afterRow(a.can, p); f != nil {
			return nil, false, f
		}
		cols := columnsOf(a.can)
		if a.order == nil {
			a.order = liveRows(a.can)
			e.orderRows(cols, a.order)
		}
		from := 0
		if after != nil {
			for to := len(a.order); from < to; {
				if at := (from + to) / 2; e.compareRowTo(cols, a.order[at], after) > 0 {
					to = at
				} else {
					from = at + 1
				}
			}
		}
		to := len(a.order)
		if p.Limit > 0 && p.Limit < uint64(to-from) {
			to = from + int(p.Limit)
		}
		rows, more = a.order[from:to], to < len(a.order)
	}
	if f == nil && more && !a.once {
		e.keep(a)
	}
	return rows, more, f
}

// compareRowTo compares a row of a relation with a tuple.
func (e *Engine) compareRowTo(cols [][]abi.Term, at uint32, tuple []abi.Term) int {
	for c, t := range tuple {
		if x := cols[c][at]; x != t {
			if d := e.terms.Compare(x, t); d != 0 {
				return d
			}
		}
	}
	return 0
}

// refutedToo returns how many of the rows are refuted as well, by the twin of the
// answer's relation.
func (a *answer) refutedToo(e *Engine, refuted *relation.Relation) int {
	if a.both < 0 {
		a.both = 0
		if refuted != nil && refuted.Arity() == a.is.Arity() {
			var tuple []abi.Term
			for _, at := range liveRows(refuted) {
				tuple = refuted.Row(tuple[:0], at)
				if _, ok := a.is.Find(tuple); ok {
					a.both++
				}
			}
		}
	}
	return a.both
}
