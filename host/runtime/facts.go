package runtime

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
)

// stateReader runs f on an instance of the reasoner that holds one state. f
// only reads.
type stateReader func(ctx context.Context, f func(in *sandbox.Instance) error) error

// heldState reads an instance that the caller keeps.
func heldState(in *sandbox.Instance) stateReader {
	return func(_ context.Context, f func(*sandbox.Instance) error) error { return f(in) }
}

// kept reads the state at the session's read point. release must be called
// when no more is read.
func (ses *session) kept(ctx context.Context) (state stateReader, release func()) {
	if !ses.s.cfg.Frozen {
		return func(ctx context.Context, f func(*sandbox.Instance) error) error {
			return ses.g.run(ctx, ses.scope, ses.point, true, f)
		}, func() {}
	}
	// Each run of a frozen session would make the whole state again.
	var in *sandbox.Instance
	return func(ctx context.Context, f func(*sandbox.Instance) error) error {
		if in == nil {
			var err error
			if in, _, err = ses.g.at(ctx, ses.scope, ses.point.view, ses.point.tt, ses.point.vt); err != nil {
				return err
			}
		}
		return f(in)
	}, func() { drop(ctx, &in) }
}

// factReader answers the scans of one evaluation: of the relations that the
// check's body names, from the state that its violations are of.
type factReader struct {
	ses       *session
	plugin    *plugin
	check     int
	state     stateReader
	relations map[string]int
	left      uint64 // fuel for the reasoner
	err       error  // what stopped a scan, beside the guest's own mistakes
}

// factsFor returns nil for an evaluator without the grant.
func (ses *session) factsFor(p *plugin, check int, state stateReader) *factReader {
	if !slices.Contains(p.grants, abi.GrantFacts) || state == nil {
		return nil
	}
	return &factReader{ses: ses, plugin: p, check: check, state: state, relations: ses.m.bodyRelations(check), left: ses.call.Limits.Fuel}
}

func (r *factReader) scanner() sandbox.Scan {
	if r == nil {
		return nil
	}
	return func(ctx context.Context, request []byte) ([]byte, bool) {
		response, failure := r.scan(ctx, request)
		if failure != nil {
			return failure.AppendCBOR(nil), true
		}
		return response.AppendCBOR(nil), false
	}
}

// failed returns what stopped a scan: it outranks what the guest made of it.
func (r *factReader) failed() error {
	if r == nil {
		return nil
	}
	return r.err
}

func badScan(format string, args ...any) *abi.Failure {
	return &abi.Failure{Code: abi.FailureRequest, Message: fmt.Sprintf(format, args...), Rule: -1}
}

func (r *factReader) scan(ctx context.Context, wire []byte) (*abi.ScanResponse, *abi.Failure) {
	var req abi.ScanRequest
	if err := req.DecodeCBOR(wire); err != nil {
		return nil, badScan("%v", err)
	}
	m := r.ses.m
	rel, ok := r.relations[req.Relation]
	if !ok {
		return nil, badScan("the body of %s does not name the relation %q; it names %s", m.program.Checks[r.check].Name, abridge(req.Relation), strings.Join(r.names(), ", "))
	}
	columns := m.program.Relations[rel].Columns
	if n := len(req.Match); n != 0 && n != len(columns) {
		return nil, badScan("%s has %d columns, Match has %d", req.Relation, len(columns), n)
	}
	if n := len(req.Page.After); n != 0 && n != len(columns) {
		return nil, badScan("%s has %d columns, After has %d values", req.Relation, len(columns), n)
	}
	if req.Page.Limit == 0 || req.Page.Limit > abi.MaxScanRows {
		req.Page.Limit = abi.MaxScanRows
	}
	rows, err := r.derive(ctx, rel, req.Page)
	if err != nil {
		return nil, r.stop(err)
	}
	response := &abi.ScanResponse{Columns: columns, Frame: rows.Frame}
	if n := rows.Frame.Rows; rows.More && n > 0 {
		response.Next = rows.Frame.Row(nil, n-1)
	}
	if len(req.Match) > 0 || slices.Contains(rows.Frame.Truth, abi.Can) {
		response.Frame = matching(&rows.Frame, req.Match)
	}
	return response, nil
}

