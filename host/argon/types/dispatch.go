package types

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// A call of a trait's fn or mutate whose receiver's type is above those that
// implement the trait, or is a type parameter with the trait as its bound, is a
// call of the member itself: a function, or mutation, of its own that no source
// declares. It looks at what its receiver is, and calls what that type's
// implementation gives. A value of no such type fails there.

// dispatches looks at the members of the implementations, and makes what
// chooses among them.
func (e *Env) dispatches() {
	done := map[*resolve.Symbol]bool{}
	for _, im := range e.impls() {
		e.sameSignatures(im)
		if !done[im.Trait] {
			done[im.Trait] = true
			e.dispatching(im.Trait)
		}
	}
}

// dispatching makes the function or mutation of each member of a trait.
func (e *Env) dispatching(trait *resolve.Symbol) {
	it, ok := trait.Items[0].(*syntax.Trait)
	if !ok || len(e.World.Impls(trait)) == 0 {
		return
	}
	for _, declared := range it.Members {
		member := trait.Member(declared.Head().Name.Name)
		at := -1
		if member != nil && member.Signature == declared.Item {
			at = selfPlace(member)
		}
		if at < 0 {
			continue
		}
		switch it := declared.Item.(type) {
		case *syntax.Fn:
			e.dispatchFn(member, it, at)
		case *syntax.Mutate:
			e.dispatchMutate(member, it, at)
		}
	}
}

// memberSignature is the types of a member of a trait, over the type of Self
// and over the types that an implementation gives; without one, nothing is known of
// these.
func (e *Env) memberSignature(member *resolve.Symbol, self abi.Type, im *resolve.Impl) (params []abi.Param, result abi.Type) {
	before, mark := e.vars, len(e.diags.Items)
	vars := map[string]abi.Type{"Self": self}
	if node, ok := member.Trait.Items[0].(*syntax.Trait); ok {
		for _, p := range node.TypeParams {
			vars[p.Name.Name] = Top
			if im != nil {
				vars[p.Name.Name] = e.resolveType(im.Module, im.Types[p.Name.Name])
			}
		}
	}
	e.vars = vars
	defer func() {
		e.vars = before
		e.diags.Items = e.diags.Items[:mark] // signatures reports
	}()
	m := member.Module
	add := func(nodes []*syntax.Param, given syntax.Type) {
		for _, p := range nodes {
			params = append(params, abi.Param{Name: p.Name.Name, Type: e.resolveType(m, p.Type)})
		}
		if given != nil {
			result = e.resolveType(m, given)
		}
	}
	switch it := member.Signature.(type) {
	case *syntax.Fn:
		add(it.Params, it.Result)
	case *syntax.Mutate:
		add(it.Params, it.Result)
	case *syntax.Derive:
		add(it.Params, nil)
	}
	return params, result
}

// given returns the qualified name of what im gives for a member, or nothing.
func given(im *resolve.Impl, member string) string {
	for _, one := range im.Members {
		if one.Name == member {
			return one.Symbol.Qualified
		}
	}
	return ""
}

func (e *Env) dispatchFn(member *resolve.Symbol, it *syntax.Fn, at int) {
	self := typeVar(member.Qualified, "Self")
	f := &Fn{Name: member.Qualified, Index: len(e.FnList), Vars: []abi.Type{self}, Span: e.Span(member.Module, it.Name.Span)}
	f.Params, f.Result = e.memberSignature(member, self, nil)
	var args []abi.Expr
	for i, p := range f.Params {
		f.Slots = append(f.Slots, abi.Slot{Name: p.Name, Type: p.Type})
		args = append(args, abi.Expr{Op: abi.ExprSlot, Index: i, Span: f.Span})
	}
	f.Body = e.nobody(args[at])
	for _, im := range slices.Backward(e.dispatched(member)) {
		target := e.Fns[given(im, member.Name)]
		if target == nil || len(target.Params) != len(args) {
			continue
		}
		call := abi.Expr{Op: abi.ExprCall, Index: target.Index, Args: args, Span: f.Span}
		f.Body = abi.Expr{Op: abi.ExprIf, Args: []abi.Expr{e.isOf(im.For, args[at]), call, f.Body}, Span: f.Span}
	}
	e.Fns[f.Name] = f
	e.FnList = append(e.FnList, f)
}

