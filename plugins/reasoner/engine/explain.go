package engine

import (
	"math"
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
)

// The bounds of an explanation where the request names none, and of the
// searches behind it.
const (
	defaultDepth     = 16
	defaultNodes     = 400
	maxSolutions     = 100_000 // looked at for the least solution of a body
	maxDerivations   = 100     // counted of one rule for one fact
	maxFoundedChecks = 256     // facts looked at to see that alternatives do not rest on what they prove
	maxWitnesses     = 50      // solutions shown of a fold
)

// Explain says why a tuple is, or is not, in a relation.
func (e *Engine) Explain(r *abi.ExplainRequest) (*abi.Explanation, *abi.Failure) {
	if f := e.begin(&r.Call); f != nil {
		return nil, f
	}
	if r.Relation < 0 || r.Relation >= len(e.rels) {
		return nil, badRequest("relation %d is out of range: the program has %d", r.Relation, len(e.rels))
	}
	if n := len(e.prog.Relations[r.Relation].Columns); n != len(r.Tuple) {
		return nil, badRequest("relation %s has %d columns, the tuple %d", e.prog.Relations[r.Relation].Name, n, len(r.Tuple))
	}
	e.stable = true // so that an explanation does not depend on the history of the instance
	defer func() { e.stable = false }()
	tuple := make([]abi.Term, len(r.Tuple))
	for i := range r.Tuple {
		tuple[i] = e.terms.Intern(r.Tuple[i])
	}
	out := &abi.Explanation{}
	done, f := e.explain(out, r, tuple)
	if f == nil && !done {
		f = e.explainWhole(out, r, tuple)
	}
	if f == nil && !out.Derived && r.Repairs > 0 {
		out.Repairs, f = e.repairsWithin(r.Relation, tuple, r.Repairs)
	}
	if f != nil {
		return nil, f
	}
	out.Work = e.spent()
	return out, nil
}

// explain explains a tuple by demand, where that can be and its relation has not
// been evaluated. Only where that costs much and the whole passes a limit it does
// so whatever it costs.
func (e *Engine) explain(out *abi.Explanation, r *abi.ExplainRequest, tuple []abi.Term) (done bool, f *abi.Failure) {
	if !e.mayHold(r.Relation, tuple) {
		return false, nil
	}
	done, dear, f := e.explainAsked(out, r, tuple, true)
	if done || f != nil || !dear {
		return done, f
	}
	if f = e.ensure(r.Relation); f == nil || f.Limit == nil {
		return false, f
	}
	done, _, again := e.explainAsked(out, r, tuple, false)
	if done || again != nil {
		f = again
	}
	return done, f
}

// explainAsked is explain; dear says that it has given up because of what it would
// cost.
func (e *Engine) explainAsked(out *abi.Explanation, r *abi.ExplainRequest, tuple []abi.Term, bounded bool) (done, dear bool, f *abi.Failure) {
	most, effort := uint64(maxAsked), maxExcerpted
	if !bounded {
		most, effort = math.MaxInt64, math.MaxInt
	}
	undo, absent, f := e.partly(r.Relation, tuple, most)
	switch {
	case f != nil:
		return false, false, f
	case undo != nil:
		defer undo()
		e.work.ByDemand++
		f = e.explainWhole(out, r, tuple)
		return true, false, f
	case absent == nil:
		return false, true, nil
	}
	x := e.openExcerpts()
	defer x.close()
	x.undo = append(x.undo, absent.close)
	x.keep(absent)
	c := e.comps[e.rels[r.Relation].comp]
	if c.state == fresh || bounded && e.tryWhole(r.Relation, c) {
		return false, false, nil
	}
	over, f := e.allow(effort, func() (f *abi.Failure) {
		out.WhyNot, f = e.whyNot(x, r, tuple)
		return f
	})
	if over || f == errWhole || bounded && f != nil && f.Limit != nil {
		return false, f != errWhole, nil
	}
	c.spending.tuples += askCost + absent.derived + x.spent
	e.work.ByDemand++
	return true, false, f
}

