package types

import (
	"maps"
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// noAggregate reports a fold that the language does not have.
func (s *scope) noAggregate(x *syntax.Aggregate) (abi.Expr, abi.Type) {
	help := "the aggregates are sum, count, min, max and avg"
	if near, ok := diag.Nearest(x.Func, slices.Collect(maps.Keys(folds))); ok {
		help = "did you mean `" + near + "`?"
	}
	if sym := s.e.World.Lookup(s.m, *x.Other, callKinds); sym != nil && sym.Kind == resolve.FnKind {
		help = "a function takes a list: " + x.Func + "([e for x in …])"
	}
	s.report("OE1312", x.Other, help, "there is no aggregate %s", x.Func)
	return abi.Expr{}, Top
}
