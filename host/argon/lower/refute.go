package lower

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/types"
)

// A concept or relation is refuted by a fact that says so. What rules alone
// define, a derived predicate, a refinement or the body of a query, is refuted
// in a view where each way to it has a condition that the view speaks against:
// a tuple that the view refutes, a field that it gives another value, the
// negation of what it holds. That a view is silent speaks against nothing: what
// some other view holds counts as possible there. So beside a relation stands
// one with the tuples that are possible in the view, made of the same rules, in
// which a positive atom asks for what is possible and a negative one for the
// absence of what the view holds. What the views hold and what is not possible
// in one of them is refuted in that one.
//
// Beside it stands another with the tuples that would hold in the view were
// nothing refuted there. What is not possible of these is refuted, whether or
// not some other view holds it.

// Refuting makes the bodies that say what of another is possible in a view, and
// what would hold there were nothing refuted.
type Refuting struct {
	relations []abi.Relation
	rules     []abi.Rule
	firstRel  int
	firstRule int
	values    []abi.Value // constants of the program and what extends it
	added     []abi.Value
	files     []string

	byHead  [][]int     // rules
	touched []bool      // relations that views may differ in
	mute    []bool      // rules that refute nothing
	minus   map[int]int // base relations to those that refute their tuples
	twins   map[twin]int
	todo    []twin
	others  map[int][][]abi.Value
}

// twin is a relation as it is asked for.
type twin struct {
	rel int
	as  int
}

const (
	asPossible  = iota
	asMentioned // it would hold, were nothing refuted
	asHeld      // of an auxiliary relation that negations are made of: what the view holds for certain
)

// NewRefuting looks at what a body reads of a program that ext, if it is not
// nil, extends. stated reports whether a standpoint may say something of a base
// relation, or somebody something of one that refutes; timed, whether the
// relation is one that an operator over time reads, which refute nothing. It is
// nil where views do not differ in what the body reads, or it folds over what
// they differ in: what they say of no value of a fold speaks against another.
func NewRefuting(p *abi.Program, ext *abi.Extension, body []abi.Atom, stated, timed func(rel int) bool) *Refuting {
	r := &Refuting{relations: slices.Clip(p.Relations), rules: slices.Clip(p.Rules), files: p.Files, minus: map[int]int{}}
	r.values = slices.Clip(p.Constants)
	components := p.Components
	if ext != nil {
		r.relations = slices.Clip(slices.Concat(p.Relations, ext.Relations)) // each extension appends its own
		r.rules = slices.Clip(slices.Concat(p.Rules, ext.Rules))
		r.values = slices.Clip(slices.Concat(p.Constants, ext.Constants))
		components = slices.Concat(components, ext.Components)
	}
	r.firstRel, r.firstRule = len(r.relations), len(r.rules)
	r.touch(components, stated, timed)
	if !r.reads(body) || r.muteBody(body, timed) {
		return nil
	}
	return r
}

// touch finds the relations that views may differ in.
func (r *Refuting) touch(components []abi.Component, stated, timed func(rel int) bool) {
	r.touched, r.mute = make([]bool, len(r.relations)), make([]bool, len(r.rules))
	r.byHead = make([][]int, len(r.relations))
	for i := range r.rules {
		r.byHead[r.rules[i].Head] = append(r.byHead[r.rules[i].Head], i)
	}
	for rel := range r.relations {
		x := &r.relations[rel]
		if x.Refuted >= 0 && x.Asserted >= 0 {
			r.minus[x.Asserted] = x.Refuted
		}
		r.touched[rel] = x.Role == abi.Base && stated(rel) || x.Refuted >= 0 && stated(x.Refuted)
	}
	for i := range components {
		c := &components[i]
		differs := false
		for _, rel := range c.Relations {
			differs = differs || r.touched[rel]
		}
		for _, at := range c.Rules {
			differs = differs || r.reads(r.rules[at].Body)
		}
		for _, rel := range c.Relations {
			r.touched[rel] = r.touched[rel] || differs
		}
		for _, at := range c.Rules {
			r.mute[at] = r.muteBody(r.rules[at].Body, timed)
		}
	}
}

// reads reports whether the body reads what views may differ in.
func (r *Refuting) reads(body []abi.Atom) (found bool) {
	readsOf(body, positive, func(rel int, _ uint8) { found = found || r.touched[rel] })
	return found
}

func (r *Refuting) muteBody(body []abi.Atom, timed func(rel int) bool) bool {
	for i := range body {
		a := &body[i]
		switch {
		case a.Op == abi.AtomFold && r.reads(a.Body):
			return true
		case a.Op == abi.AtomScan && timed(a.Rel) && r.touched[a.Rel]:
			return true
		case r.muteBody(a.Body, timed):
			return true
		}
	}
	return false
}

