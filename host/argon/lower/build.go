package lower

import (
	"context"
	"fmt"
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
	"github.com/ox-mcp/ox-mcp/host/argon/types"
)

// builder makes one program, or an extension of one.
type builder struct {
	env         *types.Env
	diags       *diag.List
	rules       []abi.Rule
	readers     []bool // functions that read relations, by index
	views       map[viewKey]int
	projections map[string]int // of relations that tests ask of, by name
	lost        map[aim][]loss
	plain       []bool      // functions that read only by applying function values; nil until asked for
	copies      map[int]int // copies of those for rules
	copied      []*types.Fn
	extends     bool           // it makes an extension
	workers     int            // asked for: see workers.Count
	trial       bool           // see onTrial
	spoilt      bool           // of a trial: an item would have made what others use
	made        []abi.Relation // of a trial: those of checks
	asks        bool           // what is held to be safe is a query
	claims      []claimed
	metrics     *metricWork     // nil: no temporal operators
	program     []abi.Rule      // of the module that an extension adds to
	open        int             // one more than the relation of the undefined flag; 0: nothing is open
	ownTerms    map[int]bool    // relations on the way round of a definition that depends on itself
	measures    map[int]Measure // by relation
	deepTold    bool            // that a rule negates what is open too deeply

	clauseRules [][2]int     // by clause of env: the first of its rules, and the one behind the last
	checkRules  [][2]int     // the same by check of env
	checkAt     []int        // by check of env: its index in the program, if it is there
	written     map[int]bool // functions whose text was written into bodies
	writtenQ    map[int]bool // the same of queries

	moneyQueries map[int]bool // queries that fold over money
	lifted       bool         // negated bodies became relations
	edges        [][]edge     // by relation: what its rules read
	byHead       [][]int      // by relation: its rules
	founded      bool         // something has the well-founded model
	may          []bool       // by relation: may have undefined tuples
}

// Lower makes the module of a typed workspace, and the Draft that it was made
// from, the same for any number of workers, of which zero means as many as there
// are processors. With tests, the program holds the tests and their statements. What
// cannot run is reported to diags; the module is nil then, and the Draft is
// there all the same. The error is that of a context that ended.
func Lower(ctx context.Context, env *types.Env, diags *diag.List, tests bool, workers int) (*Module, *Draft, error) {
	b := &builder{env: env, diags: diags, workers: workers, views: map[viewKey]int{}, written: map[int]bool{}, writtenQ: map[int]bool{}}
	d := &Draft{b: b, tests: tests, from: len(diags.Items)}
	m, err := b.module(ctx, tests)
	d.to = len(diags.Items)
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	return m, d, err
}