// explainWhole explains a tuple by the extents of the relations.
func (e *Engine) explainWhole(out *abi.Explanation, r *abi.ExplainRequest, tuple []abi.Term) *abi.Failure {
	f := e.ensure(r.Relation)
	if f != nil {
		return f
	}
	if _, ok := e.rels[r.Relation].data.Find(tuple); ok {
		out.Derived = true
		if f = e.exact(r.Relation); f == nil {
			out.Nodes, f = e.prove(r, tuple)
		}
		return f
	}
	x := e.openExcerpts()
	defer x.close()
	out.WhyNot, f = e.whyNot(x, r, tuple)
	return f
}

// repairsWithin is repairs. Where the relation has not been evaluated it is only if
// the search needs that; and if that passes a limit, this says so, as the reasons
// why the tuple is not there do not depend on what would make it so.
func (e *Engine) repairsWithin(rel int, tuple []abi.Term, most uint32) (*abi.RepairSearch, *abi.Failure) {
	out, f := e.repairs(rel, tuple, most, defaultRepairBounds)
	if f == errWhole {
		e.work.ByDemand = 0
		if f = e.ensure(rel); f == nil {
			out, f = e.repairs(rel, tuple, most, defaultRepairBounds)
		}
	}
	if f != nil && f.Limit != nil {
		return &abi.RepairSearch{Limit: f.Limit}, nil
	}
	return out, f
}

// mayHold reports whether the tuple is in its relation, as far as that is known
// without an evaluation.
func (e *Engine) mayHold(rel int, tuple []abi.Term) bool {
	id := e.rels[rel].comp
	if id >= 0 && e.comps[id].state != fresh {
		return true
	}
	_, ok := e.rels[rel].data.Find(tuple)
	return ok
}

// proof is a node of a proof while it is built.
type proof struct {
	kind     abi.ProofKind
	rel      int
	tuple    []abi.Term // unbound: anything
	rule     int
	round    uint32
	atom     int
	bindings []abi.Term
	children []*proof
	more     uint32 // alternatives
	size     uint32 // of a folded node
	depth    uint32
	path     []uint32
	open     bool // a derived fact whose children are not there yet
}

// fact returns the node of a tuple that is in its relation.
func (e *Engine) fact(rel int, tuple []abi.Term) *proof {
	p := &proof{rel: rel, tuple: tuple, rule: -1, atom: -1}
	if e.rels[rel].comp < 0 {
		return p
	}
	if at, ok := e.rels[rel].data.Find(tuple); ok {
		p.rule, p.round = e.rels[rel].data.Tag(at)
	}
	p.kind, p.open = abi.ProofRule, true
	return p
}

// prove builds the proof of a tuple, from the node at the request's path on.
func (e *Engine) prove(r *abi.ExplainRequest, tuple []abi.Term) ([]abi.ProofNode, *abi.Failure) {
	root := e.fact(r.Relation, tuple)
	founded := maxFoundedChecks
	if r.Alternative > 0 {
		if f := e.openAlternative(root, r.Alternative, &founded); f != nil {
			return nil, f
		}
	}
	for _, step := range r.Path {
		if f := e.open(root, &founded); f != nil {
			return nil, f
		}
		if int(step) >= len(root.children) {
			return nil, badRequest("the proof has no node at this path: child %d of %d", step, len(root.children))
		}
		root = root.children[step]
	}
	root.depth, root.path = 0, slices.Clone(r.Path)
	depth, nodes := orDefault(r.MaxDepth, defaultDepth), orDefault(r.MaxNodes, defaultNodes)
	// Nodes are opened breadth first, so that what is left out is what lies
	// deepest, and not whatever comes last.
	total := uint32(1)
	for queue := []*proof{root}; len(queue) > 0; queue = queue[1:] {
		p := queue[0]
		if p.open && (p.depth >= depth || nodes == 1) {
			e.foldUp(p)
			continue
		}
		if f := e.open(p, &founded); f != nil {
			return nil, f
		}
		if total+uint32(len(p.children)) > nodes && len(p.children) > 0 {
			e.foldUp(p)
			continue
		}
		total += uint32(len(p.children))
		for i, c := range p.children {
			c.depth = p.depth + 1
			c.path = append(slices.Clone(p.path), uint32(i))
			queue = append(queue, c)
		}
	}
	return e.preorder(root), nil
}

