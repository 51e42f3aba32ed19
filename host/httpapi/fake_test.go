package httpapi

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/ox-mcp/ox-mcp/host/runtime"
)

// fakeService answers as told.
type fakeService struct {
	mu     sync.Mutex
	why    string
	err    error
	builds []runtime.BuildStats
	warm   chan struct{} // nil: it is warm at once
}

func (f *fakeService) Status(context.Context) (*runtime.StatusResult, error) {
	if f.err != nil {
		return nil, f.err
	}
	return &runtime.StatusResult{Profile: "local <here>"}, nil
}

func (f *fakeService) Warm(ctx context.Context) (runtime.Outcome, error) {
	if f.warm != nil {
		<-ctx.Done()
		close(f.warm)
		return runtime.Outcome{}, ctx.Err()
	}
	return runtime.Outcome{Code: runtime.CodeNoArtifact, Message: "not built"}, nil
}

func (f *fakeService) Readiness() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.why
}

func (f *fakeService) BuildStats() []runtime.BuildStats { return f.builds }

func (f *fakeService) SwapCounts() map[string]uint64 {
	return map[string]uint64{runtime.SwapDone: 2, runtime.SwapKept: 1}
}

func (f *fakeService) HeldMemory() (used, limit uint64) { return 65536, 1 << 30 }

// fakeProtocol holds each request until it is told to answer.
type fakeProtocol struct {
	came   chan struct{}
	answer chan struct{}
	calls  sync.WaitGroup
}

func newFakeProtocol() *fakeProtocol {
	return &fakeProtocol{came: make(chan struct{}, 8), answer: make(chan struct{})}
}

func (p *fakeProtocol) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.calls.Add(1)
	defer p.calls.Done()
	p.came <- struct{}{}
	select {
	case <-p.answer:
		w.Write([]byte("answered"))
	case <-r.Context().Done():
		w.WriteHeader(http.StatusGone)
	}
}

func (p *fakeProtocol) Sessions() int { return 3 }

func (p *fakeProtocol) Close(ctx context.Context) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.calls.Wait()
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

const patience = 20 * time.Second
