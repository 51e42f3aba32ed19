// Package governor says what a call may use: how a caller's wish meets the
// operator's ceiling, and what a caller is told when a limit stopped it. The
// limits themselves are enforced where the work is done: in the sandbox, in
// the guests and in the runtime.
package governor
