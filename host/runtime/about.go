package runtime

import (
	"cmp"
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/lower"
)

// about returns the declaration that a violation of a check over declarations
// is about: its first binding. A check of which a binding is an individual or a
// value is about no declaration.
func (m *module) about(v verdict) *Range {
	rel := m.program.Checks[v.check].Relation
	var first *Range
	for i, c := range m.program.Relations[rel].Columns {
		if !m.declaredColumn(rel, i) {
			continue
		}
		if c.Type.Op != abi.TypeRef {
			return nil
		}
		if first == nil {
			first = m.declaration(v.tuple[i].Str)
		}
	}
	return first
}

// declaration returns the place of what is declared under a qualified name.
func (m *module) declaration(name string) *Range {
	list := m.schema.Constructs
	i, ok := slices.BinarySearchFunc(list, name, func(c lower.Construct, name string) int { return cmp.Compare(c.Name, name) })
	if !ok {
		return nil
	}
	p := list[i].Place
	text, ok := m.sources[p.Path]
	if !ok || p.Start < 0 || p.End > len(text) || p.End < p.Start {
		return nil
	}
	r := rangeIn(p.Path, text, p.Start, p.End)
	return &r
}
