package runtime

import (
	"context"
	"fmt"
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon"
	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/lower"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
)

// Query runs a declared query (Name), or an ad-hoc one (Body).
func (s *Service) Query(ctx context.Context, req QueryRequest) (*RowsResult, error) {
	ses, refused, err := s.begin(ctx, req.Common)
	if ses == nil {
		return rowsRefused(refused), err
	}
	defer ses.end()
	if (req.Name == "") == (req.Body == "") {
		return nil, Invalid("name", "the name of a query, or a body", "both or none", "")
	}
	var q *abi.Query
	msg := abi.QueryRequest{}
	name := "ad-hoc"
	if req.Name != "" {
		if msg.Query, err = ses.m.query(req.Name); err != nil {
			return nil, err
		}
		q = &ses.m.program.Queries[msg.Query]
		name = q.Name
	} else {
		ext, out, err := ses.compileQuery(ctx, req.Body, req.Args)
		if err != nil || out.Refused() {
			env := ses.finish()
			env.Outcome = out
			return rowsRefused(&env), err
		}
		msg.Extension, msg.Query = ext, len(ses.m.program.Queries)
		q = &ext.Queries[0]
		ses.env.Diagnostics = out.Diagnostics
	}
	if msg.Args, err = ses.queryArgs(q, req.Args); err != nil {
		return nil, err
	}
	ses.named = msg.Args
	if err := ses.sourceReadPoint(req.AsOf, q.AsOf); err != nil {
		return nil, err
	}
	stated := ses.m.across(name)
	if len(stated) == 0 && len(req.Standpoints) == 0 {
		ses.comeHome(name)
	}
	if err := ses.federate(stated, req.Standpoints, q.Truth); err != nil {
		return nil, err
	}
	if ses.federation != nil && (q.Truth < 0 || !ses.m.factual(q.Truth)) {
		ses.federation.asked, ses.federation.args, ses.federation.ext = q, msg.Args, msg.Extension
	}
	fetch := func(in *sandbox.Instance, page abi.Page) (*abi.Rows, error) {
		var rows abi.Rows
		msg.Call, msg.Page = ses.dated(ses.point), page
		err := ses.ask(ctx, in, abi.ExportQuery, &msg, &rows)
		ses.bill(sandbox.Usage{}, rows.Work)
		return &rows, err
	}
	ses.again = &NextStep{Tool: "argon_query", Arguments: map[string]any{"name": req.Name}}
	if req.Body != "" {
		ses.again = &NextStep{Tool: "argon_ad_hoc_query", Arguments: map[string]any{"body": req.Body}}
	}
	if len(req.Args) > 0 {
		ses.again.Arguments["args"] = req.Args
	}
	// A body that was added for this call must not stay in the shared state.
	return ses.page(ctx, name, q.Columns, req.Common, argsKey(req), req.Name != "", fetch)
}

// query returns the index of the declared query that name means.
func (m *module) query(name string) (int, error) {
	names := make([]string, len(m.program.Queries))
	for i, q := range m.program.Queries {
		names[i] = q.Name
	}
	return m.named("query", name, names)
}

// queryArgs decodes the arguments of a query; one that is left out is free.
func (ses *session) queryArgs(q *abi.Query, args Args) ([]*abi.Value, error) {
	out := make([]*abi.Value, len(q.Params))
	for i, p := range q.Params {
		raw, ok := args[p.Name]
		if !ok {
			continue
		}
		v, err := decodeValue(raw, p.Type, "args."+p.Name, ses.m)
		if err != nil {
			return nil, err
		}
		out[i] = &v
	}
	return out, unknownArgs(args, q.Params)
}

func unknownArgs(args Args, params []abi.Param) error {
	names := make([]string, len(params))
	for i, p := range params {
		names[i] = p.Name
	}
	for _, name := range sortedKeys(args) {
		if !slices.Contains(names, name) {
			return Invalid("args."+name, "a parameter: "+orNone(names), "an unknown name", Nearest(name, names))
		}
	}
	return nil
}