func (e *Env) dispatchMutate(member *resolve.Symbol, it *syntax.Mutate, at int) {
	mu := &Mutation{Name: member.Qualified, Index: len(e.MutationList), Span: e.Span(member.Module, it.Name.Span)}
	params, result := e.memberSignature(member, Top, nil)
	mu.Params = params
	if it.Result != nil {
		mu.Result = &result
	}
	var args []abi.Expr
	for i, p := range mu.Params {
		mu.Slots = append(mu.Slots, abi.Slot{Name: p.Name, Type: p.Type})
		args = append(args, abi.Expr{Op: abi.ExprSlot, Index: i, Span: mu.Span})
	}
	mu.Body = []abi.Stmt{{Op: abi.StmtExpr, Exprs: []abi.Expr{e.nobody(args[at])}, Span: mu.Span}}
	for _, im := range slices.Backward(e.dispatched(member)) {
		target := e.Mutations[given(im, member.Name)]
		if target == nil || len(target.Params) != len(args) || (target.Result == nil) != (mu.Result == nil) {
			continue
		}
		then := []abi.Stmt{{Op: abi.StmtCall, Slot: -1, Index: target.Index, Exprs: args, Span: mu.Span}}
		if mu.Result != nil {
			mu.Slots = append(mu.Slots, abi.Slot{Type: *target.Result})
			then[0].Slot = len(mu.Slots) - 1
			then = append(then, abi.Stmt{Op: abi.StmtReturn, Exprs: []abi.Expr{{Op: abi.ExprSlot, Index: then[0].Slot, Span: mu.Span}}, Span: mu.Span})
		}
		mu.Body = []abi.Stmt{{Op: abi.StmtIf, Exprs: []abi.Expr{e.isOf(im.For, args[at])}, Body: then, Else: mu.Body, Span: mu.Span}}
	}
	e.Mutations[mu.Name] = mu
	e.MutationList = append(e.MutationList, mu)
}

// dispatched returns the implementations of a member's trait that hold.
func (e *Env) dispatched(member *resolve.Symbol) []*resolve.Impl {
	return slices.DeleteFunc(slices.Clone(e.World.Impls(member.Trait)), func(im *resolve.Impl) bool { return e.needless[im] })
}

// isOf is whether self is of the type sym.
func (e *Env) isOf(sym *resolve.Symbol, self abi.Expr) abi.Expr {
	if c := e.Concepts[sym.Qualified]; c != nil {
		body := []abi.Atom{{Op: abi.AtomScan, Rel: c.Rel, Args: []abi.Arg{{Op: abi.ArgSlot, Index: self.Index}}, Span: self.Span}}
		return abi.Expr{Op: abi.ExprSub_, Sub: &abi.Sub{Op: abi.SubExists, Body: body}, Span: self.Span}
	}
	t := symbolType(sym)
	for range typeParams(sym) {
		t.Args = append(t.Args, Top)
	}
	return abi.Expr{Op: abi.ExprIsType, Type: &t, Args: []abi.Expr{self}, Span: self.Span}
}

// nobody is an expression that fails: self is of no type that implements the
// trait, and so it is no truth value either.
func (e *Env) nobody(self abi.Expr) abi.Expr {
	never := abi.Pattern{Op: abi.PatConst, Const: e.Constants.Add(abi.BoolValue(true))}
	return abi.Expr{Op: abi.ExprMatch, Args: []abi.Expr{self}, Arms: []abi.Arm{{Pattern: never, Body: self}}, Span: self.Span}
}

// sameSignatures reports the functions and mutations of im that take or give
// other types than the trait says. The clauses of a predicate are compared with
// each other, and with the trait's.
func (e *Env) sameSignatures(im *resolve.Impl) {
	self := symbolType(im.For)
	for _, one := range im.Members {
		member := im.Trait.Member(one.Name)
		if member == nil || one.Module != im.Module {
			continue // what the trait provides is as it says
		}
		asked, result := e.memberSignature(member, self, im)
		differ := func(n syntax.Node, name string, got, want abi.Type) {
			e.report(one.Module, "OE1363", n.Range(), "write "+Print(want), "%s of %s is of type %s, and the trait %s says %s", name, one.Name, Print(got), im.Trait.Qualified, Print(want))
		}
		compare := func(nodes []*syntax.Param, params []abi.Param, given syntax.Type, got *abi.Type) {
			for i, p := range params {
				if i < len(nodes) && nodes[i].Type != nil && !e.takes(p.Type, asked[i].Type) {
					differ(nodes[i].Type, "the parameter "+p.Name, p.Type, asked[i].Type)
					params[i].Type = Top // as of the result
				}
			}
			switch {
			case got != nil && given != nil && !unknown(result) && !e.takes(result, *got):
				differ(given, "the result", *got, result)
				*got = Top // one mistake: neither its body nor a caller is another
			case (got == nil) != (member.Kind == resolve.MutateKind && member.Signature.(*syntax.Mutate).Result == nil):
				e.report(one.Module, "OE1363", one.Item.Head().Name.Span, "write it as the trait says", "one of %s and the trait's member gives a result, and the other gives none", one.Name)
			}
		}
		switch it := one.Item.(type) {
		case *syntax.Fn:
			if f := e.Fns[one.Symbol.Qualified]; f != nil {
				compare(it.Params, f.Params, it.Result, &f.Result)
			}
		case *syntax.Mutate:
			if mu := e.Mutations[one.Symbol.Qualified]; mu != nil {
				compare(it.Params, mu.Params, it.Result, mu.Result)
			}
		}
	}
}

// takes reports whether every value of type given is one of type place, of
// individuals by what is declared.
func (e *Env) takes(place, given abi.Type) bool {
	if p, g := e.Concepts[place.Name], e.Concepts[given.Name]; p != nil && g != nil && place.Op == abi.TypeConcept && given.Op == abi.TypeConcept {
		return g.Is(p)
	}
	return e.Fits(given, place)
}
