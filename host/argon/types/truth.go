package types

import "github.com/ox-mcp/ox-mcp/host/argon/syntax"

// truthTypes are the types of truth, which std::core declares and every module
// sees.
var truthTypes = map[string]bool{"Truth4": true, "Truth4Of": true}

// withoutTruth returns the result of a query without what it says of truth: a
// row of a query has its truth beside it, whether the type says so or not, so
// that T, Truth4Of<T>, and lists and sets of them give the same rows.
func withoutTruth(t syntax.Type) syntax.Type {
	switch t := t.(type) {
	case *syntax.ListType:
		if elem := withoutTruth(t.Elem); elem != t.Elem {
			out := *t
			out.Elem = elem
			return &out
		}
	case *syntax.NamedType:
		name := t.Path.String()
		if len(t.Args) != 1 {
			return t
		}
		if name == "Truth4Of" {
			return t.Args[0]
		}
		if elem := withoutTruth(t.Args[0]); elem != t.Args[0] && (name == "Set" || name == "List") {
			out := *t
			out.Args = []syntax.Type{elem}
			return &out
		}
	}
	return t
}
