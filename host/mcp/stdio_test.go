package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/runtime"
)

const (
	newest = "2025-11-25"
	oldest = "2024-11-05"
)

func TestALineThatIsNoMessageIsAnsweredAndSurvived(t *testing.T) {
	long := strings.Repeat("x", 300)
	tests := []struct {
		name, line string
		code       int
		id         any // nil: the answer's id is null
	}{
		{"no JSON", `{"jsonrpc":`, -32700, nil},
		{"two values", `{} {}`, -32700, nil},
		{"not UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", -32700, nil},
		{"nested beyond reason", strings.Repeat("[", 20_000), -32700, nil},
		{"a number", `42`, -32600, nil},
		{"a string", `"hello"`, -32600, nil},
		{"null", `null`, -32600, nil},
		{"an empty object", `{}`, -32600, nil},
		{"no version", `{"id":7,"method":"ping"}`, -32600, float64(7)},
		{"wrong version", `{"jsonrpc":"1.0","id":"a","method":"ping"}`, -32600, "a"},
		{"a method that is no string", `{"jsonrpc":"2.0","id":3,"method":5}`, -32600, float64(3)},
		{"neither method nor result", `{"jsonrpc":"2.0","id":3}`, -32600, float64(3)},
		{"params that are no object", `{"jsonrpc":"2.0","id":3,"method":"ping","params":"x"}`, -32600, float64(3)},
		{"an id with a fraction", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, -32600, nil},
		{"an id that would be rounded", `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, -32600, nil},
		{"an id that is null", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, -32600, nil},
		{"an id that is an object", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, -32600, nil},
		{"an id without end", `{"jsonrpc":"2.0","id":"` + long + `","method":"ping"}`, -32600, nil},
		{"a member twice", `{"jsonrpc":"2.0","id":3,"method":"ping","method":"tools/list"}`, -32600, float64(3)},
		{"an id twice", `{"jsonrpc":"2.0","id":3,"id":4,"method":"ping"}`, -32600, nil},
		{"an empty batch", `[]`, -32600, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := startWire(t, &fakeService{}, Options{})
			w.initialize(newest)
			w.send(tt.line)
			m := w.receive()
			if m.Error == nil || m.Error.Code != tt.code || m.ID != tt.id || !m.HasID {
				t.Errorf("got %s, want code %d and id %v", m.Line, tt.code, tt.id)
			}
			w.alive()
		})
	}
}

func TestALineThatIsTooLongIsAnsweredWithTheLimit(t *testing.T) {
	const limit = 1000
	filler := strings.Repeat("y", 3*limit)
	nested := `{"id":99,"x":[{"id":98}],"s":"\"id\":97,}"}`
	tests := []struct {
		name, line string
		id         any
	}{
		{"id first", `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"x":"` + filler + `"}}`, float64(5)},
		{"id last", `{"jsonrpc":"2.0","method":"tools/call","params":{"x":"` + filler + `","y":` + nested + `},"id":"last"}`, "last"},
		{"id after white space", `{"jsonrpc":"2.0","params":["` + filler + `"], "id" : 12 , "method":"x"}`, float64(12)},
		{"only inner ids", `{"jsonrpc":"2.0","method":"x","params":` + nested + `,"z":"` + filler + `"}`, nil},
		{"no JSON", filler, nil},
		{"a batch", `[{"id":1,"x":"` + filler + `"}]`, nil},
		{"longer than any buffer", `{"x":"` + strings.Repeat(filler, 100) + `","id":8}`, float64(8)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := startWire(t, &fakeService{}, Options{MaxLine: limit})
			w.initialize(newest)
			w.send(tt.line)
			m := w.receive()
			if m.Error == nil || m.Error.Code != -32600 || m.ID != tt.id {
				t.Errorf("got %s, want code -32600 and id %v", m.Line, tt.id)
			}
			if m.Error != nil && !strings.Contains(m.Error.Message, "1000") {
				t.Errorf("the limit is not named: %s", m.Error.Message)
			}
			w.alive()
		})
	}
}

func TestTheLongestLineIsTaken(t *testing.T) {
	line := call("c", "argon_status", `{}`)
	w := startWire(t, &fakeService{}, Options{MaxLine: 200})
	w.initialize(newest)
	w.send(line + strings.Repeat(" ", 200-len(line)))
	if m := w.receive(); m.ID != "c" || m.Error != nil {
		t.Errorf("got %s", m.Line)
	}
}

func TestLineEndsBlankLinesAndByteOrderMark(t *testing.T) {
	w := startWire(t, &fakeService{}, Options{})
	w.sendRaw("\ufeff" + `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\r\n\r\n\n  \n")
	if m := w.receive(); m.ID != float64(1) || m.Error != nil {
		t.Fatalf("got %s", m.Line)
	}
	w.sendRaw(call("crlf", "argon_status", `{}`) + "\r\n")
	if m := w.receive(); m.ID != "crlf" {
		t.Errorf("got %s", m.Line)
	}
	w.sendRaw(call("last", "argon_status", `{}`)) // no line end before the end of the input
	err, rest := w.end()
	if err != nil || len(rest) != 1 || parseLine(t, rest[0]).ID != "last" {
		t.Errorf("got %v and %q, want the answer of the last line", err, rest)
	}
}

