package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ox-mcp/ox-mcp/host/runtime"
)

// ask sends one request to the handler, without a network.
func ask(t *testing.T, h http.Handler, method, path string, headers ...string) (code int, body string) {
	t.Helper()
	r := httptest.NewRequest(method, path, nil)
	r.Host = "127.0.0.1:7780"
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
			continue
		}
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

func TestRoutes(t *testing.T) {
	svc := &fakeService{}
	h := newHandler(svc, Options{MCP: newFakeProtocol(), ErrorLog: io.Discard})
	for _, c := range []struct {
		method, path string
		code         int
		has          string
	}{
		{"GET", "/healthz", 200, `{"healthy":true}`},
		{"HEAD", "/healthz", 200, ``},
		{"GET", "/readyz", 200, `{"ready":true}`},
		{"GET", "/v1/status", 200, `"profile":"local <here>"`},
		{"POST", "/v1/status", 404, `"code":"NO_ROUTE"`},
		{"GET", "/v1/query", 404, `there is no GET /v1/query here`},
		{"GET", "/", 404, `"code":"NO_ROUTE"`},
		{"GET", "/metrics", 200, "ox_mcp_info"},
	} {
		code, body := ask(t, h, c.method, c.path)
		if code != c.code || !strings.Contains(body, c.has) {
			t.Errorf("%s %s is %d %.200s", c.method, c.path, code, body)
		}
	}
	svc.why = "it is quarantined"
	if code, body := ask(t, h, "GET", "/readyz"); code != 503 || !strings.Contains(body, svc.why) {
		t.Errorf("/readyz is %d %s", code, body)
	}
	svc.err = &runtime.Error{Status: 507, Code: "STORE_FAILED", Message: "no room"}
	if code, body := ask(t, h, "GET", "/v1/status"); code != 507 || !strings.Contains(body, "STORE_FAILED") {
		t.Errorf("a failed status is %d %s", code, body)
	}
	svc.err = errors.New("something else")
	if code, body := ask(t, h, "GET", "/v1/status"); code != 500 || !strings.Contains(body, "something else") {
		t.Errorf("a failed status is %d %s", code, body)
	}
}

// TestAPageOfAnotherOriginIsRefused: a browser on this machine reaches the
// server, and whoever wrote the page that it shows must not.
func TestAPageOfAnotherOriginIsRefused(t *testing.T) {
	p := newFakeProtocol()
	close(p.answer)
	h := newHandler(&fakeService{}, Options{MCP: p, ErrorLog: io.Discard})
	for _, c := range []struct {
		name    string
		headers []string
		code    int
	}{
		{"no page", nil, 200},
		{"by name", []string{"Host", "localhost:7780"}, 200},
		{"by the short address", []string{"Host", "[::1]:7780"}, 200},
		{"without a port", []string{"Host", "LOCALHOST"}, 200},
		{"another address of this machine", []string{"Host", "127.9.9.9"}, 200},
		{"its own page", []string{"Origin", "http://127.0.0.1:7780", "Sec-Fetch-Site", "same-origin"}, 200},
		{"typed by a person", []string{"Sec-Fetch-Site", "none"}, 200},
		{"a name bound to this machine", []string{"Host", "evil.example:7780"}, 403},
		{"a name that looks local", []string{"Host", "localhost.evil.example"}, 403},
		{"an address elsewhere", []string{"Host", "192.0.2.1:7780"}, 403},
		{"no name", []string{"Host", ""}, 403},
		{"a page elsewhere", []string{"Origin", "http://evil.example"}, 403},
		{"a page of another port", []string{"Origin", "http://127.0.0.1:3000"}, 403},
		{"a page of a secure origin", []string{"Origin", "https://127.0.0.1:7780"}, 403},
		{"a page without an origin", []string{"Origin", "null"}, 403},
		{"a picture of a page elsewhere", []string{"Sec-Fetch-Site", "cross-site"}, 403},
	} {
		for _, path := range []string{"/v1/status", "/metrics", "/mcp"} {
			method := "GET"
			if path == "/mcp" {
				method = "POST"
			}
			if code, body := ask(t, h, method, path, c.headers...); code != c.code {
				t.Errorf("%s: %s is %d %.200s", c.name, path, code, body)
			}
		}
	}
}

