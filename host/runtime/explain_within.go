package runtime

import (
	"context"
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/lower"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
)

// maxUnknown is how many of the premises that nobody knows are named.
const maxUnknown = 10

// inside is what is to be said of a fact whose value is one of an aggregate over
// rows that are not all known.
type inside struct {
	within  *Within
	holds   bool // the value lies in the interval
	unknown []unknownPremise
}

// unknownPremise is an atom that decides, with others, whether a row counts.
type unknownPremise struct {
	relation int
	tuple    []*abi.Value // nil: anything
	negated  bool
}

// insideOf looks where the value of a fact that is not derived lies. It is nil
// where its relation has no such value, or it is known. msg.Call is set.
func (ses *session) insideOf(ctx context.Context, msg *abi.ExplainRequest) (out *inside, err error) {
	shown := ses.m.shown(msg.Relation)
	if shown == msg.Relation || len(msg.Path) > 0 {
		return nil, nil
	}
	columns := ses.m.program.Relations[shown].Columns
	name, ok := measured(columns)
	if !ok {
		return nil, nil
	}
	at := slices.IndexFunc(columns, func(c abi.Column) bool { return c.Name == name })
	key := make([]*abi.Value, len(columns))
	copy(key, pointers(msg.Tuple))
	key[at] = nil
	var found [][]abi.Value
	err = ses.g.run(ctx, ses.scope, ses.point, false, func(in *sandbox.Instance) (err error) {
		d := ses.reader(in, msg.Call)
		found, _, err = d.Rows(ctx, shown, key)
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, row := range found {
		_, interval := within(name, columns, row, ses.names(ctx))
		if interval == nil {
			continue
		}
		n := len(row) - withinColumns
		in := &inside{within: interval, holds: between(msg.Tuple[at], row[n], row[n+1])}
		if out == nil || in.holds && !out.holds {
			out = in
		}
	}
	if out == nil || !out.holds {
		return out, nil
	}
	err = ses.g.run(ctx, ses.scope, ses.point, false, func(in *sandbox.Instance) error {
		out.unknown, err = ses.unknownRows(ctx, in, msg, at)
		return err
	})
	if err != nil {
		return out, err
	}
	// What the rules ask of the value beside may exclude it.
	could, reads, err := ses.couldBe(ctx, msg, at)
	if err != nil || !could {
		return nil, err
	}
	out.unknown = append(out.unknown, reads...)
	return out, nil
}

// couldBe reports whether a rule would give the fact if its value were the one
// of what the rule measures, and returns the facts that have the value where
// the rule reads it elsewhere.
func (ses *session) couldBe(ctx context.Context, msg *abi.ExplainRequest, at int) (could bool, reads []unknownPremise, err error) {
	p := ses.m.program
	x := &abi.Extension{Constants: msg.Tuple}
	first := len(p.Constants)
	for _, rule := range ses.m.withinRules(msg.Relation) {
		given, ok := givenBy(p, rule, msg.Tuple, at, first)
		if !ok {
			continue
		}
		body, scans := lower.Supposed(p.Relations, rule, at, first+at)
		x.Queries = append(x.Queries, abi.Query{Slots: rule.Slots, Body: append(given, body...), Truth: -1})
		for i := range scans {
			name, column := lower.MeasuredOf(&p.Relations[scans[i].Rel])
			rel, ok := ses.m.relations[name]
			if !ok {
				continue
			}
			u := unknownPremise{relation: rel, tuple: make([]*abi.Value, len(p.Relations[rel].Columns))}
			for c := range u.tuple {
				switch arg := scans[i].Args[c]; {
				case c == column:
					if arg == rule.Args[at] {
						u.tuple[c] = &msg.Tuple[at]
					}
				case arg.Op == abi.ArgConst:
					u.tuple[c] = &p.Constants[arg.Index]
				case arg.Op == abi.ArgSlot:
					if k := slices.Index(rule.Args, arg); k >= 0 && k < len(msg.Tuple) {
						u.tuple[c] = &msg.Tuple[k]
					}
				}
			}
			if !slices.ContainsFunc(reads, u.same) {
				reads = append(reads, u)
			}
		}
	}
	if len(x.Queries) == 0 {
		return false, nil, nil
	}
	err = ses.g.run(ctx, ses.scope, ses.point, false, func(in *sandbox.Instance) error {
		ask := abi.QueryRequest{Call: msg.Call, Extension: x}
		for i := range x.Queries {
			var rows abi.Rows
			ask.Query = len(p.Queries) + i
			if err := ses.ask(ctx, in, abi.ExportQuery, &ask, &rows); err != nil {
				return err
			}
			ses.bill(sandbox.Usage{}, rows.Work)
			could, ask.Extension = could || rows.Total > 0, nil
		}
		return nil
	})
	return could, reads, err
}

// withinRules are the rules that measure a column of a relation.
func (m *module) withinRules(rel int) (out []*abi.Rule) {
	head, ok := m.relations[m.program.Relations[rel].Name+lower.Within]
	for i := range m.program.Rules {
		if ok && m.program.Rules[i].Head == head {
			out = append(out, &m.program.Rules[i])
		}
	}
	return out
}

// givenBy are atoms that give the slots of a rule's head the values of a tuple
// but for the one at a place: constants from first on. ok is false where the
// rule has another head.
func givenBy(p *abi.Program, rule *abi.Rule, tuple []abi.Value, at, first int) (given []abi.Atom, ok bool) {
	for c := range tuple {
		switch arg := rule.Args[c]; {
		case c == at:
		case arg.Op == abi.ArgConst && !abi.Equal(p.Constants[arg.Index], tuple[c]):
			return nil, false
		case arg.Op == abi.ArgSlot:
			value := abi.Expr{Op: abi.ExprConst, Index: first + c}
			given = append(given, abi.Atom{Op: abi.AtomLet, Slot: arg.Index, Expr: &value})
		}
	}
	return given, true
}

// between reports whether a value lies between two ends, of which none is no
// bound.
func between(v, least, most abi.Value) bool {
	alike := func(end abi.Value) bool {
		return end.Kind == v.Kind && (v.Kind != abi.KindMoney || end.Str == v.Str)
	}
	if least.Kind != abi.KindNone && (!alike(least) || abi.Compare(v, least) < 0) {
		return false
	}
	return most.Kind == abi.KindNone || alike(most) && abi.Compare(v, most) <= 0
}

// unknownRows finds the premises of which it is not known whether they hold, in
// the rows that the value of the fact goes by.
func (ses *session) unknownRows(ctx context.Context, in *sandbox.Instance, msg *abi.ExplainRequest, at int) ([]unknownPremise, error) {
	p := ses.m.program
	x := &abi.Extension{Constants: msg.Tuple}
	var asked []lower.Rows
	for _, rule := range ses.m.withinRules(msg.Relation) {
		rows, ok := lower.RowsOf(rule)
		if !ok {
			continue
		}
		if given, ok := givenBy(p, rule, msg.Tuple, at, len(p.Constants)); ok {
			x.Queries = append(x.Queries, rowQuery(rule, given, rows.Possible, rows.Bound), rowQuery(rule, given, rows.Known, rows.Bound))
			asked = append(asked, rows)
		}
	}
	var out []unknownPremise
	for i, rows := range asked {
		list, err := ses.unsure(ctx, in, msg.Call, x, 2*i, rows)
		if err != nil {
			return nil, err
		}
		for _, row := range list {
			found, err := ses.unknownIn(ctx, in, msg.Call, rows, row)
			if err != nil {
				return nil, err
			}
			for _, u := range found {
				if len(out) < maxUnknown && !slices.ContainsFunc(out, u.same) {
					out = append(out, u)
				}
			}
		}
		x = nil // it is there now
	}
	return out, nil
}

func (u unknownPremise) same(v unknownPremise) bool {
	return u.relation == v.relation && u.negated == v.negated && slices.EqualFunc(u.tuple, v.tuple, func(a, b *abi.Value) bool { return a == nil && b == nil || a != nil && b != nil && abi.Equal(*a, *b) })
}

// rowQuery asks for the values of some slots of a rule.
func rowQuery(rule *abi.Rule, given, body []abi.Atom, slots []int) abi.Query {
	q := abi.Query{Slots: rule.Slots, Body: append(slices.Clone(given), body...), Truth: -1}
	for _, s := range slots {
		q.Out = append(q.Out, abi.Arg{Op: abi.ArgSlot, Index: s})
		q.Columns = append(q.Columns, abi.Column{Name: rule.Slots[s].Name, Type: rule.Slots[s].Type})
	}
	return q
}

// unsure returns, of the rows that there may be, some that are not known: the
// values of their slots. It asks the queries from first on, and adds x before.
func (ses *session) unsure(ctx context.Context, in *sandbox.Instance, call abi.Call, x *abi.Extension, first int, rows lower.Rows) ([]map[int]abi.Value, error) {
	key := func(row []abi.Value) string {
		var over []abi.Value
		for i, s := range rows.Bound {
			if slices.Contains(rows.Over, s) {
				over = append(over, row[i])
			}
		}
		return tupleKey(over)
	}
	ask := func(query int, ext *abi.Extension) (*abi.Rows, error) {
		var found abi.Rows
		msg := abi.QueryRequest{Call: call, Query: len(ses.m.program.Queries) + query, Extension: ext}
		err := ses.ask(ctx, in, abi.ExportQuery, &msg, &found)
		ses.bill(sandbox.Usage{}, found.Work)
		return &found, err
	}
	possible, err := ask(first, x)
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	sure, err := ask(first+1, nil)
	if err != nil {
		return nil, err
	}
	for i := range sure.Frame.Rows {
		if sure.Frame.Truth == nil || sure.Frame.Truth[i]&abi.Is != 0 {
			known[key(sure.Frame.Row(nil, i))] = true
		}
	}
	var out []map[int]abi.Value
	for i := range possible.Frame.Rows {
		row := possible.Frame.Row(nil, i)
		if known[key(row)] || len(out) >= maxUnknown {
			continue
		}
		values := map[int]abi.Value{}
		for c, s := range rows.Bound {
			values[s] = row[c]
		}
		out = append(out, values)
	}
	return out, nil
}

// unknownIn returns the atoms of a row of a fold that are not known to hold.
func (ses *session) unknownIn(ctx context.Context, in *sandbox.Instance, call abi.Call, rows lower.Rows, values map[int]abi.Value) (out []unknownPremise, err error) {
	p := ses.m.program
atoms:
	for i := range rows.Fold {
		a := &rows.Fold[i]
		if a.Op != abi.AtomScan || p.Relations[a.Rel].Name == lower.OpenRelation {
			continue
		}
		var tuple []abi.Value
		for _, arg := range a.Args {
			v, known := abi.Value{}, false
			switch arg.Op {
			case abi.ArgConst:
				v, known = p.Constants[arg.Index], true
			case abi.ArgSlot:
				v, known = values[arg.Index]
			}
			if !known {
				continue atoms
			}
			tuple = append(tuple, v)
		}
		var resp abi.Explanation
		if err := ses.ask(ctx, in, abi.ExportExplain, &abi.ExplainRequest{Call: call, Relation: a.Rel, Tuple: tuple, MaxDepth: 1, MaxNodes: 1}, &resp); err != nil {
			return nil, err
		}
		ses.bill(sandbox.Usage{}, resp.Work)
		refuted, err := ses.refuted(ctx, in, call, a.Rel, tuple)
		if err != nil {
			return nil, err
		}
		if truth, _ := ses.m.truthOf(a.Rel, &resp, refuted); truth == abi.Can {
			out = append(out, unknownPremise{relation: a.Rel, tuple: pointers(tuple), negated: a.Neg})
		}
	}
	return out, nil
}

// inside says of a fact that is not derived what interval its value is of.
func (p *prover) inside(n *WhyNotNode, in *inside) {
	if in == nil {
		return
	}
	n.Within, n.Rules, n.Tag = in.within, []Attempt{}, ""
	if !in.holds {
		n.Truth4, n.Reason = abi.Not.String(), "it is none of the values that there may be: "+in.within.Text()
		return
	}
	n.Truth4, n.Reason = abi.Can.String(), "it may be: "+in.within.Text()
	for _, u := range in.unknown {
		text := p.fact(u.relation, u.tuple)
		if u.negated {
			text = "not " + text
		}
		n.Unknown = append(n.Unknown, text)
	}
}
