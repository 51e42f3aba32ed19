package workload

import "github.com/ox-mcp/ox-mcp/abi"

// Change adds to the program of a workload two mutations of a base relation of
// numbers, of one tuple each: the first asserts it, the second retracts it.
// It returns their numbers.
func Change(p *abi.Program, rel int) (insert, remove int) {
	t := p.Relations[rel].Columns[0].Type
	var slots []abi.Slot
	var params []abi.Param
	var exprs []abi.Expr
	for i := range p.Relations[rel].Columns {
		name := string(rune('a' + i))
		slots, params = append(slots, abi.Slot{Name: name, Type: t}), append(params, abi.Param{Name: name, Type: t})
		exprs = append(exprs, abi.Expr{Op: abi.ExprSlot, Index: i})
	}
	insert = len(p.Mutations)
	for _, s := range []abi.Stmt{
		{Op: abi.StmtAssert, Rel: rel, Slot: -1, Exprs: exprs},
		{Op: abi.StmtRetract, Rel: rel, Slot: -1, Exprs: exprs, Wild: make([]bool, len(slots))},
	} {
		p.Mutations = append(p.Mutations, abi.Mutation{
			Name: []string{"insert", "remove"}[len(p.Mutations)-insert], Slots: slots, Body: []abi.Stmt{s},
			Params: params,
		})
	}
	return insert, insert + 1
}

// Edge is the tuple of the ith change: of the first facts, one that is there,
// or one that most likely is not.
func (w *Workload) Edge(i int, absent bool) (row []abi.Value) {
	f := w.Facts[0]
	n := len(f.Rows) / f.Arity
	from, to := i*37%n, i*37%n
	if absent {
		to = i * 41 % n
	}
	row = append(row, abi.IntValue(f.Rows[f.Arity*from]))
	for c := 1; c < f.Arity; c++ {
		row = append(row, abi.IntValue(f.Rows[f.Arity*to+c]))
	}
	return row
}
