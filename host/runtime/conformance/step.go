package conformance

import (
	"context"
	"encoding/hex"
	"fmt"
	"sort"
	"strconv"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
)

// step runs one call and returns the lines of its answer. The error is for a
// call that does not read.
func (r *runner) step(ctx context.Context, text string) ([]string, error) {
	in := &reader{text: text, prog: &r.vector.program, name: &r.names}
	switch op := in.word(); op {
	case "fresh":
		return r.fresh(ctx), nil
	case "load":
		return r.loading(ctx, in.word())
	case "declare":
		return r.declare(ctx, r.vector.facts), nil
	case "limits":
		return nil, r.limit(in)
	case "cut":
		n, err := strconv.Atoi(in.word())
		r.cut = n
		return nil, err
	case "pad":
		n, err := strconv.Atoi(in.word())
		r.pad = n
		return nil, err
	case "raw":
		export := in.word()
		body, err := hex.DecodeString(in.word())
		if err != nil {
			return nil, err
		}
		return r.send(ctx, abi.ReasonerInterface+"#"+export, body, discard{}), nil
	case "assert", "retract":
		return r.change(ctx, in, op == "retract")
	case "derive":
		return r.derive(ctx, in)
	case "query":
		return r.query(ctx, in)
	case "compute":
		return r.compute(ctx, in)
	case "mutate":
		return r.mutate(ctx, in)
	case "checks":
		return r.checks(ctx, in)
	case "explain":
		return r.explain(ctx, in)
	case "stats":
		return r.stats(ctx), nil
	default:
		return nil, fmt.Errorf("there is no call %q", op)
	}
}

// discard takes any answer.
type discard struct{}

func (discard) DecodeCBOR([]byte) error { return nil }

// loading loads the program, or one that is broken in the named way.
func (r *runner) loading(ctx context.Context, broken string) ([]string, error) {
	if broken == "" {
		return r.load(ctx, r.vector.program), nil
	}
	spoil, ok := spoilers[broken]
	if !ok {
		return nil, fmt.Errorf("no way to break a program is called %q", broken)
	}
	var p abi.LoadRequest
	// A copy by way of the wire: the vector's own program stays whole.
	if err := p.DecodeCBOR((&abi.LoadRequest{Call: r.call(), Program: r.vector.program}).AppendCBOR(nil)); err != nil {
		return nil, err
	}
	spoil(&p.Program)
	return r.ask(ctx, abi.ExportLoad, &p, &abi.LoadResponse{}), nil
}

// far is an index that no program of a vector has.
const far = 1 << 20

// spoilers break a program, each in one place.
var spoilers = map[string]func(*abi.Program){
	"abi":          func(p *abi.Program) { p.ABI = "9.9.9" },
	"head":         func(p *abi.Program) { p.Rules[0].Head = far },
	"base_head":    func(p *abi.Program) { p.Relations[p.Rules[0].Head].Role = abi.Base },
	"arity":        func(p *abi.Program) { p.Rules[0].Args = append(p.Rules[0].Args, abi.Arg{}) },
	"slot":         func(p *abi.Program) { p.Rules[0].Args[0] = abi.Arg{Op: abi.ArgSlot, Index: far} },
	"constant":     func(p *abi.Program) { p.Rules[0].Args[0] = abi.Arg{Op: abi.ArgConst, Index: far} },
	"negative":     func(p *abi.Program) { p.Rules[0].Head = -7 },
	"body":         func(p *abi.Program) { p.Rules[0].Body[0].Rel = far },
	"component":    func(p *abi.Program) { p.Components[0].Relations[0] = far },
	"rule":         func(p *abi.Program) { p.Components[0].Rules[0] = far },
	"no_component": func(p *abi.Program) { p.Components = nil },
	"key":          func(p *abi.Program) { p.Relations[0].Key = []int{far} },
	"function":     func(p *abi.Program) { p.Functions[0].Body = abi.Expr{Op: abi.ExprCall, Index: far} },
	"expression":   func(p *abi.Program) { p.Functions[0].Body = abi.Expr{Op: abi.ExprAdd} },
	"builtin":      func(p *abi.Program) { p.Functions[0].Body = abi.Expr{Op: abi.ExprBuiltin, Name: "format_disk"} },
	"nested": func(p *abi.Program) {
		x := abi.Expr{Op: abi.ExprConst}
		for range 5000 {
			x = abi.Expr{Op: abi.ExprNot, Args: []abi.Expr{x}}
		}
		p.Functions[0].Body = x
	},
}