// sourceReadPoint applies the read point that a query's source states, which
// a caller's asOf displaces.
func (ses *session) sourceReadPoint(asked *AsOf, stated *abi.AsOf) error {
	if asked != nil || stated == nil {
		return nil
	}
	if stated.ByVT && stated.VT != nil {
		if stated.VT.Kind == abi.KindDay {
			ses.point.vt = endOfDay(stated.VT.Int)
		} else {
			ses.point.vt = momentOfValue(*stated.VT)
		}
		ses.point.live = false
		ses.env.Scope.AsOf = AsOf{VT: displayText(*stated.VT, abi.Type{}, ses.names(context.Background()))}
		return nil
	}
	tt := stated.TT
	ses.beyond(tt)
	ses.env.LatestStamp = ses.latest
	ses.env.Scope.AsOf = AsOf{TT: &tt}
	return nil
}

// compileQuery type-checks an ad-hoc body against the served module. A variable
// that an argument fixes is no misspelt individual.
func (ses *session) compileQuery(ctx context.Context, body string, args Args) (*abi.Extension, Outcome, error) {
	return ses.compileBody(ctx, body, func(m *lower.Module, body string) (*abi.Extension, []diag.Diagnostic) {
		ext, found := argon.CompileQuery(m, body)
		return ext, slices.DeleteFunc(found, func(d diag.Diagnostic) bool {
			if d.Code != "OW0159" {
				return false
			}
			_, fixed := args[body[d.Place.Start:d.Place.End]]
			return fixed
		})
	})
}

// Derive reads the extent of a rule head, concept, relation or check.
func (s *Service) Derive(ctx context.Context, req DeriveRequest) (*RowsResult, error) {
	ses, refused, err := s.begin(ctx, req.Common)
	if ses == nil {
		return rowsRefused(refused), err
	}
	defer ses.end()
	return ses.derive(ctx, req)
}

// DeriveSource reads an extent like Derive, over the sources and the package's
// own facts: no artifact is needed, and a violated check does not stand in the
// way. Sources that do not compile are a refusal.
func (s *Service) DeriveSource(ctx context.Context, req DeriveRequest) (*RowsResult, error) {
	g, err := s.gate(ctx, s.cfg.Project, nil, false)
	if err != nil {
		return nil, err
	}
	defer g.end()
	if g.module == nil {
		return rowsRefused(&Envelope{Outcome: Outcome{
			Code: CodeGateFailed, DiagnosticCodes: g.codes(), NextStep: &NextStep{Tool: "argon_check", Arguments: map[string]any{}},
			Message: "the sources do not compile, so that nothing can be derived",
		}}), nil
	}
	if g.session == nil {
		if g.session, err = s.declaredSession(ctx, g.module, s.checkLimits()); err != nil {
			return nil, err
		}
	}
	if err := g.session.resolveViews(req.Standpoints); err != nil {
		return nil, err
	}
	return g.session.derive(ctx, req)
}

func (ses *session) derive(ctx context.Context, req DeriveRequest) (*RowsResult, error) {
	rel, err := ses.m.derivable(req.Name)
	if err != nil {
		return nil, err
	}
	r := &ses.m.program.Relations[rel]
	ses.again = &NextStep{Tool: "argon_derive", Arguments: map[string]any{"name": req.Name}}
	if err := ses.federate(nil, req.Standpoints, rel); err != nil {
		return nil, err
	}
	if ses.federation != nil && !ses.m.factual(rel) {
		ses.federation.asked = extentQuery(ses.m.program, rel)
	}
	read := rel
	if ses.federation == nil && !req.Explain {
		read = ses.m.shown(rel)
	}
	fetch := func(in *sandbox.Instance, page abi.Page) (*abi.Rows, error) {
		var rows abi.Rows
		msg := abi.DeriveRequest{Call: ses.dated(ses.point), Relation: read, Page: page, Tags: req.Explain}
		err := ses.ask(ctx, in, abi.ExportDerive, &msg, &rows)
		ses.bill(sandbox.Usage{}, rows.Work)
		return &rows, err
	}
	return ses.page(ctx, ses.m.title(rel), ses.m.program.Relations[read].Columns, req.Common, fmt.Sprintf("derive %s %v", r.Name, req.Explain), true, fetch)
}

// derivable returns the relation to read for a name; the name of a check
// stands for its violations.
func (m *module) derivable(name string) (int, error) {
	for _, c := range m.program.Checks {
		if c.Name == name || shortName(c.Name) == name {
			return c.Relation, nil
		}
	}
	return m.find(name)
}

func rowsRefused(env *Envelope) *RowsResult {
	if env == nil {
		return nil
	}
	return &RowsResult{Envelope: *env, Columns: []Column{}, Rows: []Row{}}
}
