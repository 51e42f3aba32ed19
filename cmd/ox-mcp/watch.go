package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/ox-mcp/ox-mcp/host/coherence"
	"github.com/ox-mcp/ox-mcp/host/runtime"
	"github.com/ox-mcp/ox-mcp/host/settings"
)

// How the operator's files are watched while serving.
const (
	watchSettle = 200 * time.Millisecond
	watchPoll   = 2 * time.Second
)

// pin is what the operator says about the reasoner.
type pin struct{ path, blake3, acceptDiff, grants string }

func pinOf(r *settings.Resolved) pin {
	return pin{r.Text("reasoner.path"), strings.ToLower(r.Text("reasoner.blake3")), strings.ToLower(r.Text("reasoner.acceptDiff")), strings.Join(r.List("reasoner.grants"), ",")}
}

// reasonerWatch swaps the reasoner of a server when the operator's
// configuration asks for another one, and in development mode when its file
// changes.
type reasonerWatch struct {
	w         *wiring
	s         *runtime.Service
	flags     map[string]string
	ofPackage *runtime.PluginSource // of a trusted package
	log       io.Writer
	now       pin
}

// watch runs until ctx ends; the channel is closed then.
func (w *wiring) watch(ctx context.Context, s *runtime.Service, flags map[string]string, log io.Writer) <-chan struct{} {
	done := make(chan struct{})
	if w.settings.Bool("run.frozen") {
		close(done)
		return done
	}
	r := &reasonerWatch{w: w, s: s, flags: flags, ofPackage: w.trusted, log: log, now: pinOf(w.settings)}
	go func() {
		defer close(done)
		coherence.Watch(ctx, coherence.WatchOptions{Files: r.files, Settle: watchSettle, Poll: watchPoll, Changed: func() { r.changed(ctx) }})
	}()
	return done
}

func (r *reasonerWatch) files() []string {
	files := []string{r.w.userFile()}
	if path := r.now.path; path != "" {
		if !filepath.IsAbs(path) {
			path = filepath.Join(r.w.dir, path)
		}
		files = append(files, path)
	}
	return files
}

// changed reads the configuration anew and acts on what it says now.
func (r *reasonerWatch) changed(ctx context.Context) {
	next := &wiring{dir: r.w.dir, getenv: r.w.getenv}
	layers, err := next.operatorLayers(r.flags)
	var problems []settings.Problem
	if err == nil {
		next.settings, problems = settings.Resolve(layers...)
		for _, p := range problems {
			err = fmt.Errorf("%s: %s: %s", p.Source, p.Key, p.Message)
		}
	}
	if err != nil {
		r.tell(r.s.RefuseSwap(fmt.Sprintf("the configuration does not read, so that the reasoner stays: %v", err)))
		return
	}
	was := r.now
	r.now = pinOf(next.settings)
	source := next.reasoner(r.ofPackage)
	dev := next.settings.Bool("dev")
	switch {
	case r.now == was && !dev && source.Err != nil:
		r.tell(r.s.RefuseSwap(fmt.Sprintf("the file changed and its pin did not, so that the reasoner stays: %v", source.Err)))
	case r.now == was && !dev:
		// The file is the pinned one, or another setting changed.
	default:
		accept := source.Err == nil && r.now.acceptDiff != "" && r.now.acceptDiff == runtime.PinOf(source.Wasm)
		res, err := r.s.Swap(ctx, source, runtime.SwapOptions{AcceptDiff: accept})
		if err == nil && res.Outcome != runtime.SwapUnchanged {
			r.tell(res)
		}
	}
}

func (r *reasonerWatch) tell(res *runtime.SwapResult) {
	if res.Outcome == runtime.SwapKept {
		fmt.Fprintf(r.log, "ox-mcp: the reasoner stays; another one was refused at %s: %s\n", res.Stage, res.Message)
		return
	}
	fmt.Fprintf(r.log, "ox-mcp: the reasoner is now %s %s %s: %s\n", res.To.Name, res.To.Version, res.To.Blake3, res.Message)
}
