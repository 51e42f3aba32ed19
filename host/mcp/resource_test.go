package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ox-mcp/ox-mcp/host/runtime"
)

// schemaService serves an index of the constructs in pages of two.
func schemaService(constructs ...runtime.ConstructEntry) *fakeService {
	return &fakeService{on: func(_ context.Context, r any) (any, error) {
		q, ok := r.(runtime.SchemaRequest)
		if !ok {
			return nil, nil
		}
		from := 0
		if q.Page.Cursor != "" {
			if _, err := fmt.Sscan(q.Page.Cursor, &from); err != nil {
				return nil, err
			}
		}
		to := min(from+2, len(constructs))
		res := &runtime.SchemaResult{Index: constructs[from:to], Total: len(constructs)}
		res.ModuleHash = "sha256:abc"
		if to < len(constructs) {
			res.NextCursor = fmt.Sprint(to)
		}
		return res, nil
	}}
}

func resourceText(t *testing.T, s *sdk.ClientSession, uri string, into any) *sdk.ReadResourceResult {
	t.Helper()
	r, err := s.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri})
	if err != nil {
		t.Fatalf("%s: %v", uri, err)
	}
	if len(r.Contents) != 1 || r.Contents[0].URI != uri || r.Contents[0].MIMEType != "application/json" {
		t.Fatalf("%s: %+v", uri, r.Contents)
	}
	if err := json.Unmarshal([]byte(r.Contents[0].Text), into); err != nil {
		t.Fatalf("%s: %v", uri, err)
	}
	return r
}

func TestResources(t *testing.T) {
	constructs := []runtime.ConstructEntry{{Name: "root::a", Kind: "query"}, {Name: "root::b", Kind: "fn"}, {Name: "root::c", Kind: "derive"}, {Name: "root::d", Kind: "check"}, {Name: "root::e", Kind: "mutate"}}
	inEachEra(t, schemaService(constructs...), func(t *testing.T, s *sdk.ClientSession) {
		list, err := s.ListResources(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var uris []string
		for _, r := range list.Resources {
			uris = append(uris, r.URI)
		}
		if want := []string{catalogURI, moduleURI, indexURI, standpointsURI, tiersURI}; !slices.Equal(uris, want) {
			t.Errorf("listed are %v, want %v", uris, want)
		}
		templates, err := s.ListResourceTemplates(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var forms []string
		for _, r := range templates.ResourceTemplates {
			forms = append(forms, r.URITemplate)
		}
		if want := []string{diagnosticTemplate, toolSchemaTemplate}; !slices.Equal(forms, want) {
			t.Errorf("templates are %v, want %v", forms, want)
		}

		var c struct{ Entries []runtime.CatalogEntry }
		resourceText(t, s, catalogURI, &c)
		if want := (&fakeService{}).Catalog(); !reflect.DeepEqual(c.Entries, want) {
			t.Errorf("catalog is %+v", c.Entries)
		}
		var e runtime.CatalogEntry
		resourceText(t, s, "argon://diagnostics/oe0605", &e)
		if e.Code != "OE0605" {
			t.Errorf("entry is %+v", e)
		}
		var index runtime.SchemaResult
		kept := resourceText(t, s, indexURI, &index)
		if !reflect.DeepEqual(index.Index, constructs) || index.NextCursor != "" || index.ModuleHash != "sha256:abc" || index.Total != len(constructs) {
			t.Errorf("index is %+v", index)
		}
		if kept.CacheScope != "private" || kept.TTLMs != 0 {
			t.Errorf("the index may be kept: %+v", kept.Cacheable)
		}
		var rungs tiers
		resourceText(t, s, tiersURI, &rungs)
		if len(rungs.Ladder) != 7 || rungs.Ladder[3] != "recursive" || rungs.TemporalLadder[2] != "acyclic-stratified" {
			t.Errorf("the tiers are %+v", rungs)
		}
		var m map[string]any
		resourceText(t, s, moduleURI, &m)
		if m["artifactLoaded"] != true || m["loadedModuleHash"] == nil || m["limits"] != nil {
			t.Errorf("module is %v", m)
		}
		var out map[string]any
		kept = resourceText(t, s, "argon://schema/tool/argon_query", &out)
		if out["type"] != "object" || kept.CacheScope != "public" || kept.TTLMs == 0 {
			t.Errorf("the schema is %v with %+v", out, kept.Cacheable)
		}
	})
}

func TestAResourceThatIsNotThere(t *testing.T) {
	s := connect(t, &fakeService{}, Options{}, "2025-11-25", nil)
	for uri, hint := range map[string]string{
		"argon://diagnostics/OE0606":     "OE0605",
		"argon://schema/tool/argon_qery": "argon_query",
		"argon://nothing":                "",
	} {
		_, err := s.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri})
		var e *jsonrpc.Error
		if !errors.As(err, &e) || e.Code != jsonrpc.CodeInvalidParams || !strings.Contains(e.Message, hint) {
			t.Errorf("%s: got %v, want code -32602 and %q", uri, err, hint)
		}
	}
}

func TestAnIndexThatIsRefusedTellsWhy(t *testing.T) {
	refused := &runtime.SchemaResult{}
	refused.Code, refused.NeedsBuild = runtime.CodeNoArtifact, true
	s := connect(t, &fakeService{on: func(context.Context, any) (any, error) { return refused, nil }}, Options{}, "2025-11-25", nil)
	var got map[string]any
	resourceText(t, s, indexURI, &got)
	if got["code"] != runtime.CodeNoArtifact || got["needs_build"] != true {
		t.Errorf("got %v", got)
	}
}

func TestTheIndexIsBounded(t *testing.T) {
	pages := 0
	f := &fakeService{on: func(_ context.Context, r any) (any, error) {
		pages++
		return &runtime.SchemaResult{Index: make([]runtime.ConstructEntry, 200), NextCursor: fmt.Sprint(pages)}, nil
	}}
	r, err := schemaIndex(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Index) != maxIndex || r.NextCursor == "" {
		t.Errorf("%d entries, cursor %q: want %d entries and a cursor", len(r.Index), r.NextCursor, maxIndex)
	}
}
