package governor

import (
	"errors"

	"github.com/ox-mcp/ox-mcp/abi"
)

// LimitExceeded is the payload of a refusal by a limit. Allowed and Used are
// in the limit's own unit: units of fuel, bytes, milliseconds, frames, rounds,
// tuples, rows or calls. Used is what the call had come to when it was
// stopped, which is not what it would have needed.
type LimitExceeded struct {
	Limit   string `json:"limit"`
	Allowed uint64 `json:"allowed"`
	Used    uint64 `json:"used"`
	Remedy  string `json:"remedy"`

	// Rule is the rule that was being evaluated, and Relation what it derives;
	// empty where no rule was, or it is not known which.
	Rule     string `json:"rule,omitempty"`
	Relation string `json:"relation,omitempty"`
}

// Exceeded makes the payload of a breach.
func Exceeded(b abi.Breach) *LimitExceeded {
	return &LimitExceeded{Limit: b.Limit, Allowed: b.Allowed, Used: b.Used, Remedy: Remedy(b.Limit)}
}

// breached is an error that a limit may have caused, as *sandbox.Trap is.
type breached interface {
	error
	Breach() (abi.Breach, bool)
}

// FromError returns the payload of an error that a limit caused: a trap of the
// sandbox, or a guest's own Failure. It returns nil for every other error.
func FromError(err error) *LimitExceeded {
	var failure *abi.Failure
	if errors.As(err, &failure) && failure.Code == abi.FailureLimit && failure.Limit != nil {
		return Exceeded(*failure.Limit)
	}
	var trap breached
	if errors.As(err, &trap) {
		if b, ok := trap.Breach(); ok {
			return Exceeded(b)
		}
	}
	return nil
}

// Remedy says what a caller can do about a breach of the named limit.
func Remedy(limit string) string {
	switch limit {
	case abi.LimitFuel:
		return "Ask for less: bind a parameter, select a narrower goal, or look for a rule that multiplies tuples (explain shows its rounds). If the work is meant, the operator can raise limits.fuel."
	case abi.LimitMemory:
		return "Derive fewer tuples at a time: bind a parameter or split the rule. Close forks that are not needed. If the data is meant to be this large, the operator can raise limits.memory or limits.totalMemory."
	case abi.LimitDeadline:
		return "Ask for less, or try again when the machine is less busy. The operator can raise limits.deadline."
	case abi.LimitDepth:
		return "The plugin nested its own calls too deep. Nest terms and expressions less; if the plugin is yours, use a loop with a stack of its own."
	case abi.LimitCalls:
		return "A function or mutation calls itself too often. Check that its recursion ends, or write it as a derive rule. The operator can raise limits.calls."
	case abi.LimitRounds:
		return "A recursive rule does not come to an end, or only slowly. Look for a head that computes a new value at each step, and bound it. The operator can raise limits.rounds."
	case abi.LimitDerived:
		return "A rule derives more tuples than expected. Look for a body whose atoms share no variable, or a recursion over all pairs. The operator can raise limits.derived."
	case abi.LimitRows:
		return "Ask for fewer rows a page, and follow the cursor. The operator can raise limits.rows."
	case abi.LimitBytes:
		return "Ask for fewer rows a page or fewer columns, and follow the cursor. The operator can raise limits.resultBytes."
	case abi.LimitValue:
		return "One number, text or list grows too large. Look for a recursion that multiplies numbers or joins texts, and bound it. No setting raises this bound."
	case abi.LimitHostCalls:
		return "The plugin calls the host too often. Grant it less work at a time; the operator can raise limits.hostCalls."
	case abi.LimitHostBytes:
		return "The plugin passes too many bytes to the host. Grant it less work at a time; the operator can raise limits.hostBytes."
	case abi.LimitOutput:
		return "The answer is too large. Ask for a page, or bind a parameter. The operator can raise limits.outputBytes."
	case abi.LimitSource:
		return "The source text of the package is too large. Split it, or move facts to facts files. The operator can raise limits.sourceBytes."
	case abi.LimitBody:
		return "The ad-hoc text is too large. Put the definitions into the package and call them by name. The operator can raise limits.bodyBytes."
	}
	return "Ask for less, or ask the operator to raise the limit."
}
