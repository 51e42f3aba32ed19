package types

import (
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// signatures resolves the types in the members of a trait that have no body
// there: they are what implementations and callers go by. A member with a body
// is an item of each implementation and is typed as such.
func (e *Env) signatures(trait *resolve.Symbol) {
	before := e.vars
	e.vars = map[string]abi.Type{"Self": Top}
	defer func() { e.vars = before }()
	for _, it := range trait.Items {
		node, ok := it.(*syntax.Trait)
		if !ok {
			continue
		}
		for _, member := range node.Members {
			if member.Provided {
				continue
			}
			var params []*syntax.Param
			var result syntax.Type
			switch item := member.Item.(type) {
			case *syntax.Fn:
				params, result = item.Params, item.Result
			case *syntax.Mutate:
				params, result = item.Params, item.Result
			case *syntax.Derive:
				params = item.Params
			}
			for _, p := range params {
				if p.Type != nil {
					e.resolveType(trait.Module, p.Type)
				}
			}
			if result != nil {
				e.resolveType(trait.Module, result)
			}
		}
	}
}
