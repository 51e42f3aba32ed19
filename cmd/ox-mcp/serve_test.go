package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ox-mcp/ox-mcp/host/cli"
	"github.com/ox-mcp/ox-mcp/host/runtime"
)

// served is `ox-mcp serve` on a copy of the harbour, until the test ends.
type served struct {
	t      *testing.T
	url    string
	dir    string
	config string
}

// verb runs another command of the same machine.
func (x *served) verb(args ...string) (string, int) {
	return inProcess(x.t, x.t.Context(), x.dir, args)
}

func newServed(t *testing.T) *served {
	t.Helper()
	cache := warmCache(t)
	x := &served{t: t, dir: t.TempDir()}
	if err := os.CopyFS(filepath.Join(x.dir, "harbour"), os.DirFS("testdata/harbour")); err != nil {
		t.Fatal(err)
	}
	x.config = filepath.Join(x.dir, "config", "ox-mcp", "config.toml")
	if err := os.MkdirAll(filepath.Dir(x.config), 0o700); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"HOME": x.dir, "XDG_CONFIG_HOME": filepath.Join(x.dir, "config"), "OX_MCP_PATHS_CACHE": cache, "OX_MCP_LIMITS_COMPILE_DEADLINE": "10m"}
	w := &wiring{dir: x.dir, getenv: func(k string) string { return env[k] }, environ: func() []string { return nil }}
	ctx, stop := context.WithCancel(context.Background())
	out, printed := io.Pipe()
	var said log
	done := make(chan int, 1)
	go func() {
		done <- cli.Run(ctx, cli.Env{In: bytes.NewReader(nil), Out: printed, Err: &said, InTerminal: true, Dir: x.dir, Version: version, Open: w.open, Serve: w.serve, ServeHTTP: w.serveHTTP},
			[]string{"serve", "harbour", "--addr", "127.0.0.1:0", "--json"})
		printed.Close()
		w.close(context.Background())
	}()
	t.Cleanup(func() {
		stop()
		if code := <-done; code != 0 {
			t.Errorf("serve ends with %d: %s", code, said.String())
		}
	})
	var at struct{ URL, MCP string }
	if err := json.NewDecoder(out).Decode(&at); err != nil || at.MCP != at.URL+"/mcp" {
		t.Fatalf("serve prints %+v: %v\n%s", at, err, said.String())
	}
	x.url = at.URL
	return x
}

func (x *served) get(path string) (int, string) {
	x.t.Helper()
	res, err := http.Get(x.url + path)
	if err != nil {
		x.t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		x.t.Fatal(err)
	}
	return res.StatusCode, string(b)
}

// metric is the sum of the series of a name that have all the labels.
func (x *served) metric(name string, labels ...string) float64 {
	x.t.Helper()
	_, body := x.get("/metrics")
	sum := 0.0
series:
	for line := range strings.Lines(body) {
		series, value, _ := strings.Cut(strings.TrimSpace(line), "} ")
		if !strings.HasPrefix(series, name+"{") {
			continue
		}
		for i := 0; i+1 < len(labels); i += 2 {
			if !strings.Contains(series, fmt.Sprintf("%s=%q", labels[i], labels[i+1])) {
				continue series
			}
		}
		v, err := strconv.ParseFloat(value, 64)
		if err != nil {
			x.t.Fatalf("%s: %v", line, err)
		}
		sum += v
	}
	return sum
}

func (x *served) connect(version string) *mcp.ClientSession {
	x.t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(x.t.Context(), &mcp.StreamableClientTransport{Endpoint: x.url + "/mcp"}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		x.t.Fatalf("connecting with %s: %v", version, err)
	}
	return session
}

