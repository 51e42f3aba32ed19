package runtime

import (
	"context"
	"crypto/rand"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ox-mcp/ox-mcp/host/argon/load"
	"github.com/ox-mcp/ox-mcp/host/settings"
)

const emptyModule = "\x00asm\x01\x00\x00\x00"

// hostile is one file of testdata/hostile. Comments at its head say what
// stands beside it and what must become of it:
//
//	file, text, link, pipe, folder: what lies in the package
//	pad, array:  what is added to the text, to make it large
//	ignored:     keys that have no effect
//	diagnoses:   codes of the manifest
//	unreadable:  why the package is not read at all
//	trust:       why the package cannot be trusted even by a person who wants to
//	plugin:      what its plugin comes to once it is trusted: ok, none, or why not
type hostile struct {
	dir    string
	want   map[string][]string
	trust  *Trust
	m      *load.Manifest
	text   []byte
	values *settings.Resolved
	codes  []string
	ignore []string // of settings
}

func openHostile(t *testing.T, name string) *hostile {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", "hostile", name))
	if err != nil {
		t.Fatal(err)
	}
	base := t.TempDir()
	h := &hostile{dir: filepath.Join(base, "package"), want: map[string][]string{}}
	h.trust = &Trust{Folder: filepath.Join(base, "state"), Clock: func() time.Time { return time.Unix(0, 0) }}
	outside := filepath.Join(base, "outside.wasm")
	h.place(t, "../outside.wasm", emptyModule)
	text := strings.ReplaceAll(string(raw), "PIN", PinOf([]byte(emptyModule)))
	for _, line := range strings.Split(text, "\n") {
		key, value, ok := strings.Cut(strings.TrimPrefix(line, "# "), ": ")
		if !strings.HasPrefix(line, "# ") || !ok {
			break
		}
		switch key {
		case "file":
			h.place(t, value, emptyModule)
		case "text":
			h.place(t, value, "#!/bin/sh\nid\n")
		case "folder":
			must(t, os.MkdirAll(filepath.Join(h.dir, value), 0o700))
		case "pipe":
			h.place(t, "x", "")
			must(t, syscall.Mkfifo(filepath.Join(h.dir, value), 0o600))
		case "link":
			h.place(t, "x", "")
			from, to, _ := strings.Cut(value, " -> ")
			to = strings.NewReplacer("OUTSIDEDIR", base, "OUTSIDE", outside).Replace(to)
			must(t, os.Symlink(to, filepath.Join(h.dir, from)))
		case "pad":
			n, _ := strconv.Atoi(value)
			text += "# " + strings.Repeat("x", n)
		case "array":
			n, _ := strconv.Atoi(value)
			text += "grants = [" + strings.Repeat(`"x",`, n) + "]\n"
		default:
			for _, v := range strings.Split(value, ", ") {
				if u, err := strconv.Unquote(`"` + v + `"`); err == nil && !strings.Contains(v, `"`) {
					v = u
				}
				h.want[key] = append(h.want[key], v)
			}
		}
	}
	h.place(t, "ox.toml", text)
	h.place(t, "root.ar", "")
	h.text = []byte(text)
	h.load(t)
	return h
}

