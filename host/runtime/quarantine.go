package runtime

import (
	"errors"
	"fmt"
	"time"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
)

// A build that goes wrong by itself quarantineTraps times within
// quarantineSpan is not called again.
const (
	quarantineTraps = 5
	quarantineSpan  = 60 * time.Second
)

// quarantine watches one build. A limit that stops a call is no fault of the
// build and does not count.
type quarantine struct {
	at     []time.Time // of the latest traps, oldest first
	reason string      // why the build is not called any more; empty: it is
}

// note counts one trap at the instant now.
func (q *quarantine) note(now time.Time, what string) {
	if q.reason != "" {
		return
	}
	q.at = append(q.at, now)
	if len(q.at) > quarantineTraps {
		q.at = q.at[1:]
	}
	if len(q.at) == quarantineTraps && now.Sub(q.at[0]) <= quarantineSpan {
		q.reason = fmt.Sprintf("%d traps within %s, the last: %s", quarantineTraps, quarantineSpan, abridgeLine(what))
	}
}

// faultOf says what the build did wrong by itself; ok is false where err is
// an answer, a limit, or the caller's going away.
func faultOf(err error) (what string, ok bool) {
	var trap *sandbox.Trap
	var failure *abi.Failure
	switch {
	case errors.As(err, &trap):
		return trap.Error(), trap.Kind == sandbox.Crash || trap.Kind == sandbox.BadOutput
	case errors.As(err, &failure):
		// A guest that catches its own crash reports it so.
		return failure.Error(), failure.Code == abi.FailureInternal
	}
	return "", false
}

// fault counts what err says the build did wrong.
func (p *plugin) fault(err error) {
	what, ok := faultOf(err)
	if !ok {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tally.add(1, 0, 0)
	p.quarantine.note(p.clock(), what)
}

// nonsense counts an answer that does not parse or does not fit its request.
func (p *plugin) nonsense(what string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tally.add(1, 0, 0)
	p.quarantine.note(p.clock(), what)
	return &Error{Status: 500, Code: "PLUGIN_BAD_OUTPUT", Message: p.source.Name + " " + what}
}

// quarantined is the error of every use of a build in quarantine. p.mu is
// held.
func (p *plugin) quarantined() error {
	if p.quarantine.reason == "" {
		return nil
	}
	details := nextStatus()
	details["reason"] = p.quarantine.reason
	return &Error{Status: 500, Code: "PLUGIN_QUARANTINED", Details: details,
		Message: fmt.Sprintf("%s is in quarantine: %s. Use another build, or restart to try this one again", p.source.Name, p.quarantine.reason)}
}

func abridgeLine(s string) string {
	for i, c := range s {
		if c == '\n' || i > 200 {
			return s[:i] + "…"
		}
	}
	return s
}
