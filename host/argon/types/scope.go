package types

import (
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// scope is where a body's names live. Scopes of one body share their frame of
// slots and nest: what an inner scope declares stays inside.
type scope struct {
	e      *Env
	m      *resolve.Module
	frame  *frame
	parent *scope
	names  map[string]int
	word   string          // "derive", "fn", …: for messages
	rule   bool            // a lone name that means nothing else is a variable
	writes *[]abi.Stmt     // of a mutate or test: where the statement of an `insert` expression goes
	result *abi.Type       // of a mutate
	keeps  bool            // of a test, and of a mutate without #[allow_forget]: it may not forget
	around *enclosing      // of a closure's body
	leaves *leaving        // of a fn or closure: what ? may leave
	spoken bool            // ad hoc: a string may name an individual
	refs   map[string]bool // of a rule: relations, metatypes and metarels that its body names as references
	hole   int             // of the predicate of an axis: one more than the slot that `_` stands for
	asks   *[]string       // of an ad-hoc mutate: names that are taken for parameters
}

// frame is the slots of one body. bounds holds, beside the type of a slot,
// every concept that its value is known to be in.
type frame struct {
	slots    []abi.Slot
	bounds   [][]*Concept
	modal    bool               // it has a modal operator
	said     map[int][]*Concept // what type tests and declarations say of slots
	members  []memberUse
	lost     map[int]bool        // slots whose type is open after a report
	free     map[int]syntax.Span // variables that are free names: where they are first written
	mentions map[string]int      // where the atoms of bodies mention a name, or severalPlaces
	typed    map[syntax.Expr]typedValue

	supposing int      // suppositions around what is being typed
	learnt    []learnt // in them, oldest first
}

// typedValue is a receiver that is typed: as an argument of what its method
// turns out to be it would be typed again, and each in it once more.
type typedValue struct {
	value abi.Expr
	of    abi.Type
}

// receiver keeps a typed receiver for as long as its method is typed.
func (s *scope) receiver(x syntax.Expr, v abi.Expr, t abi.Type) (done func()) {
	switch x.(type) {
	case *syntax.Name, *syntax.Lit, *syntax.Wild:
		return func() {} // what is wanted there may say more of it
	}
	if s.frame.typed == nil {
		s.frame.typed = map[syntax.Expr]typedValue{}
	}
	s.frame.typed[x] = typedValue{v, t}
	return func() { delete(s.frame.typed, x) }
}

// severalPlaces is in place of a position.
const severalPlaces = -1

func (e *Env) newScope(m *resolve.Module, word string, rule bool) *scope {
	return &scope{e: e, m: m, frame: &frame{lost: map[int]bool{}, free: map[int]syntax.Span{}, mentions: map[string]int{}, said: map[int][]*Concept{}}, names: map[string]int{}, word: word, rule: rule}
}

// inner returns a scope inside s.
func (s *scope) inner() *scope {
	in := *s
	in.parent = s
	in.names = map[string]int{}
	return &in
}

// maybe returns a scope inside s for what is evaluated only under a condition,
// or more than once: an insert has no place there.
func (s *scope) maybe() *scope {
	in := s.inner()
	in.writes = nil
	return in
}

// variables returns a scope inside s in which free names are variables.
func (s *scope) variables() *scope {
	in := s.inner()
	in.rule = true
	in.writes = nil
	return in
}

// slot makes a new slot; name is empty for one that the compiler needs.
func (s *scope) slot(name string, t abi.Type) int {
	s.frame.slots = append(s.frame.slots, abi.Slot{Name: name, Type: t})
	s.frame.bounds = append(s.frame.bounds, nil)
	i := len(s.frame.slots) - 1
	if name != "" {
		s.say(i, t)
	}
	s.bound(i, t)
	return i
}

// say notes that a type test or a declaration says that the slot is of type t.
func (s *scope) say(slot int, t abi.Type) {
	if c := s.e.Concepts[t.Name]; c != nil && t.Op == abi.TypeConcept {
		s.frame.learns(slot)
		s.frame.said[slot] = append(s.frame.said[slot], c)
	}
}

// declare makes a named slot that hides outer ones.
func (s *scope) declare(name string, t abi.Type) int {
	i := s.slot(name, t)
	if name != "" && name != "_" {
		s.names[name] = i
	}
	return i
}

func (s *scope) find(name string) (int, bool) {
	for at := s; at != nil; at = at.parent {
		if i, ok := at.names[name]; ok {
			return i, true
		}
	}
	return s.captured(name)
}

// root returns the outermost scope around s.
func (s *scope) root() *scope {
	for s.parent != nil {
		s = s.parent
	}
	return s
}

func (s *scope) locals() []string {
	var names []string
	for at := s; at != nil; at = at.parent {
		for name := range at.names {
			names = append(names, name)
		}
	}
	return names
}

// bound notes that the slot's value is of type t. It reports whether that
// agrees with what is known.
func (s *scope) bound(slot int, t abi.Type) bool {
	if unknown(t) {
		return true
	}
	known := &s.frame.slots[slot].Type
	if t.Op == abi.TypeConcept {
		if c := s.e.Concepts[t.Name]; c != nil {
			list := s.frame.bounds[slot]
			for _, b := range list {
				if b == c {
					return true
				}
			}
			s.frame.learns(slot)
			s.frame.bounds[slot] = append(list, c)
			if known.Op == abi.TypeConcept && known.Name == "" {
				*known = t // some individual: now it is known of which concept
			} else if known.Op == abi.TypeConcept {
				if old := s.e.Concepts[known.Name]; old != nil && c.Is(old) {
					*known = t
				}
			}
		}
	}
	if unknown(*known) {
		s.frame.learns(slot)
		*known = t
		return true
	}
	return s.e.Comparable(*known, t)
}

func (s *scope) typeOf(slot int) abi.Type { return s.frame.slots[slot].Type }

// concepts returns what is known of the individual that x stands for.
func (s *scope) concepts(x abi.Expr, t abi.Type) []*Concept {
	if x.Op == abi.ExprSlot && len(s.frame.bounds[x.Index]) > 0 {
		return s.frame.bounds[x.Index]
	}
	t = strip(t)
	switch {
	case t.Op == abi.TypeConcept:
		if c := s.e.Concepts[t.Name]; c != nil {
			return []*Concept{c}
		}
	case isVar(t):
		return s.e.bounds[t.Name].concepts
	case IsRef(t) && len(t.Args) > 0 && x.Op == abi.ExprConst:
		if c := s.e.Concepts[t.Args[0].Name]; c != nil {
			return c.InstanceOf
		}
	}
	return nil
}

func (s *scope) span(n syntax.Node) abi.Span { return s.e.Span(s.m, n.Range()) }

func (s *scope) report(code string, n syntax.Node, help, format string, args ...any) {
	s.e.report(s.m, code, n.Range(), help, format, args...)
}

func (s *scope) unsupported(n syntax.Node, what, help string) {
	s.e.unsupported(s.m, n.Range(), what, help)
}

func (s *scope) constant(v abi.Value, n syntax.Node) abi.Expr {
	return abi.Expr{Op: abi.ExprConst, Index: s.e.Constants.Add(v), Span: s.span(n)}
}

func (s *scope) slotExpr(i int, n syntax.Node) abi.Expr {
	return abi.Expr{Op: abi.ExprSlot, Index: i, Span: s.span(n)}
}

// text returns the source text of n.
func (s *scope) text(n syntax.Node) string {
	r := n.Range()
	text := s.e.text(s.m)
	if r.Start < 0 || r.End > len(text) || r.Start > r.End {
		return ""
	}
	return text[r.Start:r.End]
}
