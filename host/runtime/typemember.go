package runtime

import (
	"slices"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/lower"
	"github.com/ox-mcp/ox-mcp/host/argon/types"
)

// indexTypeMembers finds the types that declared facts put in concepts.
func (m *module) indexTypeMembers() {
	for _, f := range m.stated() {
		r := &m.program.Relations[f.Relation]
		if r.Origin != abi.OriginConcept || !strings.HasSuffix(r.Name, "+") {
			continue
		}
		for _, v := range f.Frame.Dict {
			if v.Kind == abi.KindType {
				concept := strings.TrimSuffix(r.Name, "+")
				m.typeMembers[concept] = append(m.typeMembers[concept], v.Str)
			}
		}
	}
}

// typeMember returns the type that a text names among the declared members of
// a concept and what is below it: by its qualified name, or its short name
// where only one has it.
func (m *module) typeMember(text, concept string) (abi.Value, bool) {
	var found []string
	for in, list := range m.typeMembers {
		if !m.below(in, concept) {
			continue
		}
		for _, name := range list {
			if name == text {
				return abi.TypeValue(name), true
			}
			if shortName(name) == text && !slices.Contains(found, name) {
				found = append(found, name)
			}
		}
	}
	if len(found) != 1 {
		return abi.Value{}, false
	}
	return abi.TypeValue(found[0]), true
}

// below reports whether concept c is up or below it.
func (m *module) below(c, up string) bool {
	seen := map[int]bool{}
	i, ok := m.types[c]
	for list := []int{i}; ok && len(list) > 0; {
		at := list[0]
		list = list[1:]
		if m.program.Types[at].Name == up {
			return true
		}
		if !seen[at] {
			seen[at] = true
			list = append(list, m.program.Types[at].Supers...)
		}
	}
	return false
}

// typeRef returns the reference of sort t to the declaration that a text names:
// by its qualified name, or its short name where that is unambiguous.
func (m *module) typeRef(text string, t abi.Type, path string) (abi.Value, error) {
	var names, meant []string
	for _, c := range m.referable() {
		if !m.ofSort(&c, t) {
			continue
		}
		if c.Name == text {
			return abi.TypeValue(c.Name), nil
		}
		if shortName(c.Name) == text {
			meant = append(meant, c.Name)
		}
		names = append(names, c.Name, shortName(c.Name))
	}
	switch {
	case len(meant) == 1:
		return abi.TypeValue(meant[0]), nil
	case len(meant) > 1:
		return abi.Value{}, Invalid(path, "one of "+strings.Join(meant, ", "), text, meant[0])
	case text == "Top" && t.Name == "" && len(t.Args) == 0:
		return abi.TypeValue(text), nil
	}
	return abi.Value{}, Invalid(path, "the name of a declaration that is a "+typeText(t), text, Nearest(text, names))
}

// referable returns what a reference can refer to, the introducers of the
// standard packages, which no package declares, too.
func (m *module) referable() []lower.Construct {
	list := []lower.Construct{{Name: "std::core::rel", Kind: "metarel"}, {Name: "std::core::type", Kind: "metatype"}}
	for _, t := range m.program.Types {
		if t.Op == abi.TypeConcept {
			list = append(list, lower.Construct{Name: t.Name, Kind: "concept"})
		}
	}
	for _, c := range m.schema.Constructs {
		switch c.Kind {
		case "relation", "metatype", "metarel", "trait":
			list = append(list, c)
		}
	}
	return list
}

// ofSort reports whether a reference to c is one of sort t.
func (m *module) ofSort(c *lower.Construct, t abi.Type) bool {
	switch c.Kind {
	case "concept":
		return t.Name == "" && (len(t.Args) == 0 || m.below(c.Name, t.Args[0].Name))
	case "relation":
		return t.Name == "" && len(t.Args) == 0
	case "metatype", "metarel":
		return t.Name == types.Metatype.Name || t.Name == "" && len(t.Args) == 0
	case "trait":
		return t.Name == types.TraitRef.Name
	}
	return false
}
