package lower

import (
	"fmt"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/types"
)

var infix = map[abi.ExprOp]string{
	abi.ExprAdd: "+", abi.ExprSub: "-", abi.ExprMul: "*", abi.ExprDiv: "/", abi.ExprMod: "%",
	abi.ExprEq: "==", abi.ExprNe: "!=", abi.ExprLt: "<", abi.ExprLe: "<=", abi.ExprGt: ">", abi.ExprGe: ">=",
	abi.ExprAnd: "&&", abi.ExprOr: "||", abi.ExprIn: "in",
}

func (pr *printer) exprs(list []abi.Expr, slots []abi.Slot) string {
	parts := make([]string, len(list))
	for i := range list {
		parts[i] = pr.expr(&list[i], slots)
	}
	return strings.Join(parts, ", ")
}

func (pr *printer) expr(x *abi.Expr, slots []abi.Slot) string {
	arg := func(i int) string { return pr.expr(&x.Args[i], slots) }
	if op, ok := infix[x.Op]; ok {
		return "(" + arg(0) + " " + op + " " + arg(1) + ")"
	}
	switch x.Op {
	case abi.ExprConst:
		return pr.constant(x.Index)
	case abi.ExprSlot:
		return slotName(x.Index, slots)
	case abi.ExprNeg:
		return "-" + arg(0)
	case abi.ExprNot:
		return "!" + arg(0)
	case abi.ExprCall:
		name := fmt.Sprintf("fn%d", x.Index)
		if x.Index < len(pr.p.Functions) {
			name = pr.p.Functions[x.Index].Name
		}
		return name + "(" + pr.exprs(x.Args, slots) + ")"
	case abi.ExprBuiltin, abi.ExprVariant:
		return x.Name + "(" + pr.exprs(x.Args, slots) + ")"
	case abi.ExprStruct:
		return x.Name + " { " + pr.exprs(x.Args, slots) + " }"
	case abi.ExprIf:
		return "if " + arg(0) + " { " + arg(1) + " } else { " + arg(2) + " }"
	case abi.ExprMatch:
		return pr.match(x, slots)
	case abi.ExprLet:
		return "(let " + slotName(x.Index, slots) + " = " + arg(0) + "; " + arg(1) + ")"
	case abi.ExprField:
		return fmt.Sprintf("%s.%d", arg(0), x.Index)
	case abi.ExprWith:
		return fmt.Sprintf("%s with .%d = %s", arg(0), x.Index, arg(1))
	case abi.ExprList:
		return "[" + pr.exprs(x.Args, slots) + "]"
	case abi.ExprSet:
		return "set[" + pr.exprs(x.Args, slots) + "]"
	case abi.ExprIndex:
		return arg(0) + "[" + arg(1) + "]"
	case abi.ExprSlice:
		return arg(0) + "[" + arg(1) + ".." + arg(2) + "]"
	case abi.ExprFor, abi.ExprFold:
		return pr.iteration(x, slots)
	case abi.ExprText:
		return "text(" + pr.exprs(x.Args, slots) + ")"
	case abi.ExprIsType:
		return arg(0) + ": " + types.Print(*x.Type)
	case abi.ExprRead, abi.ExprReadAll, abi.ExprHolds:
		word := map[abi.ExprOp]string{abi.ExprRead: "read", abi.ExprReadAll: "all", abi.ExprHolds: "holds"}[x.Op]
		return word + " " + pr.p.Relations[x.Index].Name + "(" + pr.exprs(x.Args, slots) + ")"
	case abi.ExprSub_:
		return pr.sub(x.Sub, slots)
	}
	return "?"
}

func (pr *printer) match(x *abi.Expr, slots []abi.Slot) string {
	var arms []string
	for i := range x.Arms {
		a := &x.Arms[i]
		text := pr.pattern(&a.Pattern, slots)
		if a.Guard != nil {
			text += " if " + pr.expr(a.Guard, slots)
		}
		arms = append(arms, text+" => "+pr.expr(&a.Body, slots))
	}
	return "match " + pr.expr(&x.Args[0], slots) + " { " + strings.Join(arms, ", ") + " }"
}

