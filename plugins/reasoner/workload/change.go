package workload

import "github.com/ox-mcp/ox-mcp/abi"

// Change adds to the program of a workload two mutations of a binary base
// relation, of one tuple each: the first asserts it, the second retracts it.
// It returns their numbers.
func Change(p *abi.Program, rel int) (insert, remove int) {
	t := p.Relations[rel].Columns[0].Type
	slots := []abi.Slot{{Name: "a", Type: t}, {Name: "b", Type: t}}
	var exprs []abi.Expr
	for i := range slots {
		exprs = append(exprs, abi.Expr{Op: abi.ExprSlot, Index: i})
	}
	insert = len(p.Mutations)
	for _, s := range []abi.Stmt{
		{Op: abi.StmtAssert, Rel: rel, Slot: -1, Exprs: exprs},
		{Op: abi.StmtRetract, Rel: rel, Slot: -1, Exprs: exprs, Wild: make([]bool, 2)},
	} {
		p.Mutations = append(p.Mutations, abi.Mutation{
			Name: []string{"insert", "remove"}[len(p.Mutations)-insert], Slots: slots, Body: []abi.Stmt{s},
			Params: []abi.Param{{Name: "a", Type: t}, {Name: "b", Type: t}},
		})
	}
	return insert, insert + 1
}

// Edge is the tuple of the ith change: of the first facts, one that is there,
// or one that most likely is not.
func (w *Workload) Edge(i int, absent bool) []abi.Value {
	rows := w.Facts[0].Rows
	n := len(rows) / 2
	from, to := i*37%n, i*37%n
	if absent {
		to = i * 41 % n
	}
	return []abi.Value{abi.IntValue(rows[2*from]), abi.IntValue(rows[2*to+1])}
}
