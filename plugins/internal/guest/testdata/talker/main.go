//go:build wasip1

// Command talker is a plugin of one export that writes its request to the log
// and fails on an empty one.
package main

import (
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/internal/guest"
)

func main() {}

//go:wasmexport say
func say(ptr, size uint32) uint32 {
	return guest.Handle(ptr, size, func(b []byte) ([]byte, *abi.Failure) {
		guest.Log(guest.Warn, string(b))
		return b[:1], nil
	})
}
