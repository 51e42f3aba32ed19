//go:build wasip1

package guest

// Level is the severity of a log line, as in the WIT.
type Level uint8

// The levels.
const (
	Debug Level = iota
	Info
	Warn
	Error
)

//go:wasmimport ox:plugin/log@0.1.0 write
func write(level uint32, message string)

// Log writes a line to the host's log. A plugin that calls it imports
// ox:plugin/log and needs the grant for it.
func Log(level Level, message string) { write(uint32(level), message) }
