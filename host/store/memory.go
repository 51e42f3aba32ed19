package store

import (
	"context"
	"slices"
	"sort"
	"sync"
)

// Memory is a Log that lives as long as the process.
type Memory struct {
	mu     sync.Mutex
	scopes map[Scope]*memoryScope
}

type memoryScope struct {
	stamp   int64
	commits []Commit
	events  []Event
}

// NewMemory returns an empty Log in memory.
func NewMemory() *Memory { return &Memory{scopes: map[Scope]*memoryScope{}} }

func (m *Memory) scope(s Scope) *memoryScope {
	if m.scopes[s] == nil {
		m.scopes[s] = &memoryScope{}
	}
	return m.scopes[s]
}

// Append implements Log.
func (m *Memory) Append(ctx context.Context, s Scope, t Transaction) (Commit, error) {
	if err := ctx.Err(); err != nil {
		return Commit{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	sc := m.scope(s)
	if t.After != sc.stamp {
		return Commit{}, ErrConflict
	}
	sc.stamp += 2
	t.Events = append([]Event(nil), t.Events...)
	for i := range t.Events {
		t.Events[i].TT = sc.stamp
	}
	c := Commit{TT: sc.stamp, Transaction: t}
	sc.commits = append(sc.commits, c)
	sc.events = append(sc.events, t.Events...)
	return c, nil
}

// Events implements Log.
func (m *Memory) Events(_ context.Context, s Scope, after, tt int64) ([]Event, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := m.scope(s).events
	upTo := func(tt int64) int { return sort.Search(len(all), func(i int) bool { return all[i].TT > tt }) }
	from := upTo(after)
	return slices.Clip(all[from:max(from, upTo(tt))]), nil
}

// Stamp implements Log.
func (m *Memory) Stamp(_ context.Context, s Scope) (int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.scope(s).stamp, nil
}

// Find implements Log.
func (m *Memory) Find(_ context.Context, s Scope, key string) (Commit, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range m.scope(s).commits {
		if key != "" && c.Key == key {
			return c, true, nil
		}
	}
	return Commit{}, false, nil
}

// Purge implements Log.
func (m *Memory) Purge(_ context.Context, s Scope, relations map[string]bool) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	sc := m.scope(s)
	kept := sc.events[:0:0]
	for _, e := range sc.events {
		if !relations[e.Relation] {
			kept = append(kept, e)
		}
	}
	sc.events = kept
	return nil
}

// Close implements Log.
func (m *Memory) Close() error { return nil }
