package runtime_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/ox-mcp/ox-mcp/host/runtime"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
)

// recordings records each kind of call on p, behind a write that the log holds.
func recordings(t *testing.T, p *port) map[string]*runtime.Recording {
	t.Helper()
	ctx := context.Background()
	arrive := func(name string) runtime.MutateRequest {
		return runtime.MutateRequest{Name: "arrive", Args: runtime.Args{"name": []byte(`"` + name + `"`), "length": []byte("70")}}
	}
	if _, err := p.Mutate(ctx, arrive("Borealis")); err != nil {
		t.Fatal(err)
	}
	out := map[string]*runtime.Recording{}
	for name, call := range map[string]func(ctx context.Context) error{
		"query": func(ctx context.Context) error {
			_, err := p.Query(ctx, runtime.QueryRequest{Name: "ships"})
			return err
		},
		"ad-hoc": func(ctx context.Context) error {
			_, err := p.Query(ctx, runtime.QueryRequest{Body: "select s from s: Ship"})
			return err
		},
		"derive": func(ctx context.Context) error {
			_, err := p.Derive(ctx, runtime.DeriveRequest{Name: "pair"})
			return err
		},
		"compute": func(ctx context.Context) error {
			_, err := p.Compute(ctx, runtime.ComputeRequest{Name: "double", Args: runtime.Args{"n": []byte("21")}})
			return err
		},
		"explain": func(ctx context.Context) error {
			_, err := p.Explain(ctx, runtime.ExplainRequest{Fact: "Ship(aurora)"})
			return err
		},
		"mutate": func(ctx context.Context) error { _, err := p.Mutate(ctx, arrive("Cygnus")); return err },
		"failure": func(ctx context.Context) error {
			_, err := p.Mutate(ctx, runtime.MutateRequest{Name: "half_done", Args: runtime.Args{"name": []byte(`"x"`)}})
			return err
		},
		"out of fuel": func(ctx context.Context) error {
			var c runtime.Common
			c.Limits = map[string]uint64{"fuel": 3_000_000}
			_, err := p.Query(ctx, runtime.QueryRequest{Name: "numbers", Common: c})
			return err
		},
	} {
		rec := new(runtime.Recorder)
		if err := call(runtime.WithRecorder(ctx, rec)); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if out[name] = rec.Recording(); out[name] == nil {
			t.Fatalf("%s: nothing was recorded", name)
		}
	}
	return out
}

func TestRecordedCallIsTheSameElsewhere(t *testing.T) {
	p := open(t, portFiles(), nil)
	list := recordings(t, p)
	// Another service, on another package, with another log.
	other := open(t, map[string]string{"ox.toml": "[package]\nname = \"other\"\n", "root.ar": "//! Nothing.\n"}, nil)
	for name, r := range list {
		t.Run(name, func(t *testing.T) {
			res, err := other.ReplayRecording(context.Background(), r)
			if err != nil {
				t.Fatal(err)
			}
			if len(res.Differences) > 0 {
				t.Errorf("%q", res.Differences)
			}
			want := map[string]string{"failure": "failure require", "out of fuel": "trap out_of_fuel"}[name]
			if want == "" {
				want = "answer of"
			}
			if !strings.HasPrefix(res.Ended, want) {
				t.Errorf("it ended with %q, want %q", res.Ended, want)
			}
		})
	}
	host, err := sandbox.New(context.Background(), sandbox.Config{TotalMemory: 2 << 30, Now: time.Now, Interpreter: true})
	if err != nil {
		t.Fatal(err)
	}
	defer host.Close(context.Background())
	interpreted := other.on(host, map[string]string{"limits.deadline": "5m"})
	defer interpreted.Close(context.Background())
	for _, name := range []string{"mutate", "failure"} {
		if res, err := interpreted.ReplayRecording(context.Background(), list[name]); err != nil || len(res.Differences) > 0 {
			t.Errorf("%s in the interpreter: %+v, %v", name, res, err)
		}
	}
	// Recording changed nothing for those who come after: the write is there.
	rows, err := p.Query(context.Background(), runtime.QueryRequest{Name: "ships"})
	if err != nil || rows.Total != 3 {
		t.Errorf("%+v, %v; want three ships", rows, err)
	}
}

func TestReplayTellsWhatDiffers(t *testing.T) {
	p := open(t, portFiles(), nil)
	list := recordings(t, p)
	for name, c := range map[string]struct {
		of     string
		change func(r *runtime.Recording)
		want   string
	}{
		"fuel":           {"query", func(r *runtime.Recording) { r.Call.Fuel++ }, "fuel: recorded "},
		"memory":         {"query", func(r *runtime.Recording) { r.Call.MemoryBytes = 1 }, "memory in bytes: recorded 1,"},
		"answer":         {"query", func(r *runtime.Recording) { r.Call.Answer = bytes.Repeat([]byte{0}, len(r.Call.Answer)) }, "end: recorded answer of"},
		"another end":    {"out of fuel", func(r *runtime.Recording) { r.Call.Trap.Kind = "depth" }, "end: recorded trap depth"},
		"another plugin": {"query", func(r *runtime.Recording) { r.Plugin.Blake3 = "00" }, "plugin: recorded 00, now "},
		"another meter":  {"query", func(r *runtime.Recording) { r.Metered = "00" }, "metered plugin: recorded 00, now "},
		"grants":         {"query", func(r *runtime.Recording) { r.Grants = []string{"log"} }, "grants: recorded log, now"},
	} {
		t.Run(name, func(t *testing.T) {
			r := *list[c.of]
			if r.Call.Trap != nil {
				trap := *r.Call.Trap
				r.Call.Trap = &trap
			}
			c.change(&r)
			res, err := p.ReplayRecording(context.Background(), &r)
			if err != nil {
				t.Fatal(err)
			}
			if len(res.Differences) != 1 || !strings.HasPrefix(res.Differences[0], c.want) {
				t.Errorf("got %q, want one with %q", res.Differences, c.want)
			}
		})
	}
	broken := *list["query"]
	broken.History = broken.History[1:]
	if res, err := p.ReplayRecording(context.Background(), &broken); err == nil {
		t.Errorf("a state without its program answered: %+v", res)
	}
}

func TestRecordingHoldsNothingOfTheMachine(t *testing.T) {
	p := open(t, portFiles(), nil)
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	for name, r := range recordings(t, p) {
		file, err := r.Encode()
		if err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(bytes.NewReader(file[bytes.IndexByte(file, '\n')+1:]))
		if err != nil {
			t.Fatal(err)
		}
		plain, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(plain, []byte("root.ar")) || len(file) > 64<<10 {
			t.Errorf("%s: %d bytes, without the program or too much for a mail", name, len(file))
		}
		for _, secret := range []string{p.dir, home + "/", host} {
			if len(secret) > 3 && bytes.Contains(plain, []byte(secret)) {
				t.Errorf("%s: the recording holds %q", name, secret)
			}
		}
	}
}
