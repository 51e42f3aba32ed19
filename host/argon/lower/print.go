package lower

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/types"
)

// Print writes a program for people: relations, rules by component, and what
// can be called.
func Print(w io.Writer, p *abi.Program) error {
	out := bufio.NewWriter(w)
	pr := &printer{w: out, p: p}
	fmt.Fprintf(out, "program %s\n", p.Module)
	for i := range p.Relations {
		pr.relation(i)
	}
	PrintRules(out, p)
	for i := range p.Functions {
		f := &p.Functions[i]
		fmt.Fprintf(out, "\nfn %s%s -> %s = %s\n", f.Name, paramText(params(f.Params)), types.Print(f.Result), pr.expr(&f.Body, f.Slots))
	}
	for i := range p.Queries {
		pr.query(&p.Queries[i])
	}
	for i := range p.Mutations {
		m := &p.Mutations[i]
		fmt.Fprintf(out, "\nmutate %s%s\n", m.Name, paramText(params(m.Params)))
		pr.stmts(m.Body, m.Slots, "  ")
	}
	for i := range p.Checks {
		c := &p.Checks[i]
		kind := "check"
		if c.Guard {
			kind = "guard"
		}
		var slots []abi.Slot
		for _, col := range p.Relations[c.Relation].Columns {
			slots = append(slots, abi.Slot{Name: col.Name})
		}
		fmt.Fprintf(out, "\n%s %s %s %s: %s\n", kind, c.Name, c.Severity, pr.expr(&c.Payload.Code, slots), pr.expr(&c.Payload.Message, slots))
	}
	for i := range p.Tests {
		pr.test(&p.Tests[i])
	}
	return out.Flush()
}

// PrintRules writes the rules of a program by component.
func PrintRules(w io.Writer, p *abi.Program) {
	pr := &printer{w: w, p: p}
	for i, c := range p.Components {
		var names []string
		for _, r := range c.Relations {
			names = append(names, p.Relations[r].Name)
		}
		recursive := ""
		if c.Recursive {
			recursive = ", recursive"
		}
		if c.WellFounded {
			recursive += ", well-founded"
		}
		for _, k := range c.Costs {
			best := "least"
			if k.Most {
				best = "greatest"
			}
			recursive += fmt.Sprintf(", %s %s of %s", best, p.Relations[k.Relation].Columns[k.Column].Name, p.Relations[k.Relation].Name)
		}
		fmt.Fprintf(w, "\ncomponent %d: %s (stratum %d%s)\n", i, strings.Join(names, ", "), c.Stratum, recursive)
		for _, r := range c.Rules {
			rule := &p.Rules[r]
			fmt.Fprintf(w, "  %s%s", p.Relations[rule.Head].Name, pr.args(rule.Args, rule.Slots))
			if len(rule.Body) > 0 {
				fmt.Fprintf(w, " :- %s", pr.atoms(rule.Body, rule.Slots))
			}
			fmt.Fprintln(w)
		}
	}
}

type printer struct {
	w io.Writer
	p *abi.Program
}

func (pr *printer) relation(i int) {
	r := &pr.p.Relations[i]
	role := "base"
	if r.Role == abi.Derived {
		role = "derived"
	}
	key := ""
	if len(r.Key) > 0 {
		var names []string
		for _, k := range r.Key {
			names = append(names, r.Columns[k].Name)
		}
		key = " key " + strings.Join(names, ", ")
	}
	fmt.Fprintf(pr.w, "%s %s%s%s\n", role, r.Name, paramText(columns(r.Columns)), key)
}

func (pr *printer) constant(i int) string {
	if i < 0 || i >= len(pr.p.Constants) {
		return "?"
	}
	return ValueText(pr.p.Constants[i])
}

func slotName(i int, slots []abi.Slot) string {
	if i >= 0 && i < len(slots) && slots[i].Name != "" {
		return slots[i].Name
	}
	return fmt.Sprintf("$%d", i)
}

func (pr *printer) arg(a abi.Arg, slots []abi.Slot) string {
	switch a.Op {
	case abi.ArgSlot:
		return slotName(a.Index, slots)
	case abi.ArgConst:
		return pr.constant(a.Index)
	}
	return "_"
}

