package types

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
)

// setValue is the set of items, which may repeat and come in any order.
func setValue(items []abi.Value) abi.Value {
	items = slices.Clone(items)
	slices.SortFunc(items, abi.Compare)
	return abi.Value{Kind: abi.KindSet, Items: slices.CompactFunc(items, abi.Equal)}
}

// collectionValue is the map or range that a builtin makes of constants. Of
// entries with one key the last counts.
func collectionValue(builtin string, items []abi.Value) abi.Value {
	if builtin == abi.BuiltinRange {
		return abi.Value{Kind: abi.KindRange, Items: items}
	}
	var pairs [][2]abi.Value
	for i := 0; i+1 < len(items); i += 2 {
		pairs = append(pairs, [2]abi.Value{items[i], items[i+1]})
	}
	slices.SortStableFunc(pairs, func(a, b [2]abi.Value) int { return abi.Compare(a[0], b[0]) })
	out := abi.Value{Kind: abi.KindMap}
	for i, p := range pairs {
		if i+1 < len(pairs) && abi.Equal(p[0], pairs[i+1][0]) {
			continue
		}
		out.Items = append(out.Items, p[0], p[1])
	}
	return out
}
