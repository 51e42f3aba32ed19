package runtime

import (
	"context"
	"fmt"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/store"
)

// EmbeddedReasoner names the build that comes with the program, where a file
// is asked for.
const EmbeddedReasoner = "embedded"

// ReasonerSource reads a reasoner: the embedded one, or a file. The operator
// names it on the command line, so that no pin is asked for.
func (s *Service) ReasonerSource(file string) PluginSource {
	if file == EmbeddedReasoner {
		return s.cfg.Embedded
	}
	source := PluginSource{Name: "reasoner " + file, Grants: s.cfg.Settings.List("reasoner.grants"), GrantsIn: "reasoner.grants"}
	source.Wasm, source.Err = ReadPlugin(file)
	return source
}

// BuildsDiff compares two builds on one package.
type BuildsDiff struct {
	Envelope
	A           Build        `json:"a"`
	B           Build        `json:"b"`
	Equal       bool         `json:"equal"`
	Differences []Difference `json:"differences"`
	Work        []WorkDiff   `json:"work"`
	TotalA      Spent        `json:"totalA"`
	TotalB      Spent        `json:"totalB"`
}

// WorkDiff is one item of the workload on both builds.
type WorkDiff struct {
	Kind  string `json:"kind"` // load, extent, query or check
	Name  string `json:"name"`
	Equal bool   `json:"equal"`
	A     Spent  `json:"a"`
	B     Spent  `json:"b"`
}

// Spent is what an item cost, and how many rows it gave.
type Spent struct {
	Rows        int    `json:"rows"`
	Fuel        uint64 `json:"fuel"`
	MemoryBytes uint64 `json:"memoryBytes"`
	Rounds      uint64 `json:"rounds"`
	Derived     uint64 `json:"derived"`
	Failure     string `json:"failure,omitempty"`
}

func (t *Spent) add(x Spent) {
	t.Rows += x.Rows
	t.Fuel += x.Fuel
	t.MemoryBytes = max(t.MemoryBytes, x.MemoryBytes)
	t.Rounds += x.Rounds
	t.Derived += x.Derived
}

// DiffBuilds runs the same workload of the served module (load with declared
// facts, every derived extent, every query without parameters, every check) on
// two builds and compares it tuple by tuple, with truth values.
func (s *Service) DiffBuilds(ctx context.Context, a, b PluginSource) (*BuildsDiff, error) {
	_, out, err := s.refresh(ctx)
	if err != nil || out.Refused() {
		return &BuildsDiff{Envelope: Envelope{Outcome: out}, Differences: []Difference{}, Work: []WorkDiff{}}, err
	}
	g := s.lease()
	if g == nil {
		return &BuildsDiff{Envelope: Envelope{Outcome: noArtifact()}, Differences: []Difference{}, Work: []WorkDiff{}}, nil
	}
	defer g.leave()
	at := s.now()
	call := abi.Call{Now: instantOf(at), Limits: s.checkLimits()}
	var sides [2]*side
	var builds [2]Build
	res := &BuildsDiff{Envelope: Envelope{ModuleHash: g.module.hash.String()}, Equal: true, Differences: []Difference{}}
	for i, source := range []PluginSource{a, b} {
		p := s.newPlugin(source.Name, source, abi.WorldReasoner, s.limits())
		defer p.tenants.retire(ctx, p)
		if _, err := p.admitted(ctx); err != nil {
			return nil, err
		}
		builds[i] = *p.build()
		on := newGenerationOn(s, g.module, p)
		defer on.close(ctx)
		sides[i] = &side{g: on, scope: store.Scope{Tenant: tenantDefault, Fork: forkMain}, point: readPoint{vt: momentOf(at)}, call: call}
		defer sides[i].close(ctx)
	}
	res.A, res.B = builds[0], builds[1]
	load := WorkDiff{Kind: "load", Name: shortName(g.module.program.Module)}
	load.A, load.B = sides[0].load(ctx), sides[1].load(ctx)
	load.Equal = load.A.Failure == load.B.Failure
	res.note(load, nil)
	if load.A.Failure != "" || load.B.Failure != "" {
		res.Equal = res.Equal && load.Equal
		if !load.Equal {
			res.Differences = append(res.Differences, Difference{Kind: load.Kind, Name: load.Name, A: load.A.Failure, B: load.B.Failure})
		}
		return res, nil
	}
	items := g.module.workload()
	for i, w := range items {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		Progress(ctx, fmt.Sprintf("%s %s", w.kind, w.name), float64(i), float64(len(items)))
		x, y := sides[0].answer(ctx, w), sides[1].answer(ctx, w)
		d := g.module.differ(w, &x, &y)
		res.note(WorkDiff{Kind: w.kind, Name: w.name, Equal: d == nil, A: spentOn(&x), B: spentOn(&y)}, d)
	}
	return res, nil
}

// load makes the state and says what that cost.
func (sd *side) load(ctx context.Context) Spent {
	err := sd.ready(ctx)
	return Spent{Fuel: sd.g.load.Fuel, MemoryBytes: sd.g.load.MemoryBytes, Failure: reason(err)}
}

func spentOn(a *answer) Spent {
	return Spent{Rows: a.rows(), Fuel: a.usage.Fuel, MemoryBytes: a.usage.MemoryBytes, Rounds: a.work.Rounds, Derived: a.work.Derived, Failure: reason(a.err)}
}

func (r *BuildsDiff) note(w WorkDiff, d *Difference) {
	r.Work = append(r.Work, w)
	r.TotalA.add(w.A)
	r.TotalB.add(w.B)
	if d != nil {
		r.Equal = false
		r.Differences = append(r.Differences, *d)
	}
}
