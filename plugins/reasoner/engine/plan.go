package engine

import (
	"math"
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/abi/phrase"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/relation"
)

// plan is a body in the order in which it is run. A plan owns its buffers and
// is run by one caller at a time.
type plan struct {
	steps []*step
	order []int // the atoms' indexes, a step each
	width int   // slots
	busy  bool
	out   *headSink // of a rule
	fused *fused    // of a rule: runs in place of the steps
	size  int       // rows of the scanned relations when the order was chosen

	made     int // bindings that it has come to, in all runs
	patience int // if not 0: bindings that its steps may still come to; at the end it is below 0
}

// planOptions say how a body is planned.
type planOptions struct {
	bound  slotSet // slots that the input binds
	need   slotSet // slots that the output must hold
	first  int     // atom that must come first, or -1
	stable bool    // choose an order that does not depend on sizes
	given  []int   // the order, if it is settled; it may leave atoms out
	once   bool    // the plan is run once, for one input row
}

// stepOp says what a step does.
type stepOp uint8

const (
	opScan   stepOp = iota // all rows
	opProbe                // rows that an index finds
	opMember               // whether the whole tuple is there (neg: is not)
	opAbsent               // no row that the index finds
	opSome                 // whether there is any row (neg: none)
	opCompare
	opAlias // one side of == binds the other
	opLet
	opFilter
	opMatch
	opIn
	opExists
	opFold
)

// operand is where a term comes from: a slot, or a constant.
type operand struct {
	slot int // -1: the constant
	term abi.Term
}

// binding says that a column of a relation binds a slot.
type binding struct{ col, slot int }

// step is one atom of a plan. in is the batch that it works on, out the batch
// that advance fills.
type step struct {
	op     stepOp
	atom   int
	source *abi.Atom
	neg    bool
	keep   []int // slots handed on from in to out

	rel     int
	flip    bool      // reads under an odd number of negations: the other bound
	certain bool      // stands in a fold: reads what is true whatever bound is asked for
	on      []int     // key columns
	keys    []operand // their terms
	binds   []binding
	same    [][2]int // pairs of columns that must be equal
	any     bool     // one row a tuple is enough
	probe   relation.Probe
	partner *partner // of a probe, may be nil
	meet    *meet    // the same
	back    int      // step that this one's batch came from, -1 of the first
	made    int      // bindings that it came to, in all runs
	target  *relation.Relation
	lo, hi  uint32
	holes   bool               // target has rows that are marked as removed, and they do not count
	lost    *relation.Relation // tuples that count, too, although they have been removed

	cmp  abi.CmpOp
	a, b operand
	slot int
	test bool // slot is bound already: compare
	code *code
	pat  *pattern

	nested *nested

	in, out batch
	at      int // progress in in
	row     int // progress within a row of in
	items   []abi.Term
	tuples  []uint32
	rows    []uint32
	own     [][]abi.Term // buffers by slot
	ownOrd  []abi.Term
	fixed   [][]abi.Term // constant key columns, by key
	keyCols [][]abi.Term
	ready   bool // the buffers are there
	once    bool // works on one row, once: an index is not worth its making
	linear  bool // probes by a pass over the rows
}

// unsafeBody reports a body that cannot be run because something stays
// unbound.
func unsafeBody(atoms []abi.Atom, left []int) *abi.Failure {
	a := &atoms[left[0]]
	return &abi.Failure{
		Code:    abi.FailureUnbound,
		Message: phrase.Of("atom %d of the body reads a variable that nothing in the body binds", left[0]),
		Span:    a.Span,
		Rule:    -1,
	}
}

// plan orders the atoms and builds their steps.
func (e *Engine) plan(atoms []abi.Atom, width int, o planOptions) (*plan, *abi.Failure) {
	order := o.given
	if order == nil {
		var f *abi.Failure
		if order, f = e.order(atoms, width, o); f != nil {
			return nil, f
		}
	}
	p := &plan{order: order, width: width, steps: make([]*step, len(order))}
	bound := o.bound.clone()
	before := make([]slotSet, len(order)) // bound before each step
	for k, i := range order {
		before[k] = bound.clone()
		bound.addAll(atomBinds(&atoms[i], width))
	}
	if !o.need.within(bound) {
		return nil, &abi.Failure{Code: abi.FailureUnbound, Rule: -1,
			Message: "the head or the result reads a variable that nothing in the body binds"}
	}
	need := o.need.clone()
	for k := len(order) - 1; k >= 0; k-- {
		a := &atoms[order[k]]
		s, f := e.step(a, order[k], width, before[k], need)
		if f != nil {
			return nil, f
		}
		keep := before[k].clone()
		keep.keepAll(need)
		s.keep = keep.list()
		p.steps[k] = s
		need.addAll(atomSlots(a, width))
	}
	if !o.stable && !o.once {
		findMeets(p, before, o.need)
	}
	p.size = e.bodySize(atoms)
	e.effort += effortOfAtom * len(order)
	if o.once && len(p.steps) > 0 {
		p.steps[0].once = true
	}
	return p, nil
}

