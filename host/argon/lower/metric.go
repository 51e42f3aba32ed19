package lower

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
	"github.com/ox-mcp/ox-mcp/host/argon/types"
)

// An operator over time looks at days other than the one that a state is of.
// What it reads has a twin with two columns more: the tuple holds from the day
// `from` on up to the day `to`, which is not among them. The twin of a base
// relation is a base relation too, which holds the facts of all days; that of a
// derived one has the rules of the derived one over twins. An operator moves
// the ends of such intervals, and the atom that stands for it asks whether the
// day of the read lies in one.

// TwinMark ends the name of a twin.
const TwinMark = "@"

// Always is the number of days before and after 1970-01-01 beyond which no fact
// changes: what has always held holds from -Always on, and what has no end up
// to Always.
const Always = 100_000_000

// Twin returns the name of the relation of which r is the twin.
func Twin(r *abi.Relation) (name string, ok bool) {
	n := len(r.Name) - len(TwinMark)
	if r.Origin != abi.OriginAux || n < 0 || r.Name[n:] != TwinMark {
		return "", false
	}
	return r.Name[:n], true
}

// metricWork is what the operators of a program need.
type metricWork struct {
	shown   map[int]int // relation of what an operator says today, to its intervals
	twins   map[int]int // relation, to its twin
	spans   map[int]abi.Span
	todo    []int    // relations whose twins have no rules yet
	asked   abi.Span // the operator for which rules are being written; zero: none
	refused bool     // an ad-hoc body looks at what the module does not
	count   int
}

// metric makes the atom that stands for an operator.
func (h *hoist) metric(a abi.Atom, m types.Metric, out *[]abi.Atom) {
	if h.b.spoils() {
		h.stuck = true
		return
	}
	b := h.b
	done := false
	defer func() { h.stuck = h.stuck || !done }()
	ops := make([]interval, len(a.Body))
	for i := range a.Body {
		var ok bool
		if ops[i], ok = h.operand(a.Body[i], m); !ok {
			return
		}
	}
	held, since := interval{}, ops[len(ops)-1]
	if len(ops) == 2 {
		held = ops[0]
		for _, v := range held.vars {
			if !slices.Contains(since.vars, v) {
				b.unsupported(a.Span, fmt.Sprintf("%s where only what holds meanwhile speaks of %s", m.Word, (*h.slots)[v].Name), "add an atom about it to what follows "+m.Word)
				return
			}
		}
	}
	w := b.metricState()
	w.count++
	name := fmt.Sprintf("%s[%s]#%d", m.Word, distance(m), w.count)
	x := operator{b: b, m: m, slots: *h.slots, vars: since.vars, span: a.Span}
	x.rel = x.relation(name + TwinMark)
	switch m.Word {
	case "box_minus", "box_plus":
		x.box(b.coalesced(since, *h.slots))
	case "diamond_minus", "diamond_plus":
		x.diamond(since)
	default:
		x.meanwhile(b.coalesced(held, *h.slots), since)
	}
	shown := b.today(x.rel, name, a.Span)
	w.shown[shown] = x.rel
	scan := abi.Atom{Op: abi.AtomScan, Rel: shown, Neg: a.Neg, Span: a.Span}
	for _, v := range since.vars {
		scan.Args = append(scan.Args, slotArg(v))
	}
	*out = append(*out, scan)
	done = true
}

func distance(m types.Metric) string {
	if m.To < 0 {
		return fmt.Sprintf("%d, *", m.From)
	}
	return fmt.Sprintf("%d, %d", m.From, m.To)
}

func (b *builder) metricState() *metricWork {
	if b.metrics == nil {
		b.metrics = &metricWork{shown: map[int]int{}, twins: map[int]int{}, spans: map[int]abi.Span{}}
	}
	return b.metrics
}

// extended is the work to begin an extension with.
func (w *metricWork) extended() *metricWork {
	if w == nil {
		return nil
	}
	return &metricWork{shown: maps.Clone(w.shown), twins: maps.Clone(w.twins), spans: maps.Clone(w.spans), count: w.count}
}

// interval is a relation with the slots that its columns before from and to
// are about.
type interval struct {
	rel  int
	vars []int
}

