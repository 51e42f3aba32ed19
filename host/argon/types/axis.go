package types

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// Axis is a meta axis: what a metatype or metarel, or a single concept or
// relation in its place, says of itself.
type Axis struct {
	Name       string
	Symbol     *resolve.Symbol
	Node       *syntax.Metaxis
	Type       abi.Type   // of its values: an enum of the axis's own name where they are listed
	Enum       *Enum      // the listed values, from the least on where they are a chain; else nil
	slots      []abi.Slot // of the predicates; the first is the value
	predicates []abi.Expr
}

// describes reports whether the axis is for the target.
func (a *Axis) describes(target string) bool {
	return slices.ContainsFunc(a.Node.Targets, func(t syntax.Ident) bool { return t.Name == target })
}

// Meta is a metatype or metarel.
type Meta struct {
	Name   string
	Symbol *resolve.Symbol
	Axes   map[*Axis]AxisValue
}

// AxisValue is what an axis is bound to, and where.
type AxisValue struct {
	Value  abi.Value
	Module *resolve.Module
	Span   syntax.Span
}

// declareAxis enters an axis by name; listed values make an enum of it.
func (e *Env) declareAxis(sym *resolve.Symbol, it *syntax.Metaxis) {
	a := &Axis{Name: sym.Qualified, Symbol: sym, Node: it}
	e.Axes[a.Name] = a
	e.AxisList = append(e.AxisList, a)
	if it.Type != nil {
		return
	}
	a.Type = abi.Type{Op: abi.TypeEnum, Name: a.Name}
	a.Enum = &Enum{Name: a.Name, Symbol: sym}
	for _, v := range it.Values {
		if a.Enum.Variant(v.Name) != nil {
			e.report(sym.Module, "OE0262", v.Span, "", "axis %s has the value %s twice", a.Name, v.Name)
			continue
		}
		a.Enum.Variants = append(a.Enum.Variants, &Variant{Name: a.Name + "::" + v.Name, Short: v.Name})
	}
	e.Enums[a.Name] = a.Enum
	e.EnumList = append(e.EnumList, a.Enum)
}

// metaPlane types the axes, and what metatypes, metarels, concepts and
// relations say on them.
func (e *Env) metaPlane(ctx context.Context) error {
	for _, a := range e.AxisList {
		e.axis(a)
	}
	if err := e.items(ctx, e.metaBindings); err != nil {
		return err
	}
	return e.items(ctx, e.axisOverrides)
}

func (e *Env) axis(a *Axis) {
	m := a.Symbol.Module
	if a.Node.Type == nil {
		return
	}
	a.Type = e.resolveType(m, a.Node.Type)
	s := e.newScope(m, "axis", false)
	s.hole = s.slot("", a.Type) + 1
	for _, p := range a.Node.Predicates {
		before := e.errors()
		x, _ := s.expr(p, Bool)
		switch {
		case e.errors() > before:
		case !foldable(&x):
			s.unsupported(p, "a condition on an axis that is more than comparisons and arithmetic", "compare `_` with literals")
		default:
			a.predicates = append(a.predicates, x)
		}
	}
	a.slots = s.frame.slots
}

func (e *Env) metaBindings(m *resolve.Module, sym *resolve.Symbol, item syntax.Item) {
	if sym == nil {
		return
	}
	meta := &Meta{Name: sym.Qualified, Symbol: sym}
	switch it := item.(type) {
	case *syntax.Metatype:
		meta.Axes = e.bindings(m, meta.Name, "metatype", it.Bindings)
	case *syntax.Metarel:
		meta.Axes = e.bindings(m, meta.Name, "metarel", it.Bindings)
	default:
		return
	}
	e.Metas[meta.Name] = meta
	e.MetaList = append(e.MetaList, meta)
}

