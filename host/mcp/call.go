package mcp

import (
	"context"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ox-mcp/ox-mcp/host/runtime"
)

// The members of a call's _meta that name the caller behind a connection. Ours
// wins where both are there.
const (
	metaSession         = "ai.ox-mcp/session"
	metaOpencodeSession = "ai.opencode/sessionID"
)

// maxCaller bounds the name of a caller, in bytes. A longer one is not used.
const maxCaller = 256

func withCaller(ctx context.Context, meta map[string]any) context.Context {
	for _, key := range []string{metaSession, metaOpencodeSession} {
		if name, ok := meta[key].(string); ok && name != "" && len(name) <= maxCaller {
			return runtime.WithCaller(ctx, name)
		}
	}
	return ctx
}

// withProgress forwards the operation's progress where the client asked for
// it. After finish nothing more is sent.
func withProgress(ctx context.Context, req *sdk.CallToolRequest) (_ context.Context, finish func()) {
	token := req.Params.GetProgressToken()
	if token == nil || req.Session == nil {
		return ctx, func() {}
	}
	var (
		mu       sync.Mutex
		finished bool
		last     float64
	)
	report := func(message string, done, total float64) {
		mu.Lock()
		defer mu.Unlock()
		if finished || ctx.Err() != nil {
			return
		}
		// The protocol wants each value above the one before, an operation with
		// a new message and nothing more done has none.
		const least = 0.001
		if done <= last {
			done = last + least
		}
		last = done
		if total < done {
			total = 0
		}
		// A client that is gone shows in the answer's own write.
		_ = req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{
			ProgressToken: token, Message: message, Progress: done, Total: total,
		})
	}
	return runtime.WithProgress(ctx, report), func() {
		mu.Lock()
		finished = true
		mu.Unlock()
	}
}
