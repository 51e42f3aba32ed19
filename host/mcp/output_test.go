package mcp

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ox-mcp/ox-mcp/host/runtime"
)

func resolved(t *testing.T, tool string) *jsonschema.Resolved {
	t.Helper()
	text, err := outputSchema(tool)
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	return r
}

// minimal are arguments that each tool takes.
var minimal = map[string]map[string]any{
	"argon_query": {"name": "x"}, "argon_ad_hoc_query": {"body": "x"}, "argon_derive": {"name": "x"},
	"argon_explain_fact": {"fact": "x(a)"}, "argon_expand_proof": {"nodeId": "x"},
	"argon_mutate": {"name": "x"}, "argon_ad_hoc_mutate": {"body": "x"}, "argon_compute": {"name": "x"},
}

// TestAnswersFitTheirSchemas calls each tool with a result that has every field
// set. The schemas are closed, so one that lacks a field shows here.
func TestAnswersFitTheirSchemas(t *testing.T) {
	s := connect(t, &fakeService{}, Options{}, "2026-07-28", nil)
	for _, tool := range tools() {
		t.Run(tool.name, func(t *testing.T) {
			r, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: tool.name, Arguments: minimal[tool.name]})
			if err != nil {
				t.Fatal(err)
			}
			answer := r.StructuredContent.(map[string]any)
			// The filled result claims truncated: true, which no operation answers.
			answer["truncated"] = false
			schema := resolved(t, tool.name)
			if err := schema.Validate(answer); err != nil {
				t.Error(err)
			}
			answer["unheardOf"] = 1
			if schema.Validate(answer) == nil {
				t.Error("the schema takes a key that it does not name")
			}
			delete(answer, "unheardOf")
			answer["truncated"] = true
			if schema.Validate(answer) == nil {
				t.Error("the schema takes a truncated answer")
			}
		})
	}
}

func TestSparseAnswersFitTheirSchemas(t *testing.T) {
	refused := runtime.Outcome{Code: runtime.CodeNoArtifact, Message: "nothing is built", NeedsBuild: true, NextStep: &runtime.NextStep{Tool: "argon_build", Arguments: map[string]any{}}}
	tests := []struct {
		tool   string
		result any
	}{
		{"argon_check", &runtime.CheckResult{Findings: []runtime.Diagnostic{}}},
		{"argon_query", &runtime.RowsResult{Envelope: runtime.Envelope{Outcome: refused}, Columns: []runtime.Column{}, Rows: []runtime.Row{}}},
		{"argon_explain_fact", &runtime.ExplainResult{Fact: "r(a)", Folded: []runtime.FoldedNode{}, WhyNot: &runtime.WhyNotNode{Fact: "r(a)", Reason: "no rule has this head", Rules: []runtime.Attempt{}}}},
		{"argon_explain_fact", &runtime.ExplainResult{Fact: "n(2)", Folded: []runtime.FoldedNode{}, WhyNot: &runtime.WhyNotNode{Fact: "n(2)", Truth4: "Can", Rules: []runtime.Attempt{}, Within: &runtime.Within{Column: "n"}, Unknown: []string{"r(a)"}}}},
		{"argon_why", &runtime.WhyResult{Firings: []runtime.Firing{}}},
		{"argon_checks_current", &runtime.ChecksResult{Violations: []runtime.Violation{}, Clean: true}},
		{"argon_mutate", &runtime.MutateResult{Minted: []runtime.Minted{}, Observed: []runtime.Diagnostic{}}},
		{"argon_compute", &runtime.ComputeResult{Name: "f", Value: &runtime.Cell{}, Emissions: []runtime.Diagnostic{}}},
		{"argon_schema_lookup", &runtime.SchemaResult{}},
		{"argon_epistemics", &runtime.EpistemicsResult{Tiers: runtime.TierSummary{Rules: map[string]int{}}, Worlds: []runtime.WorldEntry{}, Standpoints: []runtime.StandpointEntry{}, Components: []runtime.ComponentEntry{}}},
	}
	for _, tt := range tests {
		t.Run(tt.tool, func(t *testing.T) {
			f := &fakeService{on: func(context.Context, any) (any, error) { return tt.result, nil }}
			s := connect(t, f, Options{}, "2026-07-28", nil)
			r, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: tt.tool, Arguments: minimal[tt.tool]})
			if err != nil {
				t.Fatal(err)
			}
			if err := resolved(t, tt.tool).Validate(r.StructuredContent); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestAnOutputSchemaHoldsWhatItRefersTo(t *testing.T) {
	for _, tool := range tools() {
		text, err := outputSchema(tool.name)
		if err != nil {
			t.Fatal(err)
		}
		var s struct {
			Defs map[string]json.RawMessage `json:"$defs"`
		}
		if err := json.Unmarshal(text, &s); err != nil {
			t.Fatal(err)
		}
		for name := range s.Defs {
			if !strings.Contains(string(text), `"#/$defs/`+name+`"`) {
				t.Errorf("%s has the definition %s, which it does not use", tool.name, name)
			}
		}
	}
}