// axisOverrides types the axis::value members of concepts and relations, which
// go before what their metatype or metarel says.
func (e *Env) axisOverrides(m *resolve.Module, sym *resolve.Symbol, item syntax.Item) {
	if sym == nil {
		return
	}
	switch it := item.(type) {
	case *syntax.Concept:
		var list []syntax.AxisBinding
		for _, member := range it.Members {
			if member.Override != nil {
				list = append(list, *member.Override)
			}
		}
		if c := e.Concepts[sym.Qualified]; c != nil {
			c.Meta = e.introducedBy(m, it.Introducer, resolve.MetatypeKind)
			c.Axes = e.bindings(m, c.Name, "metatype", list)
		}
	case *syntax.Relation:
		if r := e.Rels[sym.Qualified]; r != nil {
			r.Meta = e.introducedBy(m, it.Introducer, resolve.MetarelKind)
			r.Axes = e.bindings(m, r.Name, "metarel", it.Overrides)
		}
	}
}

func (e *Env) introducedBy(m *resolve.Module, path syntax.Path, kind resolve.Kind) *Meta {
	if sym := e.World.Lookup(m, path, resolve.Kinds(kind)); sym != nil {
		return e.Metas[sym.Qualified]
	}
	return nil
}

// bindings types the axis values that owner gives.
func (e *Env) bindings(m *resolve.Module, owner, target string, list []syntax.AxisBinding) map[*Axis]AxisValue {
	out := map[*Axis]AxisValue{}
	for _, b := range list {
		a, value := e.boundAxis(m, b)
		if a == nil {
			continue
		}
		if !a.describes(target) {
			e.report(m, "OE0652", b.Span, "add "+target+" to its targets: for ["+target+", …]", "the axis %s does not describe a %s", a.Name, target)
			continue
		}
		if old, twice := out[a]; twice {
			e.diags.Add(diag.Diagnostic{
				Code: "OE0653", Place: place(m, b.Span), Message: owner + " says twice what it is on the axis " + a.Name,
				Help: "keep one of the two", Related: []diag.Related{{Place: place(m, old.Span), Message: "said here, too"}},
			})
			continue
		}
		if v, ok := e.axisValue(m, a, b, value); ok {
			out[a] = AxisValue{Value: v, Module: m, Span: b.Span}
		}
	}
	return out
}

// boundAxis finds the axis of b. In module::axis::value the axis has more than
// the first name.
func (e *Env) boundAxis(m *resolve.Module, b syntax.AxisBinding) (*Axis, syntax.Expr) {
	if b.Axis.Name == "" {
		return nil, nil
	}
	path := syntax.Path{Span: b.Axis.Span, Parts: []syntax.Ident{b.Axis}}
	want := resolve.Kinds(resolve.MetaxisKind)
	if sym := e.World.Lookup(m, path, want); sym != nil {
		return e.Axes[sym.Qualified], b.Value
	}
	if n, ok := b.Value.(*syntax.Name); ok && len(n.Path.Parts) > 1 {
		last := len(n.Path.Parts) - 1
		path.Parts = append(path.Parts, n.Path.Parts[:last]...)
		if sym := e.World.Lookup(m, path, want); sym != nil {
			return e.Axes[sym.Qualified], &syntax.Name{Span: n.Span, Path: syntax.Path{Span: n.Span, Parts: n.Path.Parts[last:]}}
		}
	}
	help := e.nearest(b.Axis.Name, e.World.Names(m, nil, want))
	if help == "" {
		help = "declare it: pub metaxis " + b.Axis.Name + " for metatype { … };"
	}
	e.noAxis(m, b.Axis, help)
	return nil, nil
}

// noAxis reports an axis that is not in scope. One that an import would bring,
// were it there, is reported with the import.
func (e *Env) noAxis(m *resolve.Module, axis syntax.Ident, help string) {
	e.diags.Add(diag.Diagnostic{Code: "OE0650", Message: fmt.Sprintf("there is no axis %s in scope", axis.Name), Place: place(m, axis.Span),
		Help: help, Follows: e.World.Unimported(m, axis.Name)})
}

