package types

import (
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// test types a test into steps: runs of statements, and assertions.
func (e *Env) test(m *resolve.Module, it *syntax.Test) {
	t := &Test{Name: it.Title, Module: m, Node: it}
	for _, other := range e.TestList {
		if other.Name == t.Name && other.Module == m {
			e.report(m, "OE0262", e.headline(m, it), "give it another title", "module %s has two tests called %q", m.Path, t.Name)
			return
		}
	}
	s := e.newScope(m, "test", false)
	s.keeps = true
	var run []abi.Stmt
	s.writes = &run
	flush := func() {
		if len(run) > 0 {
			t.Runs = append(t.Runs, run)
			t.Steps = append(t.Steps, abi.TestStep{Op: abi.TestRun, Mutation: len(t.Runs) - 1, Span: run[0].Span})
			run = nil
		}
	}
	for _, st := range it.Body {
		switch st := st.(type) {
		case *syntax.Assert:
			v, _ := s.expr(st.Cond, Bool)
			flush()
			t.Steps = append(t.Steps, abi.TestStep{Op: abi.TestAssert, Expr: &v, Text: s.text(st.Cond), Span: s.span(st)})
		case *syntax.AssertDerivable:
			step, wild, ok := s.derivable(st)
			flush()
			if wild != nil {
				if t.Wild == nil {
					t.Wild = map[int][]bool{}
				}
				t.Wild[len(t.Steps)] = wild
			}
			if ok {
				t.Steps = append(t.Steps, step)
			}
		case *syntax.AssertRejects:
			flush()
			body, step := s.rejects(st)
			if step.Op == abi.TestRejects {
				t.Runs = append(t.Runs, body)
				step.Mutation = len(t.Runs) - 1
			}
			t.Steps = append(t.Steps, step)
		default:
			done := s.stmt(st)
			run = append(run, done...)
		}
	}
	flush()
	t.Slots = s.frame.slots
	e.TestList = append(e.TestList, t)
}

// derivable types what an assertion asks of; wild are the places that hold
// anything, or nil if there are none.
func (s *scope) derivable(st *syntax.AssertDerivable) (step abi.TestStep, wild []bool, ok bool) {
	step = abi.TestStep{Op: abi.TestDerivable, Neg: st.Not, Text: s.text(st), Span: s.span(st)}
	path, args := st.Path, st.Args
	if call := (&syntax.Call{Path: path}); s.reflects(call) {
		_, iof := s.isReflection(call, "iof")
		var n *syntax.Name
		if iof && len(args) == 2 {
			n, _ = args[1].(*syntax.Name)
		}
		if n == nil || s.isVariable(n) {
			s.report("OE0261", st, "assert the atom itself: assert "+path.String()+"(…);", "%s is built in, and what is derivable is a predicate or a membership of a named concept", path)
			return step, nil, false
		}
		path, args = n.Path, args[:1]
	}
	sym := s.e.World.Resolve(s.m, path, extentKinds)
	if sym == nil {
		return step, nil, false
	}
	t, ok := s.e.predicate(sym, len(args))
	if !ok {
		return step, nil, false
	}
	if len(t.columns) != len(args) {
		s.arity(st, t, len(args))
		return step, nil, false
	}
	step.Rel = t.rel
	for i, arg := range args {
		if _, any := arg.(*syntax.Wild); any {
			if wild == nil {
				wild = make([]bool, len(args))
			}
			wild[i] = true
			continue
		}
		v, _ := s.expr(arg, t.columns[i].Type)
		step.Exprs = append(step.Exprs, v)
	}
	return step, wild, true
}
