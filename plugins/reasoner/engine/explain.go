package engine

import "github.com/ox-mcp/ox-mcp/abi"

// Explain says why a tuple is, or is not, in a relation.
func (e *Engine) Explain(r *abi.ExplainRequest) (*abi.Explanation, *abi.Failure) {
	return nil, internal("not there yet")
}