// module makes the module, or nil if what was typed has errors. A stage that
// looks at the rules of all items, or makes something of them that is not of
// one item, has to be known to Draft.Redraw.
func (b *builder) module(ctx context.Context, tests bool) (*Module, error) {
	env, diags := b.env, b.diags
	b.markReaders()
	m := &Module{Env: env, readers: b.readers, views: b.views}
	p := &m.Program
	p.ABI, p.Module = abi.Version, env.World.Entry.Name
	b.presize(p)
	b.openWorld()
	b.extents()
	b.fieldViews()
	b.losses()
	b.paths(0)
	if err := b.items(ctx, p); err != nil {
		return nil, err
	}
	b.guards(p)
	b.counted(p)
	b.refinements(p)
	b.groups(p)
	b.members(p)
	b.currencies(p)
	b.definitionCycles()
	if tests {
		for _, t := range env.TestList {
			b.test(p, t)
		}
	}
	p.Functions = append(p.Functions, b.copiedFunctions()...)
	schema := b.schemaAside(p.Checks, m)
	b.catalogFacts()
	b.twinRules()
	m.Facts, m.Periods = b.facts()
	m.Facts = b.twinFacts(m.Facts)
	m.metrics = b.metrics
	m.Standpoints = b.layers()[1:]
	b.openedAll(p.Queries)
	guards := map[int]bool{}
	for i := range p.Checks {
		guards[p.Checks[i].Relation] = p.Checks[i].Guard
	}
	m.Measures = map[int]Measure{}
	diags.Within(wholeProgram{}, func() {
		b.measureAll(nil, m.Measures, p.Queries, guards)
		m.open = b.open
		b.lift()
		p.Components = b.components(0, 0)
		m.Tiers = b.tiers(p.Components)
		b.may = undefinable(nil, len(env.Relations), b.rules, p.Components, 0)
		b.founded = slices.ContainsFunc(p.Components, func(c abi.Component) bool { return c.WellFounded })
	})
	m.undefinable = b.may
	p.Rules = b.rules
	p.Types = b.typeDefs()
	p.Relations = env.Relations
	p.Constants = env.Constants.Values
	p.Files = env.Files
	schema()
	if diags.HasErrors() {
		return nil, ctx.Err()
	}
	if err := p.Validate(); err != nil {
		if b.tooLarge(p); diags.HasErrors() {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("the compiler made a program that does not hold together: %w; please report this package", err)
	}
	return m, ctx.Err()
}

// presize makes room for what the declarations make, so that it is not copied as
// it grows: a large program has tens of megabytes of each.
func (b *builder) presize(p *abi.Program) {
	env := b.env
	checks := len(env.CheckList)
	for _, c := range env.ConceptList {
		for _, f := range c.Fields {
			if f.Mut || f.Each {
				checks++
			}
		}
	}
	rules := len(env.ConceptList) + len(env.RelList) + len(env.Clauses)
	for _, c := range env.ConceptList {
		rules += len(c.Supers)
	}
	for _, r := range env.RelList {
		checks += len(r.Columns)
		for _, card := range r.Node.Cardinalities {
			if card.Max >= 0 {
				checks++
			}
		}
	}
	b.rules = slices.Grow(b.rules, rules+checks)
	b.claims = slices.Grow(b.claims, len(env.Clauses)+len(env.CheckList))
	p.Checks = slices.Grow(p.Checks, checks)
}

func (b *builder) constant(v abi.Value, span abi.Span) abi.Expr {
	return abi.Expr{Op: abi.ExprConst, Index: b.env.Constants.Add(v), Span: span}
}

func (b *builder) place(s abi.Span) diag.Place {
	return diag.Place{Path: b.env.Files[s.File], Start: s.Start, End: s.End}
}

func (b *builder) report(code string, s abi.Span, help, format string, args ...any) {
	b.diags.Add(diag.Diagnostic{Code: code, Message: fmt.Sprintf(format, args...), Place: b.place(s), Help: help})
}

func (b *builder) unsupported(s abi.Span, what, help string) {
	b.report("OE1350", s, help, "%s: not supported yet", what)
}

func (b *builder) relation(r abi.Relation) int {
	r.Asserted, r.Refuted = -1, -1
	if b.trial && r.Origin == abi.OriginCheck {
		b.made = append(b.made, r)
		return firstMade + len(b.made) - 1
	}
	if b.spoils() {
		return 0
	}
	b.env.Relations = append(b.env.Relations, r)
	return len(b.env.Relations) - 1
}

func (b *builder) rule(r abi.Rule) int {
	b.rules = append(b.rules, r)
	return len(b.rules) - 1
}

// fits reports whether an atom before it makes the test of slot for t needless.
func (b *builder) fits(t abi.Type, atoms []abi.Atom, slot int) bool {
	for i := range atoms {
		a := &atoms[i]
		if a.Op != abi.AtomScan || a.Neg {
			continue
		}
		for j, arg := range a.Args {
			if arg == slotArg(slot) {
				column := b.env.Relations[a.Rel].Columns[j].Type
				if column.Op != abi.TypeTop && b.env.Fits(column, t) {
					return true
				}
			}
		}
	}
	return false
}

// markReaders finds the functions that read relations, also by calling others.
func (b *builder) markReaders() {
	b.readers = make([]bool, len(b.env.FnList))
	for changed := true; changed; {
		changed = false
		for i, f := range b.env.FnList {
			if !b.readers[i] && b.reads(&f.Body) {
				b.readers[i], changed = true, true
			}
		}
	}
}

// extents adds the rules that every concept and relation has.
func (b *builder) extents() {
	copyRule := func(head, from int, span abi.Span) {
		r := abi.Rule{Name: b.env.Relations[head].Name, Head: head, Span: span}
		scan := abi.Atom{Op: abi.AtomScan, Rel: from, Span: span}
		for i, c := range b.env.Relations[head].Columns {
			r.Slots = append(r.Slots, abi.Slot{Name: c.Name, Type: c.Type})
			r.Args = append(r.Args, slotArg(i))
			scan.Args = append(scan.Args, slotArg(i))
		}
		r.Body = []abi.Atom{scan}
		b.rule(r)
	}
	for _, c := range b.env.ConceptList {
		if c.Defined() {
			b.definition(c)
			continue
		}
		copyRule(c.Rel, c.Plus, b.env.Relations[c.Rel].Span)
	}
	for _, c := range b.env.ConceptList {
		if c.Defined() {
			continue // its members are its supertypes' already
		}
		for _, up := range holders(c) {
			span := b.env.Relations[c.Rel].Span
			if i := slices.Index(c.Supers, up); i >= 0 && i < len(c.Node.Supers) {
				span = b.env.Span(c.Symbol.Module, c.Node.Supers[i].Span)
			}
			copyRule(up.Rel, c.Rel, span)
		}
	}
	for _, r := range b.env.RelList {
		copyRule(r.Rel, r.Plus, b.env.Relations[r.Rel].Span)
	}
	for _, r := range b.env.RelList {
		for _, up := range r.Supers {
			copyRule(up.Rel, r.Rel, b.env.Relations[r.Rel].Span)
		}
	}
}

func (b *builder) function(f *types.Fn) abi.Function {
	out := abi.Function{Name: f.Name, Params: f.Params, Result: f.Result, Slots: append([]abi.Slot(nil), f.Slots...), Span: f.Span}
	if f.Symbol != nil {
		out.Public = f.Symbol.Vis != syntax.Private && b.env.Callable(f)
		out.Span = b.env.Span(f.Symbol.Module, f.Node.Decl.Span)
	}
	out.Body = b.code(f.Body, &out.Slots)
	return out
}

func (b *builder) mutation(m *types.Mutation) abi.Mutation {
	out := abi.Mutation{Name: m.Name, Params: m.Params, Result: m.Result, Slots: append([]abi.Slot(nil), m.Slots...), Span: m.Span}
	if m.Symbol != nil {
		out.Public = m.Symbol.Vis != syntax.Private
		out.Span = b.env.Span(m.Symbol.Module, m.Node.Decl.Span)
	}
	out.Body = b.stmts(m.Body, &out.Slots)
	return out
}

func (b *builder) query(q *types.Query) abi.Query {
	out := abi.Query{
		Name: q.Name, Params: q.Params, Slots: append([]abi.Slot(nil), q.Slots...), Out: q.Out, Columns: q.Columns,
		AsOf: q.AsOf, Truth: q.Truth,
	}
	if q.Symbol != nil {
		out.Public = q.Symbol.Vis != syntax.Private
		out.Span = b.env.Span(q.Module, q.Node.Decl.Span)
	}
	if q.Broken {
		return out
	}
	h := &hoist{b: b, slots: &out.Slots, given: len(q.Params)}
	out.Body = h.body(q.Body)
	if h.stuck {
		return out
	}
	b.holdQuery(q, out.Body, out.Span)
	preset := map[int]bool{}
	for i := range q.Params {
		preset[i] = true
	}
	b.asks = true
	b.safe(out.Slots, out.Body, preset, out.Out, out.Span)
	b.asks = false
	return out
}

// test adds t with the statements of its runs as mutations without a name of
// their own.
