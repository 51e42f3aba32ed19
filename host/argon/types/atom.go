package types

import (
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// body types the atoms of a rule body. The order in which they are written has
// no meaning, so an atom waits until what it needs to know of its variables
// comes from the others.
func (s *scope) body(atoms []syntax.Atom) []abi.Atom {
	atoms = s.unboxed(atoms)
	waiting := make([]int, 0, len(atoms))
	nested := make([]bool, len(atoms))
	for i := range atoms {
		waiting = append(waiting, i)
	}
	s.referred(atoms)
	for i, a := range atoms {
		nested[i] = atomNames(a, s.free)
	}
	before := map[string]bool{}
	for name := range s.names {
		before[name] = true
	}
	for _, a := range atoms {
		if is, ok := a.(*syntax.IsAtom); ok {
			patternNames(is.Pattern, s.free)
		}
	}
	for _, a := range atoms {
		s.hint(a)
	}
	done := make([][]abi.Atom, len(atoms))
	// Ready atoms first, then the plain ones, ready or not, then those with
	// bodies of their own.
	for pass := 0; len(waiting) > 0; pass++ {
		var left []int
		for _, i := range waiting {
			if nested[i] || !s.ready(atoms[i]) {
				left = append(left, i)
				continue
			}
			done[i] = s.atom(atoms[i], before)
		}
		if len(left) < len(waiting) && pass < maxPasses {
			waiting = left
			continue
		}
		waiting = nil
		for _, last := range []bool{false, true} {
			for _, i := range left {
				if nested[i] == last {
					done[i] = s.atom(atoms[i], before)
				}
			}
		}
	}
	s.misread()
	if s.parent == nil {
		s.covered()
	}
	if len(done) == 1 {
		return done[0]
	}
	n := 0
	for _, d := range done {
		n += len(d)
	}
	out := make([]abi.Atom, 0, n)
	for _, d := range done {
		out = append(out, d...)
	}
	return out
}

// maxPasses bounds how often body looks for atoms that have become ready: a
// chain of bindings written backwards may be that long.
const maxPasses = 64

// free makes a variable of a name that means nothing else.
func (s *scope) free(id syntax.Ident) {
	if id.Name == "" || id.Name == "None" || id.Name == "_" {
		return
	}
	if first, ok := s.frame.mentions[id.Name]; !ok {
		s.frame.mentions[id.Name] = id.Start
	} else if first != id.Start {
		s.frame.mentions[id.Name] = severalPlaces
	}
	if _, ok := s.find(id.Name); ok {
		return
	}
	path := syntax.Path{Span: id.Span, Parts: []syntax.Ident{id}}
	if s.e.World.Lookup(s.m, path, valueKinds) != nil || s.isReference(id) {
		return
	}
	s.frame.free[s.declare(id.Name, Top)] = id.Span
}

// misread reports variables that are spelt like a constant of the enum their
// values are of: taken for a variable, the name would match everything.
func (s *scope) misread() {
	for _, i := range s.own() {
		at, ok := s.frame.free[i]
		if !ok {
			continue
		}
		name := &syntax.Name{Span: at}
		if s.enumConstant(name, s.frame.slots[i].Name, s.typeOf(i)) {
			delete(s.frame.free, i)
		}
	}
}

// hint takes from an atom what it says of its variables' types.
func (s *scope) hint(a syntax.Atom) {
	if s.e.ended() {
		return
	}
	switch a := a.(type) {
	case *syntax.NotAtom:
		s.negated(func() { s.hint(a.Atom) })
	case *syntax.CompareAtom:
		if call := s.lonePredicate(a.Expr); call != nil {
			s.hint(call)
		}
	case *syntax.StepAtom:
		s.stepHint(a)
	case *syntax.MetricAtom:
		s.metricHints(a)
	case *syntax.TypeAtom:
		if i, ok := s.variable(a.Expr); ok {
			mark := len(s.e.diags.Items)
			t := s.e.resolveType(s.m, a.Type)
			s.e.diags.Items = s.e.diags.Items[:mark] // the atom itself reports
			s.bound(i, t)
			s.lose(i, s.typeOf(i), a.Type)
			s.say(i, t)
		}
	case *syntax.CallAtom:
		sym := s.e.World.Lookup(s.m, a.Path, callKinds)
		if _, iof := s.isReflection(&syntax.Call{Path: a.Path}, "iof"); iof && len(a.Args) == 2 {
			x, known := s.variable(a.Args[0])
			if of, ok := s.variable(a.Args[1]); ok && known {
				s.boundMember(abi.Arg{Op: abi.ArgSlot, Index: x}, abi.Arg{Op: abi.ArgSlot, Index: of})
			}
			return
		}
		t, ok := s.reflect(a.Path)
		if sym != nil {
			t, ok = s.e.predicate(sym, len(a.Args))
		}
		if !ok {
			for _, arg := range a.Args { // the atom itself reports
				if i, ok := s.variable(arg); ok && sym == nil {
					s.frame.lost[i] = true
				}
			}
			return
		}
		for j, arg := range a.Args {
			if i, ok := s.variable(arg); ok && j < len(t.columns) {
				s.bound(i, t.columns[j].Type)
				if sym != nil && s.columnLost(sym, j) {
					s.frame.lost[i] = true
				}
				if t.concept != nil {
					s.frame.learns(i)
					s.frame.said[i] = append(s.frame.said[i], t.concept)
				}
			}
		}
	}
}

// variable returns the slot of x if it is the name of one.
func (s *scope) variable(x syntax.Expr) (int, bool) {
	n, ok := x.(*syntax.Name)
	if !ok || len(n.Path.Parts) != 1 {
		return 0, false
	}
	return s.find(n.Path.Parts[0].Name)
}

// ready reports whether the types of all variables that a reads are known.
func (s *scope) ready(a syntax.Atom) bool {
	known := true
	visit := func(id syntax.Ident) {
		if i, ok := s.find(id.Name); ok && unknown(s.typeOf(i)) {
			known = false
		}
	}
	w := nameWalk{visit: visit}
	switch a := a.(type) {
	case *syntax.BindAtom:
		w.expr(a.Value)
	case *syntax.CallAtom:
		for _, x := range a.Args {
			if _, lone := s.variable(x); !lone {
				w.expr(x)
			}
		}
	case *syntax.CompareAtom:
		b, ok := a.Expr.(*syntax.Binary)
		switch {
		case ok && b.Op == "==" && s.open(b.X):
			w.expr(b.Y)
		case ok && b.Op == "==" && s.open(b.Y):
			w.expr(b.X)
		case ok && (b.Op == "in" || b.Op == "not in") && s.open(b.X):
			w.expr(b.Y)
		default:
			w.expr(a.Expr)
		}
	case *syntax.TypeAtom:
	case *syntax.StepAtom:
		if s.stepSymbol(a.Steps[0]) == nil {
			w.expr(a.From)
		}
	default:
		w.atom(a)
	}
	return known
}

// open reports whether x is a variable of which nothing is known.
func (s *scope) open(x syntax.Expr) bool {
	i, ok := s.variable(x)
	return ok && unknown(s.typeOf(i))
}

// atom types one atom. known are the names that other atoms of the body use.
func (s *scope) atom(a syntax.Atom, known map[string]bool) []abi.Atom {
	if s.e.ended() {
		return nil
	}
	span := s.span(a)
	switch a := a.(type) {
	case *syntax.CallAtom:
		return s.callAtom(a)
	case *syntax.TypeAtom:
		return s.typeAtom(a)
	case *syntax.CompareAtom:
		if call := s.lonePredicate(a.Expr); call != nil {
			return s.callAtom(call)
		}
		if step := s.plainStep(a.Expr); step != nil {
			return s.stepAtom(step)
		}
		return s.condition(a.Expr)
	case *syntax.BindAtom:
		want := Top
		slot, ok := s.find(a.Name.Name)
		if ok {
			want = s.typeOf(slot)
		} else {
			slot = s.declare(a.Name.Name, Top)
		}
		v, t := s.value(a.Value, want)
		if !s.bound(slot, strip(t)) {
			s.mismatch(a.Value, t, want)
		}
		return []abi.Atom{{Op: abi.AtomLet, Slot: slot, Expr: &v, Span: span}}
	case *syntax.IsAtom:
		return s.isAtom(a, known)
	case *syntax.NotAtom:
		var atoms []abi.Atom
		s.negated(func() { atoms = s.notAtom(a) })
		return atoms
	case *syntax.ExistsAtom:
		in := s.variables()
		return []abi.Atom{{Op: abi.AtomExists, Body: in.body(a.Body), Span: span}}
	case *syntax.StepAtom:
		return s.stepAtom(a)
	case *syntax.MetricAtom:
		return s.metricAtom(a)
	case *syntax.UnsupportedAtom:
		s.unsupportedAtom(a)
	}
	return nil
}

// unsupportedAtom reports an atom that is read and cannot be evaluated. A
// quantifier has a code of its own, because there is another way to say it.
func (s *scope) unsupportedAtom(a *syntax.UnsupportedAtom) {
	switch {
	case a.What == syntax.PathMode:
		s.report("OE1345", a, "leave the name and the mode out: a.R+(b) asks whether any path leads there", "a path that is named, or of a mode, cannot be evaluated")
		return
	case a.What == syntax.UnsafeLogic:
		s.report("OE1354", a, unsafeHelp, "unsafe logic is not evaluated")
		return
	case strings.Contains(a.What, "exists"):
		s.report("OE1315", a, "write the atoms in braces: exists { … }; a variable that nothing outside binds is meant there", "a rule cannot quantify by exists over variables")
		return
	case strings.Contains(a.What, "forall"):
		s.report("OE1315", a, "derive what would be a counterexample, and ask for its absence: not exists { … }", "a rule cannot quantify over all values")
		return
	}
	s.unsupported(a, a.What, "")
}

// condition types a boolean expression that has to be true. The sides of && are
// conditions of their own.
func (s *scope) condition(x syntax.Expr) []abi.Atom {
	if b, ok := x.(*syntax.Binary); ok && b.Op == "&&" {
		return append(s.condition(b.X), s.condition(b.Y)...)
	}
	if none, negative := s.comparesNone(x); none != nil {
		return s.absence(none, x, !negative)
	}
	var v abi.Expr
	if not, ok := x.(*syntax.Unary); ok {
		s.supposed(func() { v, _ = s.expr(not, Bool) })
	} else {
		v, _ = s.expr(x, Bool)
	}
	return []abi.Atom{{Op: abi.AtomFilter, Expr: &v, Span: s.span(x)}}
}

func (s *scope) callAtom(a *syntax.CallAtom) []abi.Atom {
	sym := s.e.World.Lookup(s.m, a.Path, callKinds)
	if sym == nil {
		if len(a.Path.Parts) == 1 {
			name := a.Path.Parts[0].Name
			if _, ok := builtins[name]; ok {
				return s.condition(&syntax.Call{Span: a.Span, Path: a.Path, Args: a.Args})
			}
			if atoms, ok := s.refinementPredicate(a.Path, a.Args, a); ok {
				return atoms
			}
			if name == "iof" && len(a.Args) == 2 {
				return s.iof(a.Args, a)
			}
			if name == "meta" || name == "extent" || name == "implementors" {
				s.report("OE0257", a, "compare it: "+name+"(…) == …, or x in "+name+"(…)", "%s(…) is a value, and an atom holds or does not", name)
				return nil
			}
			if t, ok := s.reflect(a.Path); ok {
				if len(t.columns) != len(a.Args) {
					s.arity(a, t, len(a.Args))
					return nil
				}
				return s.scan(t, a.Args, a, false)
			}
		}
		s.e.World.Resolve(s.m, a.Path, callKinds)
		return nil
	}
	switch sym.Kind {
	case resolve.FnKind:
		return s.condition(&syntax.Call{Span: a.Span, Path: a.Path, Args: a.Args})
	case resolve.ConceptKind, resolve.RelationKind, resolve.DeriveKind:
		t, ok := s.e.predicate(sym, len(a.Args))
		if !ok {
			return nil
		}
		if len(t.columns) != len(a.Args) {
			s.arity(a, t, len(a.Args))
			return nil
		}
		return s.scan(t, a.Args, a, false)
	case resolve.QueryKind:
		s.report("OE0261", a, "range over its rows: x in "+a.Path.String()+"(…)", "%s is a query: it gives rows, and an atom holds or does not", sym.Qualified)
	default:
		s.report("OE0261", a, "", "%s is a %s, and a body only reads", sym.Qualified, sym.Kind)
	}
	return nil
}

// scan types Pred(args). Arguments that are no plain names come first, as
// bindings; the scan is the last atom.
func (s *scope) scan(t target, args []syntax.Expr, n syntax.Node, neg bool) []abi.Atom {
	var out []abi.Atom
	scan := abi.Atom{Op: abi.AtomScan, Rel: t.rel, Neg: neg, Span: s.span(n)}
	for i, arg := range args {
		want := Top
		if i < len(t.columns) {
			want = t.columns[i].Type
		}
		got, before := s.arg(arg, want)
		out = append(out, before...)
		scan.Args = append(scan.Args, got)
	}
	if t.member != nil {
		s.noteMember(t.member, scan.Args, n)
	}
	return append(out, scan)
}

// arg types an argument of an atom: a slot, a constant or anything.
func (s *scope) arg(x syntax.Expr, want abi.Type) (abi.Arg, []abi.Atom) {
	if _, ok := x.(*syntax.Wild); ok {
		return abi.Arg{}, nil
	}
	if IsRef(want) && s.noType(x) {
		return abi.Arg{}, nil
	}
	v, t := s.value(x, want)
	if v.Op == abi.ExprSlot {
		if !s.bound(v.Index, want) {
			s.mismatch(x, t, want)
		}
		return abi.Arg{Op: abi.ArgSlot, Index: v.Index}, nil
	}
	if !s.e.Comparable(t, want) || v.Op == abi.ExprConst && IsRef(want) && !s.e.Fits(t, want) {
		s.mismatch(x, t, want)
	}
	return s.argOf(v, strip(t), x)
}

// argOf makes an argument of a typed expression, which an atom before it binds
// where it is no slot or constant.
func (s *scope) argOf(v abi.Expr, t abi.Type, n syntax.Node) (abi.Arg, []abi.Atom) {
	switch v.Op {
	case abi.ExprSlot:
		return abi.Arg{Op: abi.ArgSlot, Index: v.Index}, nil
	case abi.ExprConst:
		return abi.Arg{Op: abi.ArgConst, Index: v.Index}, nil
	}
	slot := s.slot("", t)
	return abi.Arg{Op: abi.ArgSlot, Index: slot}, []abi.Atom{{Op: abi.AtomLet, Slot: slot, Expr: &v, Span: s.span(n)}}
}

func (s *scope) isAtom(a *syntax.IsAtom, known map[string]bool) []abi.Atom {
	if n, ok := a.Pattern.(*syntax.NamePattern); ok && n.Path.String() == "None" {
		return s.absence(a.Expr, a, true)
	}
	v, t := s.value(a.Expr, Top)
	var out, after []abi.Atom
	slot := v.Index
	if v.Op != abi.ExprSlot {
		slot = s.slot("", strip(t))
		out = append(out, abi.Atom{Op: abi.AtomLet, Slot: slot, Expr: &v, Span: s.span(a.Expr)})
	}
	bind := func(name string, bt abi.Type) int {
		i, ok := s.find(name)
		if !ok {
			return s.declare(name, bt)
		}
		if !s.bound(i, bt) {
			s.mismatch(a.Pattern, bt, s.typeOf(i))
		}
		if _, own := s.names[name]; own && !known[name] {
			return i
		}
		// The name is bound elsewhere: the two have to be equal.
		fresh := s.slot("", bt)
		after = append(after, abi.Atom{
			Op: abi.AtomCmp, Cmp: abi.CmpEq, Span: s.span(a.Pattern),
			Args: []abi.Arg{{Op: abi.ArgSlot, Index: i}, {Op: abi.ArgSlot, Index: fresh}},
		})
		return fresh
	}
	p := s.pattern(a.Pattern, t, bind)
	out = append(out, abi.Atom{Op: abi.AtomMatch, Slot: slot, Pattern: &p, Span: s.span(a)})
	return append(out, after...)
}
