package abi

// The names of ExprBuiltin for the ends of an interval: how little and how much
// the sum, or the mean, of values is that are all of those in the first list and
// any of those in the second, which has them all, once more each. Both lists are
// in term order, and hold numbers, durations or money. Amounts that are not of
// one currency have none as either end, as no values have a mean.
const (
	BuiltinLeastSum  = "least_sum"
	BuiltinMostSum   = "most_sum"
	BuiltinLeastMean = "least_mean"
	BuiltinMostMean  = "most_mean"
)

// intervalOperands is BuiltinOperands for the builtins above.
func intervalOperands(name string) (low, high int, ok bool) {
	switch name {
	case BuiltinLeastSum, BuiltinMostSum, BuiltinLeastMean, BuiltinMostMean:
		return 2, 2, true
	}
	return collectionOperands(name)
}
