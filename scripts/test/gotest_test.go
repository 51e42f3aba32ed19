package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRunsAreCounted(t *testing.T) {
	cases := []struct {
		name           string
		events         string
		passed, failed int
		skipped, shown string
	}{
		{"a pass", `{"Action":"pass","Package":"p","Test":"A"}` + "\n" + `{"Action":"pass","Package":"p"}`, 1, 0, "", "ok   p"},
		{"a failure shows what was written", `{"Action":"output","Package":"p","Test":"A","Output":"it broke\n"}
			{"Action":"fail","Package":"p","Test":"A"} {"Action":"fail","Package":"p"}`, 0, 1, "", "it broke"},
		{"a package that does not build", `{"Action":"build-output","ImportPath":"p","Output":"undefined: x\n"}
			{"Action":"build-fail","ImportPath":"p"} {"Action":"fail","Package":"p"}`, 0, 1, "", "undefined: x"},
		{"a skip keeps its reason", `{"Action":"output","Package":"p","Test":"A","Output":"    a_test.go:3: no compiler\n"}
			{"Action":"skip","Package":"p","Test":"A"} {"Action":"pass","Package":"p"}`, 0, 0, "p A: no compiler", "ok"},
		{"no JSON", `{"Action":`, 0, 1, "", "no JSON"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			file, err := os.Create(filepath.Join(t.TempDir(), "out"))
			if err != nil {
				t.Fatal(err)
			}
			s := &session{out: file}
			got := s.read(strings.NewReader(c.events))
			if err := file.Close(); err != nil {
				t.Fatal(err)
			}
			shown, err := os.ReadFile(file.Name())
			if err != nil {
				t.Fatal(err)
			}
			if got.passed != c.passed || got.failed != c.failed || strings.Join(got.skipped, ";") != c.skipped {
				t.Errorf("got %+v, expected %d passed, %d failed, skipped %q", got, c.passed, c.failed, c.skipped)
			}
			if !strings.Contains(string(shown), c.shown) {
				t.Errorf("shown was %q, which lacks %q", shown, c.shown)
			}
		})
	}
}

func TestAToolThatIsThereIsNotInstalled(t *testing.T) {
	if why := (tool{"this test", []string{"go"}, nil}).install(); why != "" {
		t.Error(why)
	}
	if lacks := (tool{"this test", []string{"go", "no-such-command-anywhere"}, nil}).lacks(); lacks != "no-such-command-anywhere" {
		t.Errorf("lacks %q", lacks)
	}
}
