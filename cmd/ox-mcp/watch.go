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

// pin is what the operator says about the reasoner, and where that is nothing
// a trusted package.
type pin struct{ path, blake3, acceptDiff, grants, ofPackage string }

func pinOf(r *settings.Resolved, own *runtime.PackagePlugins) pin {
	p := pin{path: r.Text("reasoner.path"), blake3: strings.ToLower(r.Text("reasoner.blake3")), acceptDiff: strings.ToLower(r.Text("reasoner.acceptDiff")), grants: strings.Join(r.List("reasoner.grants"), ",")}
	switch {
	case p.path == "" && own.Reasoner != nil:
		p.ofPackage = fmt.Sprint(runtime.PinOf(own.Reasoner.Wasm), own.Reasoner.Err)
	case p.path == "":
		p.grants = fmt.Sprint(r.Bool("reasoner.kernels"))
	}
	return p
}

// pluginWatch swaps the builds of a server when the operator's configuration,
// or that of a trusted package, asks for others, and in development mode when
// their files change.
type pluginWatch struct {
	w     *wiring
	s     *runtime.Service
	flags map[string]string
	own   runtime.PackagePlugins // of the package, as it was trusted last
	log   io.Writer
	now   pin
	set   string // what was asked for last, of check evaluators
	again bool   // one of them was refused
	files []string
	told  string // of the package
}

// watch runs until ctx ends; the channel is closed then.
func (w *wiring) watch(ctx context.Context, s *runtime.Service, flags map[string]string, log io.Writer) <-chan struct{} {
	done := make(chan struct{})
	if w.settings.Bool("run.frozen") {
		close(done)
		return done
	}
	r := &pluginWatch{w: w, s: s, flags: flags, own: w.judged, log: log, now: pinOf(w.settings, &w.judged)}
	set := w.pluginSet(w.plugins, w.judged)
	r.set, r.files = identity(set), filesOf(set)
	go func() {
		defer close(done)
		coherence.Watch(ctx, coherence.WatchOptions{Files: r.watched, Settle: watchSettle, Poll: watchPoll, Changed: func() { r.changed(ctx) }})
	}()
	return done
}

func (r *pluginWatch) watched() []string {
	files := append([]string{r.w.userFile()}, r.files...)
	if r.w.served != nil {
		files = append(files, filepath.Join(r.w.served.Folder(), "ox.toml"))
	}
	if file := r.w.trust.File(); file != "" {
		files = append(files, file)
	}
	if path := r.now.path; path != "" {
		if !filepath.IsAbs(path) {
			path = filepath.Join(r.w.dir, path)
		}
		files = append(files, path)
	}
	return files
}

// changed reads the configuration anew and acts on what it says now.
func (r *pluginWatch) changed(ctx context.Context) {
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
	dev := next.settings.Bool("dev")
	r.judge(ctx, dev)
	r.reasoner(ctx, next, dev)
	r.evaluators(ctx, next, dev)
}

// reasoner acts on what is asked for of the reasoner.
func (r *pluginWatch) reasoner(ctx context.Context, next *wiring, dev bool) {
	was := r.now
	r.now = pinOf(next.settings, &r.own)
	source := next.reasoner(r.own.Reasoner)
	switch {
	case r.now == was && !dev && source.Err != nil && r.now.path != "":
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

func (r *pluginWatch) tell(res *runtime.SwapResult) {
	if res.Outcome == runtime.SwapKept {
		fmt.Fprintf(r.log, "ox-mcp: the reasoner stays; another one was refused at %s: %s\n", res.Stage, res.Message)
		return
	}
	fmt.Fprintf(r.log, "ox-mcp: the reasoner is now %s %s %s: %s\n", res.To.Name, res.To.Version, res.To.Blake3, res.Message)
}