func (pr *printer) iteration(x *abi.Expr, slots []abi.Slot) string {
	if len(x.Args) == 1 {
		return foldText[x.Fold] + "(" + pr.expr(&x.Args[0], slots) + ")"
	}
	text := pr.expr(&x.Args[1], slots) + " for " + slotName(x.Index, slots) + " in " + pr.expr(&x.Args[0], slots)
	if len(x.Args) > 2 {
		text += " where " + pr.expr(&x.Args[2], slots)
	}
	if x.Op == abi.ExprFor {
		return "[" + text + "]"
	}
	return foldText[x.Fold] + "(" + text + ")"
}

var subText = [...]string{"exists", "count", "set", "one", "collect", "fold"}

func (pr *printer) sub(s *abi.Sub, slots []abi.Slot) string {
	if s.Op == abi.SubFold {
		return pr.fold(s.Fold, s.Out, s.Over, s.Body, slots)
	}
	text := subText[s.Op] + " { "
	if s.Out != nil {
		text += pr.expr(s.Out, slots) + " from "
	}
	return text + pr.atoms(s.Body, slots) + " }"
}

func (pr *printer) stmts(list []abi.Stmt, slots []abi.Slot, indent string) {
	for i := range list {
		s := &list[i]
		at := ""
		if s.At != nil {
			at = " at " + pr.expr(s.At, slots)
		}
		line := func(format string, args ...any) {
			fmt.Fprintf(pr.w, indent+format+at+"\n", args...)
		}
		switch s.Op {
		case abi.StmtRequire:
			line("require %s", pr.expr(&s.Exprs[0], slots))
		case abi.StmtLet:
			line("let %s = %s", slotName(s.Slot, slots), pr.expr(&s.Exprs[0], slots))
		case abi.StmtNew:
			line("new %s: %s", slotName(s.Slot, slots), s.Type)
			for _, f := range s.Fields {
				fmt.Fprintf(pr.w, "%s  %s = %s\n", indent, pr.p.Relations[f.Relation].Name, pr.expr(&f.Value, slots))
			}
		case abi.StmtAssert:
			line("assert %s(%s)", pr.p.Relations[s.Rel].Name, pr.exprs(s.Exprs, slots))
		case abi.StmtRetract:
			line("retract %s(%s)", pr.p.Relations[s.Rel].Name, pr.wild(s, slots))
		case abi.StmtSet:
			line("set %s(%s) %s", pr.p.Relations[s.Rel].Name, pr.exprs(s.Exprs, slots), [...]string{"=", "+=", "-=", "default"}[s.Assign])
		case abi.StmtFor:
			line("for %s in %s", slotName(s.Slot, slots), pr.expr(&s.Exprs[0], slots))
			pr.stmts(s.Body, slots, indent+"  ")
		case abi.StmtIf:
			line("if %s", pr.expr(&s.Exprs[0], slots))
			pr.stmts(s.Body, slots, indent+"  ")
			if len(s.Else) > 0 {
				fmt.Fprintf(pr.w, "%selse\n", indent)
				pr.stmts(s.Else, slots, indent+"  ")
			}
		case abi.StmtCall:
			name := ""
			if s.Slot >= 0 {
				name = slotName(s.Slot, slots) + " = "
			}
			line("%scall %s(%s)", name, pr.p.Mutations[s.Index].Name, pr.exprs(s.Exprs, slots))
		case abi.StmtReturn:
			line("return %s", pr.exprs(s.Exprs, slots))
		case abi.StmtExpr:
			line("do %s", pr.expr(&s.Exprs[0], slots))
		}
	}
}

func (pr *printer) wild(s *abi.Stmt, slots []abi.Slot) string {
	parts := make([]string, len(s.Exprs))
	for i := range s.Exprs {
		if i < len(s.Wild) && s.Wild[i] {
			parts[i] = "_"
			continue
		}
		parts[i] = pr.expr(&s.Exprs[i], slots)
	}
	return strings.Join(parts, ", ")
}
