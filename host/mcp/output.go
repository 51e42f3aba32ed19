package mcp

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/ox-mcp/ox-mcp/host/runtime"
)

// outputFiles hold the JSON Schema of each tool's structured content, and in
// defs.json the definitions that they share.
//
//go:embed output/*.json
var outputFiles embed.FS

// outputSchema returns the schema of what a tool answers with, with the
// definitions that it needs.
func outputSchema(tool string) (json.RawMessage, error) {
	var names []string
	for _, t := range tools() {
		names = append(names, t.name)
	}
	if !slices.Contains(names, tool) {
		message := fmt.Sprintf("there is no tool %q", tool)
		if n := runtime.Nearest(tool, names); n != "" {
			message += "; the nearest is " + n
		}
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: message}
	}
	text, err := outputFiles.ReadFile("output/" + tool + ".json")
	if err != nil {
		return nil, err
	}
	shared, err := outputFiles.ReadFile("output/defs.json")
	if err != nil {
		return nil, err
	}
	var defs struct {
		Defs map[string]json.RawMessage `json:"$defs"`
	}
	if err := json.Unmarshal(shared, &defs); err != nil {
		return nil, fmt.Errorf("output/defs.json: %w", err)
	}
	needed := map[string]json.RawMessage{}
	if err := collect(text, defs.Defs, needed); err != nil {
		return nil, fmt.Errorf("output/%s.json: %w", tool, err)
	}
	var buf bytes.Buffer
	if err := json.Compact(&buf, text); err != nil {
		return nil, fmt.Errorf("output/%s.json: %w", tool, err)
	}
	list, err := json.Marshal(needed)
	if err != nil {
		return nil, err
	}
	whole := bytes.TrimSuffix(buf.Bytes(), []byte("}"))
	return slices.Concat(whole, []byte(`,"$defs":`), list, []byte("}")), nil
}

// collect adds the definitions that text refers to, and those that these refer
// to, to needed.
func collect(text json.RawMessage, defs, needed map[string]json.RawMessage) error {
	const mark = `"#/$defs/`
	rest := string(text)
	for {
		_, after, found := strings.Cut(rest, mark)
		if !found {
			return nil
		}
		name, tail, _ := strings.Cut(after, `"`)
		rest = tail
		if _, ok := needed[name]; ok {
			continue
		}
		def, ok := defs[name]
		if !ok {
			return fmt.Errorf("there is no definition %q", name)
		}
		needed[name] = def
		if err := collect(def, defs, needed); err != nil {
			return err
		}
	}
}
