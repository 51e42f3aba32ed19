package types

import (
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// A concept with type parameters is one concept: it has the members of all
// that are below it, and stores its fields for all of them. A subtype says what
// its parameters stand for, `<: Shelf<Book>`, and its fields are of these types
// where something is known to be of the subtype. Elsewhere no more is known of
// a parameter than its bound.

// erased is what is known of type parameters by themselves.
func (e *Env) erased(params []abi.Type) solution {
	if len(params) == 0 {
		return nil
	}
	out := solution{}
	for _, p := range params {
		out[p.Name] = Top
		if b := e.bounds[p.Name]; len(b.concepts) > 0 {
			out[p.Name] = b.concepts[0].Type()
		}
	}
	return out
}

// superArgs notes the type arguments that c gives its direct supertype up.
func (e *Env) superArgs(m *resolve.Module, c, up *Concept, path syntax.Path, list []syntax.Type) {
	params := typeParams(up.Symbol)
	if len(list) == 0 {
		return // it says nothing of them
	}
	if len(list) != len(params) {
		e.report(m, "OE0290", path.Span, "", "%s takes %s, and %d are given", up.Name, plural(len(params), "type argument"), len(list))
		return
	}
	var args []abi.Type
	for i, a := range list {
		t := e.resolveType(m, a)
		if collection(t) || t.Op == abi.TypeOption {
			e.unsupported(m, a.Range(), "a list, set or optional for a type parameter of a concept", "give the type of one value, and make the field of the concept a list or optional")
			t = Top
		}
		args = append(args, t)
		e.asked = append(e.asked, askedBound{m, a.Range(), typeVar(up.Name, params[i].Name.Name), t})
	}
	if c.args == nil {
		c.args = map[*Concept][]abi.Type{}
	}
	c.args[up] = args
}

// typed is the field f of up, which is c or above it, with the type that it has
// in c.
func (c *Concept) typed(up *Concept, f *Field) *Field {
	if len(up.Params) == 0 {
		return f
	}
	sol := c.solution(up)
	out := *f
	out.Type = sol.in(f.Over)
	return &out
}

// solution is what c knows of the type parameters of up, which is c or above it.
func (c *Concept) solution(up *Concept) solution {
	out, over := solution{}, c.over(up)
	for _, p := range up.Params {
		out[p.Name] = c.unknown.in(over.in(p))
	}
	return out
}

// over is what the type parameters of up, which is c or above it, are over
// those of c.
func (c *Concept) over(up *Concept) solution {
	if c == up {
		return nil
	}
	for _, s := range c.Supers {
		if !s.Is(up) {
			continue
		}
		own := s.unknown
		if args, ok := c.args[s]; ok {
			own = solve(s.Params, args)
		}
		out, above := solution{}, s.over(up)
		for _, p := range up.Params {
			out[p.Name] = own.in(above.in(p))
		}
		return out
	}
	return up.unknown
}
