package main

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/ox-mcp/ox-mcp/plugins"
	"github.com/rogpeppe/go-internal/testscript"
)

// update rewrites the expected output that scripts compare with `cmp`:
// go test ./cmd/ox-mcp -run TestScripts -update
var update = flag.Bool("update", false, "rewrite the expected output in testdata/script")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"ox-mcp": main})
}

// TestScripts runs each testdata/script/*.txtar, one behaviour a file, on a
// copy of testdata/harbour or on the files that the script brings along.
func TestScripts(t *testing.T) { runScripts(t, "testdata/script") }

// TestSpecScripts runs the scripts among the files of the language's sections:
// what these say of the command line and of what it makes.
func TestSpecScripts(t *testing.T) { runScripts(t, "../../host/argon/testdata/spec") }

func runScripts(t *testing.T, dir string) {
	t.Helper()
	cache := warmCache(t)
	guests, err := filepath.Abs("../../plugins/built")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: dir, RequireExplicitExec: true, RequireUniqueNames: true, UpdateScripts: *update,
		Setup: func(e *testscript.Env) error {
			e.Setenv("OX_MCP_PATHS_CACHE", cache)
			e.Setenv("OX_MCP_LIMITS_COMPILE_DEADLINE", "10m") // the machine may be busy
			e.Setenv("HOME", e.WorkDir)
			e.Setenv("GUESTS", guests)
			return os.CopyFS(filepath.Join(e.WorkDir, "harbour"), os.DirFS("testdata/harbour"))
		},
	})
}

// warmCache returns a folder of compiled plugins that all tests share, so that
// only the first of them compiles.
func warmCache(t *testing.T) string {
	t.Helper()
	if _, err := plugins.Reasoner(); err != nil {
		t.Skip(err)
	}
	cache := t.TempDir()
	if base, err := os.UserCacheDir(); err == nil {
		cache = filepath.Join(base, "ox-mcp")
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/harbour")); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"check", dir, "--quiet"}, {"mutate", dir, "moor", "--arg", "ship=borealis", "--arg", "berth=south", "--dry-run", "--json"}} {
		if out, code := inProcess(t, context.Background(), cache, args); code != 0 {
			t.Fatalf("ox-mcp %v ends with %d\n%s", args, code, out)
		}
	}
	return cache
}