func (x *served) call(session *mcp.ClientSession, tool string, args object) []byte {
	x.t.Helper()
	res, err := session.CallTool(x.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil || res.IsError {
		x.t.Fatalf("%s: %v %+v", tool, err, res)
	}
	return []byte(res.Content[0].(*mcp.TextContent).Text)
}

// TestAnAgentOverHTTPAndItsFigures speaks the protocol over HTTP as an agent
// does, in each of its eras, and reads what that cost from /metrics.
func TestAnAgentOverHTTPAndItsFigures(t *testing.T) {
	x := newServed(t)
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		session := x.connect(version)
		if got := session.InitializeResult(); got.ProtocolVersion != version {
			t.Errorf("%s is spoken, not %s", got.ProtocolVersion, version)
		}
		x.call(session, "argon_query", object{"name": "walks"})
		before := x.metric("ox_mcp_build_calls_total", "role", "reasoner", "operation", "query")
		fuel := x.metric("ox_mcp_build_fuel_units_total", "operation", "query")
		x.call(session, "argon_query", object{"name": "walks"})
		x.call(session, "argon_query", object{"name": "walks"})
		if n := x.metric("ox_mcp_build_calls_total", "role", "reasoner", "operation", "query") - before; n != 2 {
			t.Errorf("%s: %v calls were counted, there were 2", version, n)
		}
		if n := x.metric("ox_mcp_build_fuel_units_total", "operation", "query") - fuel; n <= 0 {
			t.Errorf("%s: the calls spent %v units", version, n)
		}
		if n := x.metric("ox_mcp_build_call_duration_seconds_count", "operation", "query"); n != before+2 {
			t.Errorf("%s: the histogram has %v calls", version, n)
		}
		// The status is the same data, to the byte where nothing happens between.
		status := x.call(session, "argon_status", object{})
		code, body := x.get("/v1/status")
		if code != 200 || strings.TrimSpace(body) != strings.TrimSpace(string(status)) {
			t.Errorf("/v1/status is %d\n%s\nargon_status is\n%s", code, body, status)
		}
		session.Close()
	}
	if code, body := x.get("/readyz"); code != 200 {
		t.Errorf("/readyz is %d %s", code, body)
	}
	if x.metric("ox_mcp_http_requests_total", "route", "/mcp", "code", "200") == 0 {
		t.Error("no request to /mcp was counted")
	}
}

// TestAServerSwapsWhileItServesOverHTTP: the pin changes, and the session goes
// on with the other build; both have their own figures.
func TestAServerSwapsWhileItServesOverHTTP(t *testing.T) {
	wasm := embeddedBuild(t)
	x := newServed(t)
	session := x.connect("")
	defer session.Close()
	rows := x.call(session, "argon_query", object{"name": "walks"})
	first := runtime.PinOf(wasm)
	calls := x.metric("ox_mcp_build_calls_total", "build", first, "operation", "query")
	build := other(wasm, "x")
	second := runtime.PinOf(build)
	file := filepath.Join(x.dir, "reasoner.wasm")
	if err := os.WriteFile(file, build, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(x.config, fmt.Appendf(nil, "[reasoner]\npath = %q\nblake3 = %q\n", file, second), 0o600); err != nil {
		t.Fatal(err)
	}
	swapped := false
	for range 600 {
		var res struct{ Reasoner runtime.Build }
		if err := json.Unmarshal(x.call(session, "argon_query", object{"name": "walks"}), &res); err != nil {
			t.Fatal(err)
		}
		if swapped = res.Reasoner.Blake3 == second; swapped {
			break
		}
		time.Sleep(100 * time.Millisecond) // the calls must not be over before the other build is compiled
	}
	if !swapped {
		_, status := x.get("/v1/status")
		t.Fatalf("the other build does not come to serve: %s", status)
	}
	var was, is struct{ Rows json.RawMessage }
	if err := json.Unmarshal(rows, &was); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(x.call(session, "argon_query", object{"name": "walks"}), &is); err != nil || !bytes.Equal(was.Rows, is.Rows) {
		t.Errorf("the rows are %s, they were %s: %v", is.Rows, was.Rows, err)
	}
	for name, want := range map[string]float64{first: 0, second: 1} {
		if got := x.metric("ox_mcp_build_serving", "build", name); got != want {
			t.Errorf("the build %s serves: %v", name, got)
		}
	}
	if n := x.metric("ox_mcp_build_calls_total", "build", first, "operation", "query"); n < calls {
		t.Errorf("the build that served before has %v calls, it had %v", n, calls)
	}
	if n := x.metric("ox_mcp_swaps_total", "outcome", "swapped"); n != 1 {
		t.Errorf("%v swaps", n)
	}
	// A file that changes under its pin is refused, and the terminal says why.
	if err := os.WriteFile(file, wasm, 0o600); err != nil {
		t.Fatal(err)
	}
	for range 600 {
		if x.metric("ox_mcp_swaps_total", "outcome", "kept") == 1 {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	out, code := x.verb("status", "--url", x.url)
	if code != 0 || !strings.Contains(out, "last swap") || !strings.Contains(out, "kept at source") || !strings.Contains(out, second) {
		t.Errorf("status ends with %d and prints\n%s", code, out)
	}
	out, code = x.verb("plugin", "stats", "--url", x.url)
	if code != 0 || !strings.Contains(out, "figures of the server at "+x.url) || !regexp.MustCompile(`(?m)^reasoner +[1-9]`).MatchString(out) {
		t.Errorf("plugin stats ends with %d and prints\n%s", code, out)
	}
	_, body := x.get("/v1/status")
	if out, code := x.verb("status", "--json", "--url", x.url); code != 0 || out != body {
		t.Errorf("status --json ends with %d and prints\n%s\nand not\n%s", code, out, body)
	}
}
