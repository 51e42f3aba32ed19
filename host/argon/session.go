package argon

import (
	"context"
	"slices"
	"sync"

	"github.com/ox-mcp/ox-mcp/host/argon/load"
)

// Session compiles one package again and again, as it is edited, and does not
// do again what an edit leaves as it is: a file whose text is the same keeps
// its syntax tree, and a package of which nothing changed its Result. What it
// gives is what Load and Compile give. It holds the last compilation. Its zero
// value is ready, and it may be used from several goroutines.
type Session struct {
	mu   sync.Mutex
	last *Result // never changed
	mode Options
}

// Compile loads and compiles a package. The caller may change the lists of the
// Result and of its Workspace, and nothing below them. The error is load.Load's.
func (s *Session) Compile(ctx context.Context, from load.Options, o Options) (*Result, error) {
	s.mu.Lock()
	last, mode := s.last, s.mode
	s.mu.Unlock()
	if last != nil {
		from.Previous = last.Workspace
	}
	ws, err := load.Load(ctx, from)
	if err != nil {
		return nil, err
	}
	if last != nil && mode == o && ws.Same(last.Workspace) {
		return last.copy(), nil
	}
	r := Compile(ctx, ws, o)
	if ctx.Err() == nil {
		s.mu.Lock()
		s.last, s.mode = r.copy(), o
		s.mu.Unlock()
	}
	return r, nil
}

// copy returns a Result with lists of its own.
func (r *Result) copy() *Result {
	out, ws := *r, *r.Workspace
	ws.Inputs = slices.Clone(ws.Inputs)
	out.Workspace, out.Diagnostics = &ws, slices.Clone(r.Diagnostics)
	return &out
}