// said reports whether a relation is one of which views say what holds: it is
// refuted by what they say of it, and by nothing else.
func (r *Refuting) said(rel int) bool {
	x := &r.relations[rel]
	return x.Role == abi.Base || x.Asserted >= 0
}

// Extend makes the extensions with which q is asked for the rows that are
// possible in a view, and for those that would hold were nothing refuted there:
// each is one query. They go on where the program does, or the ext that
// NewRefuting was given; Needs says of which relations others has the tuples
// that the other views hold. ok is false where q cannot be asked so.
func (r *Refuting) Extend(q *abi.Query, others map[int][][]abi.Value) (possible, mentioned *abi.Extension, ok bool) {
	possible, ok = r.extend(q, others, asPossible)
	if ok {
		mentioned, ok = r.extend(q, others, asMentioned)
	}
	return possible, mentioned, ok
}

func (r *Refuting) extend(q *abi.Query, others map[int][][]abi.Value, as int) (out *abi.Extension, ok bool) {
	r = r.fresh()
	r.others = others
	twin := *q
	twin.Body, twin.Truth = r.body(q.Body, as, true), -1
	out = &abi.Extension{Queries: []abi.Query{twin}}
	r.follow()
	env := &types.Env{Relations: r.relations, Files: r.files}
	told := diag.List{}
	b := &builder{env: env, diags: &told, rules: r.rules[r.firstRule:]}
	out.Components = b.components(r.firstRel, r.firstRule)
	out.Relations, out.Rules, out.Constants = r.relations[r.firstRel:], r.rules[r.firstRule:], r.added
	return out, len(told.Items) == 0
}

// fresh returns what goes on from the program, as r did at first.
func (r *Refuting) fresh() *Refuting {
	out := *r
	out.twins = map[twin]int{}
	return &out
}

// Needs returns the relations of which it matters, for a body, what other views
// hold. The first variables of the body have the values of args, where these
// are not nil.
func (r *Refuting) Needs(body []abi.Atom, args []*abi.Value) []Need {
	need := map[int]bool{}
	try := r.fresh()
	body = try.body(body, asPossible, true)
	try.follow()
	spans := try.demanded(body, args)
	columns := map[int][]span{}
	for t, at := range try.twins {
		if columns[t.rel] == nil {
			columns[t.rel] = make([]span, len(r.relations[t.rel].Columns))
		}
		for c, s := range spans[at] {
			columns[t.rel][c].widen(s)
		}
		if t.as == asPossible && (r.said(t.rel) || slices.ContainsFunc(r.byHead[t.rel], func(i int) bool { return r.mute[i] })) {
			need[t.rel] = true
		}
	}
	var out []Need
	for _, rel := range sorted(need) {
		n := Need{Relation: rel, Columns: make([][]abi.Value, len(columns[rel]))}
		for c, s := range columns[rel] {
			if !s.free {
				n.Columns[c] = s.values
			}
		}
		out = append(out, n)
	}
	return out
}

// body returns the body as it is asked for; even is false inside an odd number
// of negations.
func (r *Refuting) body(body []abi.Atom, as int, even bool) []abi.Atom {
	out := copyAtoms(body)
	for i := range out {
		a := &out[i]
		switch a.Op {
		case abi.AtomScan:
			if even != a.Neg {
				a.Rel = r.twin(a.Rel, as)
			} else {
				a.Rel = r.held(a.Rel, as)
			}
		case abi.AtomExists:
			a.Body = r.body(a.Body, as, even != a.Neg)
		}
	}
	return out
}

// twin returns the relation that stands beside rel.
func (r *Refuting) twin(rel, as int) int {
	if rel >= r.firstRel || !r.touched[rel] {
		return rel
	}
	key := twin{rel, as}
	at, ok := r.twins[key]
	if !ok {
		x := r.relations[rel]
		at = len(r.relations)
		r.relations = append(r.relations, abi.Relation{Name: x.Name, Role: abi.Derived, Origin: abi.OriginAux, Columns: x.Columns, Asserted: -1, Refuted: -1, Span: x.Span})
		r.twins[key] = at
		r.todo = append(r.todo, key)
	}
	return at
}

// held returns the relation that says what the view holds of rel, for a
// negation. A predicate of the source answers for itself; what lowering made of
// a body stands for the body, whose own negations ask for what is possible.
func (r *Refuting) held(rel, as int) int {
	if as == asMentioned || rel >= r.firstRel || !r.touched[rel] || r.relations[rel].Origin != abi.OriginAux || r.said(rel) {
		return rel
	}
	for _, i := range r.byHead[rel] {
		if negates(r.rules[i].Body) && !r.mute[i] {
			return r.twin(rel, asHeld)
		}
	}
	return rel
}

func negates(body []abi.Atom) bool {
	return slices.ContainsFunc(body, func(a abi.Atom) bool {
		return a.Neg && (a.Op == abi.AtomScan || a.Op == abi.AtomExists) || negates(a.Body)
	})
}