func TestACallBeforeInitializeIsRefused(t *testing.T) {
	w := startWire(t, &fakeService{}, Options{})
	w.send(call("early", "argon_status", `{}`))
	if m := w.receive(); m.ID != "early" || m.Error == nil || m.Error.Code != -32600 {
		t.Errorf("got %s, want code -32600", m.Line)
	}
	w.initialize(newest)
	w.alive()
}

func TestAnIdInUseIsNotTakenAgain(t *testing.T) {
	release := make(chan struct{})
	w := startWire(t, &fakeService{on: func(_ context.Context, r any) (any, error) {
		if _, ok := r.(runtime.QueryRequest); ok {
			<-release
		}
		return nil, nil
	}}, Options{})
	w.initialize(newest)
	w.send(call("same", "argon_query", `{"name":"q"}`))
	w.send(call("same", "argon_status", `{}`))
	if m := w.receive(); m.Error == nil || m.Error.Code != -32600 || m.ID != nil {
		t.Errorf("got %s, want a refusal that has no id", m.Line)
	}
	close(release)
	if m := w.receive(); m.ID != "same" || m.Error != nil {
		t.Errorf("got %s", m.Line)
	}
	w.send(call("same", "argon_status", `{}`))
	if m := w.receive(); m.ID != "same" || m.Error != nil {
		t.Errorf("an id is free again after its answer: got %s", m.Line)
	}
}

func TestAPanicIsSurvived(t *testing.T) {
	w := startWire(t, &fakeService{on: func(_ context.Context, r any) (any, error) {
		if q, ok := r.(runtime.QueryRequest); ok {
			panic("broken: " + q.Name)
		}
		return nil, nil
	}}, Options{})
	w.initialize(newest)
	w.send(call("p", "argon_query", `{"name":"secret"}`))
	m := w.receive()
	if m.Error == nil || m.Error.Code != -32603 {
		t.Fatalf("got %s, want code -32603", m.Line)
	}
	if strings.Contains(m.Error.Message, "secret") || strings.Contains(m.Error.Message, ".go:") {
		t.Errorf("the details belong in the log, not in %q", m.Error.Message)
	}
	fields := strings.Fields(m.Error.Message)
	id := strings.TrimSuffix(fields[2], ":")
	if log := w.log.String(); !strings.Contains(log, id) || !strings.Contains(log, "broken: secret") || !strings.Contains(log, ".go:") {
		t.Errorf("the log has not id %s, message and stack:\n%s", id, log)
	}
	w.alive()
}

// held is a service whose queries wait until they are released or cancelled.
type held struct {
	fakeService
	started   chan string
	cancelled chan string
	release   chan struct{}
}

func newHeld() *held {
	h := &held{started: make(chan string, 100), cancelled: make(chan string, 100), release: make(chan struct{})}
	h.on = func(ctx context.Context, r any) (any, error) {
		q, ok := r.(runtime.QueryRequest)
		if !ok {
			return nil, nil
		}
		h.started <- q.Name
		select {
		case <-h.release:
			return nil, nil
		case <-ctx.Done():
			runtime.Progress(ctx, "too late", 5, 10)
			h.cancelled <- q.Name
			return nil, ctx.Err()
		}
	}
	return h
}

func TestACancelledCallIsNotAnswered(t *testing.T) {
	h := newHeld()
	w := startWire(t, h, Options{})
	w.initialize(newest)
	w.send(callMeta("a", "argon_query", `{"name":"one"}`, `{"progressToken":"tok"}`))
	w.send(call("b", "argon_query", `{"name":"two"}`))
	<-h.started
	<-h.started
	w.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a","reason":"enough"}}`)
	if name := <-h.cancelled; name != "one" {
		t.Fatalf("%s was cancelled", name)
	}
	w.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"unknown"}}`)
	w.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}`)
	w.send(`{"jsonrpc":"2.0","method":"notifications/cancelled"}`)
	close(h.release)
	if m := w.receive(); m.ID != "b" || m.Error != nil {
		t.Errorf("got %s, want the answer of b alone", m.Line)
	}
	err, rest := w.end()
	if err != nil || len(rest) != 0 {
		t.Errorf("got %v and %q, want nothing more", err, rest)
	}
}

func TestAtTheEndOfTheInputCallsInFlightAreAnswered(t *testing.T) {
	h := newHeld()
	w := startWire(t, h, Options{})
	w.initialize(newest)
	w.send(call("a", "argon_query", `{"name":"one"}`))
	w.send(call("b", "argon_query", `{"name":"two"}`))
	<-h.started
	<-h.started
	w.in.Close()
	close(h.release)
	err, rest := w.end()
	if err != nil {
		t.Errorf("Serve: %v", err)
	}
	var ids []string
	for _, l := range rest {
		m := parseLine(t, l)
		ids = append(ids, fmt.Sprint(m.ID))
		if m.Error != nil {
			t.Errorf("got %s", l)
		}
	}
	slices.Sort(ids)
	if !slices.Equal(ids, []string{"a", "b"}) {
		t.Errorf("answered %v, want a and b", ids)
	}
}

