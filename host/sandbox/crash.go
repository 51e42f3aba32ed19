package sandbox

import (
	"fmt"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
)

// crash tells a guest that ran into a refused growth, or into the runtime's
// own stack limit, from one that trapped by itself.
func (in *Instance) crash(err error) *Trap {
	message, _ := splitStack(err.Error())
	if r := in.memory.refused; r != nil {
		t := breach(OutOfMemory, abi.LimitMemory, r.allowed, r.asked)
		t.Detail = "a growth of the memory was refused, then: " + message
		if r.total {
			t.Detail = "all instances together are at their limit; " + t.Detail
		}
		return t
	}
	if strings.Contains(message, "stack overflow") {
		frames := in.meter.frames()
		t := breach(Depth, abi.LimitDepth, frames, frames)
		t.Detail = message
		return t
	}
	return &Trap{Kind: Crash, Detail: message}
}

// splitStack takes the runtime's error text apart: the message, and the guest
// functions, innermost first, one a line. The runtime gives some thirty.
func splitStack(text string) (message, stack string) {
	message, rest, found := strings.Cut(text, "\nwasm stack trace:\n")
	message = strings.TrimSuffix(message, " (recovered by wazero)")
	message = cut(strings.TrimPrefix(message, "wasm error: "), 1024)
	if !found {
		return message, ""
	}
	rest, _, _ = strings.Cut(rest, "\n\n")
	lines := strings.Split(rest, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimPrefix(strings.TrimSpace(l), ".")
	}
	return message, cut(strings.Join(lines, "\n"), stackBytes)
}

// stackBytes bounds the stack of a trap: its names are the guest's.
const stackBytes = 16 << 10

// cut shortens a text that a guest had a hand in.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// guestExit is the panic of proc_exit. It is not yet a Trap: a guest exits
// when it is out of memory, too.
type guestExit struct{ code uint32 }

func (e *guestExit) Error() string { return fmt.Sprintf("the guest exited with code %d", e.code) }
