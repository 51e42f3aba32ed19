package runtime

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
)

// forgetful refuses a mutation that holds a `forget`, also in a mutation that
// it calls: the operator has to grant erasure, and this store has none yet.
func (w *write) forgetful() (Outcome, bool) {
	mutations := slices.Clone(w.ses.m.program.Mutations)
	if w.msg.Extension != nil {
		mutations = append(mutations, w.msg.Extension.Mutations...)
	}
	if !forgets(mutations, w.msg.Mutation, map[int]bool{}) {
		return Outcome{}, false
	}
	if !slices.Contains(w.ses.s.cfg.Settings.List("capabilities"), "forget") {
		return Outcome{
			Code: CodeCapabilityRequired, Message: "forget erases what is stored, and the operator has not granted it",
			CapabilityRequired: &CapabilityRequired{Capability: "forget", How: "the operator adds forget to OX_MCP_CAPABILITIES"},
		}, true
	}
	return Outcome{
		Code: CodeWriteRefused, Message: "this store keeps its history and cannot erase from it yet: delete takes a fact back and leaves it in the past",
	}, true
}

func forgets(mutations []abi.Mutation, i int, seen map[int]bool) bool {
	if i < 0 || i >= len(mutations) || seen[i] {
		return false
	}
	seen[i] = true
	var in func(body []abi.Stmt) bool
	in = func(body []abi.Stmt) bool {
		for j := range body {
			s := &body[j]
			switch {
			case s.Op == abi.StmtRequire && s.Text == abi.ForgetMark,
				s.Op == abi.StmtCall && forgets(mutations, s.Index, seen),
				in(s.Body), in(s.Else):
				return true
			}
		}
		return false
	}
	return in(mutations[i].Body)
}
