package runtime

import (
	"context"
	"sync"

	"github.com/ox-mcp/ox-mcp/host/sandbox"
	"github.com/ox-mcp/ox-mcp/host/store"
)

// maxReading bounds the instances that one reading keeps: one for each
// standpoint that it is read from.
const maxReading = 4

// reading are the states that the pages of one answer were read from, where
// calls run on instances of their own.
type reading struct {
	mu   sync.Mutex
	free map[readingKey]*sandbox.Instance // nil: the reading is over
}

type readingKey struct {
	g     *generation
	scope store.Scope
	view  string
	tt    int64
	vt    store.Moment
}

type readingContext struct{}

// Whole reads an answer to its end, a page at a time where it is too long for
// one. In a frozen run each call has an instance that nothing used before: the
// pages of one answer are one call, and share it.
func Whole(ctx context.Context, c Common, read func(context.Context, Common) (*RowsResult, error)) (*RowsResult, error) {
	r := &reading{free: map[readingKey]*sandbox.Instance{}}
	defer r.end(ctx)
	ctx = context.WithValue(ctx, readingContext{}, r)
	all, err := read(ctx, c)
	if err != nil || all.Code != CodeResultTooLarge {
		return all, err
	}
	c.Page = &Page{}
	if all, err = read(ctx, c); err != nil {
		return nil, err
	}
	stale := all.StaleArtifact
	for !all.Refused() && all.NextCursor != "" {
		c.Page.Cursor, c.Page.atOnce = all.NextCursor, true
		next, err := read(ctx, c)
		if err != nil {
			return nil, err
		}
		all.Rows = append(all.Rows, next.Rows...)
		all.NextCursor, all.Outcome = next.NextCursor, next.Outcome
		all.StaleArtifact = stale
	}
	return all, nil
}

// end closes what the reading kept, and keeps nothing more.
func (r *reading) end(ctx context.Context) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, in := range r.free {
		drop(ctx, &in)
	}
	r.free = nil
}

// alone calls f with an instance that was made for it, or for an earlier page
// of the same reading. Where keep is false f may spoil it.
func (g *generation) alone(ctx context.Context, scope store.Scope, p readPoint, keep bool, f func(in *sandbox.Instance) error) error {
	r, _ := ctx.Value(readingContext{}).(*reading)
	if !keep || recorderOf(ctx) != nil {
		r = nil // a recording has all that its call rests on
	}
	key := readingKey{g, scope, p.view, p.tt, p.vt}
	in := r.take(key)
	if in == nil {
		var err error
		if in, _, err = g.at(ctx, scope, p.view, p.tt, p.vt); err != nil {
			return err
		}
	}
	err := f(in)
	if dead(err) || !r.put(key, in) {
		drop(ctx, &in)
	}
	return err
}

func (r *reading) take(key readingKey) *sandbox.Instance {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	in := r.free[key]
	delete(r.free, key)
	return in
}

// put reports whether the instance is kept.
func (r *reading) put(key readingKey, in *sandbox.Instance) bool {
	if r == nil {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.free == nil || r.free[key] != nil || len(r.free) >= maxReading {
		return false
	}
	r.free[key] = in
	return true
}
