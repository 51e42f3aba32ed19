package httpapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/ox-mcp/ox-mcp/host/runtime"
)

// Service is what the frontend needs of the runtime.
type Service interface {
	Status(ctx context.Context) (*runtime.StatusResult, error)
	Warm(ctx context.Context) (runtime.Outcome, error)
	Readiness() string
	BuildStats() []runtime.BuildStats
	SwapCounts() map[string]uint64
	HeldMemory() (used, limit uint64)
}

// Protocol is the protocol of agents as a handler. Close waits for the calls in
// flight until ctx ends, and then ends every session.
type Protocol interface {
	http.Handler
	Sessions() int
	Close(ctx context.Context)
}

// Options are the settings of the frontend.
type Options struct {
	MCP      Protocol
	Version  string    // of the server
	ErrorLog io.Writer // for people; nil drops it
	// Drain bounds the wait for calls in flight at the end. 0 is DefaultDrain.
	Drain time.Duration
}

// DefaultDrain holds where Options leaves Drain 0.
const DefaultDrain = 30 * time.Second

// Bounds of connections. A response has none: a client may listen for as long
// as it likes.
const (
	headerTime  = 10 * time.Second
	idleTime    = 2 * time.Minute
	headerBytes = 64 << 10
	grace       = 2 * time.Second // for a connection to end after its last call
)

// Serve answers on l, which it closes, until ctx ends. Then no request is taken
// any more, and the calls in flight are answered for up to o.Drain. The error is
// of l, or says that calls were cut off.
func Serve(ctx context.Context, l net.Listener, svc Service, o Options) error {
	if o.ErrorLog == nil {
		o.ErrorLog = io.Discard
	}
	if o.Drain == 0 {
		o.Drain = DefaultDrain
	}
	// Calls outlive the signal that ends the server: they are drained.
	calls, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	h := newHandler(svc, o)
	server := &http.Server{
		Handler: h, ReadHeaderTimeout: headerTime, IdleTimeout: idleTime, MaxHeaderBytes: headerBytes,
		ErrorLog: log.New(o.ErrorLog, "", 0), BaseContext: func(net.Listener) context.Context { return calls },
	}
	warm := make(chan struct{})
	go func() {
		defer close(warm)
		warmUp(ctx, svc, o.ErrorLog)
	}()
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	return h.drain(server, o, cut, warm)
}

// warmUp loads the package before the first call asks for it.
func warmUp(ctx context.Context, svc Service, log io.Writer) {
	out, err := svc.Warm(ctx)
	switch {
	case ctx.Err() != nil:
	case err != nil:
		fmt.Fprintf(log, "ox-mcp: the package does not load yet: %v\n", err)
	case out.Refused():
		fmt.Fprintf(log, "ox-mcp: the package does not answer yet: %s: %s\n", out.Code, out.Message)
	}
}

// drain ends the server. cut cancels the calls that are left.
func (h *handler) drain(server *http.Server, o Options, cut context.CancelFunc, warm <-chan struct{}) error {
	h.draining.Store(true)
	patience, cancel := context.WithTimeout(context.Background(), o.Drain)
	defer cancel()
	shut := make(chan error, 1)
	ending, end := context.WithTimeout(context.Background(), o.Drain+grace)
	defer end()
	go func() { shut <- server.Shutdown(ending) }()
	o.MCP.Close(patience)
	if patience.Err() != nil {
		cut()
	}
	<-warm
	if err := <-shut; err != nil {
		return errors.Join(fmt.Errorf("calls were still in flight %s after the end was asked for, and were cut off", o.Drain), server.Close())
	}
	return nil
}

// handler routes requests.
type handler struct {
	svc      Service
	next     http.Handler
	draining atomic.Bool
}

func newHandler(svc Service, o Options) *handler {
	h := &handler{svc: svc}
	m := newMetrics(svc, o)
	mux := http.NewServeMux()
	route := func(pattern string, f http.Handler) { mux.Handle(pattern, m.counted(pattern, f)) }
	route("GET /healthz", http.HandlerFunc(healthy))
	route("GET /readyz", http.HandlerFunc(h.ready))
	route("GET /metrics", m.handler(o.ErrorLog))
	route("GET /v1/status", http.HandlerFunc(h.status))
	route("/mcp", o.MCP)
	route("/", http.HandlerFunc(nowhere))
	h.next = localOnly(mux)
	return h
}

// ServeHTTP answers one request.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h.draining.Load() {
		w.Header().Set("Connection", "close")
		fail(w, &runtime.Error{Status: http.StatusServiceUnavailable, Code: "ENDING", Message: "the server is ending: ask the next one", Details: map[string]any{"retryable": true}})
		return
	}
	h.next.ServeHTTP(w, r)
}
