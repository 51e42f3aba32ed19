package lower

import (
	"github.com/ox-mcp/ox-mcp/abi"
)

// fieldViews adds the rules of the fields that are views of relations.
func (b *builder) fieldViews() {
	for _, c := range b.env.ConceptList {
		for _, f := range c.Fields {
			if f.View == nil || f.View.Relation == nil {
				continue
			}
			r := f.View.Relation
			span := b.env.Span(f.Module, f.Node.From.Span)
			rule := abi.Rule{
				Name: c.Name + "." + f.Name, Head: f.Relation, Args: []abi.Arg{slotArg(0), slotArg(1)}, Span: span,
				Slots: []abi.Slot{{Name: "self", Type: r.Columns[f.View.Self].Type}, {Name: f.Name, Type: r.Columns[f.View.Value].Type}},
			}
			scan := abi.Atom{Op: abi.AtomScan, Rel: r.Rel, Args: make([]abi.Arg, len(r.Columns)), Span: span}
			scan.Args[f.View.Self], scan.Args[f.View.Value] = slotArg(0), slotArg(1)
			rule.Body = []abi.Atom{scan}
			if only := f.View.Only; only != nil {
				rule.Body = append(rule.Body, abi.Atom{Op: abi.AtomScan, Rel: only.Rel, Args: []abi.Arg{slotArg(1)}, Span: span})
			}
			b.rule(rule)
		}
	}
}
