package runtime

import (
	"context"
	"slices"
	"sync"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/store"
)

// history is the log of a session's scope at a stamp.
type history struct {
	tt     int64
	events []store.Event
}

// history returns the recorded events up to the session's read point, which it
// asks the store for once. Nobody writes to the slice.
func (ses *session) history(ctx context.Context) ([]store.Event, error) {
	if ses.told == nil || ses.told.tt != ses.point.tt {
		events, err := ses.s.cfg.Log.Events(ctx, ses.scope, 0, ses.point.tt)
		if err != nil {
			return nil, storeError(err)
		}
		ses.told = &history{ses.point.tt, events}
	}
	return ses.told.events, nil
}

// archive keeps the annals of scopes.
type archive struct {
	mu      sync.Mutex
	byScope map[store.Scope]*annals
}

// upTo returns the annals of a scope, read on to the stamp tt.
func (a *archive) upTo(ctx context.Context, log store.Log, scope store.Scope, tt int64) (*annals, error) {
	a.mu.Lock()
	if a.byScope == nil {
		a.byScope = map[store.Scope]*annals{}
	}
	n := a.byScope[scope]
	if n == nil {
		n = newAnnals()
		a.byScope[scope] = n
	}
	a.mu.Unlock()
	return n, n.readOn(ctx, log, scope, tt)
}

// drop forgets a scope from which events were erased.
func (a *archive) drop(scope store.Scope) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.byScope, scope)
}

// annals are what calls want to know of a whole log, by the stamp at which it
// became so: a call reads on from where the last one ended, and a read of the
// past asks for what was so then. A nil one knows nothing.
type annals struct {
	mu       sync.RWMutex
	tt       int64                // up to which the log was read
	names    map[[16]byte][]dated // what a minted individual was called, the last at the end
	concepts map[[16]byte]dated   // the first that it was put in
	written  map[string]int64     // individuals with a name of their own that facts are about
	spoken   map[spoken]int64     // relations that facts are about
}

type dated struct {
	tt   int64
	text string
}

type spoken struct {
	relation string
	inLayer  bool // by a standpoint
}

func newAnnals() *annals {
	return &annals{names: map[[16]byte][]dated{}, concepts: map[[16]byte]dated{}, written: map[string]int64{}, spoken: map[spoken]int64{}}
}

func (a *annals) readOn(ctx context.Context, log store.Log, scope store.Scope, tt int64) error {
	a.mu.RLock()
	known := a.tt
	a.mu.RUnlock()
	if tt <= known {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	events, err := log.Events(ctx, scope, a.tt, tt)
	if err != nil {
		return storeError(err)
	}
	for i := range events {
		a.note(&events[i])
		a.tt = events[i].TT // and not tt, by which more may be written yet
	}
	return nil
}

func (a *annals) note(e *store.Event) {
	of := spoken{e.Relation, e.Layer != ""}
	if _, ok := a.spoken[of]; !ok {
		a.spoken[of] = e.TT
	}
	for _, v := range e.Tuple {
		if v.Kind != abi.KindNamed {
			continue
		}
		if _, ok := a.written[v.Str]; !ok {
			a.written[v.Str] = e.TT
		}
	}
	if len(e.Tuple) == 0 || e.Tuple[0].Kind != abi.KindMinted {
		return
	}
	id := e.Tuple[0].ID
	if name, ok := nameGiven(e.Relation, e.Tuple); ok {
		a.names[id] = append(a.names[id], dated{e.TT, name})
		return
	}
	if _, ok := a.concepts[id]; ok {
		return
	}
	if concept := conceptGiven(e.Relation, e.Tuple); concept != "" {
		a.concepts[id] = dated{e.TT, concept}
	}
}

// name is what a minted individual was called at a stamp, or "".
func (a *annals) name(id [16]byte, tt int64) string {
	if a == nil {
		return ""
	}
	a.mu.RLock()
	defer a.mu.RUnlock()
	return nameAt(a.names[id], tt)
}

func nameAt(list []dated, tt int64) string {
	for _, d := range slices.Backward(list) {
		if d.tt <= tt {
			return d.text
		}
	}
	return ""
}

// concept is the concept that a minted individual was in at a stamp, or "".
func (a *annals) concept(id [16]byte, tt int64) string {
	if a == nil {
		return ""
	}
	a.mu.RLock()
	defer a.mu.RUnlock()
	if d := a.concepts[id]; d.tt <= tt {
		return d.text
	}
	return ""
}

// called lists the minted individuals that had a name at a stamp.
func (a *annals) called(name string, tt int64) (ids [][16]byte) {
	if a == nil {
		return nil
	}
	a.mu.RLock()
	defer a.mu.RUnlock()
	for id, list := range a.names {
		if nameAt(list, tt) == name {
			ids = append(ids, id)
		}
	}
	return ids
}

// ending lists the minted individuals that were first put in a concept, by its
// short name, and whose printed id ends so.
func (a *annals) ending(concept, end string, tt int64) (ids [][16]byte) {
	if a == nil {
		return nil
	}
	a.mu.RLock()
	defer a.mu.RUnlock()
	for id, d := range a.concepts {
		if d.tt <= tt && d.text == concept && shortID(id) == end {
			ids = append(ids, id)
		}
	}
	return ids
}

// about reports whether facts were about an individual at a stamp.
func (a *annals) about(name string, tt int64) bool {
	if a == nil {
		return false
	}
	a.mu.RLock()
	defer a.mu.RUnlock()
	at, ok := a.written[name]
	return ok && at <= tt
}

// individuals lists those that facts were about at a stamp, sorted.
func (a *annals) individuals(tt int64) (out []string) {
	if a == nil {
		return nil
	}
	a.mu.RLock()
	defer a.mu.RUnlock()
	for name, at := range a.written {
		if at <= tt {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// spokenOf calls do with the relations that facts were about at a stamp.
func (a *annals) spokenOf(tt int64, do func(relation string, inLayer bool)) {
	a.mu.RLock()
	defer a.mu.RUnlock()
	for of, at := range a.spoken {
		if at <= tt {
			do(of.relation, of.inLayer)
		}
	}
}
