package syntax

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/argon/diag"
)

func TestNestingIsBounded(t *testing.T) {
	for name, text := range map[string]string{
		"parentheses":    "fn f() -> A = " + strings.Repeat("(", 100_000),
		"lists":          "fn f() -> A = " + strings.Repeat("[", 100_000),
		"blocks":         "fn f() -> A = " + strings.Repeat("{", 100_000),
		"negations":      "fn f() -> A = " + strings.Repeat("!", 100_000) + "x;",
		"not":            "derive f(x) :- " + strings.Repeat("not ", 100_000) + "A(x);",
		"operators":      "fn f() -> A = x" + strings.Repeat(" + x", 100_000) + ";",
		"fields":         "fn f() -> A = x" + strings.Repeat(".a", 100_000) + ";",
		"types":          "fn f() -> " + strings.Repeat("[", 100_000),
		"options":        "fn f() -> A" + strings.Repeat("?", 100_000) + " = x;",
		"modules":        strings.Repeat("mod m { ", 100_000),
		"if":             "mutate m() { " + strings.Repeat("if a { ", 100_000),
		"else if":        "mutate m() { if a {} " + strings.Repeat("else if a {} ", 100_000) + "}",
		"patterns":       "fn f() -> A = match x { " + strings.Repeat("A(", 100_000),
		"uses":           "use a::" + strings.Repeat("{a::", 100_000),
		"exists":         "derive f(x) :- " + strings.Repeat("exists { ", 100_000),
		"interpolations": "fn f() -> A = " + strings.Repeat(`"{`, 100_000),
		"closures":       "fn f() -> A = " + strings.Repeat("|x| ", 100_000),
		"matches":        "fn f() -> A = " + strings.Repeat("match x { y => ", 100_000),
		"aggregates":     "derive f(x) :- " + strings.Repeat("sum(", 100_000),
	} {
		t.Run(name, func(t *testing.T) {
			var diags diag.List
			f := ParseFile(&Source{Text: text + "\npub type After;"}, &diags)
			if !diags.HasErrors() || len(diags.Items) > maxDiagnostics+1 {
				t.Errorf("got %d diagnostics", len(diags.Items))
			}
			if d := diags.Items[0]; d.Code != "OE0052" && name != "interpolations" {
				t.Errorf("got %s %s", d.Code, d.Message)
			}
			var b strings.Builder
			if err := Print(&b, f); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestGarbageEndsWithAFewDiagnostics(t *testing.T) {
	const size = 2 << 20
	for name, unit := range map[string]string{
		"closers": "}", "openers": "{", "mixed brackets": "({[)}]", "quotes": "\"", "quotes and braces": "\"{", "bad bytes": "\xff\xfe x ",
		"attributes": "#[", "numbers": "1a ", "words": "a ", "heads": "pub type\n", "derives": "derive (\n", "comments": "/*", "dates": "#2",
		"escapes": `"\q{x`, "commas": ",", "semicolons": ";", "docs": "//! a\n/// b\n", "statements": "mutate m() { let ; }\n", "old": "@[", "dots": "a.b+(",
		"ands": "&",
	} {
		t.Run(name, func(t *testing.T) {
			var diags diag.List
			ParseFile(&Source{Text: strings.Repeat(unit, size/len(unit))}, &diags)
			if len(diags.Items) > maxDiagnostics+1 {
				t.Errorf("got %d diagnostics", len(diags.Items))
			}
		})
	}
}

func TestQuotesInABrokenInterpolationAreReadOnce(t *testing.T) {
	text := `fn f() -> A = "{` + strings.Repeat(`\"`, 1<<20) + `";`
	var diags diag.List
	ParseFile(&Source{Text: text}, &diags)
	if len(diags.Items) != 1 || diags.Items[0].Code != "OE0051" {
		t.Errorf("got %d diagnostics", len(diags.Items))
	}
}

func BenchmarkParse(b *testing.B) {
	text := strings.Repeat(corpus(b)["testdata/harbour.ar"], 20)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		var diags diag.List
		ParseFile(&Source{Text: text}, &diags)
	}
}

func corpus(t testing.TB) map[string]string {
	out := map[string]string{}
	for _, glob := range []string{"testdata/*.ar", "testdata/bad/*.ar"} {
		files, _ := filepath.Glob(glob)
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			out[f] = string(text)
		}
	}
	return out
}

// TestEveryCutOfAFileIsRead parses each file cut off and with a piece taken
// out at many places: no panic, spans inside the text.
func TestEveryCutOfAFileIsRead(t *testing.T) {
	for name, text := range corpus(t) {
		for i := 0; i < len(text); i += 7 {
			readable(t, name, text[:i])
			readable(t, name, text[:i]+text[min(i+5, len(text)):])
		}
	}
}

// readable checks what holds for every text.
func readable(t testing.TB, name, text string) {
	var diags diag.List
	f := ParseFile(&Source{Path: name, Text: text}, &diags)
	if len(diags.Items) > maxDiagnostics+1 {
		t.Errorf("%s: %d diagnostics", name, len(diags.Items))
	}
	for _, d := range diags.Items {
		if d.Place.Start < 0 || d.Place.End < d.Place.Start || d.Place.End > len(text) || d.Message == "" || d.Help == "" {
			t.Errorf("%s: bad diagnostic %+v", name, d)
		}
	}
	var b strings.Builder
	if err := Print(&b, f); err != nil {
		t.Error(err)
	}
	if diags.HasErrors() {
		return
	}
	twice, again := printed(t, b.String())
	if again.HasErrors() || twice != b.String() {
		t.Errorf("%s: what is printed does not read the same: %s\n--- text\n%s\n--- once\n%s\n--- twice\n%s", name, brief(again.Items), text, b.String(), twice)
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range corpus(f) {
		for _, part := range strings.Split(text, "\n\n") {
			f.Add(part)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		readable(t, "fuzz", text)
		for kind := AdHocQuery; kind <= LoneExpr; kind++ {
			var diags diag.List
			ParseBody(&Source{Text: text}, kind, &diags)
		}
	})
}
