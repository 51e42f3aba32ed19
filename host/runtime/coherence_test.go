package runtime_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ox-mcp/ox-mcp/host/runtime"
)

func TestWhatMakesASourceDirty(t *testing.T) {
	for _, tc := range []struct {
		name   string
		change func(p *port)
		inputs string
	}{
		{"nothing", func(p *port) {}, "[]"},
		{"a touch without a change", func(p *port) { p.write("root.ar", portSource) }, "[]"},
		{"a file that is no input", func(p *port) { p.write("notes.txt", "hello") }, "[]"},
		{"content", func(p *port) { p.write("root.ar", portSource+"\n") }, "[root.ar]"},
		{"a new source", func(p *port) { p.write("more.ar", "pub type More;\n") }, "[more.ar]"},
		{"the manifest", func(p *port) { p.write("ox.toml", portManifest+"\n") }, "[ox.toml]"},
		{"a facts file", func(p *port) { p.write("berths.csv", portBerths+"south,80\n") }, "[berths.csv]"},
		{"a facts file that is gone", func(p *port) { os.Remove(filepath.Join(p.dir, "berths.csv")) }, "[berths.csv]"},
		{"an input that cannot be read", func(p *port) {
			os.Remove(filepath.Join(p.dir, "root.ar"))
			os.Mkdir(filepath.Join(p.dir, "root.ar"), 0o755)
		}, "[root.ar]"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := open(t, portFiles(), nil)
			if res, err := p.Build(t.Context(), runtime.BuildRequest{}); err != nil || !res.OK {
				t.Fatal(res, err)
			}
			tc.change(p)
			st, err := p.Status(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			same(t, "dirty inputs", st.DirtyInputs, tc.inputs)
			same(t, "dirty", st.SourceDirty, tc.inputs != "[]")
			same(t, "the module goes on being loaded", st.ArtifactLoaded, true)
		})
	}
}

func TestBuildServesWhatItWrote(t *testing.T) {
	p := open(t, portFiles(), nil)
	res, err := p.Build(t.Context(), runtime.BuildRequest{})
	if err != nil {
		t.Fatal(err)
	}
	st, err := p.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !res.OK || !res.Reloaded || !strings.HasPrefix(res.ModuleHash, "sha256:") {
		t.Fatalf("build: %+v", res)
	}
	same(t, "served", st.LoadedModuleHash, res.ModuleHash)
	same(t, "on disk", st.OnDiskOxbinHash, res.ModuleHash)
	same(t, "path", res.WroteOxbin, "target/root.oxbin")
	// Each result says which module gave it.
	q := p.query("ships", runtime.Common{})
	c, err := p.Compute(t.Context(), runtime.ComputeRequest{Name: "double", Args: args("n", 4)})
	if err != nil {
		t.Fatal(err)
	}
	m := p.mutate("arrive", args("name", "Bo", "length", 7))
	ch, err := p.Checks(t.Context(), runtime.ChecksRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for name, env := range map[string]runtime.Envelope{"query": q.Envelope, "compute": c.Envelope, "mutate": m.Envelope, "checks": ch.Envelope} {
		if env.ModuleHash != res.ModuleHash || env.Reasoner == nil || len(env.Reasoner.Blake3) != 64 || env.Scope == nil || env.Usage == nil {
			t.Errorf("%s: the envelope is not whole: %+v", name, env)
		}
	}
}

func TestDirtyPolicies(t *testing.T) {
	changed := strings.Replace(portSource, `length: 90`, `length: 91`, 1)
	for _, tc := range []struct {
		policy, code string
		stale        bool
		rebuilt      bool
	}{
		{"auto_build", "", false, true},
		{"refuse", "DIRTY_WORKSPACE", true, false},
		{"serve_stale", "", true, false},
	} {
		t.Run(tc.policy, func(t *testing.T) {
			p := open(t, portFiles(), map[string]string{"dirtyPolicy": tc.policy})
			built, err := p.Build(t.Context(), runtime.BuildRequest{})
			if err != nil {
				t.Fatal(err)
			}
			p.write("root.ar", changed)
			res := p.query("ships", runtime.Common{})
			same(t, "code", res.Code, tc.code)
			same(t, "stale", res.StaleArtifact, tc.stale)
			if tc.code != "" {
				same(t, "rows", len(res.Rows), 0)
				same(t, "needs_rebuild", res.NeedsRebuild, true)
				same(t, "next", res.NextStep.Tool, "argon_build")
				return
			}
			same(t, "answered by a new module", res.ModuleHash != built.ModuleHash, tc.rebuilt)
		})
	}
}

func TestWithoutAnArtifact(t *testing.T) {
	p := open(t, portFiles(), map[string]string{"dirtyPolicy": "refuse"})
	res := p.query("ships", runtime.Common{})
	same(t, "code", res.Code, "NO_ARTIFACT")
	same(t, "needs_build", res.NeedsBuild, true)
	if res.NextStep == nil || res.NextStep.Tool != "argon_build" {
		t.Errorf("next step %+v", res.NextStep)
	}
	p = open(t, portFiles(), nil)
	same(t, "auto-build", p.rows("ships", nil), "[(aurora)]")
}

func TestSourcesThatDoNotBuildDoNotAnswer(t *testing.T) {
	p := open(t, portFiles(), nil)
	same(t, "before", p.rows("ships", nil), "[(aurora)]")
	before, err := os.ReadFile(filepath.Join(p.dir, "target", "root.oxbin"))
	if err != nil {
		t.Fatal(err)
	}
	p.write("root.ar", portSource+"pub derive bad(a: Ship, b: Ship) :- a: Ship;\n")
	for range 2 {
		res := p.query("ships", runtime.Common{})
		same(t, "code", res.Code, "DIRTY_WORKSPACE")
		same(t, "codes", res.DiagnosticCodes, "[OE1303]")
		same(t, "rows", len(res.Rows), 0)
		same(t, "next", res.NextStep.Tool, "argon_check")
	}
	m := p.mutate("arrive", args("name", "Bo", "length", 7))
	same(t, "a write", m.Code, "DIRTY_WORKSPACE")
	after, err := os.ReadFile(filepath.Join(p.dir, "target", "root.oxbin"))
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("the artifact was touched: %v", err)
	}
	p.write("root.ar", portSource)
	same(t, "repaired", p.rows("ships", nil), "[(aurora)]")
	same(t, "nothing was written", p.accepted("arrive", args("name", "Bo", "length", 7)), 2)
}

