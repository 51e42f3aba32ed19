package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// operation is one operation as a tool and as a verb.
type operation struct {
	tool string
	args map[string]any
	verb []string
}

type object = map[string]any

// operations are compared in this order, each against a fresh run of the
// command line: those of a server that write come last.
var operations = []operation{
	{"argon_check", object{}, []string{"check"}},
	{"argon_build", object{}, []string{"build"}},
	{"argon_test", object{}, []string{"test"}},
	{"argon_query", object{"name": "walks"}, []string{"query", "walks"}},
	{"argon_query", object{"name": "root::places_for", "args": object{"ship": "borealis"}}, []string{"query", "root::places_for", "--arg", "ship=borealis"}},
	{"argon_query", object{"name": "ships", "asOf": object{"tt": 0}}, []string{"query", "ships", "--as-of", "0"}},
	{"argon_query", object{"name": "ships", "asOf": object{"vt": "2020-01-01"}}, []string{"query", "ships", "--as-of", "2020-01-01"}},
	{"argon_ad_hoc_query", object{"body": "select s from s: Ship, s.length > 50"}, []string{"query", "--eval", "select s from s: Ship, s.length > 50"}},
	{"argon_ad_hoc_query", object{"body": "select s from s: Shp"}, []string{"query", "--eval", "select s from s: Shp"}},
	{"argon_derive", object{"name": "walk", "explain": true}, []string{"derive", "walk", "--explain"}},
	{"argon_explain_fact", object{"fact": "walk(north, quay)"}, []string{"explain-fact", "walk(north, quay)"}},
	{"argon_explain_fact", object{"fact": "walk(quay, north)"}, []string{"explain-fact", "walk(quay, north)"}},
	{"argon_checks_current", object{}, []string{"checks"}},
	{"argon_why", object{}, []string{"why"}},
	{"argon_why", object{"of": "source"}, []string{"why", "--of", "source"}},
	{"argon_compute", object{"name": "toll_of", "args": object{"length": 10, "cargo": "Oil"}}, []string{"compute", "toll_of", "--arg", "length=10", "--arg", "cargo=Oil"}},
	{"argon_schema_lookup", object{}, []string{"schema"}},
	{"argon_schema_lookup", object{"name": "Ship"}, []string{"schema", "Ship"}},
	{"argon_epistemics", object{}, []string{"epistemics"}},
	{"argon_epistemics", object{"construct": "walk"}, []string{"epistemics", "walk"}},
	{"argon_mutate", object{"name": "moor", "args": object{"ship": "aurora", "berth": "quay"}}, []string{"mutate", "moor", "--arg", "ship=aurora", "--arg", "berth=quay"}},
	{"argon_mutate", object{"name": "moor", "args": object{"ship": "borealis", "berth": "quay"}, "dryRun": true, "includeDerivedDelta": true},
		[]string{"mutate", "moor", "--arg", "ship=borealis", "--arg", "berth=quay", "--dry-run", "--delta"}},
	{"argon_ad_hoc_mutate", object{"body": `insert Ship { name: "Deneb", length: 4 };`, "dryRun": true}, []string{"mutate", "--eval", `insert Ship { name: "Deneb", length: 4 };`, "--dry-run"}},
	{"argon_mutate", object{"name": "arrive", "args": object{"name": "Cygnus", "length": 70}}, []string{"mutate", "arrive", "--arg", "name=Cygnus", "--arg", "length=70"}},
}

