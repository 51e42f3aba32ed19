package runtime

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
)

// tally is what one build did since the program began. A build that is swapped
// out and in again goes on with its own.
type tally struct {
	key tallyKey

	mu         sync.Mutex
	name       string // that the build gives itself; empty until it is admitted
	version    string
	metered    string
	operations map[string]*effort // by the operation's name in the contract
	traps      uint64             // what it did wrong by itself
	refusals   uint64             // admissions refused, and calls that a limit stopped
	peak       uint64             // bytes of the largest instance after a call
	hits       uint64             // states that were there already when a call needed one
}

// tallyKey tells builds apart. One file under two names is two builds: they
// have grants and limits of their own.
type tallyKey struct{ world, plugin, blake3 string }

// effort is what the calls of one operation took.
type effort struct {
	fuel    uint64
	latency latency
}

// admitted takes over what the build says it is.
func (t *tally) admitted(m *sandbox.Module) {
	d := m.Description()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.name, t.version, t.metered = d.Name, d.Version, m.MeteredHash()
}

// count adds one call.
func (t *tally) count(export string, u sandbox.Usage, err error, took time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	operation := operationOf(export)
	e := t.operations[operation]
	if e == nil {
		e = &effort{}
		t.operations[operation] = e
	}
	e.fuel += u.Fuel
	e.latency.add(took)
	t.peak = max(t.peak, u.MemoryBytes)
	if limited(err) {
		t.refusals++
	}
}

// limited says whether a limit stopped a call, be it that the guest saw it
// first.
func limited(err error) bool {
	var trap *sandbox.Trap
	var failure *abi.Failure
	switch {
	case errors.As(err, &trap):
		return trap.IsLimit()
	case errors.As(err, &failure):
		return failure.Code == abi.FailureLimit
	}
	return false
}

// add counts what is no call. A nil tally counts nothing.
func (t *tally) add(traps, refusals, hits uint64) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.traps += traps
	t.refusals += refusals
	t.hits += hits
}

// fill writes the figures into a status. A nil tally has counted nothing.
func (t *tally) fill(s *PluginStatus) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	var all latency
	for _, e := range t.operations {
		s.Calls += e.latency.calls
		s.Fuel += e.fuel
		all.merge(&e.latency)
	}
	s.Traps, s.Refusals, s.CacheHits, s.PeakMemory = t.traps, t.refusals, t.hits, t.peak
	s.Latency = all.shown()
}

// operationOf is the name behind the # of an export.
func operationOf(export string) string {
	_, operation, ok := strings.Cut(export, "#")
	if !ok {
		return export
	}
	return operation
}

// maxIdleTallies bounds how many builds that serve no more are remembered.
const maxIdleTallies = 16

// ledger holds the tallies of a service, in the order in which the builds came
// first.
type ledger struct {
	mu   sync.Mutex
	list []*ledgerEntry
}

type ledgerEntry struct {
	*tally
	users int // plugins on it that are not unloaded
}

// take returns the tally of a build, for a plugin that gives it back.
func (l *ledger) take(key tallyKey) *tally {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, e := range l.list {
		if e.key == key {
			e.users++
			// It was used last: it is the last to be forgotten.
			l.list = append(slices.Delete(l.list, i, i+1), e)
			return e.tally
		}
	}
	e := &ledgerEntry{tally: &tally{key: key, operations: map[string]*effort{}}, users: 1}
	l.list = append(l.list, e)
	return e.tally
}

// give says that a plugin on t is unloaded. Of those that no plugin is on only
// the latest are kept.
func (l *ledger) give(t *tally) {
	l.mu.Lock()
	defer l.mu.Unlock()
	idle := 0
	for i := len(l.list) - 1; i >= 0; i-- {
		e := l.list[i]
		if e.tally == t {
			e.users--
		}
		if e.users > 0 {
			continue
		}
		if idle++; idle > maxIdleTallies {
			l.list = slices.Delete(l.list, i, i+1)
		}
	}
}

// tallies lists them.
func (l *ledger) tallies() []*tally {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []*tally
	for _, e := range l.list {
		out = append(out, e.tally)
	}
	return out
}

// BuildStats is what one build did since the program began.
type BuildStats struct {
	Build              // Name and Version are empty where it was not admitted
	Role        string // the world that it implements
	Plugin      string // its name in the configuration; empty: the reasoner, or what comes with the program
	Metered     string // BLAKE3 of the metered module
	Serving     bool   // new calls go to it
	Quarantined bool
	Operations  []OperationStats // sorted by name
	PeakMemory  uint64           // bytes of the largest instance after a call
	Traps       uint64           // crashes, and answers that are none
	Refusals    uint64           // admissions refused, and calls that a limit stopped
	CacheHits   uint64           // states that were there already when a call needed one
}

// OperationStats is what the calls of one operation of the contract took.
type OperationStats struct {
	Operation string
	Calls     uint64
	Fuel      uint64                   // units of docs/fuel.md
	Time      time.Duration            // of all calls together
	UpTo      map[time.Duration]uint64 // calls that took no longer than the key
}

// BuildStats describes every build that was called or refused, also those that
// serve no more, up to the latest 16 of them. It counts nothing itself: the
// figures are those of PluginStats, by operation.
func (s *Service) BuildStats() []BuildStats {
	serving := map[*tally]*plugin{}
	for _, p := range s.plugged() {
		p.mu.Lock()
		if p.tally != nil {
			serving[p.tally] = p
		}
		p.mu.Unlock()
	}
	var out []BuildStats
	for _, t := range s.ledger.tallies() {
		b := t.stats()
		if p := serving[t]; p != nil {
			b.Serving = true
			p.mu.Lock()
			b.Quarantined = p.quarantine.reason != ""
			p.mu.Unlock()
		}
		out = append(out, b)
	}
	return out
}

func (t *tally) stats() BuildStats {
	t.mu.Lock()
	defer t.mu.Unlock()
	b := BuildStats{
		Build: Build{Name: t.name, Version: t.version, Blake3: t.key.blake3}, Role: t.key.world, Plugin: t.key.plugin, Metered: t.metered,
		PeakMemory: t.peak, Traps: t.traps, Refusals: t.refusals, CacheHits: t.hits,
	}
	for name, e := range t.operations {
		b.Operations = append(b.Operations, OperationStats{Operation: name, Calls: e.latency.calls, Fuel: e.fuel, Time: e.latency.total, UpTo: e.latency.upTo()})
	}
	slices.SortFunc(b.Operations, func(a, b OperationStats) int { return strings.Compare(a.Operation, b.Operation) })
	return b
}

// plugged lists the plugins that new calls go to.
func (s *Service) plugged() []*plugin {
	out := []*plugin{s.reasonerNow(), s.evaluator}
	g := s.registryNow()
	for _, name := range g.names {
		out = append(out, g.byName[name].plugin)
	}
	return out
}
