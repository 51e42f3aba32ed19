package types

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// A tuple of a relation is one of those above it, and has a value of their own
// fields, too: a field stays with the relation that declares it.

// Ancestors returns r and the relations above it, nearest first.
func (r *Relation) Ancestors() []*Relation {
	list := []*Relation{r}
	for i := 0; i < len(list); i++ {
		for _, up := range list[i].Supers {
			if !slices.Contains(list, up) {
				list = append(list, up)
			}
		}
	}
	return list
}

// AllFields returns the own fields of r and of what is above it, nearest first.
func (r *Relation) AllFields() []*Field {
	var list []*Field
	for _, up := range r.Ancestors() {
		list = append(list, up.Fields...)
	}
	return list
}

// Field returns the field of r or of what is above it, or nil.
func (r *Relation) Field(name string) *Field {
	for _, f := range r.AllFields() {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// relationFieldClashes reports fields of one name that meet in a relation, and
// endpoints that are called as one.
func (e *Env) relationFieldClashes() {
	for _, r := range e.RelList {
		if len(r.Supers) == 0 {
			continue
		}
		names := map[string]bool{}
		for _, c := range r.Columns {
			names[c.Name] = true
		}
		for _, up := range r.Ancestors() {
			for _, f := range up.Fields {
				if !names[f.Name] || up == r { // an endpoint with the name of an own field was reported
					names[f.Name] = true
					continue
				}
				if slices.ContainsFunc(r.Supers, func(s *Relation) bool { return s.meets(f.Name) }) {
					continue // reported above
				}
				at := r.Node.Name.Span
				if own := slices.IndexFunc(r.Fields, func(own *Field) bool { return own.Name == f.Name }); own >= 0 {
					at = r.Fields[own].Node.Name.Span
				}
				e.report(r.Symbol.Module, "OE0262", at, "keep the field in one of them, or rename it", "%s has %s more than once, by its supertypes", r.Name, f.Name)
				break
			}
		}
	}
}

// meets reports whether name is of two things in r.
func (r *Relation) meets(name string) bool {
	n := 0
	for _, f := range r.AllFields() {
		if f.Name == name {
			n++
		}
	}
	for _, c := range r.Columns {
		if c.Name == name {
			n++
		}
	}
	return n > 1
}

// above reports whether there is a relation below r.
func (e *Env) above(r *Relation) bool {
	return slices.ContainsFunc(e.RelList, func(low *Relation) bool { return slices.Contains(low.Supers, r) })
}

// withFields is the statement that takes tuples of r away, with those that take
// the values of fields away: a field belongs to its tuple, and a tuple that is
// said again later begins without them. A tuple that another relation below
// still says stays one of those above, with their fields.
func (s *scope) withFields(out abi.Stmt, r *Relation, n syntax.Node) []abi.Stmt {
	if len(r.AllFields()) == 0 {
		return []abi.Stmt{out}
	}
	list := append(s.once(&out, r.Columns, n), out)
	for _, up := range r.Ancestors() {
		for _, f := range up.Fields {
			if s.e.above(up) {
				list = append(list, s.clearGone(up, f, out, n))
				continue
			}
			clear := s.clear(f, out.Exprs, out.At, n)
			copy(clear.Wild, out.Wild)
			list = append(list, clear)
		}
	}
	return list
}

// clearGone is clear of the tuples that out takes away and that up does not
// have without it.
func (s *scope) clearGone(up *Relation, f *Field, out abi.Stmt, n syntax.Node) abi.Stmt {
	key := slices.Clone(out.Exprs)
	args := make([]abi.Arg, len(key)+1) // of those that have a value, as far as they are known
	var known []abi.Atom
	for i := range key {
		if !out.Wild[i] {
			args[i] = abi.Arg{Op: abi.ArgSlot, Index: s.slot("", Top)}
			known = append(known, abi.Atom{Op: abi.AtomLet, Slot: args[i].Index, Expr: &key[i], Span: s.span(n)})
		}
	}
	var loops []abi.Stmt
	for i := range key {
		if !out.Wild[i] {
			continue
		}
		slot, item := s.slot("", up.Columns[i].Type), s.slot("", up.Columns[i].Type)
		args[i] = abi.Arg{Op: abi.ArgSlot, Index: item}
		body := append(slices.Clone(known), abi.Atom{Op: abi.AtomScan, Rel: f.Relation, Args: slices.Clone(args), Span: s.span(n)})
		value := s.slotExpr(item, n)
		all := abi.Expr{Op: abi.ExprSub_, Sub: &abi.Sub{Op: abi.SubSet, Body: body, Over: []int{item}, Out: &value}, Span: s.span(n)}
		loops = append(loops, abi.Stmt{Op: abi.StmtFor, Slot: slot, Exprs: []abi.Expr{all}, Span: s.span(n)})
		key[i] = s.slotExpr(slot, n)
		args[i] = abi.Arg{Op: abi.ArgSlot, Index: slot}
	}
	body := append(slices.Clone(known), abi.Atom{Op: abi.AtomScan, Rel: up.Rel, Args: args[:len(key)], Span: s.span(n)})
	there := abi.Expr{Op: abi.ExprSub_, Sub: &abi.Sub{Op: abi.SubExists, Body: body}, Span: s.span(n)}
	gone := abi.Expr{Op: abi.ExprNot, Args: []abi.Expr{there}, Span: s.span(n)}
	stmt := abi.Stmt{Op: abi.StmtIf, Exprs: []abi.Expr{gone}, Body: []abi.Stmt{s.clear(f, key, out.At, n)}, Span: s.span(n)}
	for _, loop := range slices.Backward(loops) {
		loop.Body = []abi.Stmt{stmt}
		stmt = loop
	}
	return stmt
}
