package sandbox

import (
	"fmt"

	"github.com/ox-mcp/ox-mcp/abi"
)

// Kind says what stopped a guest.
type Kind string

// The kinds of traps.
const (
	OutOfFuel   Kind = "out_of_fuel"
	OutOfMemory Kind = "out_of_memory" // the guest stopped after a growth of its memory was refused
	Deadline    Kind = "deadline"
	Cancelled   Kind = "cancelled" // the context ended, by whatever cause
	Depth       Kind = "depth"
	HostCalls   Kind = "host_calls" // number or bytes of host calls
	Output      Kind = "output"     // the answer is larger than the limit
	BadOutput   Kind = "bad_output" // the answer does not follow the calling convention
	Crash       Kind = "trap"       // the guest trapped by itself
)

// Trap is the error of a call that did not end in an answer. The instance is
// dead after it, except that Cancelled and Deadline before the guest's first
// instruction leave it as it was.
type Trap struct {
	Kind   Kind
	Limit  abi.Breach // zero for Cancelled, BadOutput and Crash
	Export string     // function that the host called
	Detail string
	Stack  string // guest functions, innermost first, one a line
	Rule   int    // one more than the rule that ran, as far as the guest says; else 0
	Output string // what the guest wrote to its standard streams in this call
	cause  error
}

func (t *Trap) Error() string {
	s := fmt.Sprintf("plugin stopped: %s", t.Kind)
	if t.Export != "" {
		s += " in " + t.Export
	}
	if t.Limit.Limit != "" {
		s += fmt.Sprintf(" (limit %s: %d allowed, %d used)", t.Limit.Limit, t.Limit.Allowed, t.Limit.Used)
	}
	if t.Detail != "" {
		s += ": " + t.Detail
	}
	return s
}

// Unwrap returns the context's error of a Cancelled trap.
func (t *Trap) Unwrap() error { return t.cause }

// IsLimit reports whether a limit stopped the guest: a domain outcome, and not
// a fault of the plugin.
func (t *Trap) IsLimit() bool { return t.Limit.Limit != "" }

// Breach returns the limit that stopped the guest; ok is false if none did.
func (t *Trap) Breach() (b abi.Breach, ok bool) { return t.Limit, t.IsLimit() }

func breach(kind Kind, limit string, allowed, used uint64) *Trap {
	return &Trap{Kind: kind, Limit: abi.Breach{Limit: limit, Allowed: allowed, Used: used}}
}
