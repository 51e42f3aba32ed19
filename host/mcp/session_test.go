package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ox-mcp/ox-mcp/host/runtime"
)

// modernMeta is the _meta of a request of the era without a handshake.
const modernMeta = `{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"}}`

// eras are the protocol versions that sessions are tested in.
var eras = []string{"2025-11-25", "2026-07-28"}

// connect starts a server and a client of the protocol library on its pipe.
func connect(t *testing.T, svc Service, o Options, version string, co *sdk.ClientOptions) *sdk.ClientSession {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	o.In, o.Out, o.ErrorLog, o.Version = inR, outW, &syncBuffer{}, "0.0.0-test"
	done := make(chan error, 1)
	go func() {
		done <- Serve(context.WithoutCancel(t.Context()), svc, o)
		outW.Close()
	}()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, co)
	session, err := client.Connect(t.Context(), &sdk.IOTransport{Reader: outR, Writer: inW}, &sdk.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatalf("connecting with %s: %v", version, err)
	}
	t.Cleanup(func() {
		session.Close()
		inW.Close()
		if err := <-done; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	return session
}

// inEachEra runs f in a session of each era.
func inEachEra(t *testing.T, svc Service, f func(t *testing.T, s *sdk.ClientSession)) {
	for _, version := range eras {
		t.Run(version, func(t *testing.T) {
			f(t, connect(t, svc, Options{}, version, nil))
		})
	}
}

func TestASessionKnowsTheServer(t *testing.T) {
	inEachEra(t, &fakeService{}, func(t *testing.T, s *sdk.ClientSession) {
		r := s.InitializeResult()
		if r.Instructions != Instructions() || r.ServerInfo.Name != "ox-mcp" || r.ServerInfo.Version != "0.0.0-test" {
			t.Errorf("got %+v", r)
		}
		c := r.Capabilities
		if c.Tools == nil || c.Prompts == nil || c.Resources == nil || c.Completions == nil || c.Logging != nil {
			t.Errorf("capabilities are %+v", c)
		}
	})
}

func TestAnAnswerIsTheSameInBothForms(t *testing.T) {
	f := &fakeService{}
	inEachEra(t, f, func(t *testing.T, s *sdk.ClientSession) {
		r, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "argon_query", Arguments: map[string]any{"name": "q"}})
		if err != nil {
			t.Fatal(err)
		}
		if r.IsError || len(r.Content) != 1 {
			t.Fatalf("got %+v", r)
		}
		text := r.Content[0].(*sdk.TextContent).Text
		want, err := f.Query(t.Context(), runtime.QueryRequest{})
		if err != nil {
			t.Fatal(err)
		}
		wantText, err := runtime.EncodeJSON(want)
		if err != nil {
			t.Fatal(err)
		}
		if text != string(wantText) {
			t.Errorf("text is\n%s\nwant\n%s", text, wantText)
		}
		var fromText any
		if err := json.Unmarshal([]byte(text), &fromText); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(fromText, r.StructuredContent) {
			t.Errorf("structured content %v differs from the text %v", r.StructuredContent, fromText)
		}
	})
}

