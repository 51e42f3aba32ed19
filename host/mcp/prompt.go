package mcp

import (
	"context"
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

//go:embed prompts/*.md
var promptFiles embed.FS

// prompt is a playbook with places for arguments.
type prompt struct {
	name        string
	title       string
	description string
	arguments   []promptArgument
	text        string
}

type promptArgument struct {
	name        string
	description string
	required    bool
	lead        string   // put before the value of an optional argument
	kinds       []string // kinds of constructs that complete it; nil: it has no completion
}

func readPrompts() ([]prompt, error) {
	list := []prompt{
		{
			name: "argon_investigate_fact", title: "Investigate a fact",
			description: "Does this fact hold, and why or why not?",
			arguments: []promptArgument{
				{name: "fact", description: "The fact, such as reach(a, c)", required: true, kinds: heads},
			},
		},
		{
			name: "argon_diagnose_absence", title: "Diagnose an absence",
			description: "A query is empty, or a fact is missing: find the reason and the smallest repair.",
			arguments: []promptArgument{
				{name: "name", description: "Query, rule head, concept or relation", required: true, kinds: slices.Concat(heads, []string{"query"})},
				{name: "expected", description: "What you expected to see, such as reach(a, c)", lead: ", namely "},
			},
		},
		{
			name: "argon_audit_mutation", title: "Audit a mutation",
			description: "What would this write change, and does it cross a check?",
			arguments: []promptArgument{
				{name: "name", description: "Mutation", required: true, kinds: []string{"mutate"}},
				{name: "args", description: "Its arguments, as JSON", lead: " with the arguments "},
			},
		},
		{
			name: "argon_authoring_loop", title: "Authoring loop",
			description: "Edit, check, build and confirm, in small steps.",
			arguments: []promptArgument{
				{name: "goal", description: "What to achieve", lead: ". The goal: "},
			},
		},
	}
	for i := range list {
		text, err := promptFiles.ReadFile("prompts/" + list[i].name + ".md")
		if err != nil {
			return nil, err
		}
		list[i].text = string(text)
	}
	return list, nil
}

// heads are the kinds of constructs that have an extent.
var heads = []string{"derive", "relation", "concept", "check"}

// maxPromptArgument bounds an argument of a prompt, in bytes.
const maxPromptArgument = 4096

// render puts the arguments into the text.
func (p prompt) render(args map[string]string) (string, error) {
	var pairs, known []string
	for _, a := range p.arguments {
		known = append(known, a.name)
		value := strings.TrimSpace(args[a.name])
		switch {
		case value == "" && a.required:
			return "", fmt.Errorf("prompt %s needs the argument %s: %s", p.name, a.name, a.description)
		case len(value) > maxPromptArgument:
			return "", fmt.Errorf("prompt %s takes an argument %s of at most %d bytes", p.name, a.name, maxPromptArgument)
		case value != "" && a.lead != "":
			value = a.lead + "`" + value + "`"
		}
		pairs = append(pairs, "{{"+a.name+"}}", value)
	}
	for name := range args {
		if !slices.Contains(known, name) {
			return "", fmt.Errorf("prompt %s has no argument %s; it has %s", p.name, name, strings.Join(known, ", "))
		}
	}
	return strings.NewReplacer(pairs...).Replace(p.text), nil
}

func addPrompt(server *sdk.Server, p prompt) {
	listed := &sdk.Prompt{Name: p.name, Title: p.title, Description: p.description}
	for _, a := range p.arguments {
		listed.Arguments = append(listed.Arguments, &sdk.PromptArgument{Name: a.name, Description: a.description, Required: a.required})
	}
	server.AddPrompt(listed, func(_ context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		text, err := p.render(req.Params.Arguments)
		if err != nil {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
		}
		return &sdk.GetPromptResult{
			Description: p.description,
			Messages:    []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: text}}},
		}, nil
	})
}
