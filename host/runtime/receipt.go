package runtime

import (
	"maps"
	"slices"

	"github.com/ox-mcp/ox-mcp/host/store"
)

// Bill is the part of a receipt that only a frozen run has: what the call cost
// on canonical instances. Equal inputs under equal limits give an equal Bill on
// every machine, engine and repetition.
type Bill struct {
	Fuel        uint64   `json:"fuel"`
	MemoryBytes uint64   `json:"memoryBytes"`
	Rounds      uint64   `json:"rounds"`
	Metered     string   `json:"metered"`              // BLAKE3 of the reasoner, metered: equal hashes mean equal fuel
	Evaluators  []string `json:"evaluators,omitempty"` // the same of the check evaluators that were asked, sorted
}

func billOf(c *store.Cost) *Bill {
	if c == nil {
		return nil
	}
	return &Bill{Fuel: c.Fuel, MemoryBytes: c.MemoryBytes, Rounds: c.Rounds, Metered: c.Metered, Evaluators: c.Evaluators}
}

// cost is what the session has cost so far; nil outside of frozen runs, where
// it would depend on what ran before.
func (ses *session) cost() *store.Cost {
	if !ses.s.cfg.Frozen {
		return nil
	}
	return &store.Cost{
		Fuel: ses.usage.Fuel, MemoryBytes: ses.usage.MemoryBytes, Rounds: ses.usage.Rounds,
		Metered: ses.g.reasoner.meteredHash(), Evaluators: ses.evaluators(),
	}
}

// asked takes note of a check evaluator whose cost is on the session's bill.
func (ses *session) asked(p *plugin) {
	if ses.asks == nil {
		ses.asks = map[string]bool{}
	}
	ses.asks[p.meteredHash()] = true
}

func (ses *session) evaluators() []string {
	return slices.Sorted(maps.Keys(ses.asks))
}

// meteredHash is the hash of the code that runs; "" before it is admitted.
func (p *plugin) meteredHash() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.module == nil {
		return ""
	}
	return p.module.MeteredHash()
}
