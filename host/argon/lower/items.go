package lower

import (
	"context"
	"sync/atomic"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/types"
	"github.com/ox-mcp/ox-mcp/host/argon/workers"
)

// Clauses, functions, queries, mutations and checks are lowered several at a
// time: each makes rules of its own, and seldom something that others use. A
// goroutine lowers a run of them on trial, and what came of it is taken over in
// their order, so that it is what one goroutine makes of all.

// manyItems is from how many items on that pays.
const manyItems = 400

// longestRun bounds the items that one goroutine takes at a time.
const longestRun = 128

// items are what has a body, in the order in which it is lowered: clauses,
// functions, queries, mutations and checks, each kind in the order of the
// source. An item is an index into all of them.
type items struct {
	clauses   []*types.Clause
	fns       []*types.Fn
	queries   []*types.Query
	mutations []*types.Mutation
	checks    []*types.Check

	// What they become, by kind.
	clauseRules, checkRules [][2]int
	functions               []abi.Function
	asked                   []abi.Query
	changes                 []abi.Mutation
	violations              []abi.Check
	violated                []bool // whether the check of that index is there
}

func itemsOf(env *types.Env) *items {
	return &items{
		clauses: env.Clauses, fns: env.FnList, queries: env.QueryList, mutations: env.MutationList, checks: env.CheckList,
		clauseRules: make([][2]int, len(env.Clauses)), checkRules: make([][2]int, len(env.CheckList)),
		functions: make([]abi.Function, len(env.FnList)), asked: make([]abi.Query, len(env.QueryList)),
		changes: make([]abi.Mutation, len(env.MutationList)), violations: make([]abi.Check, len(env.CheckList)), violated: make([]bool, len(env.CheckList)),
	}
}

func (it *items) len() int {
	return len(it.clauses) + len(it.fns) + len(it.queries) + len(it.mutations) + len(it.checks)
}

// item lowers item i.
func (b *builder) item(it *items, i int) {
	first := len(b.rules)
	if i < len(it.clauses) {
		b.diags.Within(it.clauses[i], func() { b.clause(it.clauses[i]) })
		it.clauseRules[i] = [2]int{first, len(b.rules)}
		return
	}
	if i -= len(it.clauses); i < len(it.fns) {
		b.diags.Within(it.fns[i], func() { it.functions[i] = b.function(it.fns[i]) })
		return
	}
	if i -= len(it.fns); i < len(it.queries) {
		b.diags.Within(it.queries[i], func() { it.asked[i] = b.query(it.queries[i]) })
		return
	}
	if i -= len(it.queries); i < len(it.mutations) {
		b.diags.Within(it.mutations[i], func() { it.changes[i] = b.mutation(it.mutations[i]) })
		return
	}
	i -= len(it.mutations)
	b.diags.Within(it.checks[i], func() { it.violations[i], it.violated[i] = b.check(it.checks[i]) })
	it.checkRules[i] = [2]int{first, len(b.rules)}
}

// items lowers all that has a body, and enters it in p.
func (b *builder) items(ctx context.Context, p *abi.Program) error {
	it := itemsOf(b.env)
	if err := b.each(ctx, it); err != nil {
		return err
	}
	b.clauseRules, b.checkRules = it.clauseRules, it.checkRules
	p.Functions, p.Queries, p.Mutations = it.functions, it.asked, it.changes
	for i, k := range it.violations {
		b.checkAt = append(b.checkAt, len(p.Checks))
		if it.violated[i] {
			p.Checks = append(p.Checks, k)
		}
	}
	return nil
}

func (b *builder) each(ctx context.Context, it *items) error {
	n, count := it.len(), workers.Count(b.workers)
	if count < 2 || b.workers <= 0 && n < manyItems {
		for i := range n {
			if i%256 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			b.item(it, i)
		}
		return nil
	}
	b.unread()
	run := min(longestRun, n/(4*count)+1)
	var spoilt atomic.Int64
	runs := make([][]stretch, (n+run-1)/run)
	workers.Each(count, len(runs), func(i int) {
		if ctx.Err() == nil {
			runs[i] = b.try(it, i*run, min((i+1)*run, n), &spoilt)
		}
	})
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, stretches := range runs {
		for _, s := range stretches {
			b.adopt(it, s)
			for i := s.to; i < s.end; i++ {
				b.item(it, i)
			}
		}
	}
	return nil
}
