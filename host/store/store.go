// Package store is the bitemporal event log: what was asserted and retracted,
// when it was recorded (transaction time, a counter of the scope) and when it
// holds (valid time, a half-open interval). Nothing is overwritten: a state is
// the fold of the events that are visible at a read point.
package store

import (
	"context"
	"errors"

	"github.com/ox-mcp/ox-mcp/abi"
)

// Scope is what a log is kept for.
type Scope struct {
	Tenant string
	Fork   string
}

// Moment is an instant in UTC: seconds since 1970-01-01T00:00:00Z and
// nanoseconds (0 to 999,999,999).
type Moment struct {
	Seconds int64
	Nanos   int32
}

// Before reports whether m is earlier than o.
func (m Moment) Before(o Moment) bool {
	return m.Seconds < o.Seconds || m.Seconds == o.Seconds && m.Nanos < o.Nanos
}

// MomentOf returns the moment of a KindInstant or KindDay value (a day is its
// first instant).
func MomentOf(v abi.Value) Moment {
	if v.Kind == abi.KindDay {
		return Moment{Seconds: v.Int * abi.SecondsPerDay}
	}
	return Moment{Seconds: v.Int, Nanos: v.Nano}
}

// Value returns m as a KindInstant value.
func (m Moment) Value() abi.Value {
	return abi.Value{Kind: abi.KindInstant, Int: m.Seconds, Nano: m.Nanos}
}

// Event is one assertion or retraction of a tuple.
type Event struct {
	ID        [16]byte // UUIDv7
	TT        int64    // transaction stamp: even, from 2 on
	Remove    bool
	Relation  string // name of the base relation: "root::Ship+", "root::Ship.length"
	Tuple     []abi.Value
	Layer     string // the standpoint that it was written from, qualified; empty: none
	ValidFrom Moment
	ValidTo   *Moment // nil: no end
}

// Valid reports whether the event speaks about the instant vt.
func (e *Event) Valid(vt Moment) bool {
	return !vt.Before(e.ValidFrom) && (e.ValidTo == nil || vt.Before(*e.ValidTo))
}

// Transaction is what one accepted write records. After is the stamp that the
// writer saw; an append after another one is refused with ErrConflict.
type Transaction struct {
	After      int64
	Now        Moment
	Mutation   string // qualified name, or "" for an ad-hoc body
	Principal  string
	Key        string // idempotency key of the caller, or ""
	ModuleHash string
	InputHash  string
	ResultHash string
	Cost       *Cost   // of a frozen run; else nil
	Events     []Event // TT is set by Append
}

// Cost is what a write cost on a canonical instance: the same on every
// machine.
type Cost struct {
	Fuel        uint64   // units of the fuel schedule
	MemoryBytes uint64   // of the largest instance
	Rounds      uint64   // of fixpoint evaluation
	Metered     string   // BLAKE3 of the reasoner as it ran, metered
	Evaluators  []string // the same of the check evaluators that were asked, sorted
}

// Commit is a recorded transaction.
type Commit struct {
	TT int64
	Transaction
}

// ErrConflict says that another transaction was recorded in between.
var ErrConflict = errors.New("store: another transaction was recorded since the state that this write was evaluated on; run it again")

// Log keeps the events of scopes. Implementations are safe for concurrent
// use, and an append is atomic: all of its events, or none.
type Log interface {
	// Append records t and returns its stamp.
	Append(ctx context.Context, s Scope, t Transaction) (Commit, error)
	// Events returns the events of s whose stamp is above after and at most tt,
	// in the order in which they were recorded. The slice may be shared: nobody
	// writes to it, and it has no room behind its end.
	Events(ctx context.Context, s Scope, after, tt int64) ([]Event, error)
	// Stamp returns the latest stamp of s: 0 where nothing was recorded.
	Stamp(ctx context.Context, s Scope) (int64, error)
	// Find returns the commit of s that carries the idempotency key.
	Find(ctx context.Context, s Scope, key string) (Commit, bool, error)
	// Purge erases the events of the named relations from s. It is for a
	// confirmed discard only, after a dump.
	Purge(ctx context.Context, s Scope, relations map[string]bool) error
	Close() error
}

// VisibleAt returns the events that make the state at valid time vt, in order,
// and the first later instant at which that state changes by itself (nil:
// never). Folding them in order gives the state: a later event wins.
func VisibleAt(events []Event, vt Moment) (visible []Event, until *Moment) {
	earlier := func(m Moment) {
		if vt.Before(m) && (until == nil || m.Before(*until)) {
			until = &m
		}
	}
	for _, e := range events {
		if e.Valid(vt) {
			visible = append(visible, e)
		}
		earlier(e.ValidFrom)
		if e.ValidTo != nil {
			earlier(*e.ValidTo)
		}
	}
	return visible, until
}