// axisValue types what a binding gives: one of the listed values by its short
// or whole name, or a constant of the axis's type that satisfies its predicates.
func (e *Env) axisValue(m *resolve.Module, a *Axis, b syntax.AxisBinding, x syntax.Expr) (abi.Value, bool) {
	if a.Enum != nil {
		if n, ok := x.(*syntax.Name); ok {
			if v := a.Enum.Variant(n.Path.Parts[len(n.Path.Parts)-1].Name); v != nil && (len(n.Path.Parts) == 1 || e.names(m, n.Path, v.Name)) {
				return abi.SymbolValue(v.Name), true
			}
		}
		help := ""
		if n, ok := x.(*syntax.Name); ok {
			help = e.nearest(n.Path.String(), a.shorts())
		}
		if help == "" && len(a.Enum.Variants) > 0 {
			help = "its values are " + strings.Join(a.shorts(), ", ")
		}
		e.report(m, "OE0651", x.Range(), help, "%s is no value of the axis %s", e.text(m)[x.Range().Start:x.Range().End], a.Name)
		return abi.Value{}, false
	}
	before := e.errors()
	s := e.newScope(m, "axis", false)
	got, t := s.value(x, a.Type)
	v, constant := e.constant(&got)
	if e.errors() > before {
		return abi.Value{}, false
	}
	outside := func(why string) (abi.Value, bool) {
		e.report(m, "OE0651", x.Range(), "", "%s is no value of the axis %s: %s", s.text(x), a.Name, why)
		return abi.Value{}, false
	}
	switch {
	case !e.Fits(t, a.Type):
		return outside("it takes " + Print(a.Type) + ", and this is of type " + Print(t))
	case !constant:
		return outside("it takes a constant")
	}
	for i := range a.predicates {
		if !e.fold(&a.predicates[i], v).holds() {
			p := a.Node.Predicates[i].Range()
			return outside("its values satisfy `" + a.Symbol.Module.Source.Text[p.Start:p.End] + "`")
		}
	}
	return v, true
}

func (a *Axis) shorts() []string {
	var list []string
	for _, v := range a.Enum.Variants {
		list = append(list, v.Short)
	}
	return list
}

// Rank returns the place of v, a value of the axis, from 0; -1 if it is none.
func (a *Axis) Rank(v abi.Value) int {
	return slices.IndexFunc(a.Enum.Variants, func(x *Variant) bool { return x.Name == v.Str })
}

// names reports whether path means the axis value with the qualified name.
func (e *Env) names(m *resolve.Module, path syntax.Path, qualified string) bool {
	sym := e.World.Lookup(m, path, resolve.Kinds(resolve.AxisValueKind))
	return sym != nil && sym.Qualified == qualified
}

// chain returns the ordered axis whose values t has, or nil.
func (e *Env) chain(t abi.Type) *Axis {
	if t = strip(t); t.Op == abi.TypeEnum {
		if a := e.Axes[t.Name]; a != nil && a.Node.Ordered {
			return a
		}
	}
	return nil
}

// ranked is the place of x, a value of a chain, from 0: so that chains compare
// by their order.
func (s *scope) ranked(x abi.Expr, a *Axis, n syntax.Node) abi.Expr {
	if x.Op == abi.ExprRead && x.Index == s.e.Catalog[CatalogAxis+a.Name] {
		x.Index, x.Name = s.e.axisRelation(CatalogRank, a), ""
		return x
	}
	out := abi.Expr{Op: abi.ExprMatch, Args: []abi.Expr{x}, Span: x.Span}
	value, constant := s.e.constant(&x)
	for i, v := range a.Enum.Variants {
		place := s.constant(abi.IntValue(int64(i)), n)
		if constant && value.Str == v.Name {
			return place
		}
		out.Arms = append(out.Arms, abi.Arm{
			Pattern: abi.Pattern{Op: abi.PatConst, Const: s.e.Constants.Add(abi.SymbolValue(v.Name))}, Body: place,
		})
	}
	return out
}
