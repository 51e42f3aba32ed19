// Command test runs everything that must hold before a commit: gofmt, vet,
// all tests, and the tests under the race detector. It says what it had to
// leave out, and its last line counts: "812 passed, 0 failed".
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// notUnderRace are folders of packages for which the detector is not worth its
// time, and why.
var notUnderRace = []struct{ folder, why string }{
	{"/wit", compiled},
	{"/plugins", compiled},
	{"/cmd", compiled},
	{"/examples", compiled},
	{"/host/sandbox/rewrite", "it computes in one goroutine"},
	{"/host/argon/syntax", "it computes in one goroutine"},
	{"/abi", "it computes in one goroutine"},
}

const compiled = "another process or a guest does the work, which the detector does not see"

func main() {
	long := flag.Bool("long", false, "run the long forms of the tests too")
	lint := flag.Bool("lint", false, "only gofmt and vet")
	flag.Parse()
	s := &session{out: os.Stdout}
	s.step("gofmt", gofmt)
	s.step("vet", func() error { return command("go", "vet", "./...") })
	if !*lint {
		s.tests(*long)
	}
	for _, l := range s.leftOut {
		fmt.Fprintln(s.out, "left out:", l)
	}
	fmt.Fprintf(s.out, "%d passed, %d failed\n", s.passed, s.failed)
	if s.failed > 0 {
		os.Exit(1)
	}
}

// session counts what passed and keeps what was left out, with the reason.
type session struct {
	out            *os.File
	passed, failed int
	leftOut        []string
}

// step runs one check that counts as one test.
func (s *session) step(name string, run func() error) {
	if err := run(); err != nil {
		s.failed++
		fmt.Fprintf(s.out, "FAIL %s: %v\n", name, err)
		return
	}
	s.passed++
	fmt.Fprintln(s.out, "ok   "+name)
}

func (s *session) tests(long bool) {
	// The tests that need it say what they leave out, and here is why.
	if why := clang.install(); why != "" {
		s.leftOut = append(s.leftOut, clang.purpose+": "+why)
	}
	args := []string{"test", "-json", "-vet=off", "-timeout=20m"}
	t := s.goTest(nil, append(args, "./...")...)
	s.passed += t.passed
	s.failed += t.failed
	s.leftOut = append(s.leftOut, t.skipped...)
	if long {
		s.random()
	}

	if why := gcc.install(); why != "" {
		s.leftOut = append(s.leftOut, gcc.purpose+": "+why)
		return
	}
	packages, err := raced()
	if err != nil {
		s.step("race", func() error { return err })
		return
	}
	fmt.Fprintln(s.out, "the same under the race detector:")
	t = s.goTest([]string{"CGO_ENABLED=1"}, append([]string{"test", "-json", "-vet=off", "-race", "-short", "-timeout=20m"}, packages...)...)
	s.step("race", func() error {
		if t.failed > 0 {
			return fmt.Errorf("%d of %d tests failed", t.failed, t.passed+t.failed)
		}
		return nil
	})
	for _, p := range notUnderRace {
		s.leftOut = append(s.leftOut, "the race detector on "+strings.Trim(p.folder, "/")+": "+p.why)
	}
}

// random draws many more programs than an ordinary run does.
func (s *session) random() {
	packages, err := listed(`{{range .TestImports}}{{if eq . "pgregory.net/rapid"}}{{$.ImportPath}} {{end}}{{end}}{{range .XTestImports}}{{if eq . "pgregory.net/rapid"}}{{$.ImportPath}} {{end}}{{end}}`)
	if err != nil || len(packages) == 0 {
		s.leftOut = append(s.leftOut, fmt.Sprintf("many random programs: no package draws any (%v)", err))
		return
	}
	fmt.Fprintln(s.out, "many random programs:")
	args := []string{"test", "-json", "-vet=off", "-count=1", "-timeout=60m"}
	t := s.goTest(nil, append(append(args, packages...), "-rapid.checks=5000")...)
	s.passed += t.passed
	s.failed += t.failed
}

func listed(format string) ([]string, error) {
	b, err := exec.Command("go", "list", "-f", format, "./...").Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	return strings.Fields(string(b)), nil
}

func raced() ([]string, error) {
	all, err := listed(`{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}`)
	if err != nil {
		return nil, err
	}
	var out []string
packages:
	for _, p := range all {
		for _, not := range notUnderRace {
			if strings.HasPrefix(strings.TrimPrefix(p, "github.com/ox-mcp/ox-mcp")+"/", not.folder+"/") {
				continue packages
			}
		}
		out = append(out, p)
	}
	return out, nil
}

func gofmt() error {
	b, err := exec.Command("gofmt", "-l", ".").CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, bytes.TrimSpace(b))
	}
	if files := strings.Fields(string(b)); len(files) > 0 {
		return fmt.Errorf("not formatted, run `make fmt`: %s", strings.Join(files, ", "))
	}
	return nil
}

func command(name string, args ...string) error {
	b, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w\n%s", err, bytes.TrimSpace(b))
	}
	return nil
}
