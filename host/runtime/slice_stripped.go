package runtime

import "github.com/ox-mcp/ox-mcp/abi"

// stripped is a program without what a reasoner does not need to evaluate checks:
// names and types of columns and slots, what checks say, and the constants that
// this mentions. Numbers stay as they are, and so do the names of rules and the
// places in the source, which failures tell.
func stripped(p *abi.Program) *abi.Program {
	out := &abi.Program{ABI: p.ABI, Module: p.Module, Files: p.Files, Components: p.Components, Functions: p.Functions}
	width := 0
	for i := range p.Relations {
		width = max(width, len(p.Relations[i].Columns))
	}
	columns := make([]abi.Column, width)
	out.Relations = make([]abi.Relation, len(p.Relations))
	for i := range p.Relations {
		r := &p.Relations[i]
		out.Relations[i] = abi.Relation{Role: r.Role, Origin: r.Origin, Columns: columns[:len(r.Columns)], Key: r.Key, Open: r.Open, Asserted: r.Asserted, Refuted: r.Refuted}
	}
	width = 0
	for i := range p.Rules {
		width = max(width, len(p.Rules[i].Slots))
	}
	slots := make([]abi.Slot, width)
	out.Rules = make([]abi.Rule, len(p.Rules))
	mentioned := make([]bool, len(p.Constants))
	used := abi.References{Constant: func(i *int) { mentioned[*i] = true }}
	for i := range p.Rules {
		r := &p.Rules[i]
		out.Rules[i] = abi.Rule{Name: r.Name, Head: r.Head, Args: r.Args, Slots: slots[:len(r.Slots)], Body: r.Body, Span: r.Span}
		used.Args(r.Args)
		used.Atoms(r.Body)
	}
	for i := range p.Functions {
		used.Expr(&p.Functions[i].Body)
	}
	nothing := abi.Expr{Op: abi.ExprList}
	said := abi.Payload{Severity: nothing, Code: nothing, Message: nothing}
	out.Checks = make([]abi.Check, len(p.Checks))
	for i := range p.Checks {
		c := &p.Checks[i]
		out.Checks[i] = abi.Check{Relation: c.Relation, Keys: c.Keys, Rule: c.Rule, Payload: said}
	}
	out.Constants = make([]abi.Value, len(p.Constants))
	for i := range p.Constants {
		out.Constants[i] = abi.IntValue(0)
		if mentioned[i] {
			out.Constants[i] = p.Constants[i]
		}
	}
	return out
}
