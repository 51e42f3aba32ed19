package runtime

import "github.com/ox-mcp/ox-mcp/abi"

// deletes reports whether the mutation, or one that it calls, has a delete.
func (w *write) deletes() bool {
	list := w.ses.m.program.Mutations
	if w.msg.Extension != nil {
		list = append(list[:len(list):len(list)], w.msg.Extension.Mutations...)
	}
	seen := make([]bool, len(list))
	var in func(body []abi.Stmt) bool
	in = func(body []abi.Stmt) bool {
		for i := range body {
			s := &body[i]
			switch {
			case s.Op == abi.StmtRetract, in(s.Body), in(s.Else):
				return true
			case s.Op == abi.StmtCall && s.Index < len(list) && !seen[s.Index]:
				seen[s.Index] = true
				if in(list[s.Index].Body) {
					return true
				}
			}
		}
		return false
	}
	return in(w.mutation.Body)
}
