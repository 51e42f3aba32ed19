package argon

import (
	"context"
	"slices"
	"sync"

	"github.com/ox-mcp/ox-mcp/host/argon/load"
)

// Session compiles one package again and again, as it is edited, and does not
// do again what an edit leaves as it is: a file whose text is the same keeps
// its syntax tree, a package of which nothing changed its Result, and of one in
// which only bodies of items changed Check looks at those alone. What it gives
// is what Load and Compile give. It holds the last compilation, and the last
// without tests. Its zero value is ready, and it may be used from several
// goroutines.
type Session struct {
	mu   sync.Mutex
	last *Result // never changed
	mode Options // of last
	// basis is the last compilation without tests that was made from nothing,
	// of sources without mistakes that the parser found.
	basis *basis
}

// Compile loads and compiles a package. The caller may change the lists of the
// Result and of its Workspace, and nothing below them. The error is load.Load's.
func (s *Session) Compile(ctx context.Context, from load.Options, o Options) (*Result, error) {
	return s.compile(ctx, from, o, false)
}

// Check is Compile of a package without tests for a caller that wants the
// diagnostics. The Result has them all. Where it could be made from an earlier
// one it has an Edit, and no module.
func (s *Session) Check(ctx context.Context, from load.Options) (*Result, error) {
	return s.compile(ctx, from, Options{}, true)
}

func (s *Session) compile(ctx context.Context, from load.Options, o Options, check bool) (*Result, error) {
	s.mu.Lock()
	last, mode, basis := s.last, s.mode, s.basis
	s.mu.Unlock()
	if last != nil {
		from.Previous = last.Workspace
	}
	ws, err := load.Load(ctx, from)
	if err != nil {
		return nil, err
	}
	if last != nil && mode == o && (check || last.Edit == nil) && ws.Same(last.Workspace) {
		return last.copy(), nil
	}
	if basis != nil && !o.TestMode && ws.Same(basis.result.Workspace) {
		s.keep(basis.result, o, basis)
		return basis.result.copy(), nil
	}
	if check && basis != nil {
		if r, ok := basis.after(ctx, ws); ok {
			s.keep(r, o, basis)
			return r.copy(), nil
		}
	}
	made := compile(ctx, ws, o, !o.TestMode, nil)
	if ctx.Err() == nil {
		// What comes after a text that cannot be read is most often the text
		// before it, mended.
		if !o.TestMode && (basis == nil || !ws.Misread()) {
			basis = made
		}
		s.keep(made.result, o, basis)
	}
	return made.result.copy(), nil
}

func (s *Session) keep(last *Result, o Options, b *basis) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last, s.mode, s.basis = last, o, b
}

// copy returns a Result with lists of its own.
func (r *Result) copy() *Result {
	out, ws := *r, *r.Workspace
	ws.Inputs = slices.Clone(ws.Inputs)
	out.Workspace, out.Diagnostics = &ws, slices.Clone(r.Diagnostics)
	return &out
}
