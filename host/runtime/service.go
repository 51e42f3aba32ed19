package runtime

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/coherence"
	"github.com/ox-mcp/ox-mcp/host/governor"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
	"github.com/ox-mcp/ox-mcp/host/settings"
	"github.com/ox-mcp/ox-mcp/host/store"
)

// Config is what a Service is made of. Everything that differs from run to
// run comes in here: the clock, the seed, the plugins' bytes.
type Config struct {
	Project   *coherence.Project // nil: no project was found; only Status and Explain of codes answer
	Settings  *settings.Resolved
	Notes     []string // trouble with the configuration, shown by Status
	Host      *sandbox.Host
	Reasoner  PluginSource
	Embedded  PluginSource // the reasoner that comes with the program
	Evaluator PluginSource
	Plugins   []PluginTable // of the operator, and of the package if it is trusted
	Ignored   []Ignored     // what the package's manifest says and may not
	Trust     *Trust        // nil: no package can be trusted
	UserFile  string        // the operator's own configuration file, for pins
	Log       store.Log
	Clock     func() time.Time
	Now       *time.Time // fixed instant of every call
	Seed      []byte     // fixed seed of every call; nil: drawn from Random
	Random    io.Reader  // required; crypto/rand.Reader outside tests
	Frozen    bool       // every call on a fresh instance
}

// Service is the dispatch core. Its methods are safe for concurrent use.
type Service struct {
	cfg       Config
	reasoner  *plugin
	evaluator *plugin
	plugins   *registry
	cursorKey [32]byte

	rebuild sync.Mutex // one build or reload at a time; guards stalled
	stalled *stalled
	mu      sync.RWMutex // guards serving, reasoner and plugins; held for moments only
	serving *generation  // nil: nothing is loaded
	pinned  bool         // serving is never exchanged

	passed atomic.Pointer[passed] // the last package that Check compiled and evaluated as a whole

	writers writers
	swaps   swaps
	ledger  ledger
	annals  archive

	reloaded chan struct{} // buffered: one reload that nobody has looked at yet
}

// New returns a Service. It loads nothing yet.
func New(cfg Config) (*Service, error) {
	s := &Service{cfg: cfg, reloaded: make(chan struct{}, 1)}
	if cfg.Random == nil {
		return nil, errors.New("runtime: Config.Random is missing: cursors and ids need random bytes")
	}
	if _, err := io.ReadFull(cfg.Random, s.cursorKey[:]); err != nil {
		return nil, &Error{Status: 500, Code: "NO_RANDOM", Message: "no random bytes for the cursor key: " + err.Error()}
	}
	if cfg.Frozen {
		// Cursors are part of answers, and answers are equal.
		s.cursorKey = hash([]byte("cursor"), cfg.Seed)
	}
	s.reasoner = s.newPlugin("reasoner", cfg.Reasoner, abi.WorldReasoner, s.limits())
	s.evaluator = s.newPlugin("check evaluator", cfg.Evaluator, abi.WorldEvaluator, s.evaluatorLimits())
	s.plugins = s.newRegistry(PluginSet{Tables: cfg.Plugins, Ignored: cfg.Ignored, Notes: cfg.Notes})
	s.plugins.come()
	return s, nil
}

// Close frees the instances. It waits for calls in flight.
func (s *Service) Close(ctx context.Context) error {
	s.mu.Lock()
	g := s.serving
	s.serving = nil
	s.mu.Unlock()
	s.drain(ctx, g)
	s.swaps.draining.Wait()
	return nil
}

// limits are the ceilings of a call.
func (s *Service) limits() abi.Limits {
	r := s.cfg.Settings
	return abi.Limits{
		Fuel: r.Uint("limits.fuel"), Memory: r.Uint("limits.memory"), Deadline: uint64(r.Duration("limits.deadline").Milliseconds()),
		Depth: r.Uint("limits.depth"), Calls: r.Uint("limits.calls"), Rounds: r.Uint("limits.rounds"), Derived: r.Uint("limits.derived"),
		Rows: r.Uint("limits.rows"), ResultBytes: r.Uint("limits.resultBytes"), HostCalls: r.Uint("limits.hostCalls"),
		HostBytes: r.Uint("limits.hostBytes"), OutputBytes: r.Uint("limits.outputBytes"), SourceBytes: r.Uint("limits.sourceBytes"),
		BodyBytes: r.Uint("limits.bodyBytes"),
	}
}

func (s *Service) loadLimits() abi.Limits {
	l := s.limits()
	l.Fuel = s.cfg.Settings.Uint("limits.loadFuel")
	return l
}

// fuelARound is at least what a round of the cheapest recursive rule costs.
const fuelARound = 10_000

func (s *Service) checkLimits() abi.Limits {
	l := s.limits()
	l.Fuel = s.cfg.Settings.Uint("limits.checkFuel")
	// So that the guest stops a rule that never ends, and says which it is,
	// before the fuel of all checks is gone.
	l.Rounds = min(l.Rounds, max(l.Fuel/fuelARound, 1))
	return l
}

func (s *Service) evaluatorLimits() abi.Limits {
	l, r := s.limits(), s.cfg.Settings
	l.Fuel, l.Memory, l.Deadline = r.Uint("evaluator.fuel"), r.Uint("evaluator.memory"), uint64(r.Duration("evaluator.deadline").Milliseconds())
	return l
}

// narrowed applies a caller's wishes to the ceilings of a call.
func (s *Service) narrowed(wishes map[string]uint64) (abi.Limits, []string, error) {
	ceiling := s.limits()
	wish, err := governor.Wishes(wishes)
	if err != nil {
		return ceiling, nil, Invalid("limits", "names of limits with whole numbers", err.Error(), "")
	}
	effective, lowered := governor.Narrow(ceiling, wish)
	return effective, lowered, nil
}

// now is the instant that one call sees.
func (s *Service) now() time.Time {
	if s.cfg.Now != nil {
		return *s.cfg.Now
	}
	return s.cfg.Clock()
}

// newCall is the context of one call under limits. salt tells calls of one
// run apart: the same salt under the same seed gives the same ids.
func (s *Service) newCall(limits abi.Limits, now time.Time, salt ...[]byte) (abi.Call, error) {
	c := abi.Call{Now: instantOf(now), Limits: limits}
	if s.cfg.Seed == nil {
		if _, err := io.ReadFull(s.cfg.Random, c.Seed[:]); err != nil {
			return c, &Error{Status: 500, Code: "NO_RANDOM", Message: "no random bytes for a call's seed: " + err.Error()}
		}
		return c, nil
	}
	c.Seed = hash(append([][]byte{s.cfg.Seed}, salt...)...)
	return c, nil
}