// limit reads "name=n …".
func (r *runner) limit(in *reader) error {
	for w := in.word(); w != ""; w = in.word() {
		name, number, _ := strings.Cut(w, "=")
		n, err := strconv.ParseUint(number, 10, 64)
		if err != nil {
			return err
		}
		switch name {
		case abi.LimitCalls:
			r.limits.Calls = n
		case abi.LimitRounds:
			r.limits.Rounds = n
		case abi.LimitDerived:
			r.limits.Derived = n
		default:
			return fmt.Errorf("no limit of vectors is called %q", name)
		}
	}
	return nil
}

// index reads a name of the program, or "@n" for the index n whether or not
// there is such a thing.
func (r *reader) index(what string, count int, name func(int) string) (int, error) {
	word := r.word()
	if n, ok := strings.CutPrefix(word, "@"); ok {
		return strconv.Atoi(n)
	}
	for i := range count {
		if name(i) == prefix+word {
			return i, nil
		}
	}
	return 0, fmt.Errorf("the program has no %s %s", what, word)
}

func (r *reader) relation() (int, error) {
	return r.index("relation", len(r.prog.Relations), func(i int) string { return r.prog.Relations[i].Name })
}

// page reads "limit n" and "after (…)", in this order.
func (r *reader) page() (p abi.Page, err error) {
	if r.take("limit ") {
		if p.Limit, err = strconv.ParseUint(r.word(), 10, 64); err != nil {
			return p, err
		}
	}
	if r.take("after ") {
		if p.After, err = r.all("(", ")"); err != nil {
			return p, err
		}
	}
	r.space()
	if r.at < len(r.text) {
		return p, fmt.Errorf("%q does not read", r.text[r.at:])
	}
	return p, nil
}

func (r *runner) derive(ctx context.Context, in *reader) ([]string, error) {
	req := abi.DeriveRequest{}
	var err error
	if req.Relation, err = in.relation(); err != nil {
		return nil, err
	}
	if req.Page, err = in.page(); err != nil {
		return nil, err
	}
	req.Call = r.call()
	var rows abi.Rows
	if got := r.ask(ctx, abi.ExportDerive, &req, &rows); got != nil {
		return got, nil
	}
	return r.rows(&rows, req.Page), nil
}

func (r *runner) query(ctx context.Context, in *reader) ([]string, error) {
	req := abi.QueryRequest{}
	var err error
	queries := r.vector.program.Queries
	if req.Query, err = in.index("query", len(queries), func(i int) string { return queries[i].Name }); err != nil {
		return nil, err
	}
	if req.Args, err = in.values("(", ")"); err != nil {
		return nil, err
	}
	if req.Page, err = in.page(); err != nil {
		return nil, err
	}
	req.Call = r.call()
	var rows abi.Rows
	if got := r.ask(ctx, abi.ExportQuery, &req, &rows); got != nil {
		return got, nil
	}
	return r.rows(&rows, req.Page), nil
}

// rows writes a page: a line a row, with its truth value where that is not
// Is, and for a part of the rows how many there are in all.
func (r *runner) rows(rows *abi.Rows, p abi.Page) []string {
	out := []string{}
	for i := range rows.Frame.Rows {
		line := r.names.tuple(rows.Frame.Row(nil, i))
		if rows.Frame.Truth != nil && rows.Frame.Truth[i] != abi.Is {
			line += " " + rows.Frame.Truth[i].String()
		}
		out = append(out, line)
	}
	switch {
	case p.Limit == 0 && p.After == nil && !rows.More && rows.Total == uint64(rows.Frame.Rows):
	case rows.More:
		out = append(out, fmt.Sprintf("of %d, and more", rows.Total))
	default:
		out = append(out, fmt.Sprintf("of %d, the last", rows.Total))
	}
	return out
}

