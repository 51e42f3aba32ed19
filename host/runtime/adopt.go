package runtime

import (
	"context"
	"slices"

	"github.com/ox-mcp/ox-mcp/host/sandbox"
	"github.com/ox-mcp/ox-mcp/host/store"
)

// adopt makes the state after the write the head. That is the clone, where the
// write is about now and all that is later, for then the clone has what the checks
// were evaluated for. Otherwise the clone shows more than the head may, and the
// head is taken on by what holds now of the write.
func (w *write) adopt(ctx context.Context, sc *scopeState, clone **sandbox.Instance, c store.Commit) {
	sc.mu.Lock()
	defer sc.mu.Unlock()
	vt, old := w.ses.point.vt, sc.head
	visible, next := store.VisibleAt(c.Events, vt)
	if len(visible) == 0 && len(w.days) == 0 && !w.ses.s.cfg.Frozen && old.covers(vt) && old.tt == w.ses.point.tt {
		old.later(c.TT, vt, next)
		return
	}
	in, until := w.successor(ctx, sc, clone, visible, len(c.Events)), w.until
	if next != nil && (until == nil || next.Before(*until)) {
		until = next
	}
	// While a clone was waited for, the head may have become another one.
	sc.head.retire(ctx)
	sc.head = nil
	if in != nil {
		sc.head = keep(ctx, in, c.TT, vt, until, true)
	}
}

// successor returns an instance of the state after the write; nil: there is none,
// and the next call makes one. The scope's lock is held.
func (w *write) successor(ctx context.Context, sc *scopeState, clone **sandbox.Instance, visible []store.Event, events int) (in *sandbox.Instance) {
	ses, old := w.ses, sc.head
	if ses.s.cfg.Frozen {
		return nil
	}
	ended := func(e store.Event) bool { return e.ValidTo != nil }
	if w.detached && len(visible) == events && !slices.ContainsFunc(visible, ended) {
		if in, *clone = *clone, nil; !w.dated && ses.takeIn(ctx, in, w.days) != nil {
			drop(ctx, &in)
		}
		return in
	}
	if !old.covers(ses.point.vt) || old.tt != ses.point.tt {
		return nil
	}
	in, err := sc.clone(ctx, old)
	if err != nil {
		return nil
	}
	if ses.takeIn(ctx, in, append(ses.m.replay(visible).Deltas, w.days...)) != nil {
		drop(ctx, &in)
	}
	return in
}
