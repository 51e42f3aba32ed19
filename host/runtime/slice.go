package runtime

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/coherence"
)

// slice is what of a module its checks can come to read over the declared
// facts alone: the rules that may fire, the checks that they may violate, and
// the relations that those read. All the rest of a large package would only be
// loaded to derive nothing.
//
// lower.Slice cuts a program too, after an edit: from the checks that the edit
// has to do with down to all that they read, whether a fact fills it or not. The
// two share no walk: this one goes by what the facts fill and keeps constants
// and functions where they are, that one copies rules that are not in a program
// yet.
type slice struct {
	module *module
	checks []int // by check of the slice: the check of the module
	rules  []int // by rule of the slice: the rule of the module
}

// sliceRules is the number of rules from which on a slice pays: a smaller
// module is loaded in milliseconds.
const sliceRules = 2000

// forChecks returns the slice of a large module, or nil where the module is as
// well evaluated as it is.
func (m *module) forChecks() *slice {
	if len(m.program.Rules) < sliceRules {
		return nil
	}
	return m.slice()
}

// slice makes the slice of the module. There is none where something besides
// the declared facts fills its relations, or where an evaluator of its own may
// ask for any of them.
func (m *module) slice() *slice {
	p := m.program
	if len(m.timed) > 0 || len(m.twins) > 0 || len(m.overTime) > 0 {
		return nil
	}
	for i := range p.Checks {
		if p.Checks[i].Evaluator != "" {
			return nil
		}
	}
	s := &slicer{p: p, fires: make([]bool, len(p.Rules)), filled: make([]bool, len(p.Relations)), calls: make([]bool, len(p.Functions)), to: make([]int, len(p.Relations))}
	s.fill(m.facts)
	s.findCopies(m.facts)
	s.gather()
	if s.reads {
		return nil
	}
	return s.cut(m)
}

// slicer makes a slice.
type slicer struct {
	p      *abi.Program
	filled []bool // relations that may have a tuple
	fires  []bool // rules that may derive one
	copyOf []int  // by relation: that which it is a copy of, or itself

	rules  []bool // that are kept
	checks []int
	needed []int  // relations that are kept, in the order in which they were met
	to     []int  // by relation: 1 + its place in the slice; 0: not kept
	calls  []bool // functions that what is kept calls
	reads  bool   // one of those reads relations, whose numbers would change
}

// fill finds out which rules may fire: those whose positive atoms, at the top
// of the body, all read relations that may have a tuple.
func (s *slicer) fill(facts []coherence.Facts) {
	waits := make([]int, len(s.p.Rules)) // atoms whose relation has nothing yet
	readers := make([][]int, len(s.p.Relations))
	var work []int // relations that have just got something
	grow := func(rel int) {
		if !s.filled[rel] {
			s.filled[rel] = true
			work = append(work, rel)
		}
	}
	for i := range s.p.Rules {
		r := &s.p.Rules[i]
		for j := range r.Body {
			if a := &r.Body[j]; a.Op == abi.AtomScan && !a.Neg {
				waits[i]++
				readers[a.Rel] = append(readers[a.Rel], i)
			}
		}
		if waits[i] == 0 {
			s.fires[i] = true
			grow(r.Head)
		}
	}
	for i := range facts {
		if facts[i].Frame.Rows > 0 {
			grow(facts[i].Relation)
		}
	}
	for len(work) > 0 {
		rel := work[len(work)-1]
		work = work[:len(work)-1]
		for _, i := range readers[rel] {
			if waits[i]--; waits[i] == 0 {
				s.fires[i] = true
				grow(s.p.Rules[i].Head)
			}
		}
	}
}

// gather finds what the checks that may be violated need.
func (s *slicer) gather() {
	heads := make([][]int, len(s.p.Relations)) // rules that may fire, by head
	for i, fires := range s.fires {
		if fires {
			heads[s.p.Rules[i].Head] = append(heads[s.p.Rules[i].Head], i)
		}
	}
	s.rules = make([]bool, len(s.p.Rules))
	for i := range s.p.Checks {
		c := &s.p.Checks[i]
		if !s.filled[c.Relation] {
			continue
		}
		s.checks = append(s.checks, i)
		s.need(c.Relation)
		s.keep(c.Rule)
		s.expr(&c.Payload.Severity)
		s.expr(&c.Payload.Code)
		s.expr(&c.Payload.Message)
	}
	for at := 0; at < len(s.needed); at++ {
		r := &s.p.Relations[s.needed[at]]
		for _, twin := range [...]int{r.Asserted, r.Refuted} {
			if twin >= 0 {
				s.need(twin)
			}
		}
		for _, i := range heads[s.needed[at]] {
			s.keep(i)
		}
	}
}

func (s *slicer) need(rel int) {
	rel = s.copyOf[rel]
	if s.to[rel] == 0 {
		s.needed = append(s.needed, rel)
		s.to[rel] = len(s.needed)
	}
}

func (s *slicer) keep(rule int) {
	if s.rules[rule] {
		return
	}
	s.rules[rule] = true
	s.need(s.p.Rules[rule].Head)
	s.atoms(s.p.Rules[rule].Body)
}

