package syntax

import (
	"fmt"
	"io/fs"
	"math/rand"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/argon/diag"
)

// formatted formats a text that has no syntax errors, and holds the result to
// what is promised of every text.
func formatted(t testing.TB, name, text string) string {
	t.Helper()
	var diags diag.List
	once, err := Format(&Source{Path: name, Text: text}, &diags)
	if err != nil || len(diags.Items) > 0 {
		t.Errorf("%s: %v %s\n%s", name, err, brief(diags.Items), text)
		return ""
	}
	twice, err := Format(&Source{Path: name, Text: once}, &diags)
	if err != nil || twice != once {
		t.Errorf("%s: formatting twice gives something else: %v\n--- text\n%s\n--- once\n%s\n--- twice\n%s", name, err, text, once, twice)
	}
	return once
}

// sources are the .ar files of the repository that have no syntax errors.
func sources(t testing.TB) map[string]string {
	out := map[string]string{}
	root := filepath.Join("..", "..", "..")
	err := filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Ext(name) != ".ar" {
			return err
		}
		text, err := os.ReadFile(name)
		var diags diag.List
		ParseFile(&Source{Text: string(text)}, &diags)
		if !diags.HasErrors() {
			out[name] = string(text)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestFormattingTwiceChangesNothing(t *testing.T) {
	for name, text := range sources(t) {
		once := formatted(t, name, text)
		for i, line := range strings.Split(once, "\n") {
			if strings.TrimRight(line, " \t") != line && !strings.Contains(text, "/*") {
				t.Errorf("%s: line %d of the result ends with blanks: %q", name, i+1, line)
			}
		}
	}
}

func TestProgramsOfTheGrammarAreFormatted(t *testing.T) {
	g := readGrammar(t)
	g.measure()
	for seed := range int64(700) {
		r := rand.New(rand.NewSource(seed))
		var b strings.Builder
		g.grow(r, g.rules["Item"], 8+int(seed%12), &b)
		text := b.String()
		formatted(t, fmt.Sprintf("seed %d", seed), text)
		if !keptParts.MatchString(text) {
			// The layout of the source does not matter.
			if other := formatted(t, "on one line", strings.ReplaceAll(text, "\n", " ")); other != formatted(t, "", text) {
				t.Errorf("seed %d: the line breaks of the source are still there:\n%s\n%s", seed, formatted(t, "", text), other)
			}
		}
		commented := withComments(r, text)
		formatted(t, fmt.Sprintf("seed %d with comments", seed), commented)
		if t.Failed() {
			return
		}
	}
}

// keptParts finds programs with a part that is kept as it is written.
var keptParts = regexp.MustCompile(`\b(macro|unsafe|forall|exists|group|order|limit|union|intersect|except|optional|with|path|shortest|any)\b|[^ ] ! [({\[]`)

// withComments puts comments between random tokens of a text, where they leave
// what it says.
func withComments(r *rand.Rand, text string) string {
	kinds := []string{" // c\n", "\n// c\n", " /* c */ ", "\n/* c */\n", "\n\n", " /* a\n b */ ", "\n\n// a\n\n// b\n"}
	var want diag.List
	was := outline(ParseFile(&Source{Text: text}, &want))
	toks := Tokens(&Source{Text: text}, Span{0, len(text)})
	for range 4 {
		at := toks[r.Intn(len(toks))].Start
		next := text[:at] + kinds[r.Intn(len(kinds))] + text[at:]
		var diags diag.List
		is := outline(ParseFile(&Source{Text: next}, &diags))
		if len(diags.Items) == 0 && strings.Join(is, " ") == strings.Join(was, " ") {
			text = next
			toks = Tokens(&Source{Text: text}, Span{0, len(text)})
		}
	}
	return text
}

func TestAFileWithSyntaxErrorsIsNotFormatted(t *testing.T) {
	var diags diag.List
	text, err := Format(&Source{Path: "x.ar", Text: "pub   type A;\npub derive f(x) :- ;\n"}, &diags)
	if text != "" || err != nil || len(diags.Items) != 1 {
		t.Errorf("got %q, %v, %d diagnostics", text, err, len(diags.Items))
	}
}

func FuzzFormat(f *testing.F) {
	for _, text := range corpus(f) {
		for _, part := range strings.Split(text, "\n\n") {
			f.Add(part)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		var diags diag.List
		if ParseFile(&Source{Text: text}, &diags); !diags.HasErrors() {
			formatted(t, "fuzz", text)
		}
	})
}

func BenchmarkFormat(b *testing.B) {
	text := strings.Repeat(corpus(b)["testdata/harbour.ar"], 20)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		var diags diag.List
		if _, err := Format(&Source{Text: text}, &diags); err != nil {
			b.Fatal(err)
		}
	}
}

// A comma at the end of a list is part of what a macro matches.
func TestWhatMacrosSeeKeepsItsCommas(t *testing.T) {
	for _, text := range []string{
		"macro m {\n    ($($n:ident,)*) => { pub type A; };\n}\nm!(a, b,);\n",
		"#[table(a,)]\npub type A { b: Int, }\n",
		"#[table(a)]\npub type A { b: Int }\n",
	} {
		if got := formatted(t, "macros", text); got != text {
			t.Errorf("got\n%s\nwant\n%s", got, text)
		}
	}
}

// A sign that stands for two words stays, and so does the use of a macro in a
// body.
func TestFormatKeepsWhatIsOneToken(t *testing.T) {
	const text = "pub derive a(p) :- p: P,p.n∉[ 1,2 ],out! (p.n),not more!{ p.n };\n"
	const want = "pub derive a(p) :- p: P, p.n ∉ [1, 2], out!(p.n), not more! { p.n };\n"
	if got := formatted(t, "root.ar", text); got != want {
		t.Errorf("got  %swant %s", got, want)
	}
}
