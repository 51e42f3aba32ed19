package main

import (
	"bytes"
	"context"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/cli"
)

// inProcess runs the command line inside the test, with nothing of the
// machine's environment, and returns what it printed.
func inProcess(t *testing.T, ctx context.Context, cache string, args []string) (string, int) {
	t.Helper()
	dir := t.TempDir()
	env := map[string]string{"HOME": dir, "OX_MCP_PATHS_CACHE": cache}
	w := &wiring{dir: dir, getenv: func(k string) string { return env[k] }, environ: func() []string { return nil }}
	defer w.close(context.WithoutCancel(ctx))
	var out bytes.Buffer
	code := cli.Run(ctx, cli.Env{
		In: bytes.NewReader(nil), Out: &out, Err: &out, InTerminal: true, Dir: dir, Version: version,
		Open: w.open, Serve: w.serve, ServeHTTP: w.serveHTTP,
	}, args)
	return out.String(), code
}
