package types

import (
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// forget types `forget x;`. Erasure is the host's to grant and to do.
func (s *scope) forget(x *syntax.Forget) []abi.Stmt {
	if s.keeps {
		s.report("OE0730", x, "write #[allow_forget] before the mutate, if it is meant to erase", "this mutate does not say that it may forget")
	}
	v, t := s.value(x.X, Top)
	if t = strip(t); !IsIndividual(t) && !unknown(t) && len(s.concepts(v, t)) == 0 {
		s.report("OE0257", x.X, "delete takes back a tuple or a value", "forget takes an individual, and this is of type %s", Print(t))
	}
	no := s.constant(abi.BoolValue(false), x)
	return []abi.Stmt{{Op: abi.StmtRequire, Exprs: []abi.Expr{no}, Text: abi.ForgetMark, Span: s.span(x)}}
}
