package runtime

import "context"

type contextKey int

const (
	progressKey contextKey = iota
	callerKey
)

// WithProgress returns a context whose operations report their progress to
// report: a sentence for a person, how much is done and how much there is in
// all, both in the same unit of the operation's choice; total is 0 where it is
// not known. report must be safe for concurrent use and must not block.
func WithProgress(ctx context.Context, report func(message string, done, total float64)) context.Context {
	return context.WithValue(ctx, progressKey, report)
}

// Progress reports the progress of the operation that runs under ctx. It does
// nothing where nobody asked for it.
func Progress(ctx context.Context, message string, done, total float64) {
	if report, ok := ctx.Value(progressKey).(func(string, float64, float64)); ok && report != nil {
		report(message, done, total)
	}
}

// WithCaller returns a context whose operations are made on behalf of caller:
// the name that a client gave to one of the sessions behind its connection.
// Budgets and ephemeral forks belong to callers.
func WithCaller(ctx context.Context, caller string) context.Context {
	return context.WithValue(ctx, callerKey, caller)
}

// Caller returns the caller of the operation that runs under ctx, or "" where
// the connection itself is the caller.
func Caller(ctx context.Context) string {
	caller, _ := ctx.Value(callerKey).(string)
	return caller
}