// order chooses the order of the atoms: what only tests comes as soon as it
// can, and of the scans the one that is expected to give the fewest rows.
func (e *Engine) order(atoms []abi.Atom, width int, o planOptions) ([]int, *abi.Failure) {
	binds := make([]slotSet, len(atoms))
	for i := range atoms {
		binds[i] = atomBinds(&atoms[i], width)
	}
	needs := needsOf(atoms, binds, o.bound, width)
	bound := o.bound.clone()
	var order []int
	left := make([]int, len(atoms))
	for i := range left {
		left[i] = i
	}
	take := func(i int) {
		order = append(order, i)
		bound.addAll(binds[i])
		left = slices.DeleteFunc(left, func(j int) bool { return j == i })
	}
	if o.first >= 0 {
		take(o.first)
	}
	for len(left) > 0 {
		best, bestCost := -1, 0.0
		for _, i := range left {
			a := &atoms[i]
			if !needs[i].within(bound) || a.Op == abi.AtomCmp && a.Cmp == abi.CmpEq && !anyBound(a.Args, bound) {
				continue
			}
			if cost := e.cost(a, bound, o.stable); best < 0 || cost < bestCost {
				best, bestCost = i, cost
			}
		}
		if best < 0 {
			return nil, unsafeBody(atoms, left)
		}
		take(best)
	}
	return order, nil
}

// needsOf returns, by atom, the slots that must be bound before it can run.
func needsOf(atoms []abi.Atom, binds []slotSet, bound slotSet, width int) []slotSet {
	needs := make([]slotSet, len(atoms))
	for i := range atoms {
		bindable := bound.clone()
		for j, b := range binds {
			if j != i {
				bindable.addAll(b)
			}
		}
		needs[i] = atomNeeds(&atoms[i], width, bindable)
	}
	return needs
}

func anyBound(args []abi.Arg, bound slotSet) bool {
	for _, x := range args {
		if x.Op == abi.ArgConst || x.Op == abi.ArgSlot && bound.has(x.Index) {
			return true
		}
	}
	return false
}

// The costs of atoms that are no scans stand for how many rows they let
// through and how dear they are: cheap tests first, nested bodies late.
const (
	costTest   = 0.1
	costLet    = 0.2
	costIn     = 4
	costNested = 0.9
	costFold   = 1.2

	// Of a recursive relation, which tends to be large: less than any place
	// that is bound makes up for.
	costRecursive = 0.01
)

func (e *Engine) cost(a *abi.Atom, bound slotSet, stable bool) float64 {
	switch a.Op {
	case abi.AtomScan:
		return e.scanCost(a, bound, stable)
	case abi.AtomLet, abi.AtomMatch:
		return costLet
	case abi.AtomIn:
		return costIn
	case abi.AtomExists:
		return costNested
	case abi.AtomFold:
		return costFold
	}
	return costTest
}

// scanCost estimates how many rows of the relation fit one input row.
func (e *Engine) scanCost(a *abi.Atom, bound slotSet, stable bool) float64 {
	var on []int
	for c, x := range a.Args {
		if x.Op == abi.ArgConst || x.Op == abi.ArgSlot && bound.has(x.Index) {
			on = append(on, c)
		}
	}
	switch {
	case len(on) == len(a.Args):
		return costTest
	case a.Neg:
		return costTest * 2
	case stable:
		cost := 2 + float64(len(a.Args)-len(on))/float64(len(a.Args)+1)
		if c := e.rels[a.Rel].comp; c >= 0 && e.comps[c].recursive {
			cost += costRecursive
		}
		return cost
	}
	key := e.prog.Relations[a.Rel].Key
	if len(key) > 0 && containsAll(on, key) {
		return costTest * 3
	}
	data := e.rels[a.Rel].data
	growth := 1.0
	if c := e.rels[a.Rel].comp; c >= 0 && !e.comps[c].current() {
		// The relation is being computed, and will be larger.
		if data.Rows() < recursiveGuess {
			free := float64(len(a.Args)-len(on)) / float64(len(a.Args))
			return math.Pow(recursiveGuess, free)
		}
		growth = recursiveGrowth
	}
	if len(on) == 0 {
		return growth*float64(data.Live()) + 1
	}
	return growth * data.Fanout(on)
}

// recursiveGuess stands for the rows of a relation that is being computed,
// and recursiveGrowth for how much larger one will be that has more.
const (
	recursiveGuess  = 1000
	recursiveGrowth = 4
)

func containsAll(have, want []int) bool {
	for _, w := range want {
		if !slices.Contains(have, w) {
			return false
		}
	}
	return true
}

// bodySize returns the rows of the relations that the body scans.
func (e *Engine) bodySize(atoms []abi.Atom) int {
	n := 0
	for i := range atoms {
		if atoms[i].Op == abi.AtomScan {
			n += e.rels[atoms[i].Rel].data.Rows()
		}
		n += e.bodySize(atoms[i].Body)
	}
	return n
}
