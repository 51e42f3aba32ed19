package types

import (
	"fmt"
	"maps"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// Extend returns an environment for what is compiled against e later: it sees
// all of e, reports to diags, and what is added to it does not change e.
func (e *Env) Extend(diags *diag.List) *Env {
	x := *e
	x.World = e.World.With(diags)
	x.diags = diags
	x.Constants = e.Constants.Extend()
	x.Relations = e.Relations[:len(e.Relations):len(e.Relations)]
	x.Files = e.Files[:len(e.Files):len(e.Files)]
	x.files = maps.Clone(e.files)
	x.Catalog = maps.Clone(e.Catalog)
	e.extendPaths(&x)
	return &x
}

// adHoc is a scope of a body that is in no file.
func (e *Env) adHoc(src *syntax.Source, word string, rule bool) (*scope, *resolve.Module) {
	m := e.World.AdHoc(src)
	s := e.newScope(m, word, rule)
	s.spoken = true
	return s, m
}

// AdHocQuery types the body of an ad-hoc query. Its variables are its
// parameters too: an argument fixes one. Without `select` they are the columns,
// in order of first use.
func (e *Env) AdHocQuery(src *syntax.Source, it *syntax.Query) *Query {
	s, m := e.adHoc(src, "query", true)
	q := &Query{Name: "query", Module: m, Truth: -1}
	for _, r := range it.Refused {
		e.report(m, r.Code, r.Span, "take it out; order and cut the rows where they are used", "%s: not supported yet", r.What)
	}
	atoms := append(append([]syntax.Atom(nil), it.From...), it.Where...)
	s.referred(atoms)
	for _, a := range atoms {
		atomNames(a, s.free)
	}
	n := len(s.frame.slots)
	q.Body = s.body(atoms)
	s.strangers(src.Text)
	switch {
	case it.Select == nil:
		for i, slot := range s.frame.slots {
			if slot.Name == "" || i >= n && s.names[slot.Name] != i {
				continue
			}
			q.Out = append(q.Out, abi.Arg{Op: abi.ArgSlot, Index: i})
			q.Columns = append(q.Columns, abi.Column{Name: slot.Name, Type: strip(slot.Type)})
		}
		if len(atoms) == 0 {
			e.report(m, "OE0001", it.Range(), "write select … from …, or atoms: reach(a, b), not Blocked(b)", "an empty query")
		}
	default:
		s.selectQuery(q, &syntax.Query{Select: it.Select}, false)
	}
	for i := range n {
		q.Params = append(q.Params, abi.Param{Name: s.frame.slots[i].Name, Type: s.frame.slots[i].Type})
	}
	q.Slots = s.frame.slots
	return q
}

// AdHocMutate types the statements of an ad-hoc mutate. A name that means
// nothing else is a parameter, of the type that its uses say.
func (e *Env) AdHocMutate(src *syntax.Source, list []syntax.Stmt) *Mutation {
	probe := e.Extend(&diag.List{})
	s, _ := probe.adHoc(src, "mutate", false)
	var names []string
	s.asks = &names
	s.result = &Top
	s.stmts(list)

	s, _ = e.adHoc(src, "mutate", false)
	mu := &Mutation{Name: "mutate"}
	for _, name := range names {
		s.declare(name, Top)
		mu.Params = append(mu.Params, abi.Param{Name: name})
	}
	s.result = &Top
	mu.Body = s.stmts(list)
	mu.Slots = s.frame.slots
	for i := range mu.Params {
		mu.Params[i].Type = mu.Slots[i].Type
	}
	return mu
}

// AdHocFact reads Head(a, b): the relation and the tuple. Names that are not
// declared are named individuals. Values for the shown columns of the relation
// only give a tuple of just those.
func (e *Env) AdHocFact(src *syntax.Source, it *syntax.CallAtom, shown map[int][]bool) (rel int, tuple []abi.Value, err error) {
	s, m := e.adHoc(src, "fact", false)
	sym := e.World.Resolve(m, it.Path, factHeads)
	if sym == nil {
		return 0, nil, firstError(e.diags)
	}
	var t target
	if sym.Kind == resolve.CheckKind {
		for i, r := range e.Relations {
			if r.Origin == abi.OriginCheck && r.Name == sym.Qualified {
				t = target{name: r.Name, rel: i, columns: r.Columns}
			}
		}
	} else {
		t, _ = e.predicate(sym, len(it.Args))
	}
	if some := onlyShown(t.columns, shown[t.rel]); len(some) == len(it.Args) {
		t.columns = some
	}
	if len(t.columns) != len(it.Args) {
		s.arity(it, t, len(it.Args))
		return 0, nil, firstError(e.diags)
	}
	for i, arg := range it.Args {
		want := t.columns[i].Type
		if n, ok := arg.(*syntax.Name); ok && (IsIndividual(want) || unknown(want)) && e.World.Lookup(m, n.Path, valueKinds) == nil && !e.typeFits(m, n.Path, want) {
			tuple = append(tuple, abi.NamedValue(e.Individual(n.Path.String())))
			continue
		}
		v, ok := s.constantExpr(arg, want)
		if !ok {
			return 0, nil, firstError(e.diags)
		}
		tuple = append(tuple, v)
	}
	return t.rel, tuple, nil
}

// onlyShown returns the columns that are shown: all, where nothing says which.
func onlyShown(columns []abi.Column, shown []bool) []abi.Column {
	if len(shown) != len(columns) {
		return columns
	}
	var out []abi.Column
	for i, c := range columns {
		if shown[i] {
			out = append(out, c)
		}
	}
	return out
}

// typeFits reports whether path names a type, where a value of type want may be
// one.
func (e *Env) typeFits(m *resolve.Module, path syntax.Path, want abi.Type) bool {
	_, t, ok := e.reference(m, path)
	return ok && e.Fits(t, want)
}

var factHeads = extentKinds | resolve.Kinds(resolve.CheckKind)

func firstError(diags *diag.List) error {
	if len(diags.Items) == 0 {
		return fmt.Errorf("it cannot be read")
	}
	d := diags.Items[0]
	if d.Help != "" {
		return fmt.Errorf("%s (%s)", d.Message, d.Help)
	}
	return fmt.Errorf("%s", d.Message)
}
