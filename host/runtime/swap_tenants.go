package runtime

import (
	"context"
	"sync"

	"github.com/ox-mcp/ox-mcp/host/store"
)

// tenants counts the generations on a build, so that a build which serves no
// more is closed when the last of them is.
type tenants struct {
	mu      sync.Mutex
	count   int
	retired bool
}

func (t *tenants) come() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.count++
}

// leave says that a generation on p is closed.
func (t *tenants) leave(ctx context.Context, p *plugin) {
	t.mu.Lock()
	t.count--
	last := t.retired && t.count == 0
	t.mu.Unlock()
	if last {
		p.unload(ctx)
	}
}

// retire says that no generation will come to p any more.
func (t *tenants) retire(ctx context.Context, p *plugin) {
	t.mu.Lock()
	last := !t.retired && t.count == 0
	t.retired = true
	t.mu.Unlock()
	if last {
		p.unload(ctx)
	}
}

// unload frees the compiled code.
func (p *plugin) unload(ctx context.Context) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.module != nil {
		// The code is gone either way: there is nothing to do about an error.
		_ = p.module.Close(context.WithoutCancel(ctx))
	}
	if p.tally != nil {
		p.ledger.give(p.tally)
	}
}

// writers holds a lock a scope: one write at a time, also where the calls hold
// different generations.
type writers struct {
	mu   sync.Mutex
	lock map[store.Scope]*sync.Mutex
}

func (w *writers) of(sc store.Scope) *sync.Mutex {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.lock == nil {
		w.lock = map[store.Scope]*sync.Mutex{}
	}
	if w.lock[sc] == nil {
		w.lock[sc] = &sync.Mutex{}
	}
	return w.lock[sc]
}
