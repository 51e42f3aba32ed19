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
	used := constants{make([]bool, len(p.Constants))}
	for i := range p.Rules {
		r := &p.Rules[i]
		out.Rules[i] = abi.Rule{Name: r.Name, Head: r.Head, Args: r.Args, Slots: slots[:len(r.Slots)], Body: r.Body, Span: r.Span}
		used.args(r.Args)
		used.atoms(r.Body)
	}
	for i := range p.Functions {
		used.expr(&p.Functions[i].Body)
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
		if used.mentioned[i] {
			out.Constants[i] = p.Constants[i]
		}
	}
	return out
}

// constants notes which constants of a program are mentioned.
type constants struct{ mentioned []bool }

func (c constants) args(args []abi.Arg) {
	for _, a := range args {
		if a.Op == abi.ArgConst {
			c.mentioned[a.Index] = true
		}
	}
}

func (c constants) atoms(body []abi.Atom) {
	for i := range body {
		a := &body[i]
		c.args(a.Args)
		if a.Expr != nil {
			c.expr(a.Expr)
		}
		if a.Pattern != nil {
			c.pattern(a.Pattern)
		}
		c.atoms(a.Body)
	}
}

func (c constants) expr(x *abi.Expr) {
	if x.Op == abi.ExprConst {
		c.mentioned[x.Index] = true
	}
	for i := range x.Args {
		c.expr(&x.Args[i])
	}
	for i := range x.Arms {
		arm := &x.Arms[i]
		c.pattern(&arm.Pattern)
		if arm.Guard != nil {
			c.expr(arm.Guard)
		}
		c.expr(&arm.Body)
	}
}

func (c constants) pattern(p *abi.Pattern) {
	if p.Op == abi.PatConst {
		c.mentioned[p.Const] = true
	}
	for i := range p.Items {
		c.pattern(&p.Items[i])
	}
}
