package mcp

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Bounds of the protocol over HTTP.
const (
	// maxSessions is how many sessions may be open at once. A client that goes
	// away without a word leaves its own behind until idleSession has passed.
	maxSessions = 256
	idleSession = 12 * time.Hour
)

// statelessSince is the first version of the protocol that has no sessions:
// each request stands for itself.
const statelessSince = "2026-07-28"

// Streamable is the protocol over HTTP, for clients with sessions and for
// those without. It judges neither Host nor Origin: whoever mounts it does.
type Streamable struct {
	server   *sdk.Server
	sessions http.Handler
	single   http.Handler
	reloaded <-chan struct{}

	mu        sync.Mutex
	calls     int           // of the protocol, that are being answered
	posts     int           // requests that such calls come in
	listening int           // subscriptions, which are open for as long as their clients like
	idle      chan struct{} // closed when nothing is to be waited for; nil: nobody waits
}

// NewStreamable returns the handler over svc. In, Out and Drain of o do not
// count here; MaxLine is the longest body, in bytes.
func NewStreamable(svc Service, o Options) (*Streamable, error) {
	server, err := NewServer(svc, o)
	if err != nil {
		return nil, err
	}
	if o.MaxLine == 0 {
		o.MaxLine = DefaultMaxLine
	}
	s := &Streamable{server: server, reloaded: o.Reloaded}
	server.AddReceivingMiddleware(s.count)
	options := sdk.StreamableHTTPOptions{
		Logger:              slog.New(slog.NewTextHandler(newErrorLog(o.ErrorLog), &slog.HandlerOptions{Level: slog.LevelError, ReplaceAttr: withoutTime})),
		MaxRequestBodyBytes: int64(o.MaxLine), SessionTimeout: idleSession,
	}
	of := func(*http.Request) *sdk.Server { return server }
	s.sessions = sdk.NewStreamableHTTPHandler(of, &options)
	options.Stateless, options.PropagateRequestCancellation = true, true
	s.single = sdk.NewStreamableHTTPHandler(of, &options)
	return s, nil
}

// ServeHTTP answers one request.
func (s *Streamable) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	const sessionHeader, versionHeader = "Mcp-Session-Id", "Mcp-Protocol-Version"
	if r.Method == http.MethodPost {
		// An answer is there once its request is over, and not when it is made.
		defer s.during(&s.posts)()
	}
	switch {
	case r.Header.Get(versionHeader) >= statelessSince:
		s.single.ServeHTTP(w, r)
		return
	case r.Method == http.MethodPost && r.Header.Get(sessionHeader) == "" && s.Sessions() >= maxSessions:
		http.Error(w, fmt.Sprintf("%d sessions are open, and there can be no more; end one, or try again later", maxSessions), http.StatusServiceUnavailable)
		return
	}
	s.sessions.ServeHTTP(w, r)
}

// Sessions is the number of sessions that are open.
func (s *Streamable) Sessions() int {
	n := 0
	for range s.server.Sessions() {
		n++
	}
	return n
}

// Announce tells the clients of reloads until ctx ends.
func (s *Streamable) Announce(ctx context.Context) {
	for reloaded := s.reloaded; ; {
		select {
		case <-ctx.Done():
			return
		case _, ok := <-reloaded:
			if !ok {
				reloaded = nil
				continue
			}
			announceReload(ctx, s.server)
		}
	}
}

// Close waits for the calls in flight until ctx ends, and then ends every
// session. No request may come any more.
func (s *Streamable) Close(ctx context.Context) {
	select {
	case <-s.still():
	case <-ctx.Done():
	}
	var open []*sdk.ServerSession
	for session := range s.server.Sessions() {
		open = append(open, session)
	}
	for _, session := range open {
		// The client may be gone; the session is over either way.
		_ = session.Close()
	}
}

// still returns a channel that is closed when no call is in flight.
func (s *Streamable) still() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.idle == nil {
		s.idle = make(chan struct{})
	}
	s.rest()
	return s.idle
}

// rest tells who waits if nothing is in flight. s.mu is held.
func (s *Streamable) rest() {
	if s.idle == nil || s.calls > 0 || s.posts > s.listening {
		return
	}
	select {
	case <-s.idle:
	default:
		close(s.idle)
	}
}

// during counts something from now until the function is called that it
// returns.
func (s *Streamable) during(n *int) (end func()) {
	add := func(d int) {
		s.mu.Lock()
		defer s.mu.Unlock()
		*n += d
		s.rest()
	}
	add(1)
	return func() { add(-1) }
}

// count is the middleware that knows how many calls are in flight.
func (s *Streamable) count(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		counted := &s.calls
		if method == "subscriptions/listen" {
			counted = &s.listening
		}
		defer s.during(counted)()
		return next(ctx, method, req)
	}
}