func TestAReloadKeepsLiveFacts(t *testing.T) {
	p := open(t, portFiles(), nil)
	p.accepted("arrive", args("name", "Bo", "length", 7))
	p.write("root.ar", portSource+"pub derive long(s: Ship) :- s: Ship, s.length > 80;\n")
	same(t, "after a reload", p.rows("ships", nil), "[(Bo) (aurora)]")
}

func TestAnIncompatibleReloadIsRefused(t *testing.T) {
	for _, tc := range []struct{ name, old, new, relation, change string }{
		{"a field is retyped", "mut length: Int, mut note", "mut length: String, mut note", "root::Ship.length", "String instead of Int"},
		{"a concept is gone", "pub type Ship {", "pub type Vessel {", "root::Ship+", "removed"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := open(t, portFiles(), nil)
			p.accepted("arrive", args("name", "Bo", "length", 7))
			old := p.query("ships", runtime.Common{})
			small := `pub type Ship { name: String, mut length: Int, mut note: String? }` + "\n" + `pub query ships() -> Ship;` + "\n"
			small = strings.Replace(small, tc.old, tc.new, 1)
			if !strings.Contains(small, "pub type Ship {") {
				small = strings.Replace(small, "-> Ship", "-> Vessel", 1)
			}
			p.write("ox.toml", "[package]\nname = \"port\"\nprelude = [\"std::core::type\", \"std::core::rel\"]\n")
			p.write("root.ar", small)
			// The old module goes on serving, and says that it is stale.
			res := p.query("ships", runtime.Common{})
			same(t, "module", res.ModuleHash, old.ModuleHash)
			same(t, "stale", res.StaleArtifact, true)
			same(t, "rows", texts(res), texts(old))

			b, err := p.Build(t.Context(), runtime.BuildRequest{})
			if err != nil {
				t.Fatal(err)
			}
			same(t, "code", b.Code, "SCHEMA_INCOMPATIBLE")
			if b.OK || b.SchemaIncompatible == nil || !b.NeedsRebuild {
				t.Fatalf("build: %+v", b)
			}
			if b.NextStep != nil || !strings.Contains(b.Message, b.SchemaIncompatible.Confirm) {
				t.Errorf("what takes facts away must be told, and never be the next step: %v, %s", b.NextStep, b.Message)
			}
			found := false
			for _, c := range b.SchemaIncompatible.Changes {
				found = found || c.Relation == tc.relation && strings.Contains(c.Change, tc.change) && c.Facts == 1
			}
			if !found {
				t.Errorf("the changes do not list %s %s: %+v", tc.relation, tc.change, b.SchemaIncompatible.Changes)
			}

			// A discard needs the hash of exactly this list.
			b, err = p.Build(t.Context(), runtime.BuildRequest{OnIncompatible: "discard", Confirm: "0000"})
			if err != nil {
				t.Fatal(err)
			}
			same(t, "unconfirmed", b.Code, "CONFIRMATION_REQUIRED")
			if b.NextStep != nil {
				t.Errorf("what takes facts away is the next step: %v", b.NextStep)
			}
			same(t, "still served", p.query("ships", runtime.Common{}).ModuleHash, old.ModuleHash)
			b, err = p.Build(t.Context(), runtime.BuildRequest{OnIncompatible: "discard", Confirm: b.SchemaIncompatible.Confirm})
			if err != nil || !b.OK || b.Dumped == "" {
				t.Fatalf("confirmed: %+v %v", b, err)
			}
			dump, err := os.ReadFile(filepath.Join(p.dir, filepath.FromSlash(b.Dumped)))
			if err != nil {
				t.Fatal(err)
			}
			for _, line := range strings.Split(strings.TrimSpace(string(dump)), "\n") {
				var e struct{ Relation string }
				if err := json.Unmarshal([]byte(line), &e); err != nil {
					t.Errorf("the dump has a line that is no JSON: %q", line)
				}
			}
			if !strings.Contains(string(dump), `"relation":"`+tc.relation+`"`) {
				t.Errorf("the dump does not hold %s:\n%s", tc.relation, dump)
			}
			same(t, "served now", p.query("ships", runtime.Common{}).ModuleHash, b.ModuleHash)
		})
	}
}