// derive reads a page of a relation within what is left of the call's fuel.
func (r *factReader) derive(ctx context.Context, rel int, page abi.Page) (*abi.Rows, error) {
	limits := r.ses.call.Limits
	if r.left == 0 {
		return nil, &sandbox.Trap{Kind: sandbox.OutOfFuel, Export: abi.ImportScan, Limit: abi.Breach{Limit: abi.LimitFuel, Allowed: limits.Fuel, Used: limits.Fuel + 1}}
	}
	limits.Fuel = r.left
	limits.Deadline = min(limits.Deadline, r.plugin.limits.Deadline)
	req := abi.DeriveRequest{Call: r.ses.dated(r.ses.point), Relation: rel, Page: page}
	req.Call.Limits = limits
	rows := new(abi.Rows)
	err := r.state(ctx, func(in *sandbox.Instance) error {
		usage, err := r.ses.g.reasoner.call(ctx, in, abi.ExportDerive, &req, rows, limits)
		r.ses.bill(usage, rows.Work)
		r.left -= min(r.left, usage.Fuel)
		return err
	})
	return rows, err
}

// stop keeps what stopped a scan, and tells the guest as much as it may know.
func (r *factReader) stop(err error) *abi.Failure {
	if r.err == nil {
		r.err = err
	}
	var failure *abi.Failure
	if errors.As(err, &failure) {
		return failure
	}
	return &abi.Failure{Code: abi.FailureInternal, Message: "the facts could not be read", Rule: -1}
}

// matching keeps the rows that have the wanted values, without those that are
// undefined: a violation stands on what is true.
func matching(f *abi.Frame, match []*abi.Value) abi.Frame {
	b := abi.FrameBuilder{Arity: len(f.Columns)}
	var truth []abi.Truth4
	var row []abi.Value
next:
	for i := range f.Rows {
		if len(f.Truth) > 0 && f.Truth[i] == abi.Can {
			continue
		}
		row = f.Row(row[:0], i)
		for k, want := range match {
			if want != nil && !abi.Equal(*want, row[k]) {
				continue next
			}
		}
		b.Add(row)
		if len(f.Truth) > 0 {
			truth = append(truth, f.Truth[i])
		}
	}
	out := b.Frame()
	out.Truth = truth
	return out
}

func (r *factReader) names() []string {
	seen := map[int]bool{}
	out := []string{}
	for i := range r.ses.m.program.Relations {
		for _, rel := range r.relations {
			if rel == i && !seen[i] {
				seen[i] = true
				out = append(out, r.ses.m.program.Relations[i].Name)
			}
		}
	}
	return out
}

// bodyRelations are the relations that the body of a check names, by the names
// that a scan may use: qualified, or as the source writes them. What the
// compiler moved out of the body into relations of its own counts as the body.
func (m *module) bodyRelations(check int) map[string]int {
	out := map[string]int{}
	seen := map[int]bool{}
	var visit func(rel int)
	var walk func(body []abi.Atom)
	walk = func(body []abi.Atom) {
		for i := range body {
			if body[i].Op == abi.AtomScan {
				visit(body[i].Rel)
			}
			walk(body[i].Body)
		}
	}
	visit = func(rel int) {
		if seen[rel] {
			return
		}
		seen[rel] = true
		if m.program.Relations[rel].Origin == abi.OriginAux {
			for i := range m.program.Rules {
				if m.program.Rules[i].Head == rel {
					walk(m.program.Rules[i].Body)
				}
			}
			return
		}
		rel = m.public(rel)
		out[m.program.Relations[rel].Name] = rel
	}
	if rule := m.rule(m.program.Checks[check].Rule); rule != nil {
		walk(rule.Body)
	}
	short := map[string]int{}
	for _, rel := range out {
		t := m.title(rel)
		if other, twice := short[t]; twice && other != rel {
			rel = -1
		}
		short[t] = rel
	}
	for t, rel := range short {
		if _, taken := out[t]; !taken && rel >= 0 {
			out[t] = rel
		}
	}
	return out
}
