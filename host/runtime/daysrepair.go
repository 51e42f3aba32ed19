package runtime

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/lower"
)

// The reasoner looks for facts that hold on the day of the state. Behind an
// operator over time it is days that are missing, and what would make them good
// is found here: from the operator down to the stated facts, always the days that
// are missing there, and where several facts would do those that are there on
// other days first. Each set is tried in a copy before it is told.

// The bounds of a search for repairs with days. They are counted, not timed, so
// that the answer is the same everywhere.
const (
	maxDayAsks  = 300 // questions to the reasoner
	maxDayDepth = 16  // relations on the way down
	maxDayWays  = 8   // ways to make one thing hold that are gone on with
	maxDayTries = 24  // sets that are tried
	maxDayFound = 10  // repairs that are told
)

// datedFact is a fact that a repair adds: on the days of when, or where that is
// none without a date.
type datedFact struct {
	rel   int // a base relation
	tuple []abi.Value
	when  run
}

func (f *datedFact) dated() bool { return f.when != run{} }

// dayWay is a way to make something hold: by facts, of the values of tuple, of
// which nil is any.
type dayWay struct {
	facts []datedFact
	tuple []*abi.Value
	over  bool // it makes good what an operator over time lacks
	far   int  // days that it passes over which are nearer
}

// and adds what another way adds; ok is false where that is more than most facts.
func (w dayWay) and(other dayWay, most int) (dayWay, bool) {
	out := dayWay{facts: slices.Clone(w.facts), tuple: w.tuple, over: w.over || other.over, far: w.far + other.far}
	for _, f := range other.facts {
		same := func(g datedFact) bool { return g.rel == f.rel && slices.EqualFunc(g.tuple, f.tuple, abi.Equal) }
		if at := slices.IndexFunc(out.facts, same); at >= 0 {
			// One fact on the days of both does for both.
			if g := &out.facts[at]; g.dated() && f.dated() {
				g.when = run{min(g.when.from, f.when.from), max(g.when.to, f.when.to)}
			}
			continue
		}
		out.facts = append(out.facts, f)
	}
	return out, len(out.facts) <= most
}

// compareWays orders ways: fewer facts first, then those that pass over fewer days,
// then fewer days, then by what they are about.
func compareWays(a, b dayWay) int {
	days := func(w dayWay) (n int64) {
		for _, f := range w.facts {
			n += f.when.to - f.when.from
		}
		return n
	}
	return cmp.Or(cmp.Compare(len(a.facts), len(b.facts)), cmp.Compare(a.far, b.far), cmp.Compare(days(a), days(b)), slices.CompareFunc(a.facts, b.facts, func(f, g datedFact) int {
		return cmp.Or(cmp.Compare(f.rel, g.rel), slices.CompareFunc(f.tuple, g.tuple, abi.Compare), cmp.Compare(f.when.from, g.when.from), cmp.Compare(f.when.to, g.when.to))
	}))
}

// leastWays keeps the ways to go on with.
func leastWays(ways []dayWay) []dayWay {
	slices.SortStableFunc(ways, compareWays)
	ways = slices.CompactFunc(ways, func(a, b dayWay) bool {
		return compareWays(a, b) == 0 && slices.EqualFunc(a.tuple, b.tuple, func(x, y *abi.Value) bool {
			return x == nil && y == nil || x != nil && y != nil && abi.Equal(*x, *y)
		})
	})
	return ways[:min(len(ways), maxDayWays)]
}

// daySearch looks for what would make a fact hold that operators over time keep
// from it.
type daySearch struct {
	keyedReader
	most   int         // facts of a set
	bases  map[int]int // twin, to its relation
	asked  int
	before uint64 // fuel that the call had cost until then
}

// asks counts a question, and reports whether it is one too many: together they
// cost no more than one call may.
func (d *daySearch) asks() (over bool) {
	if d.asked == 0 {
		d.before = d.ses.usage.Fuel
	}
	d.asked++
	return d.asked > maxDayAsks || d.ses.usage.Fuel-d.before > d.call.Limits.Fuel
}

// rows is that of the reader, up to the bound of the search.
func (d *daySearch) rows(ctx context.Context, rel int, pattern []*abi.Value) ([][]abi.Value, bool, error) {
	if d.asks() {
		return nil, false, nil
	}
	return d.keyedReader.rows(ctx, rel, pattern)
}

