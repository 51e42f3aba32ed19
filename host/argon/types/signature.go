package types

import (
	"fmt"
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// declareSignature enters what can be called or read by name, before any body
// is typed.
func (e *Env) declareSignature(m *resolve.Module, sym *resolve.Symbol, item syntax.Item) {
	if sym == nil {
		return
	}
	switch it := item.(type) {
	case *syntax.Derive:
		if sym.Kind == resolve.RelationKind {
			e.declareRelationClause(m, sym, it)
			return
		}
		e.declareDerive(m, sym, it)
	case *syntax.Fn:
		vars, done := e.generic(m, sym.Qualified, it.TypeParams, it.Where)
		defer done()
		f := &Fn{Name: sym.Qualified, Symbol: sym, Node: it, Index: len(e.FnList), Vars: vars, Params: e.params(m, it.Params)}
		f.Result = e.resolveType(m, it.Result)
		e.Fns[f.Name] = f
		e.FnList = append(e.FnList, f)
	case *syntax.Query:
		q := &Query{Name: sym.Qualified, Symbol: sym, Node: it, Module: m, Index: len(e.QueryList), Truth: -1, Params: e.params(m, it.Params)}
		if !it.Short {
			q.Result = e.resolveType(m, withoutTruth(it.Result))
		}
		e.Queries[q.Name] = q
		e.QueryList = append(e.QueryList, q)
	case *syntax.Mutate:
		mu := &Mutation{Name: sym.Qualified, Symbol: sym, Node: it, Index: len(e.MutationList), Params: e.params(m, it.Params)}
		if it.Result != nil {
			t := e.resolveType(m, it.Result)
			mu.Result = &t
		}
		e.Mutations[mu.Name] = mu
		e.MutationList = append(e.MutationList, mu)
	case *syntax.Check:
		c := &Check{Name: sym.Qualified, Symbol: sym, Node: it, Index: len(e.CheckList)}
		e.Checks[c.Name] = c
		e.CheckList = append(e.CheckList, c)
	}
}

func (e *Env) params(m *resolve.Module, nodes []*syntax.Param) []abi.Param {
	var params []abi.Param
	seen := map[string]bool{}
	for _, p := range nodes {
		name := p.Name.Name
		switch {
		case name != "" && seen[name]:
			e.report(m, "OE0262", p.Name.Span, "", "the parameter %s is declared twice", name)
		case p.Type == nil && name != "":
			e.report(m, "OE0257", p.Span, "write "+name+": T", "the parameter %s needs a type", name)
		}
		seen[name] = true
		params = append(params, abi.Param{Name: name, Type: e.resolveType(m, p.Type)})
	}
	return params
}

func (e *Env) declareDerive(m *resolve.Module, sym *resolve.Symbol, it *syntax.Derive) {
	key := predicateKey(sym.Qualified, len(it.Params))
	p := e.Predicates[key]
	if p == nil {
		p = &Predicate{Name: sym.Qualified, Symbol: sym, Module: m, known: make([]bool, len(it.Params))}
		if e.derived[sym] {
			p.Name = key // another arity has the plain name
		}
		e.derived[sym] = true
		for i, param := range it.Params {
			name := param.Name.Name
			if name == "" || param.Term != nil {
				name = fmt.Sprintf("a%d", i+1)
			}
			p.Columns = append(p.Columns, abi.Column{Name: name})
		}
		p.Rel = e.relation(abi.Relation{Name: p.Name, Role: abi.Derived, Origin: abi.OriginDerive, Columns: p.Columns, Asserted: -1, Span: e.Span(m, it.Name.Span)})
		e.Predicates[key] = p
		e.PredicateList = append(e.PredicateList, p)
	}
	p.Nodes = append(p.Nodes, it)
	if m != p.Module {
		if p.modules == nil {
			p.modules = map[*syntax.Derive]*resolve.Module{}
		}
		p.modules[it] = m
	}
	e.enlist(m, p, it)
	for i, param := range it.Params {
		if param.Type == nil {
			continue
		}
		mark := e.errors()
		t := e.resolveType(m, param.Type)
		if it.HasBody {
			e.diags.Items = e.diags.Items[:mark] // the clause itself reports
		}
		if sym.Trait != nil && !it.HasBody {
			if named, any := e.memberColumn(sym, i); any {
				p.any = append(p.any, i)
			} else if !unknown(named) {
				t = named
			}
		}
		if slices.Contains(p.any, i) {
			p.Columns[i].Type = Top
		} else if joined, ok := e.Join(p.Columns[i].Type, t); ok {
			p.Columns[i].Type = joined
		} else {
			e.report(m, "OE0257", param.Span, "", "another clause of %s has a parameter of type %s here, and this is %s", p.Name, Print(p.Columns[i].Type), Print(t))
		}
		p.known[i] = true
	}
	if sym.Trait != nil {
		if i := selfPlace(sym); i >= 0 && i < len(p.Columns) {
			p.Columns[i].Type = e.selfType(sym.Trait)
		}
	}
}

// moduleOf returns the module in which the names of a clause of p are looked up.
func (p *Predicate) moduleOf(it *syntax.Derive) *resolve.Module {
	if m := p.modules[it]; m != nil {
		return m
	}
	return p.Module
}

// inferPredicates gives the untyped columns of derived predicates the types
// that their clauses' bodies say: what a body reads first, and then by rounds,
// because predicates may read each other in a circle.
func (e *Env) inferPredicates() {
	const rounds = 12 // of a circle; a type that takes longer to go round is Top
	order := e.readingOrder()
	for range rounds {
		changed := false
		for _, p := range order {
			if e.inferPredicate(p) {
				changed = true
			}
		}
		if !changed {
			return
		}
	}
}

// readingOrder returns the predicates with untyped columns, each after those
// that its clauses read, as far as there is such an order.
func (e *Env) readingOrder() []*Predicate {
	var order []*Predicate
	seen := map[*Predicate]bool{}
	type frame struct {
		p     *Predicate
		reads []*Predicate
	}
	for _, root := range e.PredicateList {
		if seen[root] {
			continue
		}
		seen[root] = true
		stack := []frame{{root, e.readsPredicates(root)}}
		for len(stack) > 0 {
			f := &stack[len(stack)-1]
			if len(f.reads) == 0 {
				if f.p.open() {
					order = append(order, f.p)
				}
				stack = stack[:len(stack)-1]
				continue
			}
			next := f.reads[0]
			f.reads = f.reads[1:]
			if !seen[next] {
				seen[next] = true
				stack = append(stack, frame{next, e.readsPredicates(next)})
			}
		}
	}
	return order
}

// readsPredicates returns the derived predicates that p's clauses call as
// atoms. Other reads (in expressions) cost at most another round.
func (e *Env) readsPredicates(p *Predicate) []*Predicate {
	if !p.open() {
		return nil
	}
	var found []*Predicate
	for _, node := range p.Nodes {
		for _, a := range node.Body {
			call, ok := a.(*syntax.CallAtom)
			if !ok {
				continue
			}
			sym := e.World.Lookup(p.moduleOf(node), call.Path, resolve.Kinds(resolve.DeriveKind))
			if sym == nil {
				continue
			}
			if q := e.Predicates[predicateKey(sym.Qualified, len(call.Args))]; q != nil {
				found = append(found, q)
			}
		}
	}
	return found
}

// open reports whether a column of p has no declared type.
func (p *Predicate) open() bool { return slices.Contains(p.known, false) }

func (e *Env) inferPredicate(p *Predicate) (changed bool) {
	mark, hints := len(e.diags.Items), e.hints
	e.hints = maxHints
	speak := e.World.Hush()
	defer func() {
		speak()
		e.diags.Items, e.hints = e.diags.Items[:mark], hints // what is wrong is reported when the body is typed for good
	}()
	for _, node := range p.Nodes {
		c := e.clause(p.moduleOf(node), node, p)
		if c == nil {
			continue
		}
		for i, arg := range c.Args {
			if p.known[i] {
				continue
			}
			t := Top
			switch arg.Op {
			case abi.ArgSlot:
				t = strip(c.Slots[arg.Index].Type)
			case abi.ArgConst:
				if v, ok := e.constant(&abi.Expr{Op: abi.ExprConst, Index: arg.Index}); ok {
					t = e.valueType(v)
				}
			}
			joined, ok := e.Join(p.Columns[i].Type, t)
			if !ok {
				joined = Top
			}
			if !Same(joined, p.Columns[i].Type) {
				p.Columns[i].Type = joined
				changed = true
			}
		}
	}
	return changed
}

// valueType is the type of a constant.
func (e *Env) valueType(v abi.Value) abi.Type {
	switch v.Kind {
	case abi.KindNum:
		switch {
		case v.Rat != nil && !v.Rat.IsInt():
			return Decimal
		case v.Number().Sign() < 0:
			return Int
		}
		return Nat
	case abi.KindString:
		return String
	case abi.KindNamed, abi.KindMinted:
		return anyIndividual
	case abi.KindSymbol, abi.KindVariant:
		for _, n := range e.EnumList {
			for _, variant := range n.Variants {
				if variant.Name == v.Str {
					return n.of(nil)
				}
			}
		}
	case abi.KindType:
		return e.valueSort(v)
	case abi.KindStruct:
		if st := e.Structs[v.Str]; st != nil {
			return st.of(nil)
		}
	case abi.KindInstant:
		return DateTime
	case abi.KindTime:
		return Time
	case abi.KindSpan:
		return Duration
	case abi.KindMoney:
		return Money
	case abi.KindDay:
		return Date
	case abi.KindBool:
		return Bool
	}
	return Top
}
