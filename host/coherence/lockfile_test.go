package coherence

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/argon"
	"github.com/ox-mcp/ox-mcp/host/argon/load"
)

// two is a package and one that it depends on.
func two() map[string]string {
	return map[string]string{
		"harbour/ox.toml":  "[package]\nname = \"harbour\"\nversion = \"0.2.0\"\nprelude = [\"std::core::type\"]\n\n[dependencies]\nships = { path = \"../ships\" }\n",
		"harbour/root.ar":  "use ships::Ship;\npub type Tug <: Ship;\n",
		"ships/ox.toml":    "[package]\nname = \"ships\"\nversion = \"1.0.0\"\nprelude = [\"std::core::type\"]\n",
		"ships/src/doc.md": "not an input",
		"ships/root.ar":    "pub type Ship { length: Int }\n",
	}
}

func project(t *testing.T, files map[string]string) *Project {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return &Project{Root: filepath.Join(dir, "harbour"), WorkspaceRoot: dir}
}

func locked(t *testing.T, p *Project) (*LockFile, *argon.Result) {
	t.Helper()
	r, err := p.Compile(context.Background(), nil, false)
	if err != nil {
		t.Fatal(err)
	}
	if r.Module == nil {
		t.Fatalf("the package does not compile: %v", r.Diagnostics)
	}
	l, err := LockOf(r)
	if err != nil {
		t.Fatal(err)
	}
	return l, r
}

func TestLockHoldsEachPackageOnce(t *testing.T) {
	l, _ := locked(t, project(t, two()))
	var names []string
	for _, p := range l.Packages {
		names = append(names, p.Name+" "+p.Version+" "+p.Path)
		if !strings.HasPrefix(p.Content, "blake3:") || len(p.Constructs) != len("blake3:")+64 {
			t.Errorf("%+v", p)
		}
	}
	if want := []string{"harbour 0.2.0 .", "ships 1.0.0 ../ships"}; !slices.Equal(names, want) {
		t.Fatalf("got %q, want %q", names, want)
	}
}

func TestLockTellsWhatChanged(t *testing.T) {
	before, _ := locked(t, project(t, two()))
	for _, c := range []struct {
		name, file, text string
		want             []string // a part of each difference
	}{
		{"nothing", "ships/root.ar", "pub type Ship { length: Int }\n", nil},
		{"no input", "ships/src/doc.md", "other", nil},
		{"an old lock file", "harbour/ox.lock", "version = 1\n", nil},
		{"a comment", "ships/root.ar", "/// Floats.\npub type Ship { length: Int }\n", []string{"package ships (../ships) has other files"}},
		{"a field", "ships/root.ar", "pub type Ship { length: Int, mast: Int }\n", []string{"package harbour (.) declares other constructs", "package ships (../ships) declares other constructs"}},
		{"a version", "ships/ox.toml", "[package]\nname = \"ships\"\nversion = \"1.0.1\"\nprelude = [\"std::core::type\"]\n", []string{`has the version "1.0.1", locked is "1.0.0"`}},
		{"one package less", "harbour/root.ar", "pub type Tug;\n", []string{"package harbour (.) declares other constructs"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := two()
			files[c.file] = c.text
			after, _ := locked(t, project(t, files))
			got := before.Differences(after)
			if len(got) != len(c.want) {
				t.Fatalf("got %q, want %q", got, c.want)
			}
			for i := range got {
				if !strings.Contains(got[i], c.want[i]) {
					t.Errorf("got %q, want %q in it", got[i], c.want[i])
				}
			}
		})
	}
	gone := *before
	gone.Packages = gone.Packages[:1]
	if got := gone.Differences(before); len(got) != 1 || !strings.Contains(got[0], "is not locked") {
		t.Errorf("got %q", got)
	}
	if got := before.Differences(&gone); len(got) != 1 || !strings.Contains(got[0], "nothing depends on it") {
		t.Errorf("got %q", got)
	}
}

func TestLockIsNotWrittenTwice(t *testing.T) {
	p := project(t, two())
	if _, err := p.ReadLock(); err != ErrNoLock {
		t.Fatalf("got %v, want ErrNoLock", err)
	}
	l, _ := locked(t, p)
	if err := p.WriteLock(l); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(p.lockPath())
	if err != nil {
		t.Fatal(err)
	}
	// The lock of a package with a lock is the same one.
	again, _ := locked(t, p)
	if err := p.WriteLock(again); err != nil {
		t.Fatal(err)
	}
	after, err := os.Stat(p.lockPath())
	if err != nil {
		t.Fatal(err)
	}
	if !os.SameFile(before, after) {
		t.Error("a lock that says nothing new was written again")
	}
	read, err := p.ReadLock()
	if err != nil {
		t.Fatal(err)
	}
	if d := read.Differences(l); len(d) > 0 {
		t.Errorf("what was written reads differently: %q", d)
	}
}

func TestArtifactIsNotOlderThanItsLock(t *testing.T) {
	p := project(t, two())
	l, r := locked(t, p)
	if err := l.Enter(r); err != nil {
		t.Fatal(err)
	}
	a, err := Pack(r, false)
	if err != nil {
		t.Fatal(err)
	}
	if dirty, _, _ := p.Dirty(context.Background(), a, false); !dirty {
		t.Error("the lock is not on disk yet, and the artifact counts as clean")
	}
	if err := p.WriteLock(l); err != nil {
		t.Fatal(err)
	}
	if dirty, _, inputs := p.Dirty(context.Background(), a, false); dirty {
		t.Errorf("writing the lock made the artifact dirty: %q", inputs)
	}
}

func TestDamagedLockIsAnError(t *testing.T) {
	for name, text := range map[string]string{
		"no TOML":         "pub type X;",
		"unknown key":     "version = 1\nextra = 2\n",
		"another version": "version = 2\n",
		"too long":        strings.Repeat("# long\n", maxLockFile/7+1),
	} {
		t.Run(name, func(t *testing.T) {
			files := two()
			files["harbour/"+load.LockName] = text
			if l, err := project(t, files).ReadLock(); err == nil || err == ErrNoLock {
				t.Fatalf("read as %+v, %v", l, err)
			}
		})
	}
}
