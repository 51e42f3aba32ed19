package types

import (
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// unknownMethod reports x.name(), which values of type t do not have.
func (s *scope) unknownMethod(x *syntax.Method, t abi.Type) {
	name := x.Name.Name
	path := syntax.Path{Span: x.Name.Span, Parts: []syntax.Ident{x.Name}}
	if sym := s.e.World.Lookup(s.m, path, resolve.Kinds(resolve.FnKind)); sym != nil {
		s.report("OE0259", x.Name, "it is a fn: write "+name+"("+s.text(x.X)+")", "%s has no method %s", Print(t), name)
		return
	}
	s.report("OE0259", x.Name, s.e.nearest(name, methodsOf(strip(t))), "%s has no method %s", Print(t), name)
}

// methodsOf lists the names of the methods that values of type t have, but for
// those of traits.
func methodsOf(t abi.Type) []string {
	var names []string
	for name, list := range dataMethods {
		for _, m := range list {
			if m.of(t) {
				names = append(names, name)
				break
			}
		}
	}
	for name, b := range builtins {
		if b.method && b.params[0](t) {
			names = append(names, name)
		}
	}
	if collection(t) {
		for name := range methodsOfFunctions {
			names = append(names, name)
		}
	}
	return names
}