// want returns ways to make a relation of days hold throughout when, of what the
// pattern says.
func (d *daySearch) want(ctx context.Context, rel int, pattern []*abi.Value, when run, depth int) ([]dayWay, error) {
	if when.from >= when.to {
		return []dayWay{{tuple: pattern}}, nil
	}
	if depth >= maxDayDepth {
		return nil, nil
	}
	rows, whole, err := d.rows(ctx, rel, pattern)
	if err != nil || !whole {
		return nil, err
	}
	var out []dayWay
	tuples := tuplesOf(rows)
	for _, tuple := range tuples {
		if when.without(heldDays(rows, tuple)) == nil {
			out = append(out, dayWay{tuple: tuple})
		}
	}
	if !slices.Contains(pattern, nil) {
		if len(out) > 0 {
			return out[:1], nil
		}
		// On the other days it holds already, by whatever facts.
		missing := when.without(heldDays(rows, pattern))
		when = run{missing[0].from, missing[len(missing)-1].to}
	}
	var more []dayWay
	looks, _, operator := lower.LooksOf(d.ses.m.program, rel)
	base, stated := d.bases[rel]
	switch {
	case stated:
		more, err = d.state(ctx, base, pattern, rows, tuples, when)
	case !operator:
		more, err = d.derive(ctx, rel, pattern, when, depth)
	case looks.Held != nil || looks.Word == "since" || looks.Word == "until":
		more, err = d.meanwhile(ctx, &looks, pattern, when, depth)
	default:
		more, err = d.within(ctx, &looks, pattern, when, depth)
	}
	return leastWays(append(out, more...)), err
}

// tuplesOf returns what rows of days are about, each once.
func tuplesOf(rows [][]abi.Value) (out [][]*abi.Value) {
	known := map[string]bool{}
	for _, row := range rows {
		tuple := pointers(row[:len(row)-2])
		if key := dayKey(0, tuple); !known[key] {
			known[key] = true
			out = append(out, tuple)
		}
	}
	return out
}

// state returns the facts of a base relation that would hold throughout when: of
// those that the pattern leaves open the ones that hold on other days, or else
// such as have values that others have.
func (d *daySearch) state(ctx context.Context, base int, pattern []*abi.Value, rows [][]abi.Value, tuples [][]*abi.Value, when run) (out []dayWay, err error) {
	r := &d.ses.m.program.Relations[base]
	if r.Origin != abi.OriginConcept && r.Origin != abi.OriginField && r.Origin != abi.OriginRelation {
		return nil, nil
	}
	if len(tuples) == 0 && r.Origin != abi.OriginConcept { // an individual keeps its concept
		if tuples, err = d.fillings(ctx, base, pattern); err != nil {
			return nil, err
		}
	}
	for _, tuple := range tuples {
		fact := datedFact{rel: base}
		for _, v := range tuple {
			fact.tuple = append(fact.tuple, *v)
		}
		if missing := when.without(heldDays(rows, tuple)); missing != nil {
			fact.when = run{missing[0].from, missing[len(missing)-1].to}
			out = append(out, dayWay{facts: []datedFact{fact}, tuple: tuple})
		}
	}
	return out, nil
}

// fillings gives the open places of a pattern values that facts of the relation
// have there.
func (d *daySearch) fillings(ctx context.Context, base int, pattern []*abi.Value) ([][]*abi.Value, error) {
	out := [][]*abi.Value{pattern}
	for i, v := range pattern {
		if v != nil {
			continue
		}
		rows, whole, err := d.rows(ctx, d.ses.m.twins[base], make([]*abi.Value, len(pattern)))
		if err != nil || !whole {
			return nil, err
		}
		var values []*abi.Value
		for _, row := range rows {
			if !slices.ContainsFunc(values, func(v *abi.Value) bool { return abi.Equal(*v, row[i]) }) {
				values = append(values, &row[i])
			}
		}
		var filled [][]*abi.Value
		for _, tuple := range out {
			for _, v := range values[:min(len(values), maxDayWays)] {
				tuple = slices.Clone(tuple)
				tuple[i] = v
				filled = append(filled, tuple)
			}
		}
		out = filled[:min(len(filled), maxDayWays*maxDayWays)]
	}
	return out, nil
}