// operand makes the relation of the days on which the operand's atoms hold
// together.
func (h *hoist) operand(a abi.Atom, m types.Metric) (interval, bool) {
	b := h.b
	body := h.body(a.Body)
	if h.stuck || !b.plainTime(body, m.Word, a.Span) {
		return interval{}, false
	}
	var vars []int
	for _, s := range sorted(open(func(w slotWalk) { w.atoms(body) })) {
		if slices.Contains(a.Over, s) {
			vars = append(vars, s)
		}
	}
	var read []abi.Arg
	bound := open(func(w slotWalk) {
		for i := range body {
			switch body[i].Op {
			case abi.AtomScan:
				w.args(body[i].Args)
			case abi.AtomLet, abi.AtomIn:
				w.args([]abi.Arg{slotArg(body[i].Slot)})
			}
		}
	})
	for _, v := range vars {
		if (v < h.given || h.preset[v]) && !bound[v] {
			name := (*h.slots)[v].Name
			b.unsupported(a.Span, fmt.Sprintf("the parameter %s inside %s", name, m.Word), "give the value a name inside, and compare it outside: v = x.f, and then v > "+name)
			return interval{}, false
		}
		read = append(read, slotArg(v))
	}
	if !b.safe(*h.slots, body, nil, read, a.Span) {
		return interval{}, false
	}
	w := b.metricState()
	w.count++
	x := operator{b: b, slots: *h.slots, vars: vars, span: a.Span}
	x.rel = x.relation(fmt.Sprintf("days#%d%s", w.count, TwinMark))
	x.together(body)
	return interval{x.rel, vars}, true
}

// plainTime reports whether every atom of body has a meaning on each day.
func (b *builder) plainTime(body []abi.Atom, word string, span abi.Span) bool {
	for i := range body {
		a := &body[i]
		switch {
		case a.Op == abi.AtomScan && !a.Neg:
		case a.Op == abi.AtomFold:
			b.unsupported(span, "an aggregate inside "+word, "fold outside of the operator")
			return false
		case a.Neg || a.Op == abi.AtomExists:
			b.unsupported(span, "a negation or a nested body inside "+word, "negate the operator, or derive what it is about first")
			return false
		case a.Expr != nil && tellsTime(a.Expr):
			b.unsupported(span, "today() or now() inside "+word, "compare with it outside of the operator")
			return false
		}
	}
	return true
}

func tellsTime(x *abi.Expr) bool {
	if x.Op == abi.ExprBuiltin && (x.Name == abi.BuiltinToday || x.Name == abi.BuiltinNow) {
		return true
	}
	return slices.ContainsFunc(x.Args, func(y abi.Expr) bool { return tellsTime(&y) }) ||
		slices.ContainsFunc(x.Arms, func(arm abi.Arm) bool { return tellsTime(&arm.Body) || arm.Guard != nil && tellsTime(arm.Guard) })
}

// twin returns the relation of the days of rel.
func (b *builder) twin(rel int, span abi.Span) int {
	w := b.metricState()
	if x, ok := w.shown[rel]; ok {
		return x
	}
	if x, ok := w.twins[rel]; ok {
		return x
	}
	if w.asked != (abi.Span{}) {
		span = w.asked // what a predicate rests on is read for the same operator
	}
	r := b.env.Relations[rel]
	if b.extends && r.Role == abi.Base && !w.refused {
		w.refused = true
		// The host keeps the days of what the module asks for, and of nothing else.
		b.unsupported(span, "a temporal operator over "+strings.TrimSuffix(r.Name, "+")+", which no rule of the package looks at over time, in a body that is not of the package",
			"derive a predicate with the operator in the package, and ask for that")
	}
	t := abi.Relation{Name: r.Name + TwinMark, Role: r.Role, Origin: abi.OriginAux, Span: r.Span}
	t.Columns = append(slices.Clone(r.Columns), abi.Column{Name: "from", Type: types.Int}, abi.Column{Name: "to", Type: types.Int})
	x := b.relation(t)
	w.twins[rel], w.spans[rel] = x, span
	if r.Role == abi.Derived {
		w.todo = append(w.todo, rel)
	}
	return x
}

