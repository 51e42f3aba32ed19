package runtime

import (
	"cmp"
	"context"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/lower"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
)

// factual reports whether it is facts that say what is refuted of a relation,
// as of a concept, and not what its rules read.
func (m *module) factual(rel int) bool { return m.program.Relations[rel].Asserted >= 0 }

// extentQuery asks for the tuples of a relation.
func extentQuery(p *abi.Program, rel int) *abi.Query {
	r := &p.Relations[rel]
	q := &abi.Query{Name: r.Name, Columns: r.Columns, Truth: -1}
	for i, c := range r.Columns {
		q.Slots = append(q.Slots, abi.Slot{Name: c.Name, Type: c.Type})
		q.Out = append(q.Out, abi.Arg{Op: abi.ArgSlot, Index: i})
	}
	q.Body = []abi.Atom{{Op: abi.AtomScan, Rel: rel, Args: q.Out}}
	return q
}

// refutations finds which rows each view refutes by what it says of that on
// which they rest, and adds to the rows of the others those that would hold in
// it if it did not.
func (ses *session) refutations(ctx context.Context, j *joining) error {
	f, p := ses.federation, ses.m.program
	if f.asked == nil {
		return nil
	}
	stated, err := ses.statedInLayers(ctx)
	if err != nil {
		return err
	}
	days := map[int]bool{}
	for _, twin := range ses.m.twins {
		days[twin] = true
	}
	budget := ses.refuting()
	r := lower.NewRefuting(p, f.ext, f.asked.Body, func(rel int) bool { return stated[rel] || days[rel] }, func(rel int) bool { return days[rel] })
	if r == nil {
		return nil
	}
	needs := r.Needs(f.asked.Body, f.args)
	held := make([]map[int]*rowSet, len(f.views))
	for v := range f.views {
		held[v] = map[int]*rowSet{}
		for _, need := range needs {
			rows, err := ses.heldIn(ctx, f.views[v], need)
			if err == nil {
				err = budget.spend(len(rows.list))
			}
			if err != nil {
				return stageRefuted.at(err)
			}
			held[v][need.Relation] = rows
		}
	}
	for v := range f.views {
		others := map[int][][]abi.Value{}
		for _, need := range needs {
			others[need.Relation] = notIn(held, v, need.Relation)
		}
		asked, unless, ok := r.Extend(f.asked, others)
		if !ok {
			return nil
		}
		possible, err := ses.answers(ctx, f.views[v], asked)
		if err != nil {
			return stageRefuted.at(err)
		}
		mentioned, err := ses.answers(ctx, f.views[v], unless)
		if err == nil {
			err = budget.spend(0)
		}
		if err != nil {
			return stageRefuted.at(err)
		}
		known := map[string]bool{}
		for _, tuple := range possible.list {
			known[j.key(tuple)] = true
		}
		for i := range j.list {
			if row := &j.list[i]; !known[j.key(row.tuple)] {
				row.truth |= abi.Not
			}
		}
		for _, tuple := range mentioned.list {
			if !known[j.key(tuple)] {
				j.row(tuple).truth |= abi.Not
			}
		}
	}
	return nil
}

// refuting is what finding refutations may cost: together no more than a call
// may, whatever the number of standpoints.
type refuting struct {
	ses   *session
	start uint64 // fuel of the call until then
	rows  uint64 // held of all views
}

func (ses *session) refuting() *refuting { return &refuting{ses: ses, start: ses.usage.Fuel} }

// spend notes that rows more are held, and fails where that or the fuel spent
// is too much.
func (b *refuting) spend(rows int) error {
	b.rows += uint64(rows)
	limits := b.ses.call.Limits
	over := func(limit string, used, allowed uint64) error {
		if allowed == 0 || used <= allowed {
			return nil
		}
		return &abi.Failure{Code: abi.FailureLimit, Rule: -1, Limit: &abi.Breach{Limit: limit, Allowed: allowed, Used: used},
			Message: "what the standpoints refute could not be found inside the limits"}
	}
	return cmp.Or(over(abi.LimitFuel, b.ses.usage.Fuel-b.start, limits.Fuel), over(abi.LimitDerived, b.rows, limits.Derived))
}

// rowSet is a set of tuples.
type rowSet struct {
	index map[string]bool
	list  [][]abi.Value
}

func (t *rowSet) has(tuple []abi.Value) bool { return t.index[tupleKey(tuple)] }

func (t *rowSet) add(tuple []abi.Value) {
	if key := tupleKey(tuple); !t.index[key] {
		t.index[key] = true
		t.list = append(t.list, tuple)
	}
}

func rowSetOf(rows *abi.Rows) *rowSet {
	out := &rowSet{index: make(map[string]bool, rows.Frame.Rows)}
	for i := range rows.Frame.Rows {
		out.add(rows.Frame.Row(nil, i))
	}
	return out
}

