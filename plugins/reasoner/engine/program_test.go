package engine

import (
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
)

// builder writes programs for tests.
type builder struct {
	p      abi.Program
	byName map[string]int
}

func newBuilder() *builder {
	return &builder{p: abi.Program{ABI: abi.Version, Module: "test", Files: []string{"test.ar"}}, byName: map[string]int{}}
}

func (b *builder) relation(name string, role abi.Role, arity int, key ...int) int {
	r := abi.Relation{Name: name, Role: role, Origin: abi.OriginDerive, Key: key, Asserted: -1, Refuted: -1}
	if role == abi.Base {
		r.Origin = abi.OriginRelation
	}
	for range arity {
		r.Columns = append(r.Columns, abi.Column{Name: "c"})
	}
	b.byName[name] = len(b.p.Relations)
	b.p.Relations = append(b.p.Relations, r)
	return len(b.p.Relations) - 1
}

func (b *builder) base(name string, arity int, key ...int) int {
	return b.relation(name, abi.Base, arity, key...)
}

func (b *builder) derived(name string, arity int) int {
	return b.relation(name, abi.Derived, arity)
}

func (b *builder) constant(v abi.Value) int {
	b.p.Constants = append(b.p.Constants, v)
	return len(b.p.Constants) - 1
}

func (b *builder) rule(head int, args []abi.Arg, slots int, body ...abi.Atom) int {
	b.p.Rules = append(b.p.Rules, abi.Rule{
		Name: b.p.Relations[head].Name, Head: head, Args: args, Slots: make([]abi.Slot, slots), Body: body,
	})
	return len(b.p.Rules) - 1
}

func (b *builder) component(recursive bool, rels []int, rules ...int) {
	b.p.Components = append(b.p.Components, abi.Component{Relations: rels, Rules: rules, Recursive: recursive, Stratum: len(b.p.Components)})
}

// slots makes arguments of slots; -1 is a wildcard.
func slots(n ...int) []abi.Arg {
	out := make([]abi.Arg, len(n))
	for i, s := range n {
		if s >= 0 {
			out[i] = abi.Arg{Op: abi.ArgSlot, Index: s}
		}
	}
	return out
}

func scan(rel int, n ...int) abi.Atom { return abi.Atom{Op: abi.AtomScan, Rel: rel, Args: slots(n...)} }

func not(a abi.Atom) abi.Atom { a.Neg = true; return a }

func slotExpr(s int) abi.Expr { return abi.Expr{Op: abi.ExprSlot, Index: s} }

func load(t testing.TB, p abi.Program) *Engine {
	t.Helper()
	e := New()
	withKernels(e)
	if _, f := e.Load(&abi.LoadRequest{Program: p}); f != nil {
		t.Fatalf("load: %v", f)
	}
	return e
}

func intFrame(rows ...[]int64) abi.Frame {
	b := abi.FrameBuilder{}
	for _, r := range rows {
		b.Arity = len(r)
		vs := make([]abi.Value, len(r))
		for i, n := range r {
			vs[i] = abi.IntValue(n)
		}
		b.Add(vs)
	}
	return b.Frame()
}

// fataler is a test, or one case of a property.
type fataler interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

func assertInts(t fataler, e *Engine, rel int, rows ...[]int64) {
	t.Helper()
	if len(rows) == 0 {
		return
	}
	if _, f := e.Assert(&abi.AssertRequest{Deltas: []abi.Delta{{Relation: rel, Frame: intFrame(rows...)}}}); f != nil {
		t.Fatalf("assert: %v", f)
	}
}

// closureProgram is path(x,z) :- edge(x,z); path(x,z) :- path(x,y), edge(y,z).
func closureProgram() (abi.Program, int, int) {
	b := newBuilder()
	edge, path := b.base("edge", 2), b.derived("path", 2)
	r0 := b.rule(path, slots(0, 1), 2, scan(edge, 0, 1))
	r1 := b.rule(path, slots(0, 2), 3, scan(path, 0, 1), scan(edge, 1, 2))
	b.component(true, []int{path}, r0, r1)
	return b.p, edge, path
}
