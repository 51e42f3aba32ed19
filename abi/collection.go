package abi

// The names of ExprBuiltin for collections, ranges, times of day and bounded
// numbers. None of them changes its operands.
const (
	BuiltinMap       = "map"       // (key, value, key, value, …): of entries with one key the last counts
	BuiltinRange     = "range"     // (from, to): both ends belong to it
	BuiltinGet       = "get"       // (map, key) or (list, position): the value, or none
	BuiltinHas       = "has"       // (list, set, map or range, x): an item, a key, or between the ends
	BuiltinKeys      = "keys"      // (map): a set
	BuiltinValues    = "values"    // (map): a list, in key order
	BuiltinPut       = "put"       // (map, key, value)
	BuiltinDrop      = "drop"      // (map, key) or (set, item)
	BuiltinUnion     = "union"     // (set, set), (map, map): the second map counts; (list, list): one after the other
	BuiltinIntersect = "intersect" // (set, set)
	BuiltinWithout   = "without"   // (set, set)
	BuiltinSetOf     = "set"       // (list or set)
	BuiltinListOf    = "list"      // (list, set, or range of whole numbers)
	BuiltinSorted    = "sorted"    // (list or set): a list in term order
	BuiltinReversed  = "reversed"  // (list)
	BuiltinTimeOf    = "time"      // (DateTime): its Time
	BuiltinDateOf    = "date"      // (DateTime): its Date
	BuiltinHour      = "hour"      // (DateTime or Time)
	BuiltinMinute    = "minute"    // (DateTime or Time)
	BuiltinSecond    = "second"    // (DateTime or Time), whole
	BuiltinFit       = "fit"       // (number, least, greatest): the number; out of range fails
)

// collectionOperands is BuiltinOperands for the builtins above.
func collectionOperands(name string) (low, high int, ok bool) {
	switch name {
	case BuiltinMap:
		return 0, 1 << 20, true
	case BuiltinKeys, BuiltinValues, BuiltinSetOf, BuiltinListOf, BuiltinSorted, BuiltinReversed,
		BuiltinTimeOf, BuiltinDateOf, BuiltinHour, BuiltinMinute, BuiltinSecond:
		return 1, 1, true
	case BuiltinRange, BuiltinGet, BuiltinHas, BuiltinDrop, BuiltinUnion, BuiltinIntersect, BuiltinWithout:
		return 2, 2, true
	case BuiltinPut, BuiltinFit:
		return 3, 3, true
	}
	return 0, 0, false
}
