package lower

import (
	"maps"
	"slices"
	"sync"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/types"
)

// Draft is what a module was made of: enough to say what the edit of one body
// does to it without making all of it again. It is never changed.
type Draft struct {
	b        *builder
	tests    bool
	from, to int // what Lower reported, in the list of diagnostics

	once sync.Once
	used *users // of users
}

// wholeProgram is what the section of diagnostics is of that any rule may have
// to do with.
type wholeProgram struct{}

// Redraw lowers what types.Retype gives, an extension of the Draft's
// environment. What is wrong is reported to diags, with sections as of Lower.
// ok is false where the edits may do more to the program, or to what is
// reported of the rest, than change their own rules.
func (d *Draft) Redraw(x *types.Env, list []types.Retyped, diags *diag.List) (r *Redrawn, ok bool) {
	old := d.b
	if d.tests || old.open != 0 || len(old.measures) > 0 || old.metrics != nil || old.lifted || len(old.env.Clauses) != len(old.clauseRules) {
		return nil, false
	}
	if !d.itemsAlone() {
		return nil, false
	}
	b := &builder{env: x, diags: diags, views: maps.Clone(old.views), readers: old.readers, lost: old.lost, written: map[int]bool{}, writtenQ: map[int]bool{}}
	if !d.sameReaders(b, list) {
		return nil, false
	}
	r = &Redrawn{b: b, d: d, gone: map[int]bool{}, bodies: map[int]abi.Function{}, checks: map[int]abi.Check{}}
	for i := range list {
		if !d.relower(r, &list[i]) {
			return nil, false
		}
	}
	if len(b.copied) > 0 || b.metrics != nil || d.guarded(r) || !d.sameStrata(r) {
		return nil, false
	}
	return r, true
}

// itemsAlone reports whether all that Lower reported is of single items. What it
// says of the program as a whole an edit may change.
func (d *Draft) itemsAlone() bool {
	at := d.from
	for _, s := range d.b.diags.Sections {
		if s.Start < d.from {
			continue
		}
		if s.Start != at || s.Of == (wholeProgram{}) && s.Start != s.End {
			return false
		}
		at = s.End
	}
	return at == d.to
}

// Redrawn is what edits put in the place of some rules of a Draft.
type Redrawn struct {
	b         *builder
	d         *Draft
	gone      map[int]bool // rules of the Draft that are no more
	heads     []int        // relations whose rules changed
	queries   []abi.Query
	inferred  []int                // relations whose columns' types come from rules that changed
	functions []int                // that have another body
	bodies    map[int]abi.Function // theirs
	checks    map[int]abi.Check    // by their index in the module's program
}

// relower lowers one item, and notes the rules that it had.
func (d *Draft) relower(r *Redrawn, it *types.Retyped) bool {
	b, old := r.b, d.b
	shared := slices.Collect(maps.Values(old.views))
	drop := func(rules [2]int) {
		for i := rules[0]; i < rules[1]; i++ {
			if slices.Contains(shared, old.rules[i].Head) {
				continue // a view that this item was the first to need, and others read
			}
			r.gone[i] = true
			r.heads = append(r.heads, old.rules[i].Head)
		}
	}
	first := len(b.rules)
	switch {
	case it.Clause != nil:
		at, ok := old.env.ClauseOf(it.Module, it.Old)
		if !ok {
			return false
		}
		drop(old.clauseRules[at])
		if it.Inferred {
			r.inferred = append(r.inferred, it.Clause.Head)
		}
		b.diags.Within(old.env.Clauses[at], func() { b.clause(it.Clause) })
	case it.Fn != nil:
		b.diags.Within(old.env.FnList[it.Fn.Index], func() {
			r.functions = append(r.functions, it.Fn.Index)
			r.bodies[it.Fn.Index] = b.function(it.Fn)
		})
	case it.Query != nil:
		if old.writtenQ[it.Query.Index] || old.moneyQueries[it.Query.Index] {
			return false
		}
		b.diags.Within(old.env.QueryList[it.Query.Index], func() {
			q := b.query(it.Query)
			r.queries = append(r.queries, q)
		})
	case it.Mutation != nil:
		b.diags.Within(old.env.MutationList[it.Mutation.Index], func() { b.mutation(it.Mutation) })
	case it.Check != nil:
		drop(old.checkRules[it.Check.Index])
		b.diags.Within(old.env.CheckList[it.Check.Index], func() {
			if k, ok := b.check(it.Check); ok {
				r.checks[old.checkAt[it.Check.Index]] = k
			}
		})
	}
	for i := first; i < len(b.rules); i++ {
		r.heads = append(r.heads, b.rules[i].Head)
	}
	return true
}

// sameReaders reports whether the functions among the edits read relations as
// they did before, and their text stands nowhere else.
func (d *Draft) sameReaders(b *builder, list []types.Retyped) bool {
	old, fns := d.b, false
	for i := range list {
		if f := list[i].Fn; f != nil {
			fns = true
			if _, copied := old.copies[f.Index]; copied || old.written[f.Index] {
				return false
			}
		}
	}
	if !fns {
		return true
	}
	b.markReaders()
	if !slices.Equal(b.readers, old.readers) {
		return false
	}
	before := &builder{env: old.env, readers: old.readers}
	before.unread()
	b.unread()
	return slices.Equal(b.plain, before.plain)
}

// guarded reports whether a rule or query that went or came folds over money: such a fold
// has a guard, whose name counts the folds before it.
func (d *Draft) guarded(r *Redrawn) bool {
	for i := range r.gone {
		if r := &d.b.rules[i]; foldsMoney(r.Body, r.Slots) {
			return true
		}
	}
	for i := range r.b.rules {
		if rule := &r.b.rules[i]; foldsMoney(rule.Body, rule.Slots) {
			return true
		}
	}
	return slices.ContainsFunc(r.queries, func(q abi.Query) bool { return foldsMoney(q.Body, q.Slots) })
}