func orDefault(n, otherwise uint32) uint32 {
	if n == 0 {
		return otherwise
	}
	return n
}

// foldUp leaves out what lies below the node.
func (e *Engine) foldUp(p *proof) {
	p.size = 1 + uint32(len(p.children))
	if p.open && p.rule >= 0 {
		p.size = 1 + uint32(len(e.prog.Rules[p.rule].Body))
	}
	p.kind, p.children, p.open = abi.ProofFolded, nil, false
}

// preorder writes the nodes out.
func (e *Engine) preorder(root *proof) []abi.ProofNode {
	type visit struct {
		p      *proof
		parent int
	}
	var out []abi.ProofNode
	for stack := []visit{{root, -1}}; len(stack) > 0; {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		p, at := v.p, len(out)
		if v.parent >= 0 {
			out[v.parent].Children = append(out[v.parent].Children, at)
		}
		out = append(out, abi.ProofNode{
			Kind: p.kind, Relation: p.rel, Tuple: e.optional(p.tuple), Rule: p.rule, Round: p.round,
			Atom: p.atom, Bindings: e.optional(p.bindings), Alternatives: p.more, Size: max(1, p.size), Path: p.path,
		})
		for i := len(p.children) - 1; i >= 0; i-- {
			stack = append(stack, visit{p.children[i], at})
		}
	}
	// A node comes before all below it, so from the end the sizes add up.
	for i := len(out) - 1; i >= 0; i-- {
		for _, c := range out[i].Children {
			out[i].Size += out[c].Size
		}
	}
	return out
}

// open gives a derived fact its children: those of its canonical derivation.
func (e *Engine) open(p *proof, founded *int) *abi.Failure {
	if !p.open {
		return nil
	}
	p.open = false
	if p.rule < 0 {
		return internal("a derived tuple has no rule")
	}
	w := &window{comp: e.rels[p.rel].comp, round: p.round}
	slots, ok, f := e.leastDerivation(e.rules[p.rule], p.tuple, w)
	if f != nil {
		return f
	}
	if !ok {
		return internal("the derivation of a tuple of %s cannot be found again", e.prog.Relations[p.rel].Name)
	}
	if f := e.derive(p, p.rule, slots, w); f != nil {
		return f
	}
	others, f := e.alternatives(p, founded)
	p.more = uint32(len(others))
	return f
}

// openAlternative gives the root the children of its nth other derivation.
func (e *Engine) openAlternative(p *proof, n uint32, founded *int) *abi.Failure {
	if f := e.open(p, founded); f != nil {
		return f
	}
	others, f := e.alternatives(p, founded)
	if f != nil {
		return f
	}
	if int(n) > len(others) {
		return badRequest("the tuple has %d other derivations, not %d", len(others), n)
	}
	d := others[n-1]
	p.rule, p.children = d.rule, nil
	return e.derive(p, d.rule, d.slots, &window{comp: e.rels[p.rel].comp, round: ^uint32(0)})
}

// derive makes the children of a fact from a derivation: one an atom of the
// rule's body, in order.
func (e *Engine) derive(p *proof, rule int, slots []abi.Term, w *window) *abi.Failure {
	p.bindings = slots
	body := e.rules[rule].rule.Body
	for i := range body {
		c, f := e.condition(&body[i], i, slots, w)
		if f != nil {
			return f
		}
		p.children = append(p.children, c)
	}
	return nil
}

