package lower

import (
	"fmt"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/types"
)

func (b *builder) test(p *abi.Program, t *types.Test) {
	out := abi.Test{Name: t.Name, Slots: append([]abi.Slot(nil), t.Slots...), Span: b.env.Span(t.Module, t.Node.Decl.Span)}
	first := len(p.Mutations)
	for i, run := range t.Runs {
		mu := abi.Mutation{Name: fmt.Sprintf("%s::test %q #%d", t.Module.Path, t.Name, i+1), Body: b.stmts(run, &out.Slots)}
		if len(run) > 0 {
			mu.Span = run[0].Span
		}
		p.Mutations = append(p.Mutations, mu)
	}
	for i, step := range t.Steps {
		if wild := t.Wild[i]; wild != nil {
			step.Rel = b.projection(step.Rel, wild, step.Span)
		}
		switch step.Op {
		case abi.TestRun, abi.TestRejects:
			step.Mutation += first
		}
		if step.Expr != nil {
			x := b.code(*step.Expr, &out.Slots)
			step.Expr = &x
		}
		step.Exprs = append([]abi.Expr(nil), step.Exprs...)
		for i := range step.Exprs {
			step.Exprs[i] = b.code(step.Exprs[i], &out.Slots)
		}
		out.Steps = append(out.Steps, step)
	}
	for i := first; i < len(p.Mutations); i++ {
		p.Mutations[i].Slots = out.Slots
	}
	p.Tests = append(p.Tests, out)
}

// projection returns a relation of the places of rel that are not wild: what
// some tuple of rel has there.
func (b *builder) projection(rel int, wild []bool, span abi.Span) int {
	r := b.env.Relations[rel]
	out := abi.Relation{Name: r.Name + "(", Role: abi.Derived, Origin: abi.OriginAux, Open: r.Open, Span: span}
	rule := abi.Rule{Span: span}
	scan := abi.Atom{Op: abi.AtomScan, Rel: rel, Args: make([]abi.Arg, len(r.Columns)), Span: span}
	for i, c := range r.Columns {
		if i > 0 {
			out.Name += ", "
		}
		if wild[i] {
			out.Name += "_"
			continue
		}
		out.Name += c.Name
		out.Columns = append(out.Columns, c)
		rule.Slots = append(rule.Slots, abi.Slot(c))
		scan.Args[i] = slotArg(len(rule.Slots) - 1)
		rule.Args = append(rule.Args, scan.Args[i])
	}
	out.Name += ")"
	if at, ok := b.projections[out.Name]; ok {
		return at
	}
	rule.Name, rule.Head = out.Name, b.relation(out)
	rule.Body = []abi.Atom{scan}
	b.rule(rule)
	if b.projections == nil {
		b.projections = map[string]int{}
	}
	b.projections[out.Name] = rule.Head
	return rule.Head
}
