// Package examples tests the packages of this folder with the built binary, as
// a reader would try them.
package examples

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// server is the built binary, or skips.
func server(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("..", "bin", "ox-mcp"))
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		t.Skip("there is no bin/ox-mcp; run `make build` first")
	}
	return path
}

// verb runs a verb on a fresh copy of a package of this folder and returns what
// it printed and its status.
func verb(t *testing.T, name string, args ...string) (string, int) {
	t.Helper()
	return run(t, fresh(t, name), args...)
}

// fresh is a copy of a package of this folder, beside one of the packages that
// it may depend on.
func fresh(t *testing.T, name string) (folder string) {
	t.Helper()
	root := t.TempDir()
	for to, from := range map[string]string{"examples/" + name: name, "packages": "../packages"} {
		if err := os.CopyFS(filepath.Join(root, to), os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
	}
	// A workspace begins where a repository does.
	if err := os.Mkdir(filepath.Join(root, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	folder = filepath.Join(root, "examples", name)
	if err := os.RemoveAll(filepath.Join(folder, "target")); err != nil {
		t.Fatal(err)
	}
	return folder
}

// run runs a verb in a folder and returns what it printed and its status.
func run(t *testing.T, folder string, args ...string) (string, int) {
	t.Helper()
	c := exec.Command(server(t), args...)
	c.Dir = folder
	// On a busy machine, time must not be the limit that is met first.
	c.Env = append(os.Environ(), "XDG_CONFIG_HOME="+filepath.Dir(folder), "OX_MCP_LIMITS_DEADLINE=10m", "OX_MCP_EVALUATOR_DEADLINE=10m", "OX_MCP_LIMITS_COMPILE_DEADLINE=10m")
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	err := c.Run()
	if err != nil && c.ProcessState == nil {
		t.Fatal(err)
	}
	return out.String(), c.ProcessState.ExitCode()
}

func TestPackages(t *testing.T) {
	frozen := []string{"--now", "2026-11-30T12:00:00Z", "--seed", "examples"}
	cases := []struct {
		name, folder string
		args         []string
		status       int
		prints       []string
	}{
		{"the supply chain has no error", "supply_chain", []string{"check"}, 0, []string{"0 errors"}},
		{"its tests pass", "supply_chain", []string{"test"}, 0, []string{"8 passed, 0 failed"}},
		{"its scenario meets what it expects", "supply_chain", []string{"run-scenario"}, 0, []string{"refused SUPPLY-A1", "query advisories::risks: 2 row(s)"}},
		{"all that can be asked without arguments is answered", "supply_chain", []string{"query"}, 0, []string{"query advisories::exposed_modules:", "query graph::owners:", "query licences::notices:"}},
		{"a distance is the fewest steps", "supply_chain", []string{"query", "--eval", `distance(m, n), n == 1, not direct(m)`}, 0, []string{"0 row(s)"}},
		{"the lease has no error", "residential_lease", []string{"check"}, 0, []string{"0 errors"}},
		{"its tests pass", "residential_lease", []string{"test"}, 0, []string{"4 passed, 0 failed"}},
		{"its scenario meets what it expects", "residential_lease", []string{"run-scenario"}, 0, []string{"(hearth,1680)", "(hearth,lease_1)", "refused LEASE-D3"}},
		{"the runaway is taken by the gate", "runaway", []string{"build"}, 0, []string{"wrote target/root.oxbin"}},
		{"what ends is answered", "runaway", []string{"derive", "count_to_ten", "--count"}, 0, []string{"derive(count_to_ten): 10 tuple(s)"}},
		{"what does not end is stopped, and the limit is named", "runaway", []string{"derive", "count_up", "--count"}, 1, []string{"LIMIT_EXCEEDED", "rounds", "count_up"}},
	}
	for _, c := range cases {
		t.Run(c.folder+"/"+c.name, func(t *testing.T) {
			out, status := verb(t, c.folder, append(append([]string{}, c.args...), frozen...)...)
			if status != c.status {
				t.Errorf("the status is %d, expected %d", status, c.status)
			}
			for _, want := range c.prints {
				if !strings.Contains(out, want) {
					t.Errorf("%q was not printed", want)
				}
			}
			if t.Failed() {
				t.Log(out)
			}
		})
	}
}

// Two runs of one scenario print the same, ids and all.
func TestAScenarioIsReproducible(t *testing.T) {
	args := []string{"run-scenario", "--now", "2026-11-30T12:00:00Z", "--seed", "examples"}
	first, _ := verb(t, "residential_lease", args...)
	second, _ := verb(t, "residential_lease", args...)
	if first != second || !strings.Contains(first, "minted") {
		t.Errorf("two runs differ, or mint nothing:\n%s\n%s", first, second)
	}
}
