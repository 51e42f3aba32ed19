package lower

import (
	"maps"
	"sync/atomic"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/types"
)

// firstMade is the number of the first relation that a trial makes: no program
// has as many.
const firstMade = 1 << 30

// stretch is the items from from up to to, which were lowered together on trial.
// Those from there up to end have to be lowered in their turn: the first makes
// what others use.
type stretch struct {
	x             *builder
	from, to, end int
}

// onTrial returns a builder that lowers items beside others that lower other
// items. It has rules, constants and diagnostics of its own, and changes nothing
// that the others read.
func (b *builder) onTrial() *builder {
	return &builder{
		env: b.env.Beside(), diags: &diag.List{Keep: b.diags.Keep}, trial: true,
		readers: b.readers, views: b.views, lost: b.lost, plain: b.plain, copies: b.copies, metrics: b.metrics, open: b.open,
		written: map[int]bool{}, writtenQ: map[int]bool{},
	}
}

// spoils reports whether b is on trial. What would be made next is used by
// others: then the item is lowered again, in its turn.
func (b *builder) spoils() bool {
	if b.trial {
		b.spoilt = true
	}
	return b.trial
}

// manySpoilt is how many items of a run are lowered on trial in vain before the
// rest of the run is left for later.
const manySpoilt = 8

// try lowers the items from from up to to on trial. spoilt counts those of all
// runs that were in vain.
func (b *builder) try(it *items, from, to int, spoilt *atomic.Int64) []stretch {
	var list []stretch
	if spoilt.Load() > int64(it.len()/manySpoilt) {
		return []stretch{{b.onTrial(), from, from, to}}
	}
	x := b.onTrial()
	for i := from; i < to; i++ {
		rules, made, claims, constants := len(x.rules), len(x.made), len(x.claims), len(x.env.Constants.Values)
		found, sections := len(x.diags.Items), len(x.diags.Sections)
		if types.Attempt(func() { x.item(it, i) }, func() bool { return x.spoilt || x.env.Spoilt() }) {
			continue
		}
		x.rules, x.made, x.claims = x.rules[:rules], x.made[:made], x.claims[:claims]
		x.env.Constants.Cut(constants)
		x.diags.Items, x.diags.Sections = x.diags.Items[:found], x.diags.Sections[:sections]
		if spoilt.Add(1); len(list) == manySpoilt {
			return append(list, stretch{x, from, i, to})
		}
		list = append(list, stretch{x, from, i, i + 1})
		x, from = b.onTrial(), i+1
	}
	return append(list, stretch{x, from, to, to})
}

// adopt takes over what a trial made of a stretch.
func (b *builder) adopt(it *items, s stretch) {
	x := s.x
	rules, relations := len(b.rules), len(b.env.Relations)
	constants := b.env.Constants.Adopt(&x.env.Constants)
	number := abi.References{
		Relation: func(i *int) {
			if *i >= firstMade {
				*i += relations - firstMade
			}
		},
		Constant: func(i *int) { *i = constants.Of(*i) },
	}
	for i := range x.rules {
		number.Rule(&x.rules[i])
	}
	for i := s.from; i < s.to; i++ {
		it.shift(i, rules, number)
	}
	for _, c := range x.claims {
		c.first, c.last = c.first+rules, c.last+rules
		b.claims = append(b.claims, c)
	}
	b.rules = append(b.rules, x.rules...)
	b.env.Relations = append(b.env.Relations, x.made...)
	b.diags.Append(x.diags)
	maps.Copy(b.written, x.written)
	maps.Copy(b.writtenQ, x.writtenQ)
}

// shift makes what item i has become, on trial, a part of a program that has
// rules already.
func (it *items) shift(i, rules int, number abi.References) {
	if i < len(it.clauses) {
		it.clauseRules[i][0] += rules
		it.clauseRules[i][1] += rules
		return
	}
	if i -= len(it.clauses); i < len(it.fns) {
		number.Expr(&it.functions[i].Body)
		return
	}
	if i -= len(it.fns); i < len(it.queries) {
		number.Atoms(it.asked[i].Body)
		number.Args(it.asked[i].Out)
		return
	}
	if i -= len(it.queries); i < len(it.mutations) {
		number.Stmts(it.changes[i].Body)
		return
	}
	i -= len(it.mutations)
	it.checkRules[i][0] += rules
	it.checkRules[i][1] += rules
	k := &it.violations[i]
	k.Rule += rules
	number.Relation(&k.Relation)
	number.Payload(&k.Payload)
}