// follow gives the relations that were asked for their rules.
func (r *Refuting) follow() {
	for len(r.todo) > 0 {
		t := r.todo[0]
		r.todo = r.todo[1:]
		if r.said(t.rel) {
			r.stated(t)
			continue
		}
		whole := false
		for _, i := range r.byHead[t.rel] {
			old := &r.rules[i]
			if r.mute[i] {
				whole = true
				continue
			}
			rule := *old
			rule.Head = r.twins[t]
			if t.as == asHeld {
				rule.Body = r.body(old.Body, asPossible, false)
			} else {
				rule.Body = r.body(old.Body, t.as, true)
				if minus := r.relations[t.rel].Refuted; minus >= 0 && t.as == asPossible {
					rule.Body = append(rule.Body, abi.Atom{Op: abi.AtomScan, Rel: minus, Neg: true, Args: slices.Clone(rule.Args), Span: rule.Span})
				}
			}
			r.rules = append(r.rules, rule)
		}
		if whole {
			r.copy(t, t.rel, nil)
			r.list(t, nil)
		}
	}
}

// stated gives what is possible, or mentioned, of a relation that views speak
// of.
func (r *Refuting) stated(t twin) {
	x := &r.relations[t.rel]
	minus, refutable := x.Refuted, x.Refuted >= 0
	if x.Role == abi.Base {
		minus, refutable = r.minus[t.rel], false
		if _, ok := r.minus[t.rel]; ok {
			refutable = true
		}
	}
	if t.as == asMentioned {
		r.copy(t, t.rel, nil)
		if refutable {
			r.copy(t, minus, nil)
		}
		return
	}
	var unless func(args []abi.Arg) abi.Atom
	if refutable {
		unless = func(args []abi.Arg) abi.Atom { return abi.Atom{Op: abi.AtomScan, Rel: minus, Neg: true, Args: args} }
	}
	r.copy(t, t.rel, unless)
	if len(x.Key) > 0 && len(x.Key) < len(x.Columns) {
		// What has one value of a key does not have another.
		key, rel := x.Key, t.rel
		unless = func(args []abi.Arg) abi.Atom {
			args = slices.Clone(args)
			for c := range args {
				if !slices.Contains(key, c) {
					args[c] = abi.Arg{Op: abi.ArgWild}
				}
			}
			return abi.Atom{Op: abi.AtomScan, Rel: rel, Neg: true, Args: args}
		}
	}
	r.list(t, unless)
}

// copy adds the rule that t has the tuples of a relation.
func (r *Refuting) copy(t twin, from int, unless func([]abi.Arg) abi.Atom) {
	rule := r.head(t)
	rule.Body = append(rule.Body, abi.Atom{Op: abi.AtomScan, Rel: from, Args: slices.Clone(rule.Args), Span: rule.Span})
	r.add(rule, unless)
}

// list adds the rule that t has the tuples that other views hold.
func (r *Refuting) list(t twin, unless func([]abi.Arg) abi.Atom) {
	tuples := r.others[t.rel]
	if len(tuples) == 0 {
		return
	}
	rule := r.head(t)
	all := abi.Value{Kind: abi.KindList, Items: make([]abi.Value, len(tuples))}
	for i := range tuples {
		all.Items[i] = abi.Value{Kind: abi.KindList, Items: tuples[i]}
	}
	row := len(rule.Slots)
	rule.Slots = append(rule.Slots, abi.Slot{})
	list := r.constant(all)
	rule.Body = append(rule.Body, abi.Atom{Op: abi.AtomIn, Slot: row, Expr: &list, Span: rule.Span})
	for c := range rule.Args {
		item := abi.Expr{Op: abi.ExprIndex, Args: []abi.Expr{{Op: abi.ExprSlot, Index: row}, r.constant(abi.IntValue(int64(c)))}}
		rule.Body = append(rule.Body, abi.Atom{Op: abi.AtomLet, Slot: c, Expr: &item, Span: rule.Span})
	}
	r.add(rule, unless)
}

func (r *Refuting) head(t twin) abi.Rule {
	x := &r.relations[t.rel]
	rule := abi.Rule{Name: x.Name, Head: r.twins[t], Span: x.Span}
	for c, col := range x.Columns {
		rule.Slots = append(rule.Slots, abi.Slot{Name: col.Name, Type: col.Type})
		rule.Args = append(rule.Args, slotArg(c))
	}
	return rule
}

func (r *Refuting) add(rule abi.Rule, unless func([]abi.Arg) abi.Atom) {
	if unless != nil {
		rule.Body = append(rule.Body, unless(slices.Clone(rule.Args)))
	}
	r.rules = append(r.rules, rule)
}

func (r *Refuting) constant(v abi.Value) abi.Expr {
	r.added = append(r.added, v)
	return abi.Expr{Op: abi.ExprConst, Index: len(r.values) + len(r.added) - 1}
}
