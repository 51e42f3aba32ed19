package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var root = filepath.Join("..", "..")

func read(t *testing.T, parts ...string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestReadmeHoldsTheTranscript(t *testing.T) {
	_, transcript, _, err := split(read(t, root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	if transcript != read(t, "transcript.txt") {
		t.Error("README.md and transcript.txt differ; run `go run ./examples/demo -update`")
	}
}

func TestTranscriptIsTheRealOutput(t *testing.T) {
	server := filepath.Join(root, "bin", "ox-mcp")
	if _, err := os.Stat(server); err != nil {
		t.Skip("there is no bin/ox-mcp; run `make build` first")
	}
	// On a machine that is busy with other tests, time must not be what ends
	// the program that never does.
	t.Setenv("OX_MCP_LIMITS_DEADLINE", "10m")
	t.Setenv("OX_MCP_EVALUATOR_DEADLINE", "10m")
	t.Setenv("OX_MCP_LIMITS_COMPILE_DEADLINE", "10m")
	var out bytes.Buffer
	if err := run(context.Background(), server, filepath.Join(root, "examples"), &out); err != nil {
		t.Fatalf("%v\nafter:\n%s", err, out.String())
	}
	want := strings.Split(read(t, "transcript.txt"), "\n")
	got := strings.Split(out.String(), "\n")
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Fatalf("line %d is\n%s\nand transcript.txt has\n%s\nIf the new output is right, run `go run ./examples/demo -update`", i+1, got[i], want[i])
		}
	}
	if len(got) != len(want) {
		t.Fatalf("the output has %d lines, transcript.txt %d; if it is right, run `go run ./examples/demo -update`", len(got), len(want))
	}
}

func TestRecordReplacesOnlyTheTranscript(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "examples", "demo"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "README.md"), []byte("before\n"+opening+"old\n"+closing+"after\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := record("new\n", dir); err != nil {
		t.Fatal(err)
	}
	if got, want := read(t, dir, "README.md"), "before\n"+opening+"new\n"+closing+"after\n"; got != want {
		t.Errorf("README.md is %q, expected %q", got, want)
	}
	if got := read(t, dir, "examples", "demo", "transcript.txt"); got != "new\n" {
		t.Errorf("transcript.txt is %q", got)
	}
	if _, _, _, err := split("no transcript here"); err == nil {
		t.Error("a README without a transcript was taken")
	}
}
