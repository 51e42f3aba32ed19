package runtime

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
)

// unmetValues is how many values the message of a require has.
const unmetValues = 6

// unmet adds to the failure of a require what the names in it stood for, and
// returns the question why what it asks for does not hold, where that is one
// fact. The values are those of the write's own run: it is run once more on a
// clone of the head, up to the require, which gives them as its result. Where
// that is not possible the message stays as it is.
func (w *write) unmet(ctx context.Context, sc *scopeState, err error) *NextStep {
	var f *abi.Failure
	if !errors.As(err, &f) || f.Code != abi.FailureRequire {
		return nil
	}
	cond := requireAt(w.mutation.Body, f.Span)
	if cond == nil {
		return nil
	}
	n := &namesIn{m: w.ses.m, slots: w.mutation.Slots, stated: map[int]bool{}}
	for i := range w.mutation.Params {
		n.stated[i] = true
	}
	n.statements(w.mutation.Body)
	n.expr(cond)
	atom := n.fact(cond)
	if len(n.texts) == 0 && atom == nil {
		return nil
	}
	list := abi.Expr{Op: abi.ExprList, Args: n.values}
	if atom != nil {
		list.Args = append(slices.Clip(list.Args), atom.args...)
	}
	values := w.valuesAt(ctx, sc, f.Span, list)
	if len(values) != len(list.Args) {
		return nil
	}
	names := w.ses.names(ctx)
	var parts []string
	for i, text := range n.texts {
		parts = append(parts, text+" = "+shortened(shownIn(values[i], n.types[i], names)))
	}
	if len(parts) > 0 {
		f.Message += ": " + strings.Join(parts, ", ")
	}
	if atom == nil {
		return nil
	}
	p := &prover{ses: w.ses, m: w.ses.m, names: names}
	step := &NextStep{Tool: "argon_explain_fact", Arguments: map[string]any{"fact": p.fact(atom.rel, pointers(values[len(n.texts):]))}}
	if len(w.req.Standpoints) > 0 {
		step.Arguments["standpoints"] = w.req.Standpoints
	}
	return step
}

// valuesAt runs the write up to the require at the place and returns the items
// of the list there.
func (w *write) valuesAt(ctx context.Context, sc *scopeState, at abi.Span, list abi.Expr) []abi.Value {
	ses := w.ses
	x := &abi.Extension{}
	if w.msg.Extension != nil {
		whole := *w.msg.Extension
		x = &whole
	}
	asked := *w.mutation
	asked.Body = answering(asked.Body, at, list)
	x.Mutations = []abi.Mutation{asked}
	msg := abi.MutateRequest{Call: ses.call, Mutation: len(ses.m.program.Mutations), Extension: x, Args: w.msg.Args}
	ses.spendable = ses.call.Limits.Fuel
	defer func() { ses.spendable = 0 }()
	clone, err := w.cloneHead(ctx, sc)
	if err != nil {
		return nil
	}
	defer func() { drop(ctx, &clone) }()
	var out abi.MutateResponse
	if err := ses.ask(ctx, clone, abi.ExportMutate, &msg, &out); err != nil || out.Result == nil {
		return nil
	}
	return out.Result.Items
}

// requireAt is the condition of the require at a place, or nil.
func requireAt(body []abi.Stmt, at abi.Span) *abi.Expr {
	for i := range body {
		if s := &body[i]; s.Op == abi.StmtRequire && s.Span == at && len(s.Exprs) > 0 {
			return &s.Exprs[0]
		}
		for _, inner := range [][]abi.Stmt{body[i].Body, body[i].Else} {
			if cond := requireAt(inner, at); cond != nil {
				return cond
			}
		}
	}
	return nil
}

// answering is a body that ends at a require which is false, with a list.
func answering(body []abi.Stmt, at abi.Span, list abi.Expr) []abi.Stmt {
	out := slices.Clone(body)
	for i := range out {
		s := &out[i]
		s.Body, s.Else = answering(s.Body, at, list), answering(s.Else, at, list)
		if s.Op == abi.StmtRequire && s.Span == at {
			*s = abi.Stmt{Op: abi.StmtIf, Exprs: s.Exprs, Else: []abi.Stmt{{Op: abi.StmtReturn, Exprs: []abi.Expr{list}, Span: at}}, Span: at}
		}
	}
	return out
}