// TestToolsAndVerbsGiveTheSameBytes runs each operation through an MCP client
// and on the command line. Under --frozen the payloads are equal to the byte;
// elsewhere usage may differ between a warm and a cold state, and nothing else.
func TestToolsAndVerbsGiveTheSameBytes(t *testing.T) {
	cache := warmCache(t)
	for _, mode := range []struct {
		name  string
		flags []string
		usage bool
	}{
		{"frozen", []string{"--frozen"}, true},
		{"warm", nil, false},
	} {
		t.Run(mode.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS("testdata/harbour")); err != nil {
				t.Fatal(err)
			}
			flags := append([]string{"--now", "2031-07-04T10:00:00Z", "--seed", "parity"}, mode.flags...)
			session := connect(t, cache, append([]string{"stdio", dir}, flags...))
			for _, op := range operations {
				res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: op.tool, Arguments: op.args})
				if err != nil {
					t.Errorf("%s: %v", op.tool, err)
					continue
				}
				tool := structured(t, res)
				args := append([]string{op.verb[0], dir}, op.verb[1:]...)
				verb := onCommandLine(t, cache, append(append(args, flags...), "--json"))
				if !mode.usage {
					tool, verb = withoutUsage(tool), withoutUsage(verb)
				}
				if tool != verb {
					t.Errorf("%s %v and %v differ:\ntool %s\nverb %s", op.tool, op.args, op.verb, tool, verb)
				}
			}
		})
	}
}

// connect starts the server in a process of its own, and a client on its pipes.
func connect(t *testing.T, cache string, args []string) *mcp.ClientSession {
	t.Helper()
	cmd := exec.Command("ox-mcp", args...)
	cmd.Env = append(os.Environ(), "OX_MCP_PATHS_CACHE="+cache)
	var log bytes.Buffer
	cmd.Stderr = &log
	client := mcp.NewClient(&mcp.Implementation{Name: "parity", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatalf("connect: %v\n%s", err, log.String())
	}
	t.Cleanup(func() {
		if err := session.Close(); err != nil {
			t.Errorf("the server ends with %v\n%s", err, log.String())
		}
	})
	return session
}

// structured is the structuredContent of a result as it was on the wire, but
// for the order of keys, which the client loses.
func structured(t *testing.T, res *mcp.CallToolResult) string {
	t.Helper()
	b, err := json.Marshal(res.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	return sorted(t, b)
}

func onCommandLine(t *testing.T, cache string, args []string) string {
	t.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), "ox-mcp", args...)
	cmd.Env = append(os.Environ(), "OX_MCP_PATHS_CACHE="+cache)
	out, err := cmd.Output()
	if err != nil && cmd.ProcessState.ExitCode() != 1 {
		t.Fatalf("ox-mcp %v: %v\n%s", args, err, out)
	}
	return sorted(t, out)
}

// sorted is a JSON text with the keys of its objects in order, and its numbers
// as they were written.
func sorted(t *testing.T, text []byte) string {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("not JSON: %v\n%s", err, text)
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var usage = regexp.MustCompile(`"usage":\{[^}]*\}`)

func withoutUsage(text string) string { return usage.ReplaceAllString(text, `"usage":{}`) }

// TestTheWireHasTheBytesOfTheCommandLine reads the raw line of one answer, in
// which the payload stands as the command line prints it.
func TestTheWireHasTheBytesOfTheCommandLine(t *testing.T) {
	cache := warmCache(t)
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/harbour")); err != nil {
		t.Fatal(err)
	}
	flags := []string{"--frozen", "--now", "2031-07-04T10:00:00Z", "--seed", "parity"}
	run := func(in string, args ...string) string {
		cmd := exec.CommandContext(t.Context(), "ox-mcp", append(args, flags...)...)
		cmd.Env = append(os.Environ(), "OX_MCP_PATHS_CACHE="+cache)
		cmd.Stdin = strings.NewReader(in)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("ox-mcp %v: %v", args, err)
		}
		return string(out)
	}
	verb := strings.TrimSuffix(run("", "query", filepath.Clean(dir), "walks", "--json"), "\n")
	wire := run(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"argon_query","arguments":{"name":"walks"}}}
`, "stdio", dir)
	if !strings.Contains(wire, `"structuredContent":`+verb) {
		t.Errorf("the wire does not hold the command line's bytes:\nverb %s\nwire %s", verb, wire)
	}
}
