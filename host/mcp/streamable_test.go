package mcp

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ox-mcp/ox-mcp/host/runtime"
)

func newHTTP(t *testing.T, svc Service, o Options) (*Streamable, string) {
	t.Helper()
	o.ErrorLog, o.Version = &syncBuffer{}, "0.0.0-test"
	h, err := NewStreamable(svc, o)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(h)
	t.Cleanup(func() {
		ended, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		h.Close(ended)
		server.CloseClientConnections()
		server.Close()
	})
	return h, server.URL
}

func connectHTTP(t *testing.T, url, version string, o *sdk.ClientOptions) *sdk.ClientSession {
	t.Helper()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, o)
	session, err := client.Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: url}, &sdk.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatalf("connecting with %s: %v", version, err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

// TestTheEndWaitsForACallAndEndsTheSessions: a call in flight is answered, and
// the stream on which nothing comes does not hold the end up.
func TestTheEndWaitsForACallAndEndsTheSessions(t *testing.T) {
	for _, version := range eras {
		came, answer := make(chan struct{}), make(chan struct{})
		svc := &fakeService{on: func(ctx context.Context, r any) (any, error) {
			if _, ok := r.(runtime.QueryRequest); ok {
				close(came)
				<-answer
			}
			return nil, nil
		}}
		h, url := newHTTP(t, svc, Options{})
		session := connectHTTP(t, url, version, nil)
		called := make(chan error, 1)
		go func() {
			_, err := session.CallTool(context.Background(), &sdk.CallToolParams{Name: "argon_query", Arguments: map[string]any{"name": "q"}})
			called <- err
		}()
		<-came
		closed := make(chan struct{})
		go func() {
			defer close(closed)
			h.Close(context.Background())
		}()
		select {
		case <-closed:
			t.Errorf("%s: the end did not wait for the call", version)
		case <-time.After(50 * time.Millisecond):
		}
		close(answer)
		if err := <-called; err != nil {
			t.Errorf("%s: the call in flight: %v", version, err)
		}
		<-closed
		if n := h.Sessions(); n != 0 {
			t.Errorf("%s: %d sessions are left", version, n)
		}
	}
}

// TestAnOpenSubscriptionDoesNotHoldTheEndUp: its request is open for ever.
func TestAnOpenSubscriptionDoesNotHoldTheEndUp(t *testing.T) {
	for _, version := range eras {
		h, url := newHTTP(t, &fakeService{}, Options{})
		session := connectHTTP(t, url, version, &sdk.ClientOptions{ResourceUpdatedHandler: func(context.Context, *sdk.ResourceUpdatedNotificationRequest) {}})
		if err := session.Subscribe(t.Context(), &sdk.SubscribeParams{URI: moduleURI}); err != nil {
			t.Fatal(err)
		}
		for version >= statelessSince && h.subscribers() == 0 {
			time.Sleep(time.Millisecond)
		}
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		h.Close(ctx)
		if ctx.Err() != nil {
			t.Errorf("%s: the end waited for a subscription", version)
		}
		cancel()
	}
}

// subscribers is how many subscriptions have a request of their own open.
func (s *Streamable) subscribers() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.listening
}

func TestAReloadIsAnnouncedOverHTTP(t *testing.T) {
	reloaded := make(chan struct{})
	h, url := newHTTP(t, &fakeService{}, Options{Reloaded: reloaded})
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go h.Announce(ctx)
	updated := make(chan string, 4)
	session := connectHTTP(t, url, "2025-11-25", &sdk.ClientOptions{ResourceUpdatedHandler: func(_ context.Context, r *sdk.ResourceUpdatedNotificationRequest) { updated <- r.Params.URI }})
	if err := session.Subscribe(t.Context(), &sdk.SubscribeParams{URI: moduleURI}); err != nil {
		t.Fatal(err)
	}
	reloaded <- struct{}{}
	select {
	case uri := <-updated:
		if uri != moduleURI {
			t.Errorf("%s is told of", uri)
		}
	case <-time.After(patience):
		t.Error("nobody was told")
	}
}

// TestSessionsAreBounded: clients that go away without a word do not fill the
// memory.
func TestSessionsAreBounded(t *testing.T) {
	h, url := newHTTP(t, &fakeService{}, Options{})
	hello := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	post := func() int {
		r, err := http.NewRequest(http.MethodPost, url, strings.NewReader(hello))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		return res.StatusCode
	}
	for i := range maxSessions {
		if code := post(); code != http.StatusOK {
			t.Fatalf("session %d: %d", i, code)
		}
	}
	if code := post(); code != http.StatusServiceUnavailable {
		t.Errorf("one more is answered with %d, and %d are open", code, h.Sessions())
	}
}

func TestABodyThatIsTooLongIsRefused(t *testing.T) {
	_, url := newHTTP(t, &fakeService{}, Options{MaxLine: 1000})
	for _, version := range []string{"", "2026-07-28"} {
		r, err := http.NewRequest(http.MethodPost, url, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"`+strings.Repeat("x", 2000)+`"}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set("Mcp-Protocol-Version", version)
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("version %q: %d", version, res.StatusCode)
		}
	}
}