func (h *hostile) place(t *testing.T, name, text string) {
	t.Helper()
	full := filepath.Join(h.dir, name)
	must(t, os.MkdirAll(h.dir, 0o700))
	must(t, os.MkdirAll(filepath.Dir(full), 0o700))
	must(t, os.WriteFile(full, []byte(text), 0o600))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (h *hostile) load(t *testing.T) {
	t.Helper()
	ws, err := load.Load(context.Background(), load.Options{Root: h.dir})
	if why := h.want["unreadable"]; why != nil {
		if err == nil || !strings.Contains(err.Error(), why[0]) {
			t.Errorf("loading gives %v, want an error with %q", err, why[0])
		}
		h.values, _ = settings.Resolve()
		return
	}
	must(t, err)
	for _, d := range ws.Diagnostics {
		h.codes = append(h.codes, d.Code)
	}
	var layers []settings.Source
	if ws.Main != nil && ws.Main.Manifest != nil {
		h.m = ws.Main.Manifest
		layers = append(layers, settings.FromTree(settings.LayerPackage, "ox.toml", h.m.Settings))
	}
	var problems []settings.Problem
	h.values, problems = settings.Resolve(layers...)
	for _, p := range problems {
		h.ignore = append(h.ignore, p.Key)
	}
}

// service has the operator's ceilings and the plugins given.
func (h *hostile) service(t *testing.T, plugins []PluginTable) *Service {
	t.Helper()
	s, err := New(Config{Settings: h.values, Plugins: plugins, Clock: h.trust.Clock, Random: rand.Reader})
	must(t, err)
	return s
}

// TestHostileManifestsHaveNoEffect reads each file as the manifest of a package
// that nobody trusts, and then of one that somebody does.
func TestHostileManifestsHaveNoEffect(t *testing.T) {
	files, err := os.ReadDir(filepath.Join("testdata", "hostile"))
	must(t, err)
	if len(files) < 20 {
		t.Fatalf("%d files", len(files))
	}
	defaults, _ := settings.Resolve()
	for _, f := range files {
		t.Run(strings.TrimSuffix(f.Name(), ".toml"), func(t *testing.T) {
			h := openHostile(t, f.Name())
			for _, row := range h.values.Table() {
				was := defaults.Origin(row.Setting.Key)
				if row.Origin.Layer == settings.LayerPackage && (row.Setting.PackageMay == settings.PackageNothing || row.Setting.PackageMay == settings.PackageNarrows && row.Origin.Value.Int > was.Value.Int) {
					t.Errorf("the package set %s to %s", row.Setting.Key, row.Value)
				}
			}
			own := h.trust.OfPackage(h.m, h.text, h.dir, true)
			if own.Trusted || len(own.Plugins) > 0 || own.Reasoner != nil || own.Digest != "" {
				t.Errorf("an untrusted package came to %+v", own)
			}
			for _, i := range own.Ignored {
				h.ignore = append(h.ignore, i.Key)
			}
			slices.Sort(h.ignore)
			want := slices.Clone(h.want["ignored"])
			slices.Sort(want)
			if len(want) == 1 && want[0] == "none" {
				want = nil
			}
			if !slices.Equal(h.ignore, want) {
				t.Errorf("ignored %q, want %q", h.ignore, want)
			}
			for _, code := range h.want["diagnoses"] {
				if !slices.Contains(h.codes, code) {
					t.Errorf("diagnosed %q, want %s", h.codes, code)
				}
			}
			if len(own.Ignored) > 0 {
				h.trusted(t)
			}
		})
	}
}

// trusted looks at the package after a person trusted it.
func (h *hostile) trusted(t *testing.T) {
	t.Helper()
	digest, _, err := trustDigest(h.m, h.text, h.dir)
	if why := strings.Join(h.want["trust"], ", "); why != "" {
		if err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("trusting it gives %v, want an error with %q", err, why)
		}
		return
	}
	must(t, err)
	must(t, h.trust.add(TrustRecord{Digest: digest, Path: h.dir}))
	own := h.trust.OfPackage(h.m, h.text, h.dir, false)
	if !own.Trusted || len(own.Ignored) > 0 {
		t.Fatalf("after trusting it: %+v", own)
	}
	want := strings.Join(h.want["plugin"], ", ")
	if want == "none" {
		if own.Reasoner == nil || own.Reasoner.Err != nil {
			t.Errorf("the reasoner of a trusted package: %+v", own.Reasoner)
		}
		return
	}
	s := h.service(t, own.Plugins)
	if len(s.plugins.names) != 1 {
		t.Fatalf("plugins %q", s.plugins.names)
	}
	r := s.plugins.byName[s.plugins.names[0]]
	switch err := r.ready(); {
	case strings.HasPrefix(want, "ok"):
		if err != nil {
			t.Errorf("the plugin cannot be used: %v", err)
		}
		if want == "ok without grants" && len(r.plugin.grants) > 0 {
			t.Errorf("grants %q", r.plugin.grants)
		}
	case err == nil || !strings.Contains(err.Error(), want):
		t.Errorf("the plugin gives %v, want an error with %q", err, want)
	}
	if got, most := r.plugin.limits, s.evaluatorLimits(); got.Fuel > most.Fuel || got.Memory > most.Memory || got.Deadline > most.Deadline {
		t.Errorf("limits %+v above the operator's", got)
	}
}
