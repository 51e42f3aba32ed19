package runtime

import (
	"context"
	"sync"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/governor"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
	"github.com/ox-mcp/ox-mcp/host/store"
)

// kept is a state of a scope that is kept for reads. One read at a time runs
// on work and leaves there what it derived; a read that finds work taken runs
// on a clone of still, which nobody calls.
type kept struct {
	tt    int64
	from  store.Moment  // right from here …
	until *store.Moment // … to here (nil: for ever)

	turn  sync.Mutex // held by the read that runs on work
	work  *sandbox.Instance
	still *sandbox.Instance // nil: there was no room for it

	users   int  // reads that hold it; guarded by the scope, as is what follows
	retired bool // to be closed by its last user
}

// keep makes in a kept state, and owns it from here on; shared says that reads
// may come at the same time.
func keep(ctx context.Context, in *sandbox.Instance, tt int64, from store.Moment, until *store.Moment, shared bool) *kept {
	k := &kept{tt: tt, from: from, until: until, work: in}
	if !shared {
		return k
	}
	// Without room for a second instance reads take turns, which is right too.
	if still, err := in.Clone(ctx); err == nil {
		k.still = still
	}
	return k
}

// covers reports whether the state is that of the instant vt.
func (k *kept) covers(vt store.Moment) bool {
	return k != nil && !k.retired && !vt.Before(k.from) && (k.until == nil || vt.Before(*k.until))
}

// later makes the state that of the stamp tt, up to which nothing was written
// about the instant vt, and about what follows from until on at the earliest.
// The scope's lock is held.
func (k *kept) later(tt int64, vt store.Moment, until *store.Moment) {
	k.tt, k.from = tt, vt
	if k.until == nil || until != nil && until.Before(*k.until) {
		k.until = until
	}
}

// retire closes the state once nobody holds it. The scope's lock is held.
func (k *kept) retire(ctx context.Context) {
	if k == nil {
		return
	}
	k.retired = true
	if k.users == 0 {
		drop(ctx, &k.work)
		drop(ctx, &k.still)
	}
}

// release gives back a hold. The scope's lock is held.
func (k *kept) release(ctx context.Context) {
	if k.users--; k.retired {
		k.retire(ctx)
	}
}

// clone returns an instance of the state that is the caller's alone: of work,
// which knows what was derived, where that is free. The scope's lock is held
// and given up while the clone must wait.
func (sc *scopeState) clone(ctx context.Context, k *kept) (*sandbox.Instance, error) {
	for {
		in, err := sc.tryClone(ctx, k)
		limit := governor.FromError(err)
		if limit == nil || limit.Limit != abi.LimitMemory || !sc.spare(ctx, k) {
			return in, err
		}
	}
}

// spare gives back memory that a clone of k can do without. The scope's lock is
// held.
func (sc *scopeState) spare(ctx context.Context, k *kept) bool {
	for _, p := range sc.past {
		if p != k && p.users == 0 {
			sc.forget(ctx, p)
			return true
		}
	}
	if k.still != nil {
		drop(ctx, &k.still)
		return true
	}
	return false
}

func (sc *scopeState) tryClone(ctx context.Context, k *kept) (*sandbox.Instance, error) {
	if k.turn.TryLock() {
		defer k.turn.Unlock()
		return k.work.Clone(ctx)
	}
	if k.still != nil {
		if in, err := k.still.Clone(ctx); err == nil {
			return in, nil
		}
	}
	k.users++
	sc.mu.Unlock()
	k.turn.Lock()
	in, err := k.work.Clone(ctx)
	k.turn.Unlock()
	sc.mu.Lock()
	k.release(ctx)
	return in, err
}

// on runs f with an instance of the state k: on work itself where that is free
// and f does not spoil it, else on a clone. The scope's lock is held, and given
// up while f runs.
func (sc *scopeState) on(ctx context.Context, k *kept, spoils bool, f func(in *sandbox.Instance) error) error {
	if !spoils && k.turn.TryLock() {
		k.users++
		sc.mu.Unlock()
		err := f(k.work)
		k.turn.Unlock()
		sc.mu.Lock()
		if dead(err) {
			sc.forget(ctx, k)
		}
		k.release(ctx)
		return err
	}
	in, err := sc.clone(ctx, k)
	if err != nil {
		return err
	}
	sc.mu.Unlock()
	defer sc.mu.Lock()
	defer drop(ctx, &in)
	return f(in)
}

// forget retires a state, so that the next read makes it anew. The scope's
// lock is held.
func (sc *scopeState) forget(ctx context.Context, k *kept) {
	if sc.head == k {
		sc.head = nil
	}
	for i, p := range sc.past {
		if p == k {
			sc.past = append(sc.past[:i:i], sc.past[i+1:]...)
			break
		}
	}
	k.retire(ctx)
}

// make makes the state at (tt, vt). Where there is no memory for it, states
// that nobody reads just now give theirs back: the least recently used first.
// sc.mu is held.
func (sc *scopeState) make(ctx context.Context, g *generation, scope store.Scope, tt int64, vt store.Moment) (*sandbox.Instance, *store.Moment, error) {
	for {
		in, until, err := g.at(ctx, scope, sc.view, tt, vt)
		limit := governor.FromError(err)
		if limit == nil || limit.Limit != abi.LimitMemory || !sc.evict(ctx) && !g.evict(ctx) {
			return in, until, err
		}
	}
}

// evict retires one state that nobody holds and that can be made again. It
// reports whether there was one. sc.mu is held.
func (sc *scopeState) evict(ctx context.Context) bool {
	for _, k := range sc.past {
		if k.users == 0 {
			sc.forget(ctx, k)
			return true
		}
	}
	if k := sc.head; k != nil && k.users == 0 {
		sc.forget(ctx, k)
		return true
	}
	return false
}

// evict is evict for any scope. Scopes in use are passed over: waiting for one
// could mean that two wait for each other.
func (g *generation) evict(ctx context.Context) bool {
	g.mu.Lock()
	scopes := make([]*scopeState, 0, len(g.scopes))
	for _, sc := range g.scopes {
		scopes = append(scopes, sc)
	}
	g.mu.Unlock()
	for _, sc := range scopes {
		if sc.mu.TryLock() {
			freed := sc.evict(ctx)
			sc.mu.Unlock()
			if freed {
				return true
			}
		}
	}
	return false
}
