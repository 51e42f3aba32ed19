//go:build linux && !race

package engine

import (
	"fmt"
	"os"
	"syscall"
	"testing"
)

// The sandbox bounds the memory of a guest; run natively, nothing does. With
// this a test that runs away ends with its stack, and not with the machine.
func TestMain(m *testing.M) {
	const most = 12 << 30
	if err := syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: most, Max: most}); err != nil {
		fmt.Fprintln(os.Stderr, "the memory of these tests is not bounded:", err)
	}
	os.Exit(m.Run())
}
