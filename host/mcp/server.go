package mcp

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

//go:embed instructions.md
var instructions string

// Instructions returns the text that clients get about the server as a whole.
func Instructions() string { return instructions }

// Name is the server's name in the protocol.
const Name = "ox-mcp"

// Bounds that hold where Options leaves them 0.
const (
	DefaultMaxLine = 16 << 20 // bytes
	DefaultDrain   = 30 * time.Second
)

// Options are the settings of the frontend.
type Options struct {
	In       io.Reader // client's messages
	Out      io.Writer // nothing but protocol messages is written to it
	ErrorLog io.Writer // for people; nil drops it
	Version  string    // of the server

	// MaxLine is the longest message that is read, in bytes. 0 is DefaultMaxLine.
	MaxLine int
	// Drain bounds the wait for calls in flight at the end of the input. 0 is
	// DefaultDrain, below 0 there is no wait.
	Drain time.Duration
	// Toolsets are the sets of tools that are offered; nil is DefaultToolsets().
	Toolsets []string
	// OutputSchemas puts each tool's output schema into the list of tools. It
	// is a resource in any case.
	OutputSchemas bool
	// Reloaded tells that another module is served now; nil where it never is.
	Reloaded <-chan struct{}
}

// Toolsets returns the names of all sets of tools, in the order of the loop
// that they serve. Those from fork on have no tools yet.
func Toolsets() []string {
	return []string{authoring, read, write, discovery, "fork", "fork_full", "settings", "assist"}
}

// DefaultToolsets returns the sets that are offered unless told otherwise.
func DefaultToolsets() []string { return Toolsets()[:5] }

const (
	authoring = "authoring"
	read      = "read"
	write     = "write"
	discovery = "discovery"
)

// NewServer returns the protocol server over svc, for any transport. In, Out,
// MaxLine and Drain of o do not count here. It fails where o names a set of
// tools that does not exist.
func NewServer(svc Service, o Options) (*sdk.Server, error) {
	sets := o.Toolsets
	if sets == nil {
		sets = DefaultToolsets()
	}
	for _, s := range sets {
		if !slices.Contains(Toolsets(), s) {
			return nil, fmt.Errorf("mcp.toolsets: there is no set of tools %q; the sets are %s", s, strings.Join(Toolsets(), ", "))
		}
	}
	log := newErrorLog(o.ErrorLog)
	prompts, err := readPrompts()
	if err != nil {
		return nil, err
	}
	// The lists never change while the server lives; the module's resources do.
	capabilities := &sdk.ServerCapabilities{
		Prompts:   &sdk.PromptCapabilities{},
		Resources: &sdk.ResourceCapabilities{Subscribe: true},
	}
	offered := slices.DeleteFunc(tools(), func(t tool) bool { return !slices.Contains(sets, t.set) })
	if len(offered) > 0 {
		capabilities.Tools = &sdk.ToolCapabilities{}
	}
	server := sdk.NewServer(
		&sdk.Implementation{Name: Name, Title: "Argon ontologies", Version: o.Version},
		&sdk.ServerOptions{
			Instructions:       instructions,
			Capabilities:       capabilities,
			Logger:             slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelError, ReplaceAttr: withoutTime})),
			CompletionHandler:  completer{svc, prompts}.complete,
			SetCacheable:       setCacheable,
			SubscribeHandler:   func(context.Context, *sdk.SubscribeRequest) error { return nil },
			UnsubscribeHandler: func(context.Context, *sdk.UnsubscribeRequest) error { return nil },
		})
	server.AddReceivingMiddleware(guard(log))
	for _, t := range offered {
		if err := addTool(server, svc, t, o.OutputSchemas); err != nil {
			return nil, err
		}
	}
	addResources(server, svc)
	for _, p := range prompts {
		addPrompt(server, p)
	}
	return server, nil
}

func withoutTime(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 && a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}

// Serve answers the client on o.In and o.Out until the input ends (it returns
// nil), ctx is cancelled (it returns ctx's error, and calls in flight are
// cancelled) or writing fails (it returns that).
func Serve(ctx context.Context, svc Service, o Options) error {
	if o.MaxLine == 0 {
		o.MaxLine = DefaultMaxLine
	}
	switch {
	case o.Drain == 0:
		o.Drain = DefaultDrain
	case o.Drain < 0:
		o.Drain = 0
	}
	server, err := NewServer(svc, o)
	if err != nil {
		return err
	}
	t := &Stdio{In: o.In, Out: o.Out, MaxLine: o.MaxLine, Drain: o.Drain}
	session, err := server.Connect(ctx, t, nil)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { t.conn.Close() })
	defer stop()

	done := make(chan error, 1)
	go func() { done <- session.Wait() }()
	ended := t.conn.ended
	var late <-chan time.Time
	for {
		select {
		case err := <-done:
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return err
		case <-ended:
			ended = nil
			timer := time.NewTimer(grace)
			defer timer.Stop()
			late = timer.C
		case <-late:
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return errors.New("the input has ended, and a call in flight does not heed its cancellation; it was left behind")
		case _, ok := <-o.Reloaded:
			if !ok {
				o.Reloaded = nil
				continue
			}
			announceReload(ctx, server)
		}
	}
}

// grace is how long calls in flight have to heed their cancellation after the
// last message was read.
const grace = 2 * time.Second

// errorLog serialises the writes of concurrent handlers.
type errorLog struct {
	mu sync.Mutex
	w  io.Writer
}

func newErrorLog(w io.Writer) *errorLog {
	if w == nil {
		w = io.Discard
	}
	return &errorLog{w: w}
}

func (l *errorLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}
