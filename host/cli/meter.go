package cli

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// patience is how long a call may take before its progress is shown.
const patience = 2 * time.Second

// meter writes progress to a terminal once a call has taken longer than
// patience.
type meter struct {
	mu    sync.Mutex
	w     io.Writer
	now   func() time.Time
	start time.Time
	last  string
}

func newMeter(w io.Writer, now func() time.Time) *meter {
	return &meter{w: w, now: now, start: now()}
}

func (m *meter) report(message string, done, total float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.now().Sub(m.start) < patience || message == m.last {
		return
	}
	m.last = message
	if total > 0 {
		message += fmt.Sprintf(" (%.0f of %.0f)", done, total)
	}
	fmt.Fprintln(m.w, message)
}
