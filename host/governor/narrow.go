package governor

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
)

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

// Wishes reads limits by their names, as they stand in payloads. The error
// names the first, in the alphabet, that is no limit.
func Wishes(byName map[string]uint64) (abi.Limits, error) {
	var wish abi.Limits
	left := maps.Clone(byName)
	for _, f := range fields() {
		if n, ok := left[f.name]; ok {
			*f.of(&wish) = n
			delete(left, f.name)
		}
	}
	if len(left) > 0 {
		return wish, fmt.Errorf("%q is no limit; there are %s", slices.Sorted(maps.Keys(left))[0], strings.Join(Names(), ", "))
	}
	return wish, nil
}

// Names lists the names of the limits.
func Names() []string {
	var out []string
	for _, f := range fields() {
		out = append(out, f.name)
	}
	return out
}

// ByName lists limits by their names.
func ByName(l abi.Limits) map[string]uint64 {
	out := map[string]uint64{}
	for _, f := range fields() {
		out[f.name] = *f.of(&l)
	}
	return out
}
