package mcp

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ox-mcp/ox-mcp/host/runtime"
)

func TestPrompts(t *testing.T) {
	inEachEra(t, &fakeService{}, func(t *testing.T, s *sdk.ClientSession) {
		list, err := s.ListPrompts(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, p := range list.Prompts {
			names = append(names, p.Name)
			args := map[string]string{}
			for _, a := range p.Arguments {
				args[a.Name] = "VALUE-OF-" + a.Name + "-{{fact}}"
			}
			r, err := s.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: p.Name, Arguments: args})
			if err != nil {
				t.Fatal(err)
			}
			text := r.Messages[0].Content.(*sdk.TextContent).Text
			for _, v := range args {
				if !strings.Contains(text, v) {
					t.Errorf("%s does not hold %q", p.Name, v)
				}
			}
			if p.Title == "" || p.Description == "" || r.Messages[0].Role != "user" {
				t.Errorf("%+v", p)
			}
		}
		want := []string{"argon_audit_mutation", "argon_authoring_loop", "argon_diagnose_absence", "argon_investigate_fact"}
		if !slices.Equal(names, want) {
			t.Errorf("listed are %v, want %v", names, want)
		}
	})
}

// TestPromptsNameWhatIsThere wants every tool and argument that a prompt or the
// instructions speak of to exist.
func TestPromptsNameWhatIsThere(t *testing.T) {
	prompts, err := readPrompts()
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{"instructions": Instructions()}
	for _, p := range prompts {
		texts[p.name] = p.text
		for _, a := range p.arguments {
			if !strings.Contains(p.text, "{{"+a.name+"}}") {
				t.Errorf("%s has no place for %s", p.name, a.name)
			}
		}
	}
	var known []string
	for _, tool := range tools() {
		known = append(known, tool.name)
	}
	for name, text := range texts {
		for _, m := range regexp.MustCompile(`argon_[a-z_]+`).FindAllString(text, -1) {
			if !slices.Contains(known, m) {
				t.Errorf("%s speaks of %s", name, m)
			}
		}
		if strings.Contains(text, "projectK3") && !strings.Contains(text, "without `projectK3`") {
			t.Errorf("%s makes use of the projection", name)
		}
	}
	for _, tool := range tools() {
		for _, m := range regexp.MustCompile(`argon_[a-z_]+`).FindAllString(tool.description, -1) {
			if !slices.Contains(known, m) {
				t.Errorf("%s speaks of %s", tool.name, m)
			}
		}
	}
}

func TestOptionalArgumentsLeaveNoTrace(t *testing.T) {
	prompts, err := readPrompts()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range prompts {
		args := map[string]string{}
		for _, a := range p.arguments {
			if a.required {
				args[a.name] = "x"
			}
		}
		text, err := p.render(args)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(text, "{{") || strings.Contains(text, "``") {
			t.Errorf("%s: %s", p.name, text)
		}
	}
}

func TestArgumentsOfPromptsThatDoNotFit(t *testing.T) {
	s := connect(t, &fakeService{}, Options{}, "2025-11-25", nil)
	tests := []map[string]string{
		nil,
		{"fact": "  "},
		{"fact": "r(a)", "unknown": "x"},
		{"fact": strings.Repeat("x", maxPromptArgument+1)},
	}
	for _, args := range tests {
		_, err := s.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "argon_investigate_fact", Arguments: args})
		var e *jsonrpc.Error
		if !errors.As(err, &e) || e.Code != jsonrpc.CodeInvalidParams {
			t.Errorf("%.40v: got %v, want code -32602", args, err)
		}
	}
}

func TestCompletion(t *testing.T) {
	constructs := []runtime.ConstructEntry{
		{Name: "root::Person", Kind: "concept"}, {Name: "root::pays", Kind: "relation"}, {Name: "root::pay", Kind: "mutate"},
		{Name: "root::paid", Kind: "query"}, {Name: "law::owes", Kind: "derive"}, {Name: "root::fee", Kind: "fn"},
	}
	prompt := func(name string) *sdk.CompleteReference {
		return &sdk.CompleteReference{Type: "ref/prompt", Name: name}
	}
	resource := func(uri string) *sdk.CompleteReference {
		return &sdk.CompleteReference{Type: "ref/resource", URI: uri}
	}
	tests := []struct {
		ref             *sdk.CompleteReference
		argument, typed string
		want            []string
	}{
		{prompt("argon_investigate_fact"), "fact", "", []string{"law::owes", "root::Person", "root::pays"}},
		{prompt("argon_investigate_fact"), "fact", "p", []string{"root::Person", "root::pays"}},
		{prompt("argon_investigate_fact"), "fact", "root::pa", []string{"root::pays"}},
		{prompt("argon_diagnose_absence"), "name", "PA", []string{"root::paid", "root::pays"}},
		{prompt("argon_diagnose_absence"), "expected", "", []string{}},
		{prompt("argon_audit_mutation"), "name", "", []string{"root::pay"}},
		{prompt("argon_authoring_loop"), "goal", "", []string{}},
		{prompt("nothing"), "name", "", []string{}},
		{resource(diagnosticTemplate), "code", "oe06", []string{"OE0605"}},
		{resource(toolSchemaTemplate), "name", "argon_ad", []string{"argon_ad_hoc_mutate", "argon_ad_hoc_query"}},
	}
	inEachEra(t, schemaService(constructs...), func(t *testing.T, s *sdk.ClientSession) {
		for _, tt := range tests {
			r, err := s.Complete(t.Context(), &sdk.CompleteParams{Ref: tt.ref, Argument: sdk.CompleteParamsArgument{Name: tt.argument, Value: tt.typed}})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(r.Completion.Values, tt.want) || r.Completion.Total != len(tt.want) {
				t.Errorf("%+v %s %q: got %+v, want %v", tt.ref, tt.argument, tt.typed, r.Completion, tt.want)
			}
		}
	})
}

func TestCompletionIsBounded(t *testing.T) {
	var constructs []runtime.ConstructEntry
	for i := range 250 {
		constructs = append(constructs, runtime.ConstructEntry{Name: fmt.Sprintf("root::m%03d", i), Kind: "mutate"})
	}
	s := connect(t, schemaService(constructs...), Options{}, "2025-11-25", nil)
	r, err := s.Complete(t.Context(), &sdk.CompleteParams{
		Ref:      &sdk.CompleteReference{Type: "ref/prompt", Name: "argon_audit_mutation"},
		Argument: sdk.CompleteParamsArgument{Name: "name", Value: "m"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if c := r.Completion; len(c.Values) != 100 || c.Total != 250 || !c.HasMore {
		t.Errorf("got %d of %d, more: %v", len(c.Values), c.Total, c.HasMore)
	}
}
