package lower

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/types"
)

// typeDefs lists the declared types: concepts, then structs, then enums.
func (b *builder) typeDefs() []abi.TypeDef {
	index := map[string]int{}
	for i, c := range b.env.ConceptList {
		index[c.Name] = i
	}
	var defs []abi.TypeDef
	for _, c := range b.env.ConceptList {
		d := abi.TypeDef{
			Name: c.Name, Op: abi.TypeConcept, Abstract: c.Abstract, Extent: c.Rel, Fields: b.fieldDefs(c.Fields),
			Span: b.env.Span(c.Symbol.Module, c.Node.Decl.Span),
		}
		for _, up := range c.Supers {
			d.Supers = append(d.Supers, index[up.Name])
		}
		defs = append(defs, d)
	}
	for _, s := range b.env.StructList {
		if types.IsPrimitive(s.Name) {
			continue
		}
		defs = append(defs, abi.TypeDef{
			Name: s.Name, Op: abi.TypeStruct, Extent: -1, Fields: generic(b.fieldDefs(s.Fields), s.Params), Span: b.env.Span(s.Symbol.Module, s.Node.Decl.Span),
		})
	}
	for _, n := range b.env.EnumList {
		d := abi.TypeDef{Name: n.Name, Op: abi.TypeEnum, Extent: -1, Span: b.env.Span(n.Symbol.Module, n.Symbol.Items[0].Range())}
		for _, v := range n.Variants {
			d.Variants = append(d.Variants, abi.VariantDef{Name: v.Name, Named: v.Named, Fields: generic(b.fieldDefs(v.Fields), n.Params)})
		}
		defs = append(defs, d)
	}
	return defs
}

func (b *builder) fieldDefs(fields []*types.Field) []abi.FieldDef {
	var defs []abi.FieldDef
	for _, f := range fields {
		def := f.Default
		if def != nil {
			var slots []abi.Slot
			x := b.code(*def, &slots)
			def = &x
		}
		d := abi.FieldDef{Name: f.Name, Type: f.Type, Mut: f.Mut, Relation: f.Relation, Default: def}
		d.Required = f.Type.Op != abi.TypeOption && f.Type.Op != abi.TypeList && f.Type.Op != abi.TypeSet && f.Default == nil && f.View == nil
		defs = append(defs, d)
	}
	return defs
}

// generic numbers the type parameters in the types of fields: see abi.TypeTop.
func generic(fields []abi.FieldDef, params []abi.Type) []abi.FieldDef {
	for i := range fields {
		fields[i].Type = numbered(fields[i].Type, params)
	}
	return fields
}

func numbered(t abi.Type, params []abi.Type) abi.Type {
	if t.Op == abi.TypeTop && t.Name != "" {
		name := ""
		for i, p := range params {
			if p.Name == t.Name {
				name = strconv.Itoa(i)
			}
		}
		return abi.Type{Op: abi.TypeTop, Name: name}
	}
	if len(params) == 0 || len(t.Args) == 0 {
		return t
	}
	t.Args = slices.Clone(t.Args)
	for i := range t.Args {
		t.Args[i] = numbered(t.Args[i], params)
	}
	return t
}

// typeParamText prints type parameters as a declaration writes them.
func typeParamText(params []abi.Type) string {
	if len(params) == 0 {
		return ""
	}
	var names []string
	for _, p := range params {
		names = append(names, types.Print(p))
	}
	return "<" + strings.Join(names, ", ") + ">"
}

// inexact reports whether the reasoner's test of t sees only a part of it: a
// value does not say with which type arguments it was made, nor in which bounds.
func inexact(t abi.Type) bool {
	switch t.Op {
	case abi.TypeStruct, abi.TypeEnum:
		return len(t.Args) > 0
	case abi.TypeNat, abi.TypeInt:
		return t.Name != ""
	}
	return slices.ContainsFunc(t.Args, inexact)
}
