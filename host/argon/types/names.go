package types

import "github.com/ox-mcp/ox-mcp/host/argon/syntax"

// atomNames calls visit for each lone name of an atom that belongs to the body
// the atom stands in; it does not go into nested bodies. nested reports whether
// there is one.
func atomNames(a syntax.Atom, visit func(syntax.Ident)) (nested bool) {
	w := nameWalk{visit: visit}
	w.atom(a)
	return w.nested
}

type nameWalk struct {
	visit  func(syntax.Ident)
	nested bool
}

func (w *nameWalk) atom(a syntax.Atom) {
	switch a := a.(type) {
	case *syntax.CallAtom:
		for _, x := range a.Args {
			w.expr(x)
		}
	case *syntax.TypeAtom:
		w.expr(a.Expr)
	case *syntax.CompareAtom:
		w.expr(a.Expr)
	case *syntax.BindAtom:
		w.visit(a.Name)
		w.expr(a.Value)
	case *syntax.IsAtom:
		w.expr(a.Expr)
	case *syntax.NotAtom:
		w.atom(a.Atom)
	case *syntax.ExistsAtom:
		w.nested = true
	case *syntax.ModalAtom:
		if len(a.Body) != 1 {
			w.nested = true
			return
		}
		w.atom(a.Body[0])
	case *syntax.MetricAtom:
		w.metricNames(a)
	case *syntax.StepAtom:
		w.expr(a.From)
		for _, st := range a.Steps {
			if st.Limit != nil {
				w.visit(*st.Limit)
			}
			for _, b := range st.To {
				w.expr(b.Expr)
			}
		}
	}
}

func (w *nameWalk) exprs(list []syntax.Expr) {
	for _, x := range list {
		w.expr(x)
	}
}

func (w *nameWalk) expr(x syntax.Expr) {
	switch x := x.(type) {
	case *syntax.Text:
		w.exprs(x.Parts)
	case *syntax.Name:
		if len(x.Path.Parts) == 1 {
			w.visit(x.Path.Parts[0])
		}
	case *syntax.Unary:
		w.expr(x.X)
	case *syntax.Binary:
		w.expr(x.X)
		w.expr(x.Y)
	case *syntax.Call:
		w.exprs(x.Args)
	case *syntax.Method:
		w.expr(x.X)
		w.exprs(x.Args)
	case *syntax.Index:
		w.exprs([]syntax.Expr{x.X, x.I})
	case *syntax.Slice:
		w.exprs([]syntax.Expr{x.X, x.From, x.To})
	case *syntax.Try:
		w.expr(x.X)
	case *syntax.List:
		w.exprs(x.Items)
	case *syntax.Comprehension:
		w.expr(x.Source)
	case *syntax.If:
		w.exprs([]syntax.Expr{x.Cond, x.Then, x.Else})
	case *syntax.Match:
		w.expr(x.X)
	case *syntax.Aggregate:
		if x.Var == nil {
			w.expr(x.Elem)
			return
		}
		w.nested = true
	case *syntax.Subquery, *syntax.Closure:
		w.nested = true
	case *syntax.MapLit:
		w.exprs(x.Keys)
		w.exprs(x.Values)
	case *syntax.SetLit:
		w.exprs(x.Items)
	case *syntax.StructLit:
		w.expr(x.Base)
		for _, f := range x.Fields {
			if f.Value == nil {
				w.visit(f.Name)
			}
			w.expr(f.Value)
		}
	}
}

// patternNames calls visit for each name that p binds unless it is a constant.
func patternNames(p syntax.Pattern, visit func(syntax.Ident)) {
	switch p := p.(type) {
	case *syntax.NamePattern:
		if len(p.Path.Parts) == 1 {
			visit(p.Path.Parts[0])
		}
	case *syntax.TuplePattern:
		for _, item := range p.Items {
			patternNames(item, visit)
		}
	case *syntax.StructPattern:
		for _, f := range p.Fields {
			if f.Pattern == nil {
				visit(f.Name)
				continue
			}
			patternNames(f.Pattern, visit)
		}
	}
}
