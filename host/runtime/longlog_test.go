package runtime_test

import (
	"context"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/runtime"
	"github.com/ox-mcp/ox-mcp/host/store"
)

// counted counts how often a log is read from its beginning.
type counted struct {
	store.Log
	whole int // times that the log was asked for from its beginning
}

func (c *counted) Events(ctx context.Context, s store.Scope, after, tt int64) ([]store.Event, error) {
	if after == 0 && tt > 0 {
		c.whole++
	}
	return c.Log.Events(ctx, s, after, tt)
}

// Once the states stand, reads do not read the log, and a write does so once at
// most, whatever has to be judged.
func TestALogIsReadOnceAWrite(t *testing.T) {
	p := open(t, map[string]string{"ox.toml": longManifest, "root.ar": longSource}, nil)
	log := &counted{Log: store.NewMemory()}
	p.log = log
	p.Service = p.another(nil)
	weigh := func(n int) { p.accepted("weigh", args("s", "kestrel", "n", n)) }
	weigh(1)
	for _, c := range []struct {
		what string
		most int
		call func()
	}{
		{"a read", 0, func() { p.query("all", runtime.Common{}) }},
		{"a read after a write from elsewhere", 0, func() {
			p.from("coastguard", "weigh", args("s", "kestrel", "n", 600))
			p.query("apart", runtime.Common{})
		}},
		{"a write", 0, func() { weigh(500) }},
		{"a write at a date", 1, func() { p.accepted("weigh_on", args("s", "kestrel", "n", 7, "d", "2031-08-01")) }},
	} {
		c.call()
		log.whole = 0
		c.call()
		if log.whole > c.most {
			t.Errorf("%s reads the log %d times, want %d", c.what, log.whole, c.most)
		}
	}
}
