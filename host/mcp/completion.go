package mcp

import (
	"context"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ox-mcp/ox-mcp/host/runtime"
)

// completer completes the arguments of prompts and resource templates.
type completer struct {
	svc     Service
	prompts []prompt
}

// maxCompletions is the protocol's bound on one answer.
const maxCompletions = 100

func (c completer) complete(ctx context.Context, req *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
	var all []string
	if ref := req.Params.Ref; ref != nil {
		switch {
		case ref.Type == "ref/prompt":
			names, err := c.promptArgument(ctx, ref.Name, req.Params.Argument.Name)
			if err != nil {
				return nil, err
			}
			all = names
		case ref.URI == diagnosticTemplate:
			for _, e := range c.svc.Catalog() {
				all = append(all, e.Code)
			}
		case ref.URI == toolSchemaTemplate:
			for _, t := range tools() {
				all = append(all, t.name)
			}
		}
	}
	typed := strings.ToLower(req.Params.Argument.Value)
	matches := []string{}
	for _, name := range all {
		if starts(name, typed) {
			matches = append(matches, name)
		}
	}
	slices.Sort(matches)
	matches = slices.Compact(matches)
	total := len(matches)
	shown := matches[:min(total, maxCompletions)]
	return &sdk.CompleteResult{Completion: sdk.CompletionResultDetails{
		Values: shown, Total: total, HasMore: total > len(shown),
	}}, nil
}

// starts reports whether the name, whole or without its module, begins with
// what was typed in lower case.
func starts(name, typed string) bool {
	name = strings.ToLower(name)
	if strings.HasPrefix(name, typed) {
		return true
	}
	i := strings.LastIndex(name, "::")
	return i >= 0 && strings.HasPrefix(name[i+2:], typed)
}

// promptArgument returns the names that fit an argument of a prompt. A module
// that is not there completes nothing.
func (c completer) promptArgument(ctx context.Context, promptName, argument string) ([]string, error) {
	for _, p := range c.prompts {
		if p.name != promptName {
			continue
		}
		for _, a := range p.arguments {
			if a.name != argument || a.kinds == nil {
				continue
			}
			index, err := schemaIndex(ctx, c.svc)
			if err != nil {
				return nil, err
			}
			var names []string
			for _, e := range index.Index {
				if slices.Contains(a.kinds, e.Kind) {
					names = append(names, e.Name)
				}
			}
			return names, nil
		}
	}
	return nil, nil
}

// maxIndex bounds the constructs of the index that is read at once.
const maxIndex = 20_000

// schemaIndex reads the whole index, page by page. Where it is longer than
// maxIndex, NextCursor of the result tells how to go on.
func schemaIndex(ctx context.Context, svc Service) (*runtime.SchemaResult, error) {
	const pageSize = 200
	var whole *runtime.SchemaResult
	cursor := ""
	for {
		r, err := svc.Schema(ctx, runtime.SchemaRequest{Page: &runtime.Page{Limit: pageSize, Cursor: cursor}})
		if err != nil {
			return nil, err
		}
		if whole == nil {
			copied := *r
			whole = &copied
		} else {
			whole.Index = append(slices.Clip(whole.Index), r.Index...)
			whole.NextCursor = r.NextCursor
		}
		if r.Refused() || r.NextCursor == "" || r.NextCursor == cursor || len(whole.Index) >= maxIndex {
			return whole, nil
		}
		cursor = r.NextCursor
	}
}