// change reads "assert Relation (…) (…)": tuples of any width, since a build
// has to refuse those that do not fit.
func (r *runner) change(ctx context.Context, in *reader, remove bool) ([]string, error) {
	rel, err := in.relation()
	if err != nil {
		return nil, err
	}
	var b *abi.FrameBuilder
	for in.space(); in.at < len(in.text); in.space() {
		tuple, err := in.all("(", ")")
		if err != nil {
			return nil, err
		}
		if b == nil {
			b = &abi.FrameBuilder{Arity: len(tuple)}
		}
		if len(tuple) != b.Arity {
			return nil, fmt.Errorf("tuples of two widths in one call")
		}
		b.Add(tuple)
	}
	if b == nil {
		return nil, fmt.Errorf("no tuples")
	}
	req := abi.AssertRequest{Call: r.call(), Deltas: []abi.Delta{{Relation: rel, Remove: remove, Frame: b.Frame()}}}
	return r.ask(ctx, abi.ExportAssert, &req, &abi.AssertResponse{}), nil
}

func (r *runner) compute(ctx context.Context, in *reader) ([]string, error) {
	req := abi.ComputeRequest{}
	var err error
	functions := r.vector.program.Functions
	if req.Function, err = in.index("function", len(functions), func(i int) string { return functions[i].Name }); err != nil {
		return nil, err
	}
	if req.Args, err = in.all("(", ")"); err != nil {
		return nil, err
	}
	req.Call = r.call()
	var resp abi.ComputeResponse
	if got := r.ask(ctx, abi.ExportCompute, &req, &resp); got != nil {
		return got, nil
	}
	return []string{r.names.text(resp.Value)}, nil
}

func (r *runner) checks(ctx context.Context, in *reader) ([]string, error) {
	req := abi.ChecksRequest{Check: -1}
	checks := r.vector.program.Checks
	if in.space(); in.at < len(in.text) {
		var err error
		if req.Check, err = in.index("check", len(checks), func(i int) string { return checks[i].Name }); err != nil {
			return nil, err
		}
	}
	req.Call = r.call()
	var resp abi.ChecksResponse
	if got := r.ask(ctx, abi.ExportChecks, &req, &resp); got != nil {
		return got, nil
	}
	out := r.violations(resp.Violations)
	for _, b := range resp.Breached {
		out = append(out, "stopped "+r.check(b.Check)+" "+b.Limit.Limit)
	}
	return out, nil
}

func (r *runner) check(i int) string {
	if i < 0 || i >= len(r.vector.program.Checks) {
		return fmt.Sprintf("check %d, which is not there", i)
	}
	return short(r.vector.program.Checks[i].Name)
}

func (r *runner) violations(list []abi.Violations) []string {
	out := []string{}
	for _, v := range list {
		for i := range v.Frame.Rows {
			out = append(out, "violation "+r.check(v.Check)+" "+r.names.tuple(v.Frame.Row(nil, i)))
		}
	}
	return out
}

// stats tells only what does not depend on the build: the sizes of base
// relations.
func (r *runner) stats(ctx context.Context) []string {
	out, err := r.in.Call(ctx, abi.ExportStats, nil, r.limits)
	if err != nil {
		return []string{"trap: " + err.Error()}
	}
	var s abi.Stats
	if err := s.DecodeCBOR(out); err != nil {
		return []string{"an answer that does not decode: " + err.Error()}
	}
	lines := []string{}
	for _, rel := range s.Relations {
		if i := rel.Relation; i >= 0 && i < len(r.vector.program.Relations) && r.vector.program.Relations[i].Role == abi.Base && rel.Tuples > 0 {
			lines = append(lines, fmt.Sprintf("%s %d", r.relation(i), rel.Tuples))
		}
	}
	sort.Strings(lines)
	return lines
}

func (r *runner) relation(i int) string {
	if i < 0 || i >= len(r.vector.program.Relations) {
		return fmt.Sprintf("relation %d, which is not there", i)
	}
	return short(r.vector.program.Relations[i].Name)
}
