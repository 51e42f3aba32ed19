package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ox-mcp/ox-mcp/host/runtime"
)

// tool is one tool: how it is listed, and the operation behind it.
type tool struct {
	name        string
	title       string
	set         string // of tools
	description string
	hints       hints
	input       json.RawMessage
	call        operation
}

// hints speak of the knowledge base and its sources. No tool reaches anything
// outside of them.
type hints struct{ readOnly, destructive, idempotent bool }

var reads = hints{readOnly: true, idempotent: true}

// operation runs a tool on arguments that fit its input schema.
type operation func(ctx context.Context, svc Service, args json.RawMessage) (any, error)

// tools returns every tool, in the order of the loop that they serve.
func tools() []tool {
	return []tool{
		toolCheck(), toolBuild(), toolStatus(), toolTest(),
		toolQuery(), toolAdHocQuery(), toolDerive(), toolExplainFact(), toolExpandProof(), toolWhy(), toolChecksCurrent(),
		toolMutate(), toolAdHocMutate(), toolCompute(),
		toolSchemaLookup(), toolEpistemics(),
	}
}

// with makes the operation of a tool whose arguments are the request.
func with[Request, Result any](method func(Service, context.Context, Request) (*Result, error)) operation {
	return func(ctx context.Context, svc Service, args json.RawMessage) (any, error) {
		var r Request
		if err := decode(args, &r); err != nil {
			return nil, err
		}
		return answer(method(svc, ctx, r))
	}
}

func decode(args json.RawMessage, into any) error {
	if len(args) == 0 {
		return nil
	}
	if err := json.Unmarshal(args, into); err != nil {
		return fmt.Errorf("arguments that fit the tool's schema do not fit its request: %w", err)
	}
	return nil
}

// answer keeps a nil result from becoming a value that is not nil.
func answer[Result any](r *Result, err error) (any, error) {
	switch {
	case err != nil:
		return nil, err
	case r == nil:
		return nil, errors.New("the operation returned no result")
	}
	return r, nil
}

func addTool(server *sdk.Server, svc Service, t tool, withOutput bool) error {
	in, err := parseSchema(t.input)
	if err != nil {
		return fmt.Errorf("input schema of %s: %w", t.name, err)
	}
	destructive, openWorld := t.hints.destructive, false
	listed := &sdk.Tool{
		Name:        t.name,
		Title:       t.title,
		Description: t.description,
		InputSchema: t.input,
		Annotations: &sdk.ToolAnnotations{
			ReadOnlyHint:    t.hints.readOnly,
			DestructiveHint: &destructive,
			IdempotentHint:  t.hints.idempotent,
			OpenWorldHint:   &openWorld,
		},
	}
	if withOutput {
		out, err := outputSchema(t.name)
		if err != nil {
			return err
		}
		listed.OutputSchema = out
	}
	server.AddTool(listed, func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return callTool(ctx, svc, t, in, req)
	})
	return nil
}

func callTool(ctx context.Context, svc Service, t tool, in *schema, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	args := req.Params.Arguments
	if string(args) == "null" {
		args = nil
	}
	var result any
	err := checkArguments(args, in)
	if err == nil {
		ctx = withCaller(ctx, req.Params.GetMeta())
		var finish func()
		ctx, finish = withProgress(ctx, req)
		result, err = t.call(ctx, svc, args)
		finish()
	}
	var invalid *runtime.InvalidArguments
	if errors.As(err, &invalid) {
		return toolResult(invalid, true)
	}
	if err != nil {
		return nil, err
	}
	return toolResult(result, false)
}

// toolResult gives the same JSON twice: some clients show their model only the
// structured content, some only the text.
func toolResult(v any, isError bool) (*sdk.CallToolResult, error) {
	data, err := runtime.EncodeJSON(v)
	if err != nil {
		return nil, fmt.Errorf("encoding the result: %w", err)
	}
	return &sdk.CallToolResult{
		Content:           []sdk.Content{&sdk.TextContent{Text: string(data)}},
		StructuredContent: json.RawMessage(data),
		IsError:           isError,
	}, nil
}