func (s *slicer) atoms(body []abi.Atom) {
	for i := range body {
		a := &body[i]
		if a.Op == abi.AtomScan {
			s.need(a.Rel)
		}
		if a.Expr != nil {
			s.expr(a.Expr)
		}
		s.atoms(a.Body)
	}
}

// expr notes the functions that an expression calls.
func (s *slicer) expr(x *abi.Expr) {
	switch x.Op {
	case abi.ExprRead, abi.ExprReadAll, abi.ExprHolds, abi.ExprSub_:
		s.reads = true
	case abi.ExprCall:
		if !s.calls[x.Index] {
			s.calls[x.Index] = true
			s.expr(&s.p.Functions[x.Index].Body)
		}
	}
	for i := range x.Args {
		s.expr(&x.Args[i])
	}
	for i := range x.Arms {
		if g := x.Arms[i].Guard; g != nil {
			s.expr(g)
		}
		s.expr(&x.Arms[i].Body)
	}
}

// cut makes the slice of what was gathered. Relations, rules and checks are
// numbered anew; constants and functions keep their numbers.
func (s *slicer) cut(m *module) *slice {
	p := &abi.Program{ABI: s.p.ABI, Module: s.p.Module, Files: s.p.Files, Constants: s.p.Constants, Functions: s.functions()}
	out := &slice{checks: s.checks}
	for _, rel := range s.needed {
		r := s.p.Relations[rel]
		r.Asserted, r.Refuted = s.relation(r.Asserted), s.relation(r.Refuted)
		p.Relations = append(p.Relations, r)
	}
	rules := make([]int, len(s.p.Rules))
	for i, kept := range s.rules {
		if kept {
			rules[i] = len(p.Rules)
			r := s.p.Rules[i]
			r.Head, r.Body = s.relation(r.Head), s.body(r.Body)
			p.Rules = append(p.Rules, r)
			out.rules = append(out.rules, i)
		}
	}
	for i := range s.p.Components {
		c := s.p.Components[i]
		if !slices.ContainsFunc(c.Relations, func(rel int) bool { return s.to[rel] > 0 }) {
			continue
		}
		kept := abi.Component{Recursive: c.Recursive, Stratum: c.Stratum, WellFounded: c.WellFounded}
		for _, rel := range c.Relations {
			if s.to[rel] > 0 {
				kept.Relations = append(kept.Relations, s.relation(rel))
			}
		}
		for _, i := range c.Rules {
			if s.rules[i] {
				kept.Rules = append(kept.Rules, rules[i])
			}
		}
		for _, cost := range c.Costs {
			if s.to[cost.Relation] > 0 {
				cost.Relation = s.relation(cost.Relation)
				kept.Costs = append(kept.Costs, cost)
			}
		}
		p.Components = append(p.Components, kept)
	}
	for _, i := range s.checks {
		c := s.p.Checks[i]
		c.Relation, c.Rule = s.relation(c.Relation), rules[c.Rule]
		p.Checks = append(p.Checks, c)
	}
	out.module = &module{hash: m.hash, artifact: m.artifact, program: p, lattice: m.lattice, standpoints: m.standpoints, sources: m.sources, relations: map[string]int{}}
	out.module.sent = stripped(p)
	for _, f := range m.facts {
		if s.to[f.Relation] > 0 {
			f.Relation = s.relation(f.Relation)
			out.module.facts = append(out.module.facts, f)
		}
	}
	return out
}

// relation is the number in the slice of a relation, or of that which it is a
// copy of; that of none is -1.
func (s *slicer) relation(rel int) int {
	if rel < 0 {
		return rel
	}
	return s.to[s.copyOf[rel]] - 1
}

func (s *slicer) body(body []abi.Atom) []abi.Atom {
	out := slices.Clone(body)
	for i := range out {
		if out[i].Op == abi.AtomScan {
			out[i].Rel = s.relation(out[i].Rel)
		}
		out[i].Body = s.body(out[i].Body)
	}
	return out
}

// functions are those that are called, each in its place.
func (s *slicer) functions() []abi.Function {
	last := len(s.calls)
	for last > 0 && !s.calls[last-1] {
		last--
	}
	out := make([]abi.Function, last)
	for i := range out {
		if s.calls[i] {
			out[i] = s.p.Functions[i]
		} else {
			out[i] = abi.Function{Name: s.p.Functions[i].Name, Body: abi.Expr{Op: abi.ExprList}}
		}
	}
	return out
}

// original gives what was found in the slice the numbers that it has in the
// module.
func (s *slice) original(list []seen, breached []abi.CheckBreach) {
	for i := range list {
		for j := range list[i].found {
			list[i].found[j].check = s.checks[list[i].found[j].check]
		}
	}
	for i := range breached {
		b := &breached[i]
		b.Check = s.checks[b.Check]
		if b.Rule >= 0 && b.Rule < len(s.rules) {
			b.Rule = s.rules[b.Rule]
		}
	}
}