func TestOnlyThisMachineIsListenedOn(t *testing.T) {
	for _, addr := range []string{"127.0.0.1:0", "localhost:0", "127.3.2.1:0"} {
		l, err := Listen(addr)
		if err != nil {
			t.Errorf("%s: %v", addr, err)
			continue
		}
		var broken *runtime.Error
		if _, err := Listen(l.Addr().String()); !errors.As(err, &broken) || broken.Code != "ADDRESS_IN_USE" || !strings.Contains(broken.Message, "--addr") {
			t.Errorf("the same address twice: %v", err)
		}
		l.Close()
	}
	for addr, says := range map[string]string{
		"": "HOST:PORT", "7780": "HOST:PORT", ":7780": "tunnel", "0.0.0.0:7780": "tunnel", "[::]:7780": "tunnel",
		"192.0.2.1:7780": "tunnel", "example.test:7780": "tunnel", "127.0.0.1:seventy": "cannot listen", "127.0.0.1:99999": "cannot listen",
	} {
		l, err := Listen(addr)
		var broken *runtime.Error
		if !errors.As(err, &broken) || !strings.Contains(broken.Message, says) {
			t.Errorf("%q: %v", addr, err)
		}
		if err == nil {
			l.Close()
		}
	}
}

// running is a server that a test ends.
type running struct {
	url  string
	end  context.CancelFunc
	done chan error
	log  *syncBuffer
}

func start(t *testing.T, svc Service, p Protocol, drain time.Duration) *running {
	t.Helper()
	l, err := Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	r := &running{url: "http://" + l.Addr().String(), end: end, done: make(chan error, 1), log: &syncBuffer{}}
	go func() { r.done <- Serve(ctx, l, svc, Options{MCP: p, ErrorLog: r.log, Drain: drain}) }()
	return r
}

// ended is the error of Serve.
func (r *running) ended(t *testing.T) error {
	t.Helper()
	select {
	case err := <-r.done:
		return err
	case <-time.After(patience):
		t.Fatal("the server does not end")
		return nil
	}
}

// says waits until the server has logged the words.
func (r *running) says(t *testing.T, words string) {
	t.Helper()
	for late := time.After(patience); !strings.Contains(r.log.String(), words); {
		select {
		case <-late:
			t.Fatalf("the log does not say %q but %q", words, r.log.String())
		case <-time.After(time.Millisecond):
		}
	}
}

type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

type reply struct {
	code int
	body string
	err  error
}

func post(url string) <-chan reply {
	out := make(chan reply, 1)
	go func() {
		res, err := http.Post(url+"/mcp", "application/json", strings.NewReader("{}"))
		if err != nil {
			out <- reply{err: err}
			return
		}
		defer res.Body.Close()
		b, err := io.ReadAll(res.Body)
		out <- reply{res.StatusCode, string(b), err}
	}()
	return out
}

// TestCallsInFlightAreAnsweredAtTheEnd: the signal ends the listening at once,
// and the call is still answered.
func TestCallsInFlightAreAnsweredAtTheEnd(t *testing.T) {
	p := newFakeProtocol()
	r := start(t, &fakeService{}, p, patience)
	call := post(r.url)
	<-p.came
	r.says(t, "NO_ARTIFACT: not built") // once the end is asked for, nothing is told of the package
	r.end()
	for {
		res, err := http.Get(r.url + "/healthz")
		if err != nil {
			break // nobody listens any more
		}
		res.Body.Close()
	}
	close(p.answer)
	if got := <-call; got.err != nil || got.code != 200 || got.body != "answered" {
		t.Errorf("the call in flight got %+v", got)
	}
	if err := r.ended(t); err != nil {
		t.Errorf("Serve: %v", err)
	}
}

// TestACallThatTakesTooLongIsCutOff: an end is an end.
func TestACallThatTakesTooLongIsCutOff(t *testing.T) {
	p := newFakeProtocol()
	svc := &fakeService{warm: make(chan struct{})}
	r := start(t, svc, p, 50*time.Millisecond)
	call := post(r.url)
	<-p.came
	r.end()
	if got := <-call; got.code == 200 {
		t.Errorf("the call got %+v", got)
	}
	r.ended(t)
	select {
	case <-svc.warm:
	default:
		t.Error("the package is still being loaded after the end")
	}
}

func TestARequestAtTheEndIsSentAway(t *testing.T) {
	h := newHandler(&fakeService{}, Options{MCP: newFakeProtocol(), ErrorLog: io.Discard})
	h.draining.Store(true)
	code, body := ask(t, h, "GET", "/readyz")
	var e runtime.Error
	if err := json.Unmarshal([]byte(body), &e); err != nil || code != 503 || e.Code != "ENDING" || e.Details["retryable"] != true {
		t.Errorf("%d %s", code, body)
	}
}