func (pr *printer) args(args []abi.Arg, slots []abi.Slot) string {
	parts := make([]string, len(args))
	for i, a := range args {
		parts[i] = pr.arg(a, slots)
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

var cmpText = [...]string{"==", "!=", "<", "<=", ">", ">="}

var foldText = [...]string{"count", "sum", "min", "max", "avg", "list"}

func (pr *printer) atoms(body []abi.Atom, slots []abi.Slot) string {
	parts := make([]string, len(body))
	for i := range body {
		parts[i] = pr.atom(&body[i], slots)
	}
	return strings.Join(parts, ", ")
}

func (pr *printer) atom(a *abi.Atom, slots []abi.Slot) string {
	not := ""
	if a.Neg {
		not = "not "
	}
	switch a.Op {
	case abi.AtomScan:
		return not + pr.p.Relations[a.Rel].Name + pr.args(a.Args, slots)
	case abi.AtomCmp:
		return pr.arg(a.Args[0], slots) + " " + cmpText[a.Cmp] + " " + pr.arg(a.Args[1], slots)
	case abi.AtomLet:
		return slotName(a.Slot, slots) + " := " + pr.expr(a.Expr, slots)
	case abi.AtomFilter:
		return pr.expr(a.Expr, slots)
	case abi.AtomMatch:
		return slotName(a.Slot, slots) + " is " + pr.pattern(a.Pattern, slots)
	case abi.AtomIn:
		return slotName(a.Slot, slots) + " in " + pr.expr(a.Expr, slots)
	case abi.AtomIs:
		return slotName(a.Slot, slots) + ": " + types.Print(*a.Type)
	case abi.AtomExists:
		return not + "exists { " + pr.atoms(a.Body, slots) + " }"
	case abi.AtomFold:
		return slotName(a.Slot, slots) + " := " + pr.fold(a.Fold, a.Expr, a.Over, a.Body, slots)
	}
	return "?"
}

func (pr *printer) fold(op abi.FoldOp, x *abi.Expr, over []int, body []abi.Atom, slots []abi.Slot) string {
	text := foldText[op]
	if x != nil {
		text += "(" + pr.expr(x, slots) + ")"
	}
	var names []string
	for _, s := range over {
		names = append(names, slotName(s, slots))
	}
	if len(names) > 0 {
		text += " over " + strings.Join(names, ", ")
	}
	return text + " { " + pr.atoms(body, slots) + " }"
}

func (pr *printer) pattern(p *abi.Pattern, slots []abi.Slot) string {
	items := make([]string, len(p.Items))
	for i := range p.Items {
		items[i] = pr.pattern(&p.Items[i], slots)
	}
	switch p.Op {
	case abi.PatBind:
		return slotName(p.Slot, slots)
	case abi.PatConst:
		return pr.constant(p.Const)
	case abi.PatVariant:
		return p.Name + "(" + strings.Join(items, ", ") + ")"
	case abi.PatStruct:
		return p.Name + " { " + strings.Join(items, ", ") + " }"
	case abi.PatOr:
		return strings.Join(items, " | ")
	case abi.PatNone:
		return "None"
	case abi.PatSome:
		return "Some(" + strings.Join(items, ", ") + ")"
	}
	return "_"
}

func (pr *printer) query(q *abi.Query) {
	fmt.Fprintf(pr.w, "\nquery %s%s -> %s", q.Name, paramText(params(q.Params)), paramText(columns(q.Columns)))
	if q.AsOf != nil {
		if q.AsOf.ByVT {
			fmt.Fprintf(pr.w, " as_of %s", ValueText(*q.AsOf.VT))
		} else {
			fmt.Fprintf(pr.w, " as_of %d", q.AsOf.TT)
		}
	}
	fmt.Fprintf(pr.w, "\n  %s :- %s\n", pr.args(q.Out, q.Slots), pr.atoms(q.Body, q.Slots))
}

func (pr *printer) test(t *abi.Test) {
	fmt.Fprintf(pr.w, "\ntest %q\n", t.Name)
	for i := range t.Steps {
		s := &t.Steps[i]
		switch s.Op {
		case abi.TestRun:
			fmt.Fprintf(pr.w, "  run %s\n", pr.p.Mutations[s.Mutation].Name)
		case abi.TestAssert:
			fmt.Fprintf(pr.w, "  assert %s\n", pr.expr(s.Expr, t.Slots))
		case abi.TestDerivable:
			not := ""
			if s.Neg {
				not = "not "
			}
			fmt.Fprintf(pr.w, "  assert %sderivable %s(%s)\n", not, pr.p.Relations[s.Rel].Name, pr.exprs(s.Exprs, t.Slots))
		case abi.TestRejects:
			fmt.Fprintf(pr.w, "  assert rejects %s %s\n", s.Code, pr.p.Mutations[s.Mutation].Name)
		}
	}
}
