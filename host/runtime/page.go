package runtime

import (
	"context"
	"crypto/hmac"
	"encoding/base64"
	"fmt"
	"sort"
	"strings"

	"github.com/fxamacker/cbor/v2"
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
	"github.com/ox-mcp/ox-mcp/host/store"
)

// cursor is where a page ended. It pins its read point, so that writes do not
// disturb paging.
type cursor struct {
	_       struct{} `cbor:",toarray"`
	Module  []byte
	Scope   string
	TT      int64
	Seconds int64
	Nanos   int32
	Key     string // what is paged: name and arguments
	After   [][]byte
}

func (s *Service) seal(c cursor) (string, error) {
	enc, err := cbor.CoreDetEncOptions().EncMode()
	if err != nil {
		return "", err
	}
	b, err := enc.Marshal(c)
	if err != nil {
		return "", err
	}
	mac := hash(s.cursorKey[:], b)
	return base64.RawURLEncoding.EncodeToString(append(mac[:16:16], b...)), nil
}

func (s *Service) unseal(text string) (cursor, bool) {
	var c cursor
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(b) < 16 {
		return c, false
	}
	mac := hash(s.cursorKey[:], b[16:])
	if !hmac.Equal(mac[:16], b[:16]) {
		return c, false
	}
	return c, cbor.Unmarshal(b[16:], &c) == nil
}

type fetchPage func(in *sandbox.Instance, page abi.Page) (*abi.Rows, error)

// page runs fetch at the session's read point and cuts its rows to the page
// that was asked for: by rows or by bytes, whichever comes first. A result
// without a page comes whole, or is refused.
func (ses *session) page(ctx context.Context, name string, columns []abi.Column, c Common, key string, keep bool, fetch fetchPage) (*RowsResult, error) {
	if ses.federation != nil {
		key += " across " + strings.Join(ses.federation.views, " ")
	}
	limits := ses.call.Limits
	ask := abi.Page{Limit: limits.Rows}
	paged := c.Page != nil
	if paged {
		if c.Page.Cursor != "" && c.AsOf != nil {
			return nil, Invalid("asOf", "no asOf beside a cursor: the cursor has its read point", "both", "")
		}
		if c.Page.Limit < 0 {
			return nil, Invalid("page.limit", "a number from 1 on", fmt.Sprint(c.Page.Limit), "")
		}
		if n := uint64(c.Page.Limit); n > 0 && n < ask.Limit {
			ask.Limit = n
		}
		if c.Page.Cursor != "" {
			after, out, err := ses.resume(c.Page.Cursor, key)
			if err != nil {
				return nil, err
			}
			if out.Refused() {
				ses.env.Outcome = out
				env := ses.finish()
				return rowsRefused(&env), nil
			}
			ask.After = after
		}
	} else {
		// No row takes fewer than eight characters: more rows than this
		// cannot fit, and need not be fetched.
		ask.Limit = ses.s.cfg.Settings.Uint("limits.unpagedChars")/8 + 1
	}
	visible := columns
	if _, ok := measured(columns); ok {
		visible = columns[:len(columns)-withinColumns]
	}
	rows, err := ses.fetch(ctx, keep, len(visible), ask, fetch)
	if err != nil {
		env, err := ses.refuse(err)
		if err != nil {
			return nil, err
		}
		return rowsRefused(&env), nil
	}
	res := &RowsResult{
		Name: name, Columns: columnsOf(visible), Rows: []Row{}, Total: int(rows.Total),
		Hidden: Hidden{Can: int(rows.Hidden.Can), Both: int(rows.Hidden.Both), Not: int(rows.Hidden.Not)},
	}
	if err := ses.cut(ctx, res, rows, columns, c, paged, key); err != nil {
		return nil, err
	}
	if res.Total == 0 && !ses.env.Refused() {
		ses.env.Message = ses.names(ctx).unknown(ses.named)
	}
	res.Envelope = ses.finish()
	return res, nil
}

// fetch asks the session's view, or each of its federation.
func (ses *session) fetch(ctx context.Context, keep bool, visible int, ask abi.Page, fetch fetchPage) (rows *abi.Rows, err error) {
	if ses.federation != nil {
		return ses.fetchAll(ctx, keep, visible, ask, fetch)
	}
	err = ses.g.run(ctx, ses.scope, ses.point, keep, func(in *sandbox.Instance) (err error) {
		rows, err = fetch(in, ask)
		return err
	})
	return rows, err
}

