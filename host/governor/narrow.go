package governor

import "github.com/ox-mcp/ox-mcp/abi"

// field is one limit of abi.Limits.
type field struct {
	name string
	of   func(*abi.Limits) *uint64
}

func fields() []field {
	return []field{
		{abi.LimitFuel, func(l *abi.Limits) *uint64 { return &l.Fuel }},
		{abi.LimitMemory, func(l *abi.Limits) *uint64 { return &l.Memory }},
		{abi.LimitDeadline, func(l *abi.Limits) *uint64 { return &l.Deadline }},
		{abi.LimitDepth, func(l *abi.Limits) *uint64 { return &l.Depth }},
		{abi.LimitCalls, func(l *abi.Limits) *uint64 { return &l.Calls }},
		{abi.LimitRounds, func(l *abi.Limits) *uint64 { return &l.Rounds }},
		{abi.LimitDerived, func(l *abi.Limits) *uint64 { return &l.Derived }},
		{abi.LimitRows, func(l *abi.Limits) *uint64 { return &l.Rows }},
		{abi.LimitBytes, func(l *abi.Limits) *uint64 { return &l.ResultBytes }},
		{abi.LimitHostCalls, func(l *abi.Limits) *uint64 { return &l.HostCalls }},
		{abi.LimitHostBytes, func(l *abi.Limits) *uint64 { return &l.HostBytes }},
		{abi.LimitOutput, func(l *abi.Limits) *uint64 { return &l.OutputBytes }},
		{abi.LimitSource, func(l *abi.Limits) *uint64 { return &l.SourceBytes }},
		{abi.LimitBody, func(l *abi.Limits) *uint64 { return &l.BodyBytes }},
	}
}

// Narrow applies a caller's wish to the operator's ceiling. A zero in wish is
// no wish. A wish below the ceiling holds; one above it becomes the ceiling,
// and its name, as in abi, is in lowered.
func Narrow(ceiling, wish abi.Limits) (effective abi.Limits, lowered []string) {
	effective = ceiling
	for _, f := range fields() {
		want, most := *f.of(&wish), *f.of(&ceiling)
		switch {
		case want == 0:
		case want > most:
			lowered = append(lowered, f.name)
		default:
			*f.of(&effective) = want
		}
	}
	return effective, lowered
}