// derive returns the ways of the rules of a relation of days: all that a body
// asks for holds throughout when.
func (d *daySearch) derive(ctx context.Context, rel int, pattern []*abi.Value, when run, depth int) (out []dayWay, err error) {
	for i := range d.ses.m.program.Rules {
		rule := &d.ses.m.program.Rules[i]
		if rule.Head != rel {
			continue
		}
		slots, ok := d.headOf(rule, pattern)
		if !ok {
			continue
		}
		for _, slots := range [][]*abi.Value{slots, d.passing(rule, slots)} {
			if slots == nil {
				continue
			}
			err := d.body(ctx, rule, 0, slots, dayWay{}, func(at int, known []*abi.Value) ([]dayWay, error) {
				return d.want(ctx, rule.Body[at].Rel, known[:len(known)-2], when, depth+1)
			}, func(w dayWay, slots []*abi.Value) {
				w.tuple = d.ses.m.argsOf(rule.Args, slots)[:len(pattern)]
				out = append(out, w)
			})
			if err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// passing gives the open slots that a rule compares with constants values that
// just pass; nil where it compares none so.
func (d *daySearch) passing(rule *abi.Rule, slots []*abi.Value) (out []*abi.Value) {
	constants := d.ses.m.program.Constants
	for i := range rule.Body {
		a := &rule.Body[i]
		if a.Op != abi.AtomCmp {
			continue
		}
		for k, x := range a.Args {
			y := a.Args[1-k]
			if x.Op != abi.ArgSlot || y.Op != abi.ArgConst || slots[x.Index] != nil {
				continue
			}
			v := constants[y.Index]
			switch {
			case a.Cmp == abi.CmpGe || a.Cmp == abi.CmpLe:
			case v.Kind != abi.KindNum && v.Kind != abi.KindDay || v.Rat != nil:
				continue // what is next to it is not known
			case a.Cmp == abi.CmpGt && k == 0, a.Cmp == abi.CmpLt && k == 1:
				v.Int++
			case a.Cmp == abi.CmpLt, a.Cmp == abi.CmpGt:
				v.Int--
			default:
				continue
			}
			if out == nil {
				out = slices.Clone(slots)
			}
			out[x.Index] = &v
		}
	}
	return out
}

// headOf gives a rule's slots the values of a pattern of its head, and those that
// its conditions ask for.
func (d *daySearch) headOf(rule *abi.Rule, pattern []*abi.Value) ([]*abi.Value, bool) {
	constants := d.ses.m.program.Constants
	slots := make([]*abi.Value, len(rule.Slots))
	for i, v := range pattern {
		switch x := rule.Args[i]; {
		case v == nil:
		case x.Op == abi.ArgConst && !abi.Equal(constants[x.Index], *v):
			return nil, false
		case x.Op == abi.ArgSlot && slots[x.Index] != nil && !abi.Equal(*slots[x.Index], *v):
			return nil, false
		case x.Op == abi.ArgSlot:
			slots[x.Index] = v
		}
	}
	for i := range rule.Body {
		a := &rule.Body[i]
		if a.Op != abi.AtomCmp || a.Cmp != abi.CmpEq {
			continue
		}
		for k, x := range a.Args {
			if y := a.Args[1-k]; x.Op == abi.ArgSlot && y.Op == abi.ArgConst && slots[x.Index] == nil {
				slots[x.Index] = &constants[y.Index]
			}
		}
	}
	return slots, true
}

// body goes through the atoms that look for facts, from the one at a place on,
// and gives to each way of the whole body the slots. waysOf returns the ways of the
// atom at a place, for what is known of its columns. Conditions are left to the
// trial.
func (d *daySearch) body(ctx context.Context, rule *abi.Rule, at int, slots []*abi.Value, so dayWay,
	waysOf func(at int, known []*abi.Value) ([]dayWay, error), each func(dayWay, []*abi.Value)) error {
	for at < len(rule.Body) && (rule.Body[at].Op != abi.AtomScan || rule.Body[at].Neg) {
		at++
	}
	if at == len(rule.Body) {
		each(so, slots)
		return nil
	}
	a := &rule.Body[at]
	ways, err := waysOf(at, d.ses.m.scanned(a, slots))
	if err != nil {
		return err
	}
	for _, w := range ways {
		both, ok := so.and(w, d.most)
		if !ok {
			continue
		}
		next := slices.Clone(slots)
		for i, v := range w.tuple {
			if x := a.Args[i]; v != nil && x.Op == abi.ArgSlot {
				next[x.Index] = v
			}
		}
		if err := d.body(ctx, rule, at+1, next, both, waysOf, each); err != nil {
			return err
		}
	}
	return nil
}

// argsOf are the values of arguments; nil where there is none.
func (m *module) argsOf(args []abi.Arg, slots []*abi.Value) []*abi.Value {
	return m.scanned(&abi.Atom{Args: args}, slots)
}

// within returns the ways of an operator with one operand. Where any day of a
// window does it is the nearest, or if something else forbids that one the next.
func (d *daySearch) within(ctx context.Context, looks *lower.Looks, pattern []*abi.Value, when run, depth int) (out []dayWay, err error) {
	first, last := windowOf(looks, when.from), windowOf(looks, when.to-1)
	days := []run{{first.from, last.to}}
	if strings.HasPrefix(looks.Word, "diamond") {
		common := run{last.from, first.to}
		days = []run{nearestOf(looks, common)}
		if days[0].from >= days[0].to {
			days[0] = nearestOf(looks, first) // each day has one of its own, as near
			days[0].to += when.to - when.from - 1
		} else if common.to-common.from > 1 {
			if looks.Back() {
				common.to--
			} else {
				common.from++
			}
			days = append(days, nearestOf(looks, common))
		}
	}
	for far, r := range days {
		ways, err := d.want(ctx, looks.At.Rel, operandOf(&looks.At, pattern), r, depth+1)
		if err != nil {
			return nil, err
		}
		for _, w := range ways {
			w.tuple, w.far = withOperand(pattern, &looks.At, w.tuple), w.far+far
			out = append(out, w)
		}
	}
	return out, nil
}

func windowOf(looks *lower.Looks, day int64) (r run) {
	r.from, r.to = looks.Window(day)
	return r
}

// nearestOf is the day of a window that is nearest to where the operator looks
// from; none where there is none.
func nearestOf(looks *lower.Looks, window run) run {
	switch {
	case window.from >= window.to:
		return run{}
	case looks.Back():
		return run{window.to - 1, window.to}
	}
	return run{window.from, window.from + 1}
}

// withOperand is a pattern with what is known of an operand.
func withOperand(pattern []*abi.Value, of *lower.Operand, tuple []*abi.Value) []*abi.Value {
	out := slices.Clone(pattern)
	for i, c := range of.Columns {
		if out[c] == nil {
			out[c] = tuple[i]
		}
	}
	return out
}

// meanwhile returns the ways of since and until: from a day on which the other
// operand holds, or from the nearest one on which it could, what must hold
// meanwhile does.
func (d *daySearch) meanwhile(ctx context.Context, looks *lower.Looks, pattern []*abi.Value, when run, depth int) (out []dayWay, err error) {
	window := run{windowOf(looks, when.to-1).from, windowOf(looks, when.from).to}
	if window.from >= window.to {
		return nil, nil
	}
	rows, whole, err := d.rows(ctx, looks.At.Rel, operandOf(&looks.At, pattern))
	if err != nil || !whole {
		return nil, err
	}
	type start struct {
		way dayWay
		day int64
	}
	var starts []start
	for _, tuple := range tuplesOf(rows) {
		for _, r := range heldDays(rows, tuple) {
			if day := nearestOf(looks, run{max(r.from, window.from), min(r.to, window.to)}); day.from < day.to {
				starts = append(starts, start{dayWay{tuple: tuple}, day.from})
			}
		}
	}
	nearest := nearestOf(looks, window)
	ways, err := d.want(ctx, looks.At.Rel, operandOf(&looks.At, pattern), nearest, depth+1)
	if err != nil {
		return nil, err
	}
	for _, w := range ways {
		starts = append(starts, start{w, nearest.from})
	}
	for _, s := range starts {
		s.way.tuple = withOperand(pattern, &looks.At, s.way.tuple)
		if looks.Held == nil {
			out = append(out, s.way)
			continue
		}
		between := run{s.day + 1, when.to - 1}
		if !looks.Back() {
			between = run{when.from + 1, s.day}
		}
		held, err := d.want(ctx, looks.Held.Rel, operandOf(looks.Held, s.way.tuple), between, depth+1)
		if err != nil {
			return nil, err
		}
		for _, h := range held {
			if both, ok := s.way.and(h, d.most); ok {
				out = append(out, both)
			}
		}
	}
	return out, nil
}