// cut renders rows into res until the page is full.
func (ses *session) cut(ctx context.Context, res *RowsResult, rows *abi.Rows, columns []abi.Column, c Common, paged bool, key string) error {
	names := ses.names(ctx)
	budget := int(ses.call.Limits.ResultBytes)
	if !paged {
		budget = int(ses.s.cfg.Settings.Int("limits.unpagedChars"))
	}
	column, isMeasured := measured(columns)
	var values []abi.Value
	size, more, last := 0, rows.More, []abi.Value(nil)
	for i := 0; i < rows.Frame.Rows; i++ {
		values = rows.Frame.Row(values[:0], i)
		truth := abi.Is
		if rows.Frame.Truth != nil {
			truth = rows.Frame.Truth[i]
		}
		if c.ProjectK3 && truth != abi.Is {
			last = append(last[:0], values...)
			continue
		}
		shown, interval := values, (*Within)(nil)
		if isMeasured {
			shown, interval = within(column, columns, values, names)
		}
		row := Row{Values: make([]Cell, len(shown)), Within: interval}
		if !c.ProjectK3 {
			row.Truth4 = truth.String()
		}
		for j, v := range shown {
			row.Values[j] = cell(v, columns[j].Type, names)
		}
		if rows.Tags != nil && truth&abi.Is != 0 {
			row.Proof = ses.m.tagText(rows.Tags[i])
		}
		text, err := EncodeJSON(row)
		if err != nil {
			return err
		}
		if size += len(text) + 1; size > budget && len(res.Rows) > 0 {
			more = true
			break
		}
		res.Rows = append(res.Rows, row)
		last = append(last[:0], values...)
	}
	if !more {
		return nil
	}
	if !paged {
		no := false
		res.Rows = []Row{}
		ses.env.Outcome.Code = CodeResultTooLarge
		ses.env.Outcome.Message = fmt.Sprintf("the result has %d rows and is larger than %d characters; ask for it a page at a time with page, or narrow it", res.Total, budget)
		ses.env.Outcome.Truncated = &no
		if ses.again != nil {
			ses.again.Arguments["page"] = map[string]any{"limit": ses.call.Limits.Rows}
			ses.env.Outcome.NextStep = ses.again
		}
		return nil
	}
	var err error
	res.NextCursor, err = ses.sealRow(key, last)
	return err
}

// sealRow is the cursor of what comes after row.
func (ses *session) sealRow(key string, row []abi.Value) (string, error) {
	c := cursor{Module: ses.m.hash[:], Scope: scopeKey(ses.scope), TT: ses.point.tt, Seconds: ses.point.vt.Seconds, Nanos: ses.point.vt.Nanos, Key: key}
	for _, v := range row {
		c.After = append(c.After, abi.AppendValue(nil, v))
	}
	return ses.s.seal(c)
}

// resume reads a cursor, moves the session to its read point and returns the
// row to go on after.
func (ses *session) resume(text, key string) ([]abi.Value, Outcome, error) {
	stale := Outcome{Code: CodeStaleCursor, Retryable: false,
		Message: "the cursor belongs to another module, scope or request; start again without a cursor"}
	c, ok := ses.s.unseal(text)
	if !ok {
		return nil, Outcome{}, Invalid("page.cursor", "a nextCursor of an earlier page, unchanged", "something else", "")
	}
	if string(c.Module) != string(ses.m.hash[:]) || c.Scope != scopeKey(ses.scope) || c.Key != key {
		return nil, stale, nil
	}
	latest := ses.point.tt
	if c.TT > latest { // of a log that is gone
		return nil, stale, nil
	}
	ses.point = readPoint{tt: c.TT, vt: store.Moment{Seconds: c.Seconds, Nanos: c.Nanos}, live: ses.point.live && c.TT == latest}
	after := []abi.Value{}
	for _, b := range c.After {
		v, err := abi.DecodeValue(b)
		if err != nil {
			return nil, stale, nil
		}
		after = append(after, v)
	}
	return after, Outcome{}, nil
}

func scopeKey(s store.Scope) string { return s.Tenant + "\x00" + s.Fork }

func columnsOf(columns []abi.Column) []Column {
	out := make([]Column, len(columns))
	for i, c := range columns {
		out[i] = Column{Name: c.Name, Type: typeText(c.Type)}
	}
	return out
}

// argsKey identifies what a query's cursor pages over.
func argsKey(req QueryRequest) string {
	var b strings.Builder
	fmt.Fprintf(&b, "query %q %q %v", req.Name, req.Body, req.ProjectK3)
	for _, k := range sortedKeys(req.Args) {
		fmt.Fprintf(&b, " %q=%q", k, req.Args[k])
	}
	return b.String()
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

func (m *module) tagText(t abi.Tag) string {
	r := m.rule(t.Rule)
	if r == nil {
		return "asserted"
	}
	name := r.Name
	if r.Label != "" {
		name += "." + r.Label
	}
	return fmt.Sprintf("%s%s at round %d (%s)", m.strengths.of(t.Rule), name, t.Round, m.spanText(r.Span))
}
