package mcp

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"
)

// FuzzStdioLine sends any bytes in the middle of a session. The server answers
// with nothing but messages, goes on, and ends with its input.
func FuzzStdioLine(f *testing.F) {
	for _, seed := range []string{
		"", "\r\n\n", "{", "[]", "[{}]", "null", "7", `{"jsonrpc":"2.0"}`, "\ufeff{}",
		call("x", "argon_query", `{"name":"q","args":{"n":9007199254740993}}`),
		call("x", "argon_query", `{"name":"q","name":"r"}`),
		call("x", "argon_explain_fact", `{"fact":{"head":"h","tuple":[1,"a",null]}}`),
		"[" + call("x", "argon_status", `{}`) + "," + call("x", "argon_status", `{}`) + "]",
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"x"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"argon_investigate_fact","arguments":{"fact":"r(a)"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"argon://diagnostics/OE0605"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"argon_audit_mutation"},"argument":{"name":"name","value":"p"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"_meta":` + modernMeta + `,"notifications":{"toolsListChanged":true}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":null}`,
		`{"jsonrpc":"2.0","id":1,"result":{}}`,
		`{"jsonrpc":"2.0","id":"` + strings.Repeat("i", 5000) + `"}`,
		strings.Repeat("[", 11_000),
	} {
		f.Add([]byte(seed))
	}
	const opening = `{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n"
	closing := "\n" + call("last one", "argon_status", `{}`) + "\n"
	f.Fuzz(func(t *testing.T, data []byte) {
		in := io.MultiReader(strings.NewReader(opening), bytes.NewReader(data), strings.NewReader(closing))
		var out syncBuffer
		done := make(chan error, 1)
		go func() {
			done <- Serve(t.Context(), &fakeService{}, Options{In: in, Out: &out, MaxLine: 4096, Drain: time.Minute})
		}()
		select {
		case err := <-done:
			if err != nil {
				t.Fatalf("Serve: %v", err)
			}
		case <-time.After(patience):
			t.Fatal("the server hangs")
		}
		answered := false
		for l := range strings.Lines(out.String()) {
			if !json.Valid([]byte(l)) {
				t.Fatalf("the server wrote %q", l)
			}
			answered = answered || strings.Contains(l, `"id":"last one"`)
		}
		if !answered {
			t.Fatalf("the call after %q was not answered; the server wrote %s", data, out.String())
		}
	})
}
