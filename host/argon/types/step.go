package types

import (
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// stepKinds are what a step may go along, beside the fields of where it is.
var stepKinds = resolve.Kinds(resolve.RelationKind, resolve.DeriveKind)

// stepAtom types x.R+(y).f(z): a scan for each step, of the relation that the
// step's quantifier makes of R.
func (s *scope) stepAtom(a *syntax.StepAtom) []abi.Atom {
	from, steps := s.unfold(a)
	if _, ok := from.(*syntax.Wild); ok {
		s.report("OE0269", from, "name the value", "a path begins at a value")
		return nil
	}
	at, t := s.value(from, Top)
	var out []abi.Atom
	for i, st := range steps {
		to, ok := s.stepTarget(st, at, t)
		if !ok {
			s.loseSteps(steps[i:])
			return nil
		}
		scan := abi.Atom{Op: abi.AtomScan, Rel: to.rel, Span: s.e.Span(s.m, st.Span)}
		want := to.columns[0].Type
		if at.Op == abi.ExprSlot && !s.bound(at.Index, want) || at.Op != abi.ExprSlot && !s.e.Comparable(t, want) {
			if i == 0 {
				s.mismatch(from, t, want)
			} else {
				s.mismatch(st.Name, t, want)
			}
			return nil
		}
		arg, before := s.argOf(at, strip(t), from)
		out = append(out, before...)
		scan.Args = append(scan.Args, arg)
		ends, before, tests := s.stepEnds(st, to.columns[1:], i+1 < len(steps))
		out = append(out, before...)
		scan.Args = append(scan.Args, ends...)
		out = append(append(out, s.repeated(scan, st)...), tests...)
		switch last := ends[len(ends)-1]; last.Op {
		case abi.ArgSlot:
			at, t = s.slotExpr(last.Index, st), s.typeOf(last.Index)
		case abi.ArgConst:
			at, t = abi.Expr{Op: abi.ExprConst, Index: last.Index, Span: scan.Span}, to.columns[len(to.columns)-1].Type
		}
	}
	return out
}

// loseSteps takes note that nothing says of which types the variables are that
// the steps end at: the first of them is reported.
func (s *scope) loseSteps(steps []*syntax.Step) {
	for _, st := range steps {
		for _, b := range st.To {
			if slot, ok := s.variable(b.Expr); ok && b.Type == nil && unknown(s.typeOf(slot)) {
				s.frame.lost[slot] = true
			}
		}
	}
}

// unfold takes the steps out of what a path begins with: a.R(b).S+(c) begins
// at a.
func (s *scope) unfold(a *syntax.StepAtom) (syntax.Expr, []*syntax.Step) {
	from, steps := a.From, a.Steps
	for {
		m, ok := from.(*syntax.Method)
		if !ok || !m.Parens {
			return from, steps
		}
		if s.valueMethod(m) {
			return from, steps
		}
		from, steps = m.X, append([]*syntax.Step{stepOf(m)}, steps...)
	}
}

// stepOf reads the call x.R(y) as a step.
func stepOf(m *syntax.Method) *syntax.Step {
	st := &syntax.Step{Span: syntax.Span{Start: m.Name.Start, End: m.End}, Name: m.Name, Min: 1, Max: 1, Parens: true}
	for _, x := range m.Args {
		st.To = append(st.To, syntax.Binder{Span: x.Range(), Expr: x})
	}
	return st
}

// lonePredicate returns the condition x.p(), for a predicate p of one place, as
// an atom p(x); of a trait's member it is one about its receiver.
func (s *scope) lonePredicate(x syntax.Expr) *syntax.CallAtom {
	m, ok := x.(*syntax.Method)
	if !ok || !m.Parens || len(m.Args) > 0 || m.Name.Name == "" {
		return nil
	}
	path := syntax.Path{Span: m.Name.Span, Parts: []syntax.Ident{m.Name}}
	sym := s.e.World.Lookup(s.m, path, resolve.Kinds(resolve.DeriveKind))
	if sym == nil || s.e.Predicates[predicateKey(sym.Qualified, 1)] == nil {
		return nil
	}
	return &syntax.CallAtom{Span: m.Span, Path: path, Args: []syntax.Expr{m.X}}
}

// plainStep returns the condition x.R(y), for a relation R, as a path.
func (s *scope) plainStep(x syntax.Expr) *syntax.StepAtom {
	m, ok := x.(*syntax.Method)
	if !ok || !m.Parens || m.Name.Name == "" {
		return nil
	}
	if s.valueMethod(m) {
		return nil
	}
	return &syntax.StepAtom{Span: m.Span, From: m.X, Steps: []*syntax.Step{stepOf(m)}}
}

// stepTarget finds what the step goes along from x, which is of type t: a field
// of x, or a relation in scope.
func (s *scope) stepTarget(st *syntax.Step, x abi.Expr, t abi.Type) (target, bool) {
	name := st.Name.Name
	places := max(2, 1+len(st.To))
	var to target
	switch f := s.conceptField(x, t, name); {
	case name == "":
		return to, false
	case f != nil && f.Relation >= 0:
		r := &s.e.Relations[f.Relation]
		to = target{rel: f.Relation, name: r.Name, columns: r.Columns}
	default:
		sym := s.stepSymbol(st)
		if sym == nil {
			s.unknownStep(st, x, t)
			return to, false
		}
		var ok bool
		if to, ok = s.e.predicate(sym, places); !ok {
			return to, false
		}
	}
	n := len(to.columns)
	switch {
	case st.Quantified && (n != 2 || places != 2):
		s.report("OE0258", st, "derive a predicate of two places that picks them, and repeat that", "a path repeats a relation of two places, and %s has %s", to.name, plural(n, "place"))
		return to, false
	case n < 2 || st.Parens && len(st.To) != n-1:
		s.report("OE0258", st, "", "%s has %s: the one that the step begins at, and %d that it ends at", to.name, plural(n, "place"), max(n-1, 0))
		return to, false
	case st.Quantified && (st.Max < 0 || st.Max > 1) && !s.e.Comparable(to.columns[1].Type, to.columns[0].Type):
		s.report("OE0257", st, "leave the quantifier out, or derive a predicate that leads back", "a path along %s ends after one step: it begins at %s and ends at %s", to.name, Print(to.columns[0].Type), Print(to.columns[1].Type))
		return to, false
	}
	return to, true
}

func (s *scope) stepSymbol(st *syntax.Step) *resolve.Symbol {
	return s.e.World.Lookup(s.m, syntax.Path{Span: st.Name.Span, Parts: []syntax.Ident{st.Name}}, stepKinds)
}

func (s *scope) unknownStep(st *syntax.Step, x abi.Expr, t abi.Type) {
	var names []string
	for _, c := range s.concepts(x, t) {
		for _, f := range c.AllFields() {
			names = append(names, f.Name)
		}
	}
	what := "no relation " + st.Name.Name + " is in scope"
	if len(names) > 0 {
		what = Print(t) + " has no field " + st.Name.Name + ", and " + what
	} else if unknown(t) {
		what += ", and nothing says of which type the path's beginning is"
	}
	if s.e.hints < maxHints {
		names = append(names, s.e.World.Names(s.m, nil, stepKinds)...)
	}
	s.report("OE0259", st.Name, s.e.nearest(st.Name.Name, names), "%s", what)
}

// stepEnds types what a step ends at: arguments, what binds them, and the tests
// of the typed ones. A place that nobody names and where the path goes on has a
// slot.
func (s *scope) stepEnds(st *syntax.Step, columns []abi.Column, goesOn bool) (args []abi.Arg, before, tests []abi.Atom) {
	for i, col := range columns {
		if i >= len(st.To) {
			args = append(args, abi.Arg{})
			continue
		}
		b := st.To[i]
		if b.Type == nil {
			arg, lets := s.arg(b.Expr, col.Type)
			args, before = append(args, arg), append(before, lets...)
			continue
		}
		t := s.e.resolveType(s.m, b.Type)
		arg, lets := s.arg(b.Expr, t)
		if arg.Op == abi.ArgSlot && !s.bound(arg.Index, col.Type) || !s.e.Comparable(t, col.Type) {
			s.mismatch(b.Expr, t, col.Type)
		}
		if arg.Op == abi.ArgWild {
			arg = abi.Arg{Op: abi.ArgSlot, Index: s.slot("", col.Type)}
		}
		args, before = append(args, arg), append(before, lets...)
		tests = append(tests, s.typeTest(arg, t, b)...)
	}
	if last := &args[len(args)-1]; goesOn && last.Op == abi.ArgWild {
		*last = abi.Arg{Op: abi.ArgSlot, Index: s.slot("", columns[len(columns)-1].Type)}
	}
	return args, before, tests
}

// repeated aims scan, a step along a relation, at what the quantifier makes of
// the relation.
func (s *scope) repeated(scan abi.Atom, st *syntax.Step) []abi.Atom {
	if !st.Quantified {
		return []abi.Atom{scan}
	}
	switch {
	case st.Min > maxSteps || st.Max > maxSteps:
		s.report("OE0051", st, "use + or * where the number does not matter", "a path of more than %d steps cannot be counted", maxSteps)
		return nil
	case st.Limit == nil && st.Max >= 0 && st.Max < st.Min:
		s.report("OE0051", st, "write the lower bound first", "the upper bound %d is below the lower bound %d", st.Max, st.Min)
		return nil
	case st.Limit != nil:
		n := &syntax.Name{Span: st.Limit.Span, Path: syntax.Path{Span: st.Limit.Span, Parts: []syntax.Ident{*st.Limit}}}
		most, before := s.arg(n, Nat)
		steps := s.slot("", Nat)
		scan.Rel = s.e.path(scan.Rel, PathCounted, int(st.Min), -1)
		scan.Args = append(scan.Args, abi.Arg{Op: abi.ArgSlot, Index: steps})
		return append(before, scan, abi.Atom{
			Op: abi.AtomCmp, Cmp: abi.CmpLe, Args: []abi.Arg{{Op: abi.ArgSlot, Index: steps}, most}, Span: scan.Span,
		})
	}
	scan.Rel = s.e.path(scan.Rel, PathRepeated, int(st.Min), int(st.Max))
	return []abi.Atom{scan}
}

// notStep types not x.R+(y): no way along the path leads there.
func (s *scope) notStep(a *syntax.StepAtom, n syntax.Node) []abi.Atom {
	atoms := s.stepAtom(a)
	if len(atoms) == 0 {
		return nil
	}
	last := &atoms[len(atoms)-1]
	if last.Op == abi.AtomScan && len(a.Steps) == 1 && s.total(atoms[:len(atoms)-1]) {
		last.Neg, last.Span = true, s.span(n)
		return atoms
	}
	var over []int
	for i := range atoms {
		over = append(over, s.named(atoms[i].Args)...)
	}
	return []abi.Atom{{Op: abi.AtomExists, Neg: true, Body: atoms, Over: over, Span: s.span(n)}}
}

// stepHint takes from a path what it says of the types of its variables.
func (s *scope) stepHint(a *syntax.StepAtom) {
	for i, st := range a.Steps {
		for _, b := range st.To {
			if slot, ok := s.variable(b.Expr); ok && b.Type != nil {
				mark := len(s.e.diags.Items)
				t := s.e.resolveType(s.m, b.Type)
				s.e.diags.Items = s.e.diags.Items[:mark] // the atom itself reports
				s.bound(slot, t)
			}
		}
		sym := s.stepSymbol(st)
		if sym == nil {
			continue
		}
		to, ok := s.e.predicate(sym, max(2, 1+len(st.To)))
		if !ok || len(to.columns) < 2 {
			continue
		}
		if slot, lone := s.variable(a.From); lone && i == 0 && !s.hasField(slot, st.Name.Name) {
			s.bound(slot, to.columns[0].Type)
		}
	}
}

// hasField reports whether what is known of a slot's value has such a field.
func (s *scope) hasField(slot int, name string) bool {
	return s.conceptField(abi.Expr{Op: abi.ExprSlot, Index: slot}, s.typeOf(slot), name) != nil
}