func TestArgumentsReachTheOperationUnrounded(t *testing.T) {
	f := &fakeService{}
	w := startWire(t, f, Options{})
	w.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"argon_query","arguments":{"name":"q","args":{"n":9007199254740993,"d":1.10,"s":"é","l":[1e400]},"asOf":{"tt":9007199254740993,"vt":"2031-07-04"},"limits":{"fuel":9007199254740995},"page":{"limit":3,"cursor":"c"},"fork":"f","standpoints":["s"],"projectK3":true},"_meta":` + modernMeta + `}}`)
	w.receive().tool(t)
	q := f.last().(runtime.QueryRequest)
	tt := int64(9007199254740993)
	want := runtime.QueryRequest{
		Name: "q",
		Args: runtime.Args{
			"n": json.RawMessage("9007199254740993"), "d": json.RawMessage("1.10"),
			"s": json.RawMessage(`"é"`), "l": json.RawMessage("[1e400]"),
		},
		Common: runtime.Common{
			Fork: "f", AsOf: &runtime.AsOf{TT: &tt, VT: "2031-07-04"}, Standpoints: []string{"s"},
			Page: &runtime.Page{Limit: 3, Cursor: "c"}, ProjectK3: true, Limits: map[string]uint64{"fuel": 9007199254740995},
		},
	}
	if !reflect.DeepEqual(q, want) {
		t.Errorf("got\n%+v\nwant\n%+v", q, want)
	}
}

func TestEachToolMakesItsRequest(t *testing.T) {
	raw := func(s string) json.RawMessage { return json.RawMessage(s) }
	tests := []struct {
		tool, args string
		want       any
	}{
		{"argon_check", `{"package":"p","overlay":{"a.ar":"text"}}`, runtime.CheckRequest{Package: "p", Overlay: map[string]string{"a.ar": "text"}}},
		{"argon_build", `{"package":"p","onIncompatible":"discard","confirm":"c"}`, runtime.BuildRequest{Package: "p", OnIncompatible: "discard", Confirm: "c"}},
		{"argon_status", `{}`, statusRequest{}},
		{"argon_status", `null`, statusRequest{}},
		{"argon_test", `{"package":"p","filter":"f"}`, runtime.TestRequest{Package: "p", Filter: "f"}},
		{"argon_ad_hoc_query", `{"body":"a(x)","args":{"y":1}}`, runtime.QueryRequest{Body: "a(x)", Args: runtime.Args{"y": raw("1")}}},
		{"argon_derive", `{"name":"r","explain":true,"fork":"f"}`, runtime.DeriveRequest{Name: "r", Explain: true, Common: runtime.Common{Fork: "f"}}},
		{"argon_explain_fact", `{"fact":"r(a, b)","maxDepth":2,"maxNodes":9,"format":"text"}`, runtime.ExplainRequest{Fact: "r(a, b)", MaxDepth: 2, MaxNodes: 9, Format: "text"}},
		{"argon_explain_fact", `{"fact":{"head":"r","tuple":["a",1]},"fork":"f"}`, runtime.ExplainRequest{Head: "r", Tuple: []json.RawMessage{raw(`"a"`), raw("1")}, Common: runtime.Common{Fork: "f"}}},
		{"argon_expand_proof", `{"nodeId":"n","alternative":2}`, runtime.ExplainRequest{NodeID: "n", Alternative: 2}},
		{"argon_expand_proof", `{"fact":"r(a)","maxDepth":8}`, runtime.ExplainRequest{Fact: "r(a)", MaxDepth: 8}},
		{"argon_why", `{"check":"c","of":"source","maxDepth":2}`, runtime.WhyRequest{Check: "c", Of: "source", MaxDepth: 2}},
		{"argon_checks_current", `{"name":"c","fork":"f","page":{"limit":1}}`, runtime.ChecksRequest{Name: "c", Common: runtime.Common{Fork: "f", Page: &runtime.Page{Limit: 1}}}},
		{"argon_mutate", `{"name":"m","args":{"x":null},"includeDerivedDelta":true,"dryRun":true,"idempotencyKey":"k","fork":"f"}`, runtime.MutateRequest{Name: "m", Args: runtime.Args{"x": raw("null")}, IncludeDerivedDelta: true, DryRun: true, IdempotencyKey: "k", Fork: "f"}},
		{"argon_ad_hoc_mutate", `{"body":"insert"}`, runtime.MutateRequest{Body: "insert"}},
		{"argon_compute", `{"name":"f","args":{"x":[1]},"asOf":{"vt":"2031-01-01"}}`, runtime.ComputeRequest{Name: "f", Args: runtime.Args{"x": raw("[1]")}, Common: runtime.Common{AsOf: &runtime.AsOf{VT: "2031-01-01"}}}},
		{"argon_epistemics", `{"construct":"c"}`, runtime.EpistemicsRequest{Construct: "c"}},
		{"argon_schema_lookup", `{"name":"n","kind":"query","page":{"cursor":"c"}}`, runtime.SchemaRequest{Name: "n", Kind: "query", Page: &runtime.Page{Cursor: "c"}}},
	}
	f := &fakeService{}
	w := startWire(t, f, Options{})
	w.initialize(newest)
	for _, tt := range tests {
		t.Run(tt.tool+tt.args, func(t *testing.T) {
			w.send(call("c", tt.tool, tt.args))
			if a := w.receive().tool(t); a.IsError {
				t.Fatalf("refused: %s", a.StructuredContent)
			}
			if got := f.last(); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got\n%#v\nwant\n%#v", got, tt.want)
			}
		})
	}
}

func TestKindsOfFailure(t *testing.T) {
	var fail error
	f := &fakeService{on: func(context.Context, any) (any, error) { return nil, fail }}
	status := func(s *sdk.ClientSession) (*sdk.CallToolResult, error) {
		return s.CallTool(t.Context(), &sdk.CallToolParams{Name: "argon_status"})
	}
	inEachEra(t, f, func(t *testing.T, s *sdk.ClientSession) {
		fail = runtime.Invalid("name", "a query", "nothing", "reach")
		r, err := status(s)
		if err != nil || !r.IsError {
			t.Fatalf("invalid arguments are a result: got %+v, %v", r, err)
		}
		want := map[string]any{"code": "INVALID_ARGUMENTS", "problems": []any{map[string]any{"path": "name", "expected": "a query", "got": "nothing", "nearest": "reach"}}}
		if !reflect.DeepEqual(r.StructuredContent, want) {
			t.Errorf("got %v, want %v", r.StructuredContent, want)
		}

		fail = &runtime.Error{Status: 503, Code: "STORE", Message: "no store", Details: map[string]any{"path": "x"}}
		_, err = status(s)
		var e *jsonrpc.Error
		if !errors.As(err, &e) || e.Code != -32000 || !strings.Contains(e.Message, "no store") {
			t.Fatalf("got %v, want a protocol error with code -32000", err)
		}
		var data map[string]any
		if json.Unmarshal(e.Data, &data) != nil || data["status"] != float64(503) || data["code"] != "STORE" || data["message"] != "no store" || data["details"] == nil {
			t.Errorf("data is %s", e.Data)
		}

		fail = errors.New("something else")
		if _, err = status(s); !errors.As(err, &e) || e.Code != -32603 {
			t.Errorf("got %v, want code -32603", err)
		}

		if _, err = s.CallTool(t.Context(), &sdk.CallToolParams{Name: "argon_nothing"}); !errors.As(err, &e) || e.Code != -32602 {
			t.Errorf("an unknown tool: got %v, want code -32602", err)
		}
	})
}

func TestARefusalIsNoError(t *testing.T) {
	refusal := &runtime.RowsResult{Columns: []runtime.Column{}, Rows: []runtime.Row{}}
	refusal.Code, refusal.Message = runtime.CodeResultTooLarge, "too many rows"
	f := &fakeService{on: func(context.Context, any) (any, error) { return refusal, nil }}
	inEachEra(t, f, func(t *testing.T, s *sdk.ClientSession) {
		r, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "argon_query", Arguments: map[string]any{"name": "q"}})
		if err != nil || r.IsError {
			t.Fatalf("got %+v, %v", r, err)
		}
		if got := r.StructuredContent.(map[string]any)["code"]; got != runtime.CodeResultTooLarge {
			t.Errorf("code is %v", got)
		}
	})
}

func TestProgressIsForwardedInOrderAndRising(t *testing.T) {
	f := &fakeService{on: func(ctx context.Context, _ any) (any, error) {
		runtime.Progress(ctx, "reading", 1, 3)
		runtime.Progress(ctx, "still reading", 1, 3)
		runtime.Progress(ctx, "done", 3, 3)
		return nil, nil
	}}
	for name, meta := range map[string]string{
		"handshake": `{"progressToken":"tok"}`,
		"modern":    strings.TrimSuffix(modernMeta, "}") + `,"progressToken":"tok"}`,
	} {
		t.Run(name, func(t *testing.T) {
			w := startWire(t, f, Options{})
			if name == "handshake" {
				w.initialize(newest)
			}
			w.send(callMeta("c", "argon_status", `{}`, meta))
			last := 0.0
			for _, want := range []string{"reading", "still reading", "done"} {
				m := w.receive()
				var p struct {
					ProgressToken any
					Message       string
					Progress      float64
				}
				if err := json.Unmarshal(m.Params, &p); err != nil {
					t.Fatalf("%s: %v", m.Line, err)
				}
				if m.Method != "notifications/progress" || p.Message != want || p.Progress <= last || p.ProgressToken != "tok" {
					t.Errorf("got %s, want progress %q above %v", m.Line, want, last)
				}
				last = p.Progress
			}
			w.receive().tool(t)
		})
	}
}

func TestNoProgressWithoutAToken(t *testing.T) {
	f := &fakeService{on: func(ctx context.Context, _ any) (any, error) {
		runtime.Progress(ctx, "reading", 1, 3)
		return nil, nil
	}}
	w := startWire(t, f, Options{})
	w.initialize(newest)
	w.alive()
}

func TestTheCallerIsTheSessionThatTheClientNames(t *testing.T) {
	var caller string
	f := &fakeService{on: func(ctx context.Context, _ any) (any, error) {
		caller = runtime.Caller(ctx)
		return nil, nil
	}}
	tests := []struct{ name, meta, want string }{
		{"none", ``, ""},
		{"opencode's", `{"ai.opencode/sessionID":"ses_1"}`, "ses_1"},
		{"ours", `{"ai.ox-mcp/session":"mine"}`, "mine"},
		{"both", `{"ai.opencode/sessionID":"ses_1","ai.ox-mcp/session":"mine"}`, "mine"},
		{"no string", `{"ai.ox-mcp/session":5}`, ""},
		{"too long", `{"ai.ox-mcp/session":"` + strings.Repeat("x", maxCaller+1) + `"}`, ""},
	}
	w := startWire(t, f, Options{})
	w.initialize(newest)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w.send(callMeta("c", "argon_status", `{}`, tt.meta))
			w.receive().tool(t)
			if caller != tt.want {
				t.Errorf("got %q, want %q", caller, tt.want)
			}
		})
	}
}

func TestAReloadIsAnnouncedToSubscribers(t *testing.T) {
	updated := make(chan string, 10)
	reloaded := make(chan struct{})
	s := connect(t, &fakeService{}, Options{Reloaded: reloaded}, "2025-11-25", &sdk.ClientOptions{
		ResourceUpdatedHandler: func(_ context.Context, r *sdk.ResourceUpdatedNotificationRequest) { updated <- r.Params.URI },
	})
	if err := s.Subscribe(t.Context(), &sdk.SubscribeParams{URI: moduleURI}); err != nil {
		t.Fatal(err)
	}
	reloaded <- struct{}{}
	if uri := <-updated; uri != moduleURI {
		t.Errorf("%s was announced, which nobody subscribed to", uri)
	}
}