// twinRules writes the rules of the twins that are needed, once every rule of
// the program is there.
func (b *builder) twinRules() {
	if b.metrics == nil {
		return
	}
	w := b.metrics
	rules := append(slices.Clip(b.program), b.rules...)
	byHead := map[int][]int{}
	for i := range rules {
		byHead[rules[i].Head] = append(byHead[rules[i].Head], i)
	}
	for len(w.todo) > 0 {
		rel := w.todo[0]
		w.todo = w.todo[1:]
		span := w.spans[rel]
		w.asked = span
		name := PathText(&b.env.Relations[rel])
		if b.circular(rel, rules, byHead) {
			b.report("OE1355", span, "let the operator read something that is stated, or derived without recursion",
				"a temporal operator over %s, which is recursive, is of the temporal tier stratified; operators are evaluated up to acyclic-stratified", name)
			continue
		}
		for _, i := range byHead[rel] {
			r := rules[i]
			if !b.plainRule(&r, name, span) {
				break
			}
			x := operator{b: b, slots: r.Slots, span: r.Span, rel: w.twins[rel]}
			x.head = r.Args
			x.together(r.Body)
		}
	}
}

// plainRule reports whether a rule has a meaning on each day.
func (b *builder) plainRule(r *abi.Rule, name string, span abi.Span) bool {
	for i := range r.Body {
		a := &r.Body[i]
		if a.Op == abi.AtomFold || a.Op == abi.AtomExists || a.Neg || a.Expr != nil && tellsTime(a.Expr) {
			b.report("OE1355", span, "let the operator read something that is stated, or derived by joins and conditions alone",
				"a temporal operator over %s, which has a rule with a negation, an aggregate or the day of the call; operators are evaluated over joins and conditions", name)
			return false
		}
	}
	return true
}

// circular reports whether rel is derived from itself.
func (b *builder) circular(rel int, rules []abi.Rule, byHead map[int][]int) bool {
	twinOf := map[int]int{}
	for of, twin := range b.metrics.twins {
		twinOf[twin] = of
	}
	seen := map[int]bool{}
	queue := []int{rel}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		found := false
		for _, i := range byHead[at] {
			readsOf(rules[i].Body, positive, func(to int, _ uint8) {
				if of, ok := twinOf[to]; ok {
					to = of // its rules are those of what it is the twin of
				}
				found = found || to == rel
				if !seen[to] {
					seen[to] = true
					queue = append(queue, to)
				}
			})
		}
		if found {
			return true
		}
	}
	return false
}

// twinFacts gives the declared facts of what has a twin to the twin: they have
// always held and have no end.
func (b *builder) twinFacts(facts []FactSet) []FactSet {
	if b.metrics == nil {
		return facts
	}
	n := len(facts)
	for i := range n {
		x, ok := b.metrics.twins[facts[i].Relation]
		if !ok {
			continue
		}
		fs := FactSet{Relation: x, Layer: facts[i].Layer, Places: facts[i].Places}
		fb := abi.FrameBuilder{Arity: len(b.env.Relations[x].Columns)}
		for row := range facts[i].Frame.Rows {
			fb.Add(append(facts[i].Frame.Row(nil, row), abi.IntValue(-Always), abi.IntValue(Always)))
		}
		fs.Frame = fb.Frame()
		facts = append(facts, fs)
	}
	slices.SortStableFunc(facts, func(a, b FactSet) int { return a.Relation - b.Relation })
	return facts
}

// ofDays reports whether rel comes from an operator over time.
func (b *builder) ofDays(rel int) bool {
	if b.metrics == nil {
		return false
	}
	_, shown := b.metrics.shown[rel]
	_, twin := Twin(&b.env.Relations[rel])
	return shown || twin
}

// Operator reports whether r is one of the relations that an operator over time
// is made of.
func Operator(r *abi.Relation) bool {
	word, _, found := strings.Cut(r.Name, "#")
	word, _, _ = strings.Cut(word, "[")
	return found && r.Origin == abi.OriginAux && (word == "days" || syntax.Metric(word))
}

// Made reports whether the conditions in r's rules stand in no source: r is a
// path, or the days of something.
func Made(r *abi.Relation) bool {
	_, twin := Twin(r)
	return twin || r.Origin == abi.OriginAux && strings.ContainsRune(r.Name, '{') || Operator(r)
}
