package runtime

import (
	"context"
	"strings"

	"github.com/ox-mcp/ox-mcp/host/argon/load"
)

// aheadBytes is the size of the sources from which on compiling them takes longer
// than to admit a plugin.
const aheadBytes = 256 << 10

// aheadOf admits the reasoner while the package is compiled, if it is large. stop
// gives up what is not done, and must be called.
func (s *Service) aheadOf(ctx context.Context, ws *load.Workspace) (stop func()) {
	size := 0
	for path, source := range ws.Sources {
		if !strings.HasPrefix(path, "std/") {
			size += len(source.Text)
		}
	}
	if size < aheadBytes {
		return func() {}
	}
	return s.reasonerNow().ahead(ctx)
}

// ahead admits the plugin beside what its caller does. Whoever needs it then waits
// for that, or gets the refusal that it ended in. stop forgets a refusal that
// nobody asked about: by the next time its cause may be gone.
func (p *plugin) ahead(ctx context.Context) (stop func()) {
	// Taken here, so that nobody can come before it.
	if !p.mu.TryLock() {
		return func() {}
	}
	ctx, cancel := context.WithCancel(WithProgress(ctx, nil))
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer p.mu.Unlock()
		if _, err := p.admit(ctx); err != nil && ctx.Err() == nil {
			p.refusal = err
		}
	}()
	return func() {
		cancel()
		<-done
		p.mu.Lock()
		defer p.mu.Unlock()
		p.refusal = nil
	}
}
