package types

import (
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// unsafeHelp is the way out of unsafe logic.
const unsafeHelp = "say it with rules: not of a counterexample for forall, exists { … }, and a clause for each side of an or"

// unboxed takes the atoms out of their box and diamond. What is necessary and
// what is possible is read at the one world that there is, so that both are the
// atoms themselves.
func (s *scope) unboxed(atoms []syntax.Atom) []syntax.Atom {
	plain := true
	for _, a := range atoms {
		if _, ok := a.(*syntax.ModalAtom); ok {
			plain = false
		}
	}
	if plain {
		return atoms
	}
	var out []syntax.Atom
	for _, a := range atoms {
		m, ok := a.(*syntax.ModalAtom)
		if !ok {
			out = append(out, a)
			continue
		}
		s.frame.modal = true
		if !s.crossNested(m) {
			out = append(out, s.unboxed(m.Body)...)
		}
	}
	return out
}

// crossNested reports a modal operator with a temporal one inside, or the
// reverse.
func (s *scope) crossNested(a syntax.Atom) bool {
	word, modal := "", false
	var bodies [][]syntax.Atom
	switch a := a.(type) {
	case *syntax.ModalAtom:
		word, modal, bodies = a.Word, true, [][]syntax.Atom{a.Body}
	case *syntax.MetricAtom:
		word, bodies = a.Word, [][]syntax.Atom{a.Left, a.Body}
	}
	for _, body := range bodies {
		if inner := operatorIn(body, !modal); inner != nil {
			s.report("OE0712", inner, "derive a predicate with the inner operator, and write its name in the outer one",
				"%s stands inside %s: modal and temporal operators cannot be nested in each other", operatorWord(inner), word)
			return true
		}
	}
	return false
}

// operatorIn finds a modal operator in atoms, or a temporal one.
func operatorIn(atoms []syntax.Atom, modal bool) syntax.Atom {
	for _, a := range atoms {
		var found syntax.Atom
		switch a := a.(type) {
		case *syntax.ModalAtom:
			if modal {
				return a
			}
			found = operatorIn(a.Body, modal)
		case *syntax.MetricAtom:
			if !modal {
				return a
			}
			if found = operatorIn(a.Left, modal); found == nil {
				found = operatorIn(a.Body, modal)
			}
		case *syntax.NotAtom:
			found = operatorIn([]syntax.Atom{a.Atom}, modal)
		case *syntax.ExistsAtom:
			found = operatorIn(a.Body, modal)
		}
		if found != nil {
			return found
		}
	}
	return nil
}

func operatorWord(a syntax.Atom) string {
	switch a := a.(type) {
	case *syntax.ModalAtom:
		return a.Word
	case *syntax.MetricAtom:
		return a.Word
	}
	return ""
}

// notModal types not box(atoms).
func (s *scope) notModal(a *syntax.ModalAtom, n *syntax.NotAtom) []abi.Atom {
	s.frame.modal = true
	switch {
	case s.crossNested(a):
		return nil
	case len(a.Body) == 1:
		return s.notAtom(&syntax.NotAtom{Span: n.Span, Atom: a.Body[0]})
	}
	in := s.variables()
	return []abi.Atom{{Op: abi.AtomExists, Neg: true, Body: in.body(a.Body), Span: s.span(n)}}
}
