package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ox-mcp/ox-mcp/host/runtime"
	"github.com/ox-mcp/ox-mcp/plugins"
)

// log is a buffer that a watch writes to and a test reads.
type log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *log) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// watched is a service that follows its configuration.
type watched struct {
	t      *testing.T
	s      *runtime.Service
	dir    string
	config string
	log    log
}

func newWatched(t *testing.T, flags map[string]string) *watched {
	t.Helper()
	x := newWatchedOn(t, flags, func(x *watched) {
		if err := os.CopyFS(filepath.Join(x.dir, "harbour"), os.DirFS("testdata/harbour")); err != nil {
			t.Fatal(err)
		}
	})
	x.rows()
	return x
}

// newWatchedOn serves the package that make puts into the folder harbour.
func newWatchedOn(t *testing.T, flags map[string]string, make func(*watched)) *watched {
	t.Helper()
	x := &watched{t: t, dir: t.TempDir()}
	cache := warmCache(t)
	x.config = filepath.Join(x.dir, "config", "ox-mcp", "config.toml")
	if err := os.MkdirAll(filepath.Dir(x.config), 0o700); err != nil {
		t.Fatal(err)
	}
	make(x)
	environment := map[string]string{"HOME": x.dir, "XDG_CONFIG_HOME": filepath.Join(x.dir, "config"), "OX_MCP_PATHS_CACHE": cache}
	w := &wiring{dir: filepath.Join(x.dir, "harbour"), getenv: func(name string) string { return environment[name] }, environ: func() []string { return nil }}
	s, err := w.open(context.Background(), "", flags, true)
	if err != nil {
		t.Fatal(err)
	}
	x.s = s
	ctx, stop := context.WithCancel(context.Background())
	done := w.watch(ctx, s, flags, &x.log)
	t.Cleanup(func() {
		stop()
		<-done
		s.Close(context.Background())
		w.close(context.Background())
	})
	return x
}

// rows is the number of answers to a query, and the build that gave them.
func (x *watched) rows() (int, string) {
	x.t.Helper()
	res, err := x.s.Query(x.t.Context(), runtime.QueryRequest{Name: "walks"})
	if err != nil || res.Refused() {
		x.t.Fatalf("%v %+v", err, res)
	}
	return res.Total, res.Reasoner.Blake3
}

func (x *watched) write(name string, text []byte) {
	x.t.Helper()
	// As editors do it: another file takes the name.
	if err := os.WriteFile(name+".new", text, 0o600); err != nil {
		x.t.Fatal(err)
	}
	if err := os.Rename(name+".new", name); err != nil {
		x.t.Fatal(err)
	}
}

// until waits for the last swap to be as wanted.
func (x *watched) until(what string, ok func(*runtime.SwapResult) bool) {
	x.t.Helper()
	var last *runtime.SwapResult
	for range 600 {
		status, err := x.s.Status(x.t.Context())
		if err != nil {
			x.t.Fatal(err)
		}
		if last = status.Plugins[0].LastSwap; last != nil && ok(last) {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	x.t.Fatalf("%s did not come; the last swap is %+v\n%s", what, last, x.log.String())
}

func embeddedBuild(t *testing.T) []byte {
	t.Helper()
	wasm, err := plugins.Reasoner()
	if err != nil {
		t.Skip(err)
	}
	return wasm
}

// other is the same reasoner under another hash: with one more custom section.
func other(wasm []byte, name string) []byte {
	return append(append(bytes.Clone(wasm), 0, byte(len(name)+1), byte(len(name))), name...)
}

func TestAServerFollowsThePinAndNotTheFile(t *testing.T) {
	wasm := embeddedBuild(t)
	x := newWatched(t, nil)
	total, embedded := x.rows()
	file := filepath.Join(x.dir, "reasoner.wasm")
	build := other(wasm, "x")
	x.write(file, build)
	pinned := runtime.PinOf(build)
	x.write(x.config, fmt.Appendf(nil, "[reasoner]\npath = %q\nblake3 = %q\n", file, pinned))
	x.until("the swap", func(r *runtime.SwapResult) bool { return r.Outcome == runtime.SwapDone && r.To.Blake3 == pinned })
	if n, hash := x.rows(); n != total || hash != pinned {
		t.Errorf("%d rows of %s", n, hash)
	}
	x.write(file, wasm)
	x.until("the refusal of a changed file", func(r *runtime.SwapResult) bool {
		return r.Outcome == runtime.SwapKept && r.Stage == runtime.StageSource && strings.Contains(r.Message, pinned)
	})
	if _, hash := x.rows(); hash != pinned {
		t.Errorf("a changed file alone made %s the reasoner", hash)
	}
	x.write(x.config, []byte("[reasoner\n"))
	x.until("the refusal of a broken configuration", func(r *runtime.SwapResult) bool {
		return r.Outcome == runtime.SwapKept && strings.Contains(r.Message, "configuration")
	})
	x.write(x.config, []byte("# nothing\n"))
	x.until("the embedded build", func(r *runtime.SwapResult) bool { return r.Outcome == runtime.SwapDone && r.To.Blake3 == embedded })
	if said := x.log.String(); !strings.Contains(said, "the reasoner is now") || !strings.Contains(said, "the reasoner stays") {
		t.Errorf("standard error has %q", said)
	}
}

func TestInDevelopmentAChangedFileIsSwappedIn(t *testing.T) {
	wasm := embeddedBuild(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "reasoner.wasm")
	if err := os.WriteFile(file, wasm, 0o600); err != nil {
		t.Fatal(err)
	}
	x := newWatched(t, map[string]string{"dev": "true", "reasoner": file})
	x.rows()
	build := other(wasm, "x")
	x.write(file, build)
	x.until("the swap", func(r *runtime.SwapResult) bool {
		return r.Outcome == runtime.SwapDone && r.To.Blake3 == runtime.PinOf(build)
	})
	x.write(file, build[:1000])
	x.until("the refusal", func(r *runtime.SwapResult) bool {
		return r.Outcome == runtime.SwapKept && r.Stage == runtime.StageAdmit
	})
	if _, hash := x.rows(); hash != runtime.PinOf(build) {
		t.Errorf("a broken file made %s the reasoner", hash)
	}
}
