package sandbox

import (
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// processorTime returns a clock of the work of this thread alone, which others
// on the machine disturb less than the wall's.
func processorTime(b *testing.B) func() time.Duration {
	runtime.LockOSThread()
	b.Cleanup(runtime.UnlockOSThread)
	return func() time.Duration {
		var t unix.Timespec
		must(b, unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t))
		return time.Duration(t.Nano())
	}
}
