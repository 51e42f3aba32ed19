// Package plugins tests the plugins of this folder, and the skeletons that
// ox-mcp makes new ones of, with the built binary: as their authors would.
package plugins

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// person is somebody with a configuration and a state folder of their own.
type person struct {
	t      *testing.T
	server string
	home   string
}

func newPerson(t *testing.T) *person {
	t.Helper()
	if testing.Short() {
		t.Skip("builds guests")
	}
	server, err := filepath.Abs(filepath.Join("..", "..", "bin", "ox-mcp"))
	if err == nil {
		_, err = os.Stat(server)
	}
	if err != nil {
		t.Skip("there is no bin/ox-mcp; run `make build` first")
	}
	return &person{t, server, t.TempDir()}
}

// run runs a verb in a folder and returns what it printed, what it said
// beside, and its status.
func (p *person) run(folder string, args ...string) (stdout, stderr string, status int) {
	p.t.Helper()
	c := exec.Command(p.server, args...)
	c.Dir = folder
	// On a busy machine, time must not be the limit that is met first.
	c.Env = append(os.Environ(), "XDG_CONFIG_HOME="+filepath.Join(p.home, "config"), "XDG_STATE_HOME="+filepath.Join(p.home, "state"),
		"OX_MCP_LIMITS_DEADLINE=10m", "OX_MCP_EVALUATOR_DEADLINE=10m")
	var out, said bytes.Buffer
	c.Stdout, c.Stderr = &out, &said
	if err := c.Run(); err != nil && c.ProcessState == nil {
		p.t.Fatal(err)
	}
	return out.String(), said.String(), c.ProcessState.ExitCode()
}

// must is run for a verb that succeeds.
func (p *person) must(folder string, args ...string) string {
	p.t.Helper()
	out, said, status := p.run(folder, args...)
	if status != 0 {
		p.t.Fatalf("ox-mcp %s ends with %d:\n%s%s", strings.Join(args, " "), status, out, said)
	}
	return out
}

// pin declares a plugin file.
func (p *person) pin(file, name, grants string) {
	p.t.Helper()
	args := []string{"plugin", "pin", file, "--name", name, "--write"}
	if grants != "" {
		args = append(args, "--allow", grants)
	}
	p.must(p.home, args...)
}

// finding is one diagnostic of ox-mcp check --json.
type finding struct{ Code, Severity, Message string }

// check checks a package, and returns what it found and the status.
func (p *person) check(path string) ([]finding, int) {
	p.t.Helper()
	out, said, status := p.run(p.home, "check", path, "--json")
	var res struct{ Diagnostics []finding }
	if err := json.Unmarshal([]byte(out), &res); err != nil || status > 1 {
		p.t.Fatalf("check ends with %d, %v:\n%s%s", status, err, out, said)
	}
	return res.Diagnostics, status
}

// fuel is what the calls of a plugin spent while a package was checked.
func (p *person) fuel(path, plugin string) uint64 {
	p.t.Helper()
	var builds []struct {
		Plugin string
		Calls  int
		Fuel   uint64
	}
	out := p.must(p.home, "plugin", "stats", path, "--json")
	if err := json.Unmarshal([]byte(out), &builds); err != nil {
		p.t.Fatal(err, out)
	}
	for _, b := range builds {
		if b.Plugin == plugin && b.Calls > 0 {
			return b.Fuel
		}
	}
	p.t.Fatalf("%s was not called: %s", plugin, out)
	return 0
}

// copied is a copy of a package that may be changed.
func (p *person) copied(name string) string {
	p.t.Helper()
	folder := filepath.Join(p.t.TempDir(), name)
	if err := os.CopyFS(folder, os.DirFS(name)); err != nil {
		p.t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(folder, "target")); err != nil {
		p.t.Fatal(err)
	}
	return folder
}

var commands = regexp.MustCompile("(?s)```sh\n(.*?)```")

// buildAsTold runs, in a folder, the first commands of its README.
func buildAsTold(t *testing.T, folder string, env ...string) {
	t.Helper()
	readme, err := os.ReadFile(filepath.Join(folder, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	told := commands.FindSubmatch(readme)
	if told == nil {
		t.Fatalf("%s does not say how to build", folder)
	}
	c := exec.Command("sh", "-e", "-c", string(told[1]))
	c.Dir = folder
	c.Env = append(os.Environ(), env...)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", told[1], err, out)
	}
}

// missing says why plugins in a language cannot be built here, or "".
func missing(lang string) string {
	switch lang {
	case "c":
		for _, tool := range []string{"clang", "wasm-ld"} {
			if _, err := exec.LookPath(tool); err != nil {
				return "there is no " + tool + " to build a plugin in C; on Debian: apt-get install clang lld"
			}
		}
	case "rust":
		if rustc() == "" {
			return "no rustc here has the target wasm32-unknown-unknown to build a plugin in Rust; on Debian: apt-get install rustc libstd-rust-dev-wasm32 lld"
		}
	}
	return ""
}

// rustc is the folder of a rustc that can build plugins: that of the PATH, or
// that of the system, which another may hide.
func rustc() string {
	first, err := exec.LookPath("rustc")
	if err != nil {
		first = ""
	}
	for _, file := range []string{first, "/usr/bin/rustc"} {
		if file == "" {
			continue
		}
		out, err := exec.Command(file, "--print", "target-libdir", "--target", "wasm32-unknown-unknown").Output()
		if err == nil {
			_, err = os.Stat(strings.TrimSpace(string(out)))
		}
		if err == nil {
			return filepath.Dir(file)
		}
	}
	return ""
}

// buildGo builds a plugin of this folder.
func buildGo(t *testing.T, source, file string) {
	t.Helper()
	c := exec.Command("go", "build", "-buildmode=c-shared", "-trimpath", "-buildvcs=false", "-o", file, source)
	c.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("building %s: %v\n%s", source, err, out)
	}
}