func TestEqualInputsGiveEqualArtifacts(t *testing.T) {
	artifact := func() []byte {
		p := open(t, portFiles(), nil)
		if res, err := p.Build(t.Context(), runtime.BuildRequest{}); err != nil || !res.OK {
			t.Fatal(res, err)
		}
		b, err := os.ReadFile(filepath.Join(p.dir, "target", "root.oxbin"))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	if a, b := artifact(), artifact(); !bytes.Equal(a, b) {
		t.Errorf("two folders, two artifacts: %d and %d bytes", len(a), len(b))
	}
}

func TestADamagedArtifactIsBuiltAgain(t *testing.T) {
	p := open(t, portFiles(), nil)
	if res, err := p.Build(t.Context(), runtime.BuildRequest{}); err != nil || !res.OK {
		t.Fatal(res, err)
	}
	path := filepath.Join(p.dir, "target", "root.oxbin")
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	file[len(file)/2] ^= 1
	if err := os.WriteFile(path, file, 0o644); err != nil {
		t.Fatal(err)
	}
	other := &port{Service: p.another(nil), t: t, dir: p.dir}
	same(t, "rows", other.rows("ships", nil), "[(aurora)]")
}

func TestATestBuildIsNotServed(t *testing.T) {
	p := open(t, portFiles(), nil)
	res, err := p.Test(t.Context(), runtime.TestRequest{})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "passed", res.Summary.Passed, 1)
	if _, err := os.Stat(filepath.Join(p.dir, "target")); !os.IsNotExist(err) {
		t.Errorf("the test build left a target folder: %v", err)
	}
	st, err := p.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	same(t, "loaded", st.ArtifactLoaded, false)
}

// Equal sources give equal artifacts whichever build of the compiler makes
// them, so a note says which it was: what another one made is built anew.
func TestWhatAnotherBuildOfTheCompilerMadeIsBuiltAnew(t *testing.T) {
	p := open(t, portFiles(), nil)
	p.maker = "first"
	first := p.another(nil)
	if res, err := first.Build(t.Context(), runtime.BuildRequest{}); err != nil || !res.OK {
		t.Fatalf("%+v %v", res, err)
	}
	path := filepath.Join(p.dir, "target", "root.oxbin")
	made := func() time.Time {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.ModTime()
	}
	old := time.Now().Add(-time.Hour).Truncate(time.Second)
	read := func(maker string, values map[string]string) (res *runtime.RowsResult, anew bool) {
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
		p.maker = maker
		res, err := p.another(values).Query(t.Context(), runtime.QueryRequest{Name: "ships"})
		if err != nil {
			t.Fatal(err)
		}
		return res, !made().Equal(old)
	}
	for _, c := range []struct {
		maker  string
		policy string
		code   string
		stale  bool
		anew   bool
	}{
		{"first", "auto_build", "", false, false},
		{"", "auto_build", "", false, false}, // nobody says which build it is
		{"second", "refuse", "DIRTY_WORKSPACE", true, false},
		{"second", "serve_stale", "", true, false},
		{"second", "auto_build", "", false, true},
		{"second", "auto_build", "", false, false},
	} {
		res, anew := read(c.maker, map[string]string{"dirtyPolicy": c.policy})
		same(t, fmt.Sprint(c), fmt.Sprint(res.Code, res.StaleArtifact, anew), fmt.Sprint(c.code, c.stale, c.anew))
	}
	status, err := first.Status(t.Context())
	if err != nil || status.SourceDirty {
		t.Errorf("what serves was made by this build: %+v %v", status, err)
	}
	p.maker = "third"
	if status, err = p.another(nil).Status(t.Context()); err != nil || !status.SourceDirty {
		t.Errorf("the status of a third build: %+v %v", status, err)
	}
	same(t, "what is dirty", status.DirtyInputs, "[the build of the compiler]")
	// An artifact from elsewhere has no note of its own, and counts.
	if err := os.Remove(filepath.Join(p.dir, ".ox", "maker")); err != nil {
		t.Fatal(err)
	}
	if _, anew := read("third", nil); anew {
		t.Error("an artifact without a note is built anew")
	}
}
