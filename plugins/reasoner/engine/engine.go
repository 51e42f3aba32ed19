package engine

import (
	"math"
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/abi/phrase"
	"github.com/ox-mcp/ox-mcp/plugins/internal/eval"
	"github.com/ox-mcp/ox-mcp/plugins/internal/term"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/relation"
)

// The name and version that Describe reports.
const (
	Name    = "ox-reasoner"
	Version = "0.1.0"
)

// Engine is one reasoner instance. It is not safe for concurrent use.
type Engine struct {
	prog   abi.Program
	loaded bool
	terms  *term.Table
	vm     *eval.Machine
	consts []abi.Term
	rels   []*relationState
	rules  []*ruleState
	comps  []*component
	pool   pool
	carved carvings
	intake intake
	batch  int // bindings a batch
	unit   *batch
	window window // of the component that is being computed

	now     abi.Value // instant that what is current was derived for
	call    abi.Call
	running *uint32
	calls   uint64 // calls begun: tells one call's failures from another's
	work    abi.Work
	wasted  abi.Work // spent on components that failed: not taken from the others' budget
	stable  bool     // plan without looking at sizes
	depth   int      // nesting of bodies while one is planned
	parity  bool     // the body that is planned stands under an odd number of negations
	folding bool     // it stands in a fold
	upper   bool     // bodies are run for what may hold, not for what does
	reads   readSet
	listed  []bool               // of stale: components that are in its list; all false outside of it
	exactly bool                 // what is evaluated is to have the rules and rounds of an evaluation from scratch
	touched []bool               // components that writes of this call made stale; nil: not tracked
	flow    int                  // bindings that steps have handed on since an upkeep began
	most    int                  // of flow; the largest number while there is no upkeep
	effort  int                  // what the instance has done so far: see spend
	enough  int                  // of effort, at which what runs is given up; the largest number outside of a search
	least   int                  // bindings that an upkeep may look at in any case
	hand    handful              // runs rules over a handful of rows
	handful int                  // most rows that are one
	few     int                  // removed rows of a relation that are never worth dropping
	held    []held               // of heldBy
	ghosts  []*relation.Relation // of an upkeep; all nil outside of it
	holey   []int                // relations with rows that are marked as removed
	holding int                  // components that holdComponent has made stale for a while
	kernels kernels
	answers []*answer // that are kept for their further pages, the one asked for last at the end
	changed uint64    // how often facts have changed
}

// relationState is a relation of the program and its extents.
type relationState struct {
	data    *relation.Relation // what is true
	maybe   *relation.Relation // what is true or undefined; nil: the same
	comp    int                // component that derives it; -1: base
	readers []int              // components that read it
	key     []int              // key columns, if they are not all
	holey   bool               // it is in the engine's list of holey ones
}

// New returns an engine without program.
func New() *Engine {
	return newEngine(defaultBatch)
}

// newEngine returns an engine with batches of the size.
func newEngine(size int) *Engine {
	t := term.New()
	return &Engine{terms: t, vm: eval.New(t), batch: size, most: math.MaxInt, enough: math.MaxInt, least: leastBudget, few: fewHoles, handful: handfulRows, pool: pool{size: size}, unit: &batch{n: 1}, running: new(uint32)}
}

// Describe says which contract this build follows.
func Describe() abi.Description {
	return abi.Description{ABI: abi.Version, World: abi.WorldReasoner, Name: Name, Version: Version}
}

func internal(format string, args ...any) *abi.Failure {
	return &abi.Failure{Code: abi.FailureInternal, Message: phrase.Of(format, args...), Rule: -1}
}

func badRequest(format string, args ...any) *abi.Failure {
	return &abi.Failure{Code: abi.FailureRequest, Message: phrase.Of(format, args...), Rule: -1}
}

// Running is where one more than the rule that is being evaluated stands; 0: no
// rule is. Whoever stops the engine from outside can read it.
func (e *Engine) Running() *uint32 { return e.running }

// begin starts a call.
func (e *Engine) begin(c *abi.Call) *abi.Failure {
	if !e.loaded {
		return &abi.Failure{Code: abi.FailureState, Message: "no program is loaded: call load first", Rule: -1}
	}
	e.call, e.work, e.wasted, e.touched = *c, abi.Work{}, abi.Work{}, nil
	e.calls++
	*e.running = 0
	e.vm.Begin(c)
	e.kernels.begin(c)
	e.tidy()
	e.tick(c.Now)
	return nil
}

// Load takes the program. An instance loads once.
func (e *Engine) Load(r *abi.LoadRequest) (*abi.LoadResponse, *abi.Failure) {
	if e.loaded {
		return nil, &abi.Failure{Code: abi.FailureState, Message: "a program is loaded already: use a fresh instance", Rule: -1}
	}
	if err := r.Program.Validate(); err != nil {
		return nil, badRequest("the program is not well formed: %s", err)
	}
	e.prog = r.Program
	e.vm.Begin(&r.Call)
	if f := e.extend(&abi.Extension{
		Constants: e.prog.Constants, Relations: e.prog.Relations, Rules: e.prog.Rules,
		Components: e.prog.Components, Functions: e.prog.Functions, Mutations: e.prog.Mutations,
	}); f != nil {
		running := e.running
		*e = *newEngine(e.batch) // as if nothing had been asked
		e.running = running
		return nil, f
	}
	e.loaded = true
	return &abi.LoadResponse{}, nil
}

// extend makes the states of what x adds to e.prog.
func (e *Engine) extend(x *abi.Extension) *abi.Failure {
	if f := e.vm.Load(x.Constants, x.Functions, x.Mutations); f != nil {
		return f
	}
	e.consts = slices.Grow(e.consts, len(x.Constants))
	for i := range x.Constants {
		e.consts = append(e.consts, e.terms.Intern(x.Constants[i]))
	}
	arities := make([]int, len(x.Relations))
	for i := range x.Relations {
		arities[i] = len(x.Relations[i].Columns)
	}
	extents, relations := relation.Many(arities), make([]relationState, len(x.Relations))
	e.rels = slices.Grow(e.rels, len(x.Relations))
	for i := range x.Relations {
		r, s := &x.Relations[i], &relations[i]
		s.data, s.comp = &extents[i], -1
		if len(r.Key) > 0 && len(r.Key) < len(r.Columns) {
			s.key = sortedKey(r.Key)
		}
		e.rels = append(e.rels, s)
	}
	rules := make([]ruleState, len(x.Rules))
	e.rules = slices.Grow(e.rules, len(x.Rules))
	for i := range x.Rules {
		rules[i].rule, rules[i].index = &x.Rules[i], len(e.rules)
		e.rules = append(e.rules, &rules[i])
	}
	components := make([]component, len(x.Components))
	e.comps = slices.Grow(e.comps, len(x.Components))
	for i := range x.Components {
		if f := e.addComponent(&x.Components[i], &components[i]); f != nil {
			return f
		}
	}
	return nil
}

// spent returns what the call has cost so far.
func (e *Engine) spent() abi.Work {
	return abi.Work{Rounds: e.work.Rounds + e.wasted.Rounds, Derived: e.work.Derived + e.wasted.Derived, ByDemand: e.work.ByDemand}
}

// Stats reports sizes.
func (e *Engine) Stats() *abi.Stats {
	s := &abi.Stats{Terms: uint64(e.terms.Len())}
	for i, r := range e.rels {
		n := uint64(r.data.Live())
		s.Tuples += n
		s.Relations = append(s.Relations, abi.RelationStats{
			Relation: i, Tuples: n, Current: r.comp < 0 || e.comps[r.comp].current(),
		})
	}
	return s
}
