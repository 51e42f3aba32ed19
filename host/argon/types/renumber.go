package types

import "github.com/ox-mcp/ox-mcp/abi"

// renumber gives the own constants of a trial, in all that it typed, the indexes
// that they have got in the pool that took them over. What two bodies share may
// be met twice: an index that was renumbered is none of a pool that is apart.
func (e *Env) renumber(indexes Adopted) {
	if len(indexes) == 0 {
		return
	}
	r := renumbering{abi.References{Constant: func(i *int) { *i = indexes.Of(*i) }}}
	for _, c := range e.Clauses {
		r.clause(c)
	}
	for _, f := range e.trial.fns {
		r.Expr(&f.own.Body)
	}
	for _, q := range e.trial.queries {
		r.Atoms(q.own.Body)
		r.Args(q.own.Out)
	}
	for _, mu := range e.trial.mutations {
		r.Stmts(mu.own.Body)
	}
	for _, c := range e.trial.checks {
		r.clause(c.own.Clause)
		r.Payload(&c.own.Payload)
	}
}

type renumbering struct{ abi.References }

func (r renumbering) clause(c *Clause) {
	if c == nil {
		return
	}
	r.Args(c.Args)
	r.Atoms(c.Body)
	r.Atoms(c.Filters)
	for i := range c.Attacks {
		r.Args(c.Attacks[i].Args)
	}
}
