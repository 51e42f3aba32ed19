package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience bounds a wait that only ends by itself where something is broken.
const patience = 30 * time.Second

// wire is a server and the raw ends of its pipe.
type wire struct {
	t     *testing.T
	in    *io.PipeWriter
	lines chan string // closed when the server has ended
	log   *syncBuffer
	done  chan error
	stop  context.CancelFunc
}

type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func startWire(t *testing.T, svc Service, o Options) *wire {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ctx, stop := context.WithCancel(t.Context())
	w := &wire{t: t, in: inW, lines: make(chan string, 1000), log: &syncBuffer{}, done: make(chan error, 1), stop: stop}
	o.In, o.Out, o.ErrorLog, o.Version = inR, outW, w.log, "0.0.0-test"
	go func() {
		err := Serve(ctx, svc, o)
		outW.Close()
		w.done <- err
	}()
	go func() {
		s := bufio.NewScanner(outR)
		s.Buffer(nil, 64<<20)
		for s.Scan() {
			w.lines <- s.Text()
		}
		close(w.lines)
	}()
	t.Cleanup(func() { stop(); inW.Close() })
	return w
}

// initialize opens a session of the handshake era.
func (w *wire) initialize(version string) {
	w.t.Helper()
	w.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`, version))
	if m := w.receive(); m.ID != "init" || m.Error != nil {
		w.t.Fatalf("initialize: %+v", m)
	}
	w.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

func (w *wire) send(text string) { w.sendRaw(text + "\n") }

func (w *wire) sendRaw(text string) {
	w.t.Helper()
	if _, err := io.WriteString(w.in, text); err != nil {
		w.t.Fatalf("the server does not read: %v", err)
	}
}

// message is any message, as the client sees it.
type message struct {
	ID     any
	HasID  bool
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
		Data    json.RawMessage
	}
	Line string
}

func parseLine(t *testing.T, text string) message {
	t.Helper()
	var m message
	var fields map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &fields); err != nil {
		t.Fatalf("the server wrote what is no message: %q: %v", text, err)
	}
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	_, m.HasID = fields["id"]
	m.Line = text
	if string(fields["jsonrpc"]) != `"2.0"` {
		t.Fatalf("no JSON-RPC message: %q", text)
	}
	return m
}

func (w *wire) receiveLine() (string, bool) {
	w.t.Helper()
	select {
	case l, ok := <-w.lines:
		return l, ok
	case <-time.After(patience):
		w.t.Fatal("the server does not answer")
		return "", false
	}
}

func (w *wire) receive() message {
	w.t.Helper()
	l, ok := w.receiveLine()
	if !ok {
		w.t.Fatalf("the server ended; its log: %s", w.log)
	}
	return parseLine(w.t, l)
}

// alive calls a tool and wants its answer next.
func (w *wire) alive() {
	w.t.Helper()
	w.send(call("alive", "argon_status", `{}`))
	if m := w.receive(); m.ID != "alive" || m.Error != nil {
		w.t.Fatalf("wanted the answer of the next call, got %s", m.Line)
	}
}

// end closes the input and returns what Serve returned, and the lines that
// were left.
func (w *wire) end() (error, []string) {
	w.t.Helper()
	w.in.Close()
	var rest []string
	for {
		l, ok := w.receiveLine()
		if !ok {
			break
		}
		rest = append(rest, l)
	}
	select {
	case err := <-w.done:
		return err, rest
	case <-time.After(patience):
		w.t.Fatal("the server does not end")
		return nil, nil
	}
}

// call returns the line of a tool call; id is put in quotes.
func call(id, tool, args string) string {
	return callMeta(id, tool, args, "")
}

func callMeta(id, tool, args, meta string) string {
	if meta != "" {
		meta = `,"_meta":` + meta
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"method":"tools/call","params":{"name":%q,"arguments":%s%s}}`, id, tool, strings.TrimSpace(args), meta)
}

// toolAnswer is the result of tools/call.
type toolAnswer struct {
	Content []struct {
		Type string
		Text string
	}
	StructuredContent json.RawMessage
	IsError           bool
}

func (m message) tool(t *testing.T) toolAnswer {
	t.Helper()
	if m.Error != nil || m.Result == nil {
		t.Fatalf("wanted a result, got %s", m.Line)
	}
	var a toolAnswer
	if err := json.Unmarshal(m.Result, &a); err != nil {
		t.Fatal(err)
	}
	return a
}
