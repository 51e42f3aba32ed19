package syntax

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/argon/diag"
)

var wantComment = regexp.MustCompile(`// want (O[EW]\d{4}) "([^"]*)"`)

// TestMistakesAreReportedWhereTheyAre reads the files of testdata/bad: a line
// with a mistake ends with `// want CODE "regexp"`, one for each diagnostic
// that begins on it.
func TestMistakesAreReportedWhereTheyAre(t *testing.T) {
	files, _ := filepath.Glob("testdata/bad/*.ar")
	if len(files) == 0 {
		t.Fatal("no files")
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		src := &Source{Path: name, Text: string(text)}
		var diags diag.List
		ParseFile(src, &diags)
		got := map[int][]diag.Diagnostic{}
		for _, d := range diags.Items {
			line, _ := src.Position(d.Place.Start)
			got[line] = append(got[line], d)
			if d.Help == "" || d.Message == "" || d.Place.End < d.Place.Start || d.Place.End > len(src.Text) {
				t.Errorf("%s:%d: diagnostic without help, message or place: %+v", name, line, d)
			}
		}
		for i, line := range strings.Split(src.Text, "\n") {
			found := got[i+1]
			wants := wantComment.FindAllStringSubmatch(line, -1)
			for _, w := range wants {
				k := -1
				for j, d := range found {
					if d.Code == w[1] && regexp.MustCompile(w[2]).MatchString(d.Message) {
						k = j
						break
					}
				}
				if k < 0 {
					t.Errorf("%s:%d: want %s %q, got %s", name, i+1, w[1], w[2], brief(found))
					continue
				}
				found = append(found[:k:k], found[k+1:]...)
			}
			if len(found) > 0 {
				t.Errorf("%s:%d: unwanted %s", name, i+1, brief(found))
			}
		}
	}
}

func brief(ds []diag.Diagnostic) string {
	s := fmt.Sprintf("%d diagnostics", len(ds))
	for _, d := range ds {
		s += "\n\t" + d.Code + " " + d.Message
	}
	return s
}

// TestOneMistakeIsOneDiagnostic takes each token in turn out of a file that
// holds every construct. Where the rest is still no program, nearly always one
// diagnostic says so, and the declarations behind it are still read.
func TestOneMistakeIsOneDiagnostic(t *testing.T) {
	text := corpus(t)["testdata/harbour.ar"]
	tokens := lex(text, Span{0, len(text)}, func(string, Span, string, string) {}).tokens
	wrong, single := 0, 0
	for _, tok := range tokens[:len(tokens)-1] {
		src := &Source{Text: text[:tok.start] + text[tok.end:] + "\npub type After;\n"}
		var diags diag.List
		f := ParseFile(src, &diags)
		if len(diags.Items) == 0 {
			continue
		}
		wrong++
		if len(diags.Items) == 1 {
			single++
		}
		if len(diags.Items) > 3 {
			line, column := src.Position(int(tok.start))
			t.Errorf("%d:%d without %q: %s", line, column, text[tok.start:tok.end], brief(diags.Items))
		}
		if last := f.Items[len(f.Items)-1].Head().Name.Name; last != "After" {
			line, column := src.Position(int(tok.start))
			t.Errorf("%d:%d without %q: the last declaration is lost; %q is the last", line, column, text[tok.start:tok.end], last)
		}
	}
	if single*100 < wrong*97 {
		t.Errorf("of %d mistakes only %d gave one diagnostic", wrong, single)
	}
}

func TestBrokenLiteralsAreReportedOnce(t *testing.T) {
	for _, text := range []string{
		"fn f() -> A = \"abc;\npub type B;",
		"mutate m() {\n f(\"abc);\n g(x);\n}\npub type B;",
		"mutate m() {\n let x = \"abc;\n g(x);\n}\npub type B;",
		"fn f() -> A = [1_000, 2];\npub type B;",
		"fn f() -> A = 1_000 EUR;\npub type B;",
		"fn f() -> A = 'xyz';\npub type B;",
		"type A; /* open",
		"test \"open { f(); }\ntype B;",
	} {
		var diags diag.List
		f := ParseFile(&Source{Text: text}, &diags)
		if len(diags.Items) != 1 || diags.Items[0].Code < "OE0004" {
			t.Errorf("%q: %s", text, brief(diags.Items))
		}
		if len(f.Items) == 0 {
			t.Errorf("%q: no items", text)
		}
	}
}

func TestMissingTerminatorsCanBeInserted(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"pub type A\npub type B;", "pub type A;\npub type B;"},
		{"rel R(a: A) [1]\n", "rel R(a: A) [1];\n"},
		{"derive p(x) :- A(x)\ntype B;", "derive p(x) :- A(x);\ntype B;"},
		{"mutate m() {\n let x = 3\n f(x);\n}", "mutate m() {\n let x = 3;\n f(x);\n}"},
		{"derive p(x) :- x.a = 3;", "derive p(x) :- x.a == 3;"},
		{"enum E = A | B;", "enum E { A, B }"},
		{"type C = A | B;", "type C { A, B }"},
		{"@[default]\nderive p(x) :- A(x);", "#[default]\nderive p(x) :- A(x);"},
	} {
		var diags diag.List
		ParseFile(&Source{Text: c.text}, &diags)
		if len(diags.Items) != 1 || diags.Items[0].Fix == nil || len(diags.Items[0].Fix.Edits) != 1 {
			t.Errorf("%q: %s", c.text, brief(diags.Items))
			continue
		}
		e := diags.Items[0].Fix.Edits[0]
		got := c.text[:e.Place.Start] + e.Text + c.text[e.Place.End:]
		if _, again := printed(t, got); got != c.want || len(again.Items) > 0 {
			t.Errorf("%q: mended to %q %s", c.text, got, brief(again.Items))
		}
	}
}