func TestTheDrainIsBounded(t *testing.T) {
	h := newHeld()
	w := startWire(t, h, Options{Drain: -1})
	w.initialize(newest)
	w.send(call("a", "argon_query", `{"name":"one"}`))
	<-h.started
	err, rest := w.end()
	if err != nil || len(rest) != 0 {
		t.Errorf("got %v and %q, want an end without an answer", err, rest)
	}
	if name := <-h.cancelled; name != "one" {
		t.Errorf("%s was cancelled", name)
	}
}

func TestASubscriptionDoesNotHoldUpTheEnd(t *testing.T) {
	w := startWire(t, &fakeService{}, Options{})
	w.send(`{"jsonrpc":"2.0","id":"s","method":"subscriptions/listen","params":{"_meta":` + modernMeta + `,"notifications":{"resourceSubscriptions":["argon://module"]}}}`)
	if m := w.receive(); m.Method != "notifications/subscriptions/acknowledged" {
		t.Fatalf("got %s", m.Line)
	}
	if err, rest := w.end(); err != nil || len(rest) != 0 {
		t.Errorf("got %v and %q", err, rest)
	}
}

func TestServeEndsWithItsContext(t *testing.T) {
	h := newHeld()
	w := startWire(t, h, Options{})
	w.initialize(newest)
	w.send(call("a", "argon_query", `{"name":"one"}`))
	<-h.started
	w.stop()
	if err := <-w.done; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	if name := <-h.cancelled; name != "one" {
		t.Errorf("%s was cancelled", name)
	}
}

func TestServeEndsWhereTheOutputIsGone(t *testing.T) {
	gone := errors.New("the client has closed the pipe")
	in := strings.NewReader(call("a", "argon_status", `{}`) + "\n")
	err := Serve(t.Context(), &fakeService{}, Options{In: in, Out: failingWriter{gone}})
	if !errors.Is(err, gone) && err != nil {
		t.Errorf("got %v, want the error of writing or the end of the input", err)
	}
	err = Serve(t.Context(), &fakeService{}, Options{In: strings.NewReader("{\n"), Out: failingWriter{gone}})
	if !errors.Is(err, gone) {
		t.Errorf("got %v, want the error of writing", err)
	}
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

func TestBatches(t *testing.T) {
	t.Run("answered together", func(t *testing.T) {
		w := startWire(t, &fakeService{}, Options{})
		w.initialize(oldest)
		w.send("[" + call("x", "argon_status", `{}`) + `,{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"none"}},7,` + call("y", "argon_query", `{"name":"q"}`) + "]")
		l, _ := w.receiveLine()
		var answers []map[string]any
		if err := json.Unmarshal([]byte(l), &answers); err != nil {
			t.Fatalf("%q: %v", l, err)
		}
		var ids []string
		for _, a := range answers {
			ids = append(ids, fmt.Sprint(a["id"]))
		}
		slices.Sort(ids)
		if !slices.Equal(ids, []string{"<nil>", "x", "y"}) {
			t.Errorf("answered %v", ids)
		}
		w.alive()
	})
	t.Run("without a cancelled call", func(t *testing.T) {
		h := newHeld()
		w := startWire(t, h, Options{})
		w.initialize(oldest)
		w.send("[" + call("x", "argon_query", `{"name":"one"}`) + "," + call("y", "argon_status", `{}`) + "]")
		<-h.started
		w.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"x"}}`)
		l, _ := w.receiveLine()
		var answers []map[string]any
		if err := json.Unmarshal([]byte(l), &answers); err != nil || len(answers) != 1 || answers[0]["id"] != "y" {
			t.Errorf("got %q, want only the answer of y", l)
		}
	})
	t.Run("refused by newer versions", func(t *testing.T) {
		w := startWire(t, &fakeService{}, Options{})
		w.initialize(newest)
		w.send("[" + call("x", "argon_status", `{}`) + "]")
		if m := w.receive(); m.Error == nil || m.Error.Code != -32600 {
			t.Errorf("got %s", m.Line)
		}
		w.alive()
	})
}

func TestManyCallsAtOnceAreEachAnsweredOnce(t *testing.T) {
	w := startWire(t, &fakeService{}, Options{})
	w.initialize(newest)
	const calls = 200
	for i := range calls {
		w.send(call(fmt.Sprint(i), "argon_query", `{"name":"q"}`))
	}
	seen := map[any]bool{}
	for range calls {
		m := w.receive()
		if seen[m.ID] || m.Error != nil {
			t.Fatalf("got %s", m.Line)
		}
		seen[m.ID] = true
	}
}
