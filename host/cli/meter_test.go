package cli

import (
	"strings"
	"testing"
	"time"
)

func TestProgressIsShownToWhoWaits(t *testing.T) {
	now := time.Unix(0, 0)
	var out strings.Builder
	m := newMeter(&out, func() time.Time { return now })
	m.report("reading", 1, 2)
	if out.String() != "" {
		t.Errorf("shown at once: %q", out.String())
	}
	now = now.Add(patience)
	m.report("compiling", 1, 3)
	m.report("compiling", 2, 3)
	m.report("loading", 2, 0)
	if want := "compiling (1 of 3)\nloading\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}
