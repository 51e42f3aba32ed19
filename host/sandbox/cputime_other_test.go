//go:build !linux

package sandbox

import (
	"testing"
	"time"
)

// processorTime is the wall's clock where there is no other.
func processorTime(*testing.B) func() time.Duration {
	start := time.Now()
	return func() time.Duration { return time.Since(start) }
}