// namesIn gathers what a condition names of the mutation that it stands in: its
// parameters and variables, and their fields.
type namesIn struct {
	m      *module
	slots  []abi.Slot
	stated map[int]bool // parameters, and slots that statements bind

	texts  []string
	values []abi.Expr
	types  []abi.Type
}

func (n *namesIn) add(text string, value abi.Expr, t abi.Type) {
	if text != "" && len(n.texts) < unmetValues && !slices.Contains(n.texts, text) {
		n.texts, n.values, n.types = append(n.texts, text), append(n.values, value), append(n.types, t)
	}
}

func (n *namesIn) statements(body []abi.Stmt) {
	for i := range body {
		switch s := &body[i]; s.Op {
		case abi.StmtLet, abi.StmtFor, abi.StmtNew, abi.StmtCall:
			n.stated[s.Slot] = true
		}
		n.statements(body[i].Body)
		n.statements(body[i].Else)
	}
}

func (n *namesIn) slot(i int) {
	if n.stated[i] && i < len(n.slots) {
		n.add(n.slots[i].Name, abi.Expr{Op: abi.ExprSlot, Index: i}, n.slots[i].Type)
	}
}

func (n *namesIn) expr(e *abi.Expr) {
	switch e.Op {
	case abi.ExprSlot:
		n.slot(e.Index)
		return
	case abi.ExprRead, abi.ExprReadAll:
		if text := n.path(e); text != "" {
			columns := n.m.program.Relations[e.Index].Columns
			value, t := *e, columns[len(columns)-1].Type
			if e.Op == abi.ExprRead {
				value = abi.Expr{Op: abi.ExprBuiltin, Name: abi.BuiltinSome, Args: []abi.Expr{*e}}
			} else {
				t = abi.Type{Op: abi.TypeSet, Args: []abi.Type{t}}
			}
			n.add(text, value, t)
			return
		}
	case abi.ExprSub_:
		for i := range e.Sub.Body {
			a := &e.Sub.Body[i]
			for _, x := range a.Args {
				if x.Op == abi.ArgSlot {
					n.slot(x.Index)
				}
			}
			if a.Expr != nil {
				n.expr(a.Expr)
			}
		}
	}
	for i := range e.Args {
		n.expr(&e.Args[i])
	}
}

// path is how a field is written that is read of a name, or of such a field;
// else "".
func (n *namesIn) path(e *abi.Expr) string {
	switch e.Op {
	case abi.ExprSlot:
		if n.stated[e.Index] && e.Index < len(n.slots) {
			return n.slots[e.Index].Name
		}
	case abi.ExprRead, abi.ExprReadAll:
		name := n.m.program.Relations[e.Index].Name
		dot := strings.LastIndex(name, ".")
		if len(e.Args) != 1 || dot < 0 {
			return ""
		}
		if of := n.path(&e.Args[0]); of != "" {
			return of + name[dot:]
		}
	}
	return ""
}

// oneFact is a fact that a condition asks for.
type oneFact struct {
	rel  int
	args []abi.Expr
}

// fact is what a condition asks for, or asks to be absent, where it is one fact.
func (n *namesIn) fact(e *abi.Expr) *oneFact {
	switch {
	case e.Op == abi.ExprNot:
		return n.fact(&e.Args[0])
	case e.Op == abi.ExprHolds:
		return &oneFact{e.Index, e.Args}
	case e.Op != abi.ExprSub_ || e.Sub.Op != abi.SubExists || len(e.Sub.Body) != 1 || e.Sub.Body[0].Op != abi.AtomScan:
		return nil
	}
	a := &e.Sub.Body[0]
	out := &oneFact{rel: a.Rel}
	for _, x := range a.Args {
		switch {
		case x.Op == abi.ArgConst:
			out.args = append(out.args, abi.Expr{Op: abi.ExprConst, Index: x.Index})
		case x.Op == abi.ArgSlot && n.stated[x.Index]:
			out.args = append(out.args, abi.Expr{Op: abi.ExprSlot, Index: x.Index})
		default:
			return nil
		}
	}
	return out
}

// shortened is a value that fits into a message.
func shortened(text string) string {
	const long = 60
	if runes := []rune(text); len(runes) > long {
		return string(runes[:long]) + "…"
	}
	return text
}

// shownIn is a value as it stands in a fact.
func shownIn(v abi.Value, t abi.Type, names namer) string {
	if v.Kind == abi.KindString {
		return quote(v.Str)
	}
	return displayText(v, t, names)
}
