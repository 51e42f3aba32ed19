package argon

import (
	"context"

	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/load"
)

// snippetManifest is the package that a snippet is the only file of.
const snippetManifest = `[package]
name = "example"
prelude = ["std::core::type", "std::core::rel"]
`

// Snippet compiles one text as a package of its own, whose prelude has the
// introducers type and rel. Its file is root.ar.
func Snippet(ctx context.Context, src string, o Options) (*Result, error) {
	files := load.Memory(map[string]string{"ox.toml": snippetManifest, "root.ar": src})
	ws, err := load.Load(ctx, load.Options{Root: ".", Files: files})
	if err != nil {
		return nil, err
	}
	return Compile(ctx, ws, o), nil
}

// Check returns the diagnostics of a snippet.
func Check(src string) []diag.Diagnostic {
	r, err := Snippet(context.Background(), src, Options{TestMode: true})
	if err != nil {
		return []diag.Diagnostic{{Code: "OE1351", Message: err.Error()}}
	}
	return r.Diagnostics
}
