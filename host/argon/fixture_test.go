package argon_test

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/argon"
	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/lower"
)

var update = flag.Bool("update", false, "write the golden files anew")

var wantComment = regexp.MustCompile(`(?://|#) want ((?:O[EW]\d{4}(?: "[^"]*")?(?:, )?)+)$`)

var wantOne = regexp.MustCompile(`(O[EW]\d{4})(?: "([^"]*)")?`)

type wanted struct {
	line    int
	code    string
	message *regexp.Regexp
	met     bool
}

// TestDiagnostics compiles each file of testdata/check. A line that is wrong
// ends in a comment: // want CODE "regexp of the message", CODE ….
func TestDiagnostics(t *testing.T) {
	files, err := filepath.Glob("testdata/check/*.ar")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".ar"), func(t *testing.T) {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			src := string(text)
			var want []*wanted
			for i, line := range strings.Split(src, "\n") {
				m := wantComment.FindStringSubmatch(line)
				if m == nil {
					if strings.Contains(line, "// want") {
						t.Fatalf("line %d: the comment does not read", i+1)
					}
					continue
				}
				for _, one := range wantOne.FindAllStringSubmatch(m[1], -1) {
					want = append(want, &wanted{line: i + 1, code: one[1], message: regexp.MustCompile(one[2])})
				}
			}
			r, err := argon.Snippet(context.Background(), src, argon.Options{TestMode: true})
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range r.Diagnostics {
				if !meets(want, lineOf(src, d.Place.Start), d) {
					t.Errorf("line %d: %s %s", lineOf(src, d.Place.Start), d.Code, d.Message)
				}
			}
			for _, w := range want {
				if !w.met {
					t.Errorf("line %d: no %s %q", w.line, w.code, w.message)
				}
			}
			if (r.Module == nil) != (len(want) > 0) {
				t.Errorf("a module: %t, with %d diagnostics", r.Module != nil, len(r.Diagnostics))
			}
		})
	}
}

func lineOf(src string, offset int) int {
	return strings.Count(src[:min(offset, len(src))], "\n") + 1
}

func meets(want []*wanted, line int, d diag.Diagnostic) bool {
	for _, w := range want {
		if !w.met && w.line == line && w.code == d.Code && w.message.MatchString(d.Message) {
			w.met = true
			return true
		}
	}
	return false
}

// TestPrograms lowers each file of testdata/program and compares the printed
// program with the file beside it; -update writes it anew.
func TestPrograms(t *testing.T) {
	files, err := filepath.Glob("testdata/program/*.ar")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".ar"), func(t *testing.T) {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			m := compiled(t, string(text))
			var out bytes.Buffer
			if err := lower.Print(&out, &m.Program); err != nil {
				t.Fatal(err)
			}
			for _, f := range m.Facts {
				out.WriteString("\nfacts of " + m.Program.Relations[f.Relation].Name + "\n")
				for i := range f.Frame.Rows {
					out.WriteString(" ")
					for _, v := range f.Frame.Row(nil, i) {
						out.WriteString(" " + lower.ValueText(v))
					}
					out.WriteString("\n")
				}
			}
			golden := strings.TrimSuffix(name, ".ar") + ".golden"
			if *update {
				if err := os.WriteFile(golden, out.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(out.Bytes(), want) {
				t.Errorf("the program is another than in %s:\n%s", golden, out.String())
			}
		})
	}
}
