package examples

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// inWorkspace runs a verb on a package of this folder in a copy of it and of
// packages/mlt, which it depends on.
func inWorkspace(t *testing.T, name string, args ...string) (string, int) {
	t.Helper()
	root := t.TempDir()
	for to, from := range map[string]string{"examples/" + name: name, "packages/mlt": "../packages/mlt"} {
		if err := os.CopyFS(filepath.Join(root, to), os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
	}
	// The workspace begins where a repository does.
	if err := os.Mkdir(filepath.Join(root, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(server(t), args...)
	c.Dir = filepath.Join(root, "examples", name)
	c.Env = append(os.Environ(), "XDG_CONFIG_HOME="+root, "OX_MCP_LIMITS_DEADLINE=10m", "OX_MCP_EVALUATOR_DEADLINE=10m", "OX_MCP_LIMITS_COMPILE_DEADLINE=10m")
	out, err := c.CombinedOutput()
	if err != nil && c.ProcessState == nil {
		t.Fatal(err)
	}
	return string(out), c.ProcessState.ExitCode()
}

func TestTypesOfTypes(t *testing.T) {
	cases := []struct {
		name, folder string
		args         []string
		status       int
		prints       []string
	}{
		{"the species hold together", "fisheries", []string{"check"}, 0, []string{"0 errors"}},
		{"the tests pass", "fisheries", []string{"test"}, 0, []string{"3 passed, 0 failed"}},
		{"both levels answer", "fisheries", []string{"query", "quotas"}, 0, []string{"(Cod,cod,1)\n(Hake,hake,99)\n(Skate,skate,0)"}},
		{"a type is an argument", "fisheries", []string{"query", "catches", "--arg", "t=Cod"}, 0, []string{"cod_1\ncod_2"}},
		{"the theory is read through its package", "fisheries", []string{"derive", "mlt::instance"}, 0, []string{"(Skate,Protection)"}},
		{"a vocabulary's checks refuse its consumer", "fisheries_bad", []string{"check", "--codes"}, 1, []string{"MLT-01\nMLT-06\nMLT-08\n"}},
		{"each at the declaration it is about", "fisheries_bad", []string{"check"}, 1, []string{"--> root.ar:12:11", "packages/mlt/root.ar"}},
		{"with the reason", "fisheries_bad", []string{"why", "--of", "source", "outside_base"}, 0, []string{"rel(by_species, categorizes)", "Species(Trawler)", "not specializes(Trawler, Catch)"}},
		{"and nothing is built", "fisheries_bad", []string{"build"}, 1, []string{"GATE_FAILED"}},
	}
	for _, c := range cases {
		t.Run(c.folder+"/"+c.name, func(t *testing.T) {
			out, status := inWorkspace(t, c.folder, c.args...)
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
