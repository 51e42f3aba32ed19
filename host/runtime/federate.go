package runtime

import (
	"context"
	"slices"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
)

// federation is a read from several standpoints: each view answers for itself,
// and what they say of one row is joined in the information order, so that a
// row which one asserts and another refutes is Both.
type federation struct {
	views   []string
	refuted int            // relation of the refuted tuples of the rows, or -1
	asked   *abi.Query     // what is asked, where rules define it; nil: facts say what is refuted
	args    []*abi.Value   // its arguments
	ext     *abi.Extension // that it is part of, or nil
}

// federate makes the session's read a federation: of the standpoints that the
// source states, or else of those that the caller names.
func (ses *session) federate(stated []string, asked []string, rows int) error {
	if len(stated) > 0 && len(asked) > 0 {
		return Invalid("standpoints", "none: the query is declared across "+strings.Join(stated, ", ")+", which a caller does not change", strings.Join(asked, ", "), "")
	}
	views := ses.views
	if len(stated) > 0 {
		views = stated
		ses.env.Scope.Standpoints = stated
	}
	if len(views) == 0 {
		return nil
	}
	ses.federation = &federation{views: views, refuted: -1}
	if rows >= 0 {
		ses.federation.refuted = ses.m.program.Relations[rows].Refuted
	}
	return nil
}

// fetchAll asks every view, and joins what they answer. The columns from
// visible on are the interval of one before.
func (ses *session) fetchAll(ctx context.Context, keep bool, visible int, page abi.Page, fetch fetchPage) (*abi.Rows, error) {
	j := joining{index: map[string]int{}, visible: visible}
	defer func() { ses.point.view = "" }()
	for _, view := range ses.federation.views {
		ses.point.view = view
		err := ses.g.run(ctx, ses.scope, ses.point, keep, func(in *sandbox.Instance) error {
			rows, err := fetch(in, abi.Page{})
			if err != nil {
				return err
			}
			j.add(rows, abi.Can)
			if ses.federation.refuted < 0 {
				return nil
			}
			var refuted abi.Rows
			msg := abi.DeriveRequest{Call: ses.dated(ses.point), Relation: ses.federation.refuted}
			if err := ses.ask(ctx, in, abi.ExportDerive, &msg, &refuted); err != nil {
				return err
			}
			ses.bill(sandbox.Usage{}, refuted.Work)
			j.add(&refuted, abi.Not)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if err := ses.refutations(ctx, &j); err != nil {
		return nil, err
	}
	return j.rows(page), nil
}

// joining gathers the rows of several views.
type joining struct {
	index   map[string]int
	list    []joinedRow
	tags    bool
	visible int // the columns from here on are the interval of one before, and tell no rows apart
}

type joinedRow struct {
	tuple []abi.Value
	truth abi.Truth4
	tag   abi.Tag
}

// add joins the rows of one answer: with as, which says what a row of it means,
// or with the truth that the rows have.
func (j *joining) add(rows *abi.Rows, as abi.Truth4) {
	j.tags = j.tags || rows.Tags != nil
	for i := range rows.Frame.Rows {
		row := j.row(rows.Frame.Row(nil, i))
		truth := as
		if as == abi.Can {
			truth = abi.Is
			if rows.Frame.Truth != nil {
				truth = rows.Frame.Truth[i]
			}
		}
		if row.truth&abi.Is == 0 && truth&abi.Is != 0 && rows.Tags != nil {
			row.tag = rows.Tags[i]
		}
		row.truth |= truth // the join of the information order
	}
}

// row returns the row of a tuple, which it adds if it is not there.
func (j *joining) row(tuple []abi.Value) *joinedRow {
	key := j.key(tuple)
	at, ok := j.index[key]
	switch {
	case !ok:
		at = len(j.list)
		j.index[key] = at
		j.list = append(j.list, joinedRow{tuple: tuple, tag: abi.Tag{Rule: -1}})
	case len(tuple) > j.visible:
		hull(j.list[at].tuple, tuple)
	}
	return &j.list[at]
}

// key tells the rows apart that are shown as different ones.
func (j *joining) key(tuple []abi.Value) string {
	return tupleKey(tuple[:min(len(tuple), j.visible)])
}

func tupleKey(tuple []abi.Value) string {
	var key []byte
	for _, v := range tuple {
		key = abi.AppendValue(key, v)
	}
	return string(key)
}

// rows returns the page of the joined rows, which are in the order of values.
func (j *joining) rows(page abi.Page) *abi.Rows {
	order := func(a, b []abi.Value) int {
		return slices.CompareFunc(a, b, abi.Compare)
	}
	slices.SortFunc(j.list, func(a, b joinedRow) int { return order(a.tuple, b.tuple) })
	out := &abi.Rows{Total: uint64(len(j.list))}
	width := 0
	if len(j.list) > 0 {
		width = len(j.list[0].tuple)
	}
	b := abi.FrameBuilder{Arity: width}
	var truth []abi.Truth4
	for i := range j.list {
		r := &j.list[i]
		switch r.truth {
		case abi.Can:
			out.Hidden.Can++
		case abi.Both:
			out.Hidden.Both++
		case abi.Not:
			out.Hidden.Not++
		}
		if page.After != nil && order(r.tuple, page.After) <= 0 {
			continue
		}
		if page.Limit > 0 && uint64(len(truth)) >= page.Limit {
			out.More = true
			continue
		}
		b.Add(r.tuple)
		truth = append(truth, r.truth)
		if j.tags {
			out.Tags = append(out.Tags, r.tag)
		}
	}
	out.Frame = b.Frame()
	out.Frame.Truth = truth
	return out
}