// condition makes the node of an atom that holds.
func (e *Engine) condition(a *abi.Atom, at int, slots []abi.Term, w *window) (*proof, *abi.Failure) {
	if a.Op == abi.AtomScan && !a.Neg {
		if f := e.exact(a.Rel); f != nil {
			return nil, f
		}
		tuple, f := e.witness(a, slots, w)
		if f != nil {
			return nil, f
		}
		p := e.fact(a.Rel, tuple)
		p.atom = at
		return p, nil
	}
	p := &proof{kind: abi.ProofCompare, rel: -1, rule: -1, atom: at, bindings: slots}
	var f *abi.Failure
	switch {
	case a.Op == abi.AtomScan:
		p.kind, p.rel, p.tuple = abi.ProofAbsent, a.Rel, e.argTerms(a.Args, slots)
	case a.Op == abi.AtomExists && a.Neg:
		if !isCondition(a) {
			p.kind = abi.ProofAbsent
		}
	case a.Op == abi.AtomExists:
		p.children, f = e.witnesses(a, slots, w, 1)
	case a.Op == abi.AtomFold:
		p.kind = abi.ProofAggregate
		p.children, f = e.witnesses(a, slots, w, maxWitnesses)
	}
	return p, f
}

// isCondition reports whether a, a negated body, is how a condition over
// values comes: not a < b, or a disjunction, of which not all sides fail.
// Nothing in it looks for facts.
func isCondition(a *abi.Atom) bool {
	for i := range a.Body {
		switch b := &a.Body[i]; b.Op {
		case abi.AtomScan, abi.AtomExists:
			if !b.Neg {
				return false
			}
		}
	}
	return true
}

// argTerms returns the terms of arguments; unbound for those that have none.
func (e *Engine) argTerms(args []abi.Arg, slots []abi.Term) []abi.Term {
	out := unboundSlots(len(args))
	for i, x := range args {
		switch x.Op {
		case abi.ArgConst:
			out[i] = e.consts[x.Index]
		case abi.ArgSlot:
			out[i] = slots[x.Index]
		}
	}
	return out
}

// witness returns the tuple that a positive scan stands on: of those that fit,
// the one of the least round, and then the least.
func (e *Engine) witness(a *abi.Atom, slots []abi.Term, w *window) ([]abi.Term, *abi.Failure) {
	tuple := e.argTerms(a.Args, slots)
	if !slices.Contains(tuple, unbound) {
		return tuple, nil
	}
	data := e.rels[a.Rel].data
	lo, hi := w.span(e, a.Rel, 0, uint32(data.Rows()))
	best, bestRound := -1, uint32(0)
	compare := e.compareRowsOf(columnsOf(data))
	for _, at := range e.fitting(a.Rel, tuple) {
		if at < lo || at >= hi {
			continue
		}
		_, round := data.Tag(at)
		if best < 0 || round < bestRound || round == bestRound && compare(at, uint32(best)) < 0 {
			best, bestRound = int(at), round
		}
	}
	if best < 0 {
		return nil, internal("a premise of a derivation cannot be found again")
	}
	return data.Row(nil, uint32(best)), nil
}

// fitting returns the rows of a relation that equal the tuple where it is
// bound.
func (e *Engine) fitting(rel int, tuple []abi.Term) []uint32 {
	return (&state{e: e}).matching(e.rels[rel].data, tuple, wildcards(tuple))
}

// witnesses returns the facts of up to limit solutions of a nested body, and a
// folded node for the rest.
func (e *Engine) witnesses(a *abi.Atom, slots []abi.Term, w *window, limit int) ([]*proof, *abi.Failure) {
	found, all, f := e.bindings(a.Body, slots, w, nil, maxSolutions, limit)
	if f != nil {
		return nil, f
	}
	var out []*proof
	for _, s := range found {
		for j := range a.Body {
			b := &a.Body[j]
			if b.Op == abi.AtomScan && !b.Neg {
				c, f := e.condition(b, j, s, w)
				if f != nil {
					return nil, f
				}
				out = append(out, c)
			}
		}
	}
	if rest := all - len(found); rest > 0 && a.Op == abi.AtomFold {
		out = append(out, &proof{kind: abi.ProofFolded, rel: -1, rule: -1, atom: -1, size: uint32(rest)})
	}
	return out, nil
}