// notIn returns the tuples of a relation that views hold and the one at v does
// not.
func notIn(held []map[int]*rowSet, v, rel int) [][]abi.Value {
	out := rowSet{index: map[string]bool{}}
	for other := range held {
		for _, tuple := range held[other][rel].list {
			if other != v && !held[v][rel].has(tuple) {
				out.add(tuple)
			}
		}
	}
	return out.list
}

// heldIn returns what matters of the tuples that a relation has in a view, those
// that are undefined too.
func (ses *session) heldIn(ctx context.Context, view string, need lower.Need) (*rowSet, error) {
	added := ses.federation.ext
	if need.Relation < len(ses.m.program.Relations) {
		added = nil
	}
	p, constants := *ses.m.program, len(ses.m.program.Constants)
	if added != nil {
		p.Relations = append(p.Relations[:len(p.Relations):len(p.Relations)], added.Relations...)
		constants += len(added.Constants)
	}
	q := extentQuery(&p, need.Relation)
	x := &abi.Extension{}
	for c, values := range need.Columns {
		if values == nil {
			continue
		}
		list := abi.Expr{Op: abi.ExprConst, Index: constants + len(x.Constants)}
		x.Constants = append(x.Constants, abi.Value{Kind: abi.KindList, Items: values})
		among := abi.Atom{Op: abi.AtomIn, Slot: c, Expr: &list}
		if len(x.Constants) == 1 {
			q.Body = append([]abi.Atom{among}, q.Body...)
		} else {
			q.Body = append(q.Body, among)
		}
	}
	x.Queries = []abi.Query{*q}
	return ses.queryIn(ctx, view, added, x, nil)
}

// answers asks the query of an extension of the module, or of what was added to
// it for the call, in a view.
func (ses *session) answers(ctx context.Context, view string, x *abi.Extension) (*rowSet, error) {
	return ses.queryIn(ctx, view, ses.federation.ext, x, ses.federation.args)
}

func (ses *session) queryIn(ctx context.Context, view string, added, x *abi.Extension, args []*abi.Value) (out *rowSet, err error) {
	msg := abi.QueryRequest{Extension: joined(added, x), Args: args}
	msg.Query = len(ses.m.program.Queries) + len(msg.Extension.Queries) - 1
	ses.point.view = view
	defer func() { ses.point.view = "" }()
	msg.Call = ses.dated(ses.point)
	err = ses.g.run(ctx, ses.scope, ses.point, false, func(in *sandbox.Instance) error {
		var rows abi.Rows
		if err := ses.ask(ctx, in, abi.ExportQuery, &msg, &rows); err != nil {
			return err
		}
		ses.bill(sandbox.Usage{}, rows.Work)
		out = rowSetOf(&rows)
		return nil
	})
	return out, err
}

// joined is one extension behind another, or alone where that is nil.
func joined(a, b *abi.Extension) *abi.Extension {
	if a == nil {
		return b
	}
	return &abi.Extension{
		Constants:  append(a.Constants[:len(a.Constants):len(a.Constants)], b.Constants...),
		Relations:  append(a.Relations[:len(a.Relations):len(a.Relations)], b.Relations...),
		Rules:      append(a.Rules[:len(a.Rules):len(a.Rules)], b.Rules...),
		Components: append(a.Components[:len(a.Components):len(a.Components)], b.Components...),
		Functions:  append(a.Functions[:len(a.Functions):len(a.Functions)], b.Functions...),
		Queries:    append(a.Queries[:len(a.Queries):len(a.Queries)], b.Queries...),
		Mutations:  append(a.Mutations[:len(a.Mutations):len(a.Mutations)], b.Mutations...),
	}
}

// statedInLayers returns the relations of which a standpoint says something, or
// anybody refutes something.
func (ses *session) statedInLayers(ctx context.Context) (map[int]bool, error) {
	out := map[int]bool{}
	refuting := map[int]bool{}
	for i := range ses.m.program.Relations {
		if minus := ses.m.program.Relations[i].Refuted; minus >= 0 {
			refuting[minus] = true
		}
	}
	for _, f := range ses.m.stated() {
		if f.Layer != "" || refuting[f.Relation] {
			out[f.Relation] = true
		}
	}
	past, err := ses.s.annals.upTo(ctx, ses.s.cfg.Log, ses.scope, ses.point.tt)
	if err != nil {
		return nil, err
	}
	past.spokenOf(ses.point.tt, func(relation string, inLayer bool) {
		if rel, ok := ses.m.relations[relation]; ok && (inLayer || refuting[rel]) {
			out[rel] = true
		}
	})
	return out, nil
}
