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
	if node, ok := trait.Items[0].(*syntax.Trait); ok {
		e.traitParams(trait, node)
	}
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

// traitParams brings the type parameters of a trait into scope.
func (e *Env) traitParams(trait *resolve.Symbol, node *syntax.Trait) {
	for _, p := range node.TypeParams {
		switch name := p.Name.Name; {
		case name != "" && e.vars[name].Name != "":
			e.report(trait.Module, "OE0262", p.Name.Span, "", "the type parameter %s is declared twice", name)
		case len(p.Bounds) > 0:
			e.unsupported(trait.Module, p.Bounds[0].Range(), "a bound of a trait's type parameter", "leave it out, and give a bound to the functions that need one")
		}
		e.vars[p.Name.Name] = typeVar(trait.Qualified, p.Name.Name)
	}
}

// memberColumn is what a trait says of a place of a derive member: a type that
// stands there alone, `derive near(Self, Int)`, or nothing; any says that it is
// a type parameter of the trait.
func (e *Env) memberColumn(member *resolve.Symbol, i int) (t abi.Type, any bool) {
	d, ok := member.Signature.(*syntax.Derive)
	node, isTrait := member.Trait.Items[0].(*syntax.Trait)
	if !ok || !isTrait || i >= len(d.Params) {
		return Top, false
	}
	p := d.Params[i]
	name := p.Name.Name
	if named, ok := p.Type.(*syntax.NamedType); ok {
		name = named.Path.String()
	}
	for _, param := range node.TypeParams {
		if param.Name.Name == name {
			return Top, true
		}
	}
	if p.Type != nil || p.Term != nil || isSelfName(name) {
		return Top, false
	}
	if t, ok := primordial[name]; ok {
		return t, false
	}
	path := syntax.Path{Span: p.Name.Span, Parts: []syntax.Ident{p.Name}}
	if sym := e.World.Lookup(member.Module, path, typeKinds); sym != nil && len(typeParams(sym)) == 0 {
		return symbolType(sym), false
	}
	return Top, false
}

func isSelfName(name string) bool { return name == "Self" || name == "self" }
