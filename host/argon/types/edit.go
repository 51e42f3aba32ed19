package types

import (
	"context"
	"maps"
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// Most edits change the body of one item and nothing that other items can see.
// The item is then typed again in an extension of the environment that holds
// the rest. What a body leaves behind beside its own typed form (a closure, a
// path, a relation of the catalog) is shared with other bodies, so that an item
// that does so, before its edit or after it, is not typed alone.

// BodyOf is what the section of diagnostics about the typing of an item's body
// is of.
type BodyOf struct{ Item syntax.Item }

// CapturedIn is what the section about the variables of an item that name
// individuals is of.
type CapturedIn struct{ Item syntax.Item }

// noted makes of a pass one that notes what it reports of each item, and which
// items leave something behind that others share.
func noted[K BodyOf | CapturedIn](e *Env, pass func(*resolve.Module, *resolve.Symbol, syntax.Item)) func(*resolve.Module, *resolve.Symbol, syntax.Item) {
	if !e.diags.Keep {
		return pass
	}
	if e.sharing == nil {
		e.sharing = map[syntax.Item]bool{}
	}
	return func(m *resolve.Module, sym *resolve.Symbol, item syntax.Item) {
		before := e.shared()
		e.diags.Within(K{item}, func() { pass(m, sym, item) })
		if e.shared() != before {
			e.sharing[item] = true
		}
	}
}

// extent counts what bodies share.
type extent struct {
	relations, paths, metrics, catalog, fns, facts, values, known, names, applied int
	fold                                                                          bool
}

func (e *Env) shared() extent {
	return extent{
		len(e.Relations), len(e.Paths), len(e.Metrics), len(e.Catalog), len(e.FnList), len(e.Facts), len(e.closures.order),
		len(e.closures.known), len(e.closures.names), len(e.closures.applied), e.closures.fold != nil,
	}
}

// Edited is an item whose body was edited and whose head was not.
type Edited struct {
	Module *resolve.Module
	Old    syntax.Item // one of the module's
	New    syntax.Item // its places are in the text that Retype is given
}

// Retyped is an Edited with its typed form: one of the pointers, by the kind
// of the item; of a test none.
type Retyped struct {
	Edited
	Clause   *Clause
	Fn       *Fn
	Query    *Query
	Mutation *Mutation
	Check    *Check
	// Inferred says that the clause's predicate has columns whose types come
	// from its clauses. They are as they were, if the clause is in no recursion.
	Inferred bool
}

// Retype returns an extension of e in which edits have taken the place of what
// they were, and their typed forms. texts are the texts that the places of
// their modules are in. What is wrong with an edit is reported to diags, with
// sections as of Elaborate. ok is false where an edit may have changed more
// than its own typed form, and where ctx ended.
func (e *Env) Retype(ctx context.Context, edits []Edited, texts map[*resolve.Module]string, diags *diag.List) (x *Env, list []Retyped, ok bool) {
	if len(e.Metrics) > 0 {
		return nil, nil, false
	}
	for _, ed := range edits {
		if e.sharing[ed.Old] || len(e.unread[ed.Module.Source.Path]) > 0 {
			return nil, nil, false
		}
	}
	x = e.Extend(diags)
	x.texts, x.ctx = texts, ctx
	x.own(e)
	before := x.shared()
	for _, ed := range edits {
		r, ok := x.renew(ed)
		if !ok {
			return nil, nil, false
		}
		list = append(list, r)
	}
	for i := range list {
		if list[i].Inferred && !x.sameColumns(list[i], edits) {
			return nil, nil, false
		}
	}
	for i, ed := range edits {
		diags.Within(BodyOf{ed.Old}, func() { x.body(ed.Module, ed.Module.Declared(ed.Old), ed.New) })
		if len(x.Clauses) > 0 {
			list[i].Clause, x.Clauses = x.Clauses[0], nil
		}
	}
	for _, ed := range edits {
		diags.Within(CapturedIn{ed.Old}, func() { x.captured(ed.Module, nil, ed.New) })
	}
	if x.ctx = nil; ctx.Err() != nil || x.shared() != before || x.hints >= maxHints || !x.World.HintsLeft(e.World) {
		return nil, nil, false
	}
	return x, list, true
}

// own gives x lists and maps of its own for what e has and a body may add to.
func (x *Env) own(e *Env) {
	x.FnList, x.QueryList = slices.Clone(e.FnList), slices.Clone(e.QueryList)
	x.MutationList, x.CheckList = slices.Clone(e.MutationList), slices.Clone(e.CheckList)
	x.Fns, x.Queries, x.Mutations, x.Checks = maps.Clone(e.Fns), maps.Clone(e.Queries), maps.Clone(e.Mutations), maps.Clone(e.Checks)
	x.Predicates = maps.Clone(e.Predicates)
	x.Clauses, x.TestList, x.Facts = nil, nil, slices.Clip(e.Facts)
	x.Metrics, x.asked = slices.Clip(e.Metrics), nil
	x.closures.applied, x.closures.names = maps.Clone(e.closures.applied), maps.Clone(e.closures.names)
	x.closures.known, x.closures.order = map[string]*fnConstant{}, nil
	for _, c := range e.closures.order {
		own := *c
		x.closures.known[own.tag] = &own
		x.closures.order = append(x.closures.order, &own)
	}
}

// renew puts an item of the new text, not typed yet, in the place of the old
// one.
func (x *Env) renew(ed Edited) (Retyped, bool) {
	r := Retyped{Edited: ed}
	if test, ok := ed.New.(*syntax.Test); ok {
		return r, len(ed.Old.Head().Attrs) == 0 && x.onlyTest(ed.Module, test.Title)
	}
	sym := ed.Module.Declared(ed.Old)
	if sym == nil || sym.Trait != nil || sym.Module != ed.Module {
		return r, false
	}
	for i := range ed.Old.Head().Attrs {
		switch ed.Old.Head().Attrs[i].Name.String() {
		case "dec", "evaluator", "default", "label":
		default: // "defeats" looks for the other clauses by what they are
			return r, false
		}
	}
	switch it := ed.New.(type) {
	case *syntax.Derive:
		p := x.Predicates[predicateKey(sym.Qualified, len(it.Params))]
		r.Inferred = p != nil && p.open()
		return r, sym.Kind == resolve.DeriveKind && p != nil && it.HasBody
	case *syntax.Fn:
		old := x.Fns[sym.Qualified]
		if old == nil || old.Symbol != sym {
			return r, false
		}
		r.Fn = &Fn{Name: old.Name, Symbol: sym, Node: it, Vars: old.Vars, Params: old.Params, Result: old.Result, Index: old.Index}
		x.Fns[r.Fn.Name], x.FnList[r.Fn.Index] = r.Fn, r.Fn
	case *syntax.Query:
		old := x.Queries[sym.Qualified]
		if old == nil || old.Symbol != sym || it.Short {
			return r, false
		}
		r.Query = &Query{Name: old.Name, Symbol: sym, Node: it, Module: old.Module, Index: old.Index, Truth: -1, Params: old.Params, Result: old.Result}
		x.Queries[r.Query.Name], x.QueryList[r.Query.Index] = r.Query, r.Query
	case *syntax.Mutate:
		old := x.Mutations[sym.Qualified]
		if old == nil || old.Symbol != sym {
			return r, false
		}
		r.Mutation = &Mutation{Name: old.Name, Symbol: sym, Node: it, Index: old.Index, Params: old.Params, Result: old.Result}
		x.Mutations[r.Mutation.Name], x.MutationList[r.Mutation.Index] = r.Mutation, r.Mutation
	case *syntax.Check:
		old := x.Checks[sym.Qualified]
		if old == nil || old.Symbol != sym {
			return r, false
		}
		r.Check = &Check{Name: old.Name, Symbol: sym, Node: it, Index: old.Index}
		x.Checks[r.Check.Name], x.CheckList[r.Check.Index] = r.Check, r.Check
	default:
		return r, false
	}
	return r, true
}

// sameColumns reports whether the columns of the predicate of r, an edited
// clause, are of the same types as before, where they are inferred.
func (x *Env) sameColumns(r Retyped, edits []Edited) bool {
	it := r.New.(*syntax.Derive)
	key := predicateKey(r.Module.Declared(r.Old).Qualified, len(it.Params))
	p := x.Predicates[key]
	again := *p
	again.Nodes = slices.Clone(p.Nodes)
	for i, node := range again.Nodes {
		for _, ed := range edits {
			if ed.Old == syntax.Item(node) {
				again.Nodes[i] = ed.New.(*syntax.Derive)
			}
		}
	}
	again.modules = nil
	for _, node := range p.Nodes {
		if p.moduleOf(node) != p.Module {
			return false
		}
	}
	again.Columns = slices.Clone(p.Columns)
	for i := range again.Columns {
		if !again.known[i] {
			again.Columns[i].Type = Top
		}
	}
	x.Predicates[key] = &again
	defer func() { x.Predicates[key] = p }()
	const rounds = 4 // what it says of itself needs no more where it is in no recursion
	for range rounds {
		if !x.inferPredicate(&again) {
			break
		}
	}
	return slices.EqualFunc(again.Columns, p.Columns, func(a, b abi.Column) bool { return Same(a.Type, b.Type) })
}

// text returns the text that the places of m are in.
func (e *Env) text(m *resolve.Module) string {
	if t, ok := e.texts[m]; ok {
		return t
	}
	return m.Source.Text
}

// ClauseOf returns the index of the clause that the derive it of m is; ok is
// false unless there is exactly one.
func (e *Env) ClauseOf(m *resolve.Module, it syntax.Item) (index int, ok bool) {
	for i, c := range e.Clauses {
		if c.Module == m && c.Span == it.Range() {
			if ok {
				return 0, false
			}
			index, ok = i, true
		}
	}
	return index, ok
}

// onlyTest reports whether m has exactly one test with the title.
func (e *Env) onlyTest(m *resolve.Module, title string) bool {
	n := 0
	for _, item := range m.Items {
		if t, ok := item.(*syntax.Test); ok && t.Title == title {
			n++
		}
	}
	return n == 1
}
