package runtime

import (
	"context"
	"fmt"
	"sort"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/lower"
)

// Schema looks one construct up, or lists an index.
func (s *Service) Schema(ctx context.Context, req SchemaRequest) (*SchemaResult, error) {
	ses, refused, err := s.begin(ctx, Common{})
	if ses == nil {
		if refused == nil {
			return nil, err
		}
		return &SchemaResult{Envelope: *refused}, err
	}
	defer ses.end()
	constructs := ses.m.schema.Constructs
	kinds := map[string]bool{}
	for _, c := range constructs {
		kinds[c.Kind] = true
	}
	if req.Kind != "" && !kinds[req.Kind] {
		return nil, Invalid("kind", "one of "+orNone(sortedKeys(kinds)), req.Kind, Nearest(req.Kind, sortedKeys(kinds)))
	}
	if req.Name != "" {
		c, err := findConstruct(constructs, req)
		if err != nil {
			return nil, err
		}
		return &SchemaResult{Envelope: ses.finish(), Construct: ses.m.construct(c), Total: 1}, nil
	}
	res := &SchemaResult{Index: []ConstructEntry{}}
	for i := range constructs {
		if c := &constructs[i]; req.Kind == "" || c.Kind == req.Kind {
			res.Index = append(res.Index, entryOf(c))
		}
	}
	sort.SliceStable(res.Index, func(i, j int) bool { return res.Index[i].Name < res.Index[j].Name })
	if err := ses.schemaPage(res, req); err != nil {
		return nil, err
	}
	res.Envelope = ses.finish()
	return res, nil
}

func findConstruct(constructs []lower.Construct, req SchemaRequest) (*lower.Construct, error) {
	var found []*lower.Construct
	var candidates []string
	for i := range constructs {
		c := &constructs[i]
		if req.Kind != "" && c.Kind != req.Kind {
			continue
		}
		if c.Name == req.Name {
			return c, nil
		}
		if shortName(c.Name) == req.Name {
			found = append(found, c)
		}
		candidates = append(candidates, c.Name, shortName(c.Name))
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return nil, Invalid("name", "the name of a construct", req.Name, Nearest(req.Name, candidates))
	}
	return nil, Invalid("name", fmt.Sprintf("a qualified name: %s or %s", found[0].Name, found[1].Name), req.Name, found[0].Name)
}

// schemaPage cuts the index; the cursor is the last name of a page.
func (ses *session) schemaPage(res *SchemaResult, req SchemaRequest) error {
	res.Total = len(res.Index)
	from, limit, key := 0, len(res.Index), "schema "+req.Kind
	budget := int(ses.s.cfg.Settings.Int("limits.unpagedChars"))
	if req.Page != nil {
		limit, budget = int(ses.call.Limits.Rows), int(ses.call.Limits.ResultBytes)
		if n := req.Page.Limit; n > 0 && n < limit {
			limit = n
		}
		if req.Page.Cursor != "" {
			after, out, err := ses.resume(req.Page.Cursor, key)
			if err != nil {
				return err
			}
			if out.Refused() {
				ses.env.Outcome, res.Index = out, []ConstructEntry{}
				return nil
			}
			if len(after) == 1 {
				from = sort.Search(len(res.Index), func(i int) bool { return res.Index[i].Name > after[0].Str })
			}
		}
	}
	size, end := 0, from
	for ; end < len(res.Index) && end-from < limit; end++ {
		b, err := EncodeJSON(res.Index[end])
		if err != nil {
			return err
		}
		if size += len(b) + 1; size > budget && end > from {
			break
		}
	}
	more := end < len(res.Index)
	if more && req.Page == nil {
		no := false
		res.Index = []ConstructEntry{}
		ses.env.Outcome = Outcome{Code: CodeResultTooLarge, Truncated: &no,
			Message:  fmt.Sprintf("the index has %d constructs, more than fit in %d characters; ask for one kind, or a page at a time", res.Total, budget),
			NextStep: &NextStep{Tool: "argon_schema_lookup", Arguments: map[string]any{"page": map[string]any{"limit": ses.call.Limits.Rows}}}}
		return nil
	}
	res.Index = res.Index[from:end]
	if !more {
		return nil
	}
	var err error
	res.NextCursor, err = ses.sealRow(key, []abi.Value{abi.StringValue(res.Index[len(res.Index)-1].Name)})
	return err
}

func entryOf(c *lower.Construct) ConstructEntry {
	return ConstructEntry{Name: c.Name, Kind: c.Kind, Signature: c.Signature}
}

func (m *module) construct(c *lower.Construct) *Construct {
	out := &Construct{ConstructEntry: entryOf(c), Doc: c.Doc, Public: c.Public, Result: c.Result, Supers: c.Supers, Variants: c.Variants, World: c.World}
	for _, p := range c.Params {
		out.Params = append(out.Params, Column{Name: p.Name, Type: p.Type})
	}
	for _, f := range c.Fields {
		out.Fields = append(out.Fields, FieldEntry{Name: f.Name, Type: f.Type, Mut: f.Mut, Required: f.Required, From: f.From})
	}
	if text, ok := m.sources[c.Place.Path]; ok {
		r := rangeIn(c.Place.Path, text, c.Place.Start, c.Place.End)
		out.Defined = &r
	}
	return out
}
