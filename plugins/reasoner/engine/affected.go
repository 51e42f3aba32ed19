package engine

import "github.com/ox-mcp/ox-mcp/abi"

// affected marks the components that a mutation may change: those that rest on a
// relation which it writes, or one that it calls.
func (e *Engine) affected(mutation int) []bool {
	marked, called := make([]bool, len(e.comps)), make([]bool, len(e.prog.Mutations))
	var rels []int
	var walk func(body []abi.Stmt)
	call := func(i int) {
		if i >= 0 && i < len(called) && !called[i] {
			called[i] = true
			walk(e.prog.Mutations[i].Body)
		}
	}
	walk = func(body []abi.Stmt) {
		for i := range body {
			s := &body[i]
			switch s.Op {
			case abi.StmtNew:
				rels = append(rels, s.Rels...)
				for j := range s.Fields {
					rels = append(rels, s.Fields[j].Relation)
				}
			case abi.StmtAssert, abi.StmtRetract, abi.StmtSet:
				rels = append(rels, s.Rel)
			case abi.StmtCall:
				call(s.Index)
			}
			walk(s.Body)
			walk(s.Else)
		}
	}
	call(mutation)
	for len(rels) > 0 {
		r := e.rels[rels[len(rels)-1]]
		rels = rels[:len(rels)-1]
		for _, id := range r.readers {
			if !marked[id] {
				marked[id] = true
				rels = append(rels, e.comps[id].rels...)
			}
		}
	}
	return marked
}
