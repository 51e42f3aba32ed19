package diag

import (
	"slices"
	"strings"
	"testing"
)

func TestCatalogEntriesAreWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range All() {
		if seen[e.Code] {
			t.Errorf("%s has two entries", e.Code)
		}
		seen[e.Code] = true
		if len(e.Code) != 6 || !strings.HasPrefix(e.Code, "OE") && !strings.HasPrefix(e.Code, "OW") {
			t.Errorf("%q is no code", e.Code)
		}
		if e.Title == "" || strings.HasSuffix(e.Title, ".") {
			t.Errorf("%s: title %q", e.Code, e.Title)
		}
		if !strings.HasSuffix(e.Explanation, ".") {
			t.Errorf("%s: the explanation is no sentence", e.Code)
		}
		if e.Remediation.Class == "" || e.Remediation.Text == "" {
			t.Errorf("%s: says nothing of what to do", e.Code)
		}
		if (e.Failing == "") != (e.Repaired == "") {
			t.Errorf("%s: an example needs both of its forms", e.Code)
		}
		if e.Reserved != "" && e.Failing != "" {
			t.Errorf("%s: a reserved code has an example", e.Code)
		}
		if want := map[bool]Severity{true: Warning, false: Error}[e.Code[1] == 'W']; e.Severity != want {
			t.Errorf("%s: severity %v", e.Code, e.Severity)
		}
		if got, ok := Lookup(" " + strings.ToLower(e.Code)); !ok || got.Title != e.Title {
			t.Errorf("%s: Lookup gives %q", e.Code, got.Title)
		}
	}
	if _, ok := Lookup("OE9999"); ok {
		t.Error("Lookup finds a code that is not there")
	}
}

func TestFilesSplitsAnExample(t *testing.T) {
	got := Files("-- ox.toml --\n[package]\n-- a/b.ar --\npub type X;\n-- not a marker\n")
	if len(got) != 2 || got["ox.toml"] != "[package]\n" || got["a/b.ar"] != "pub type X;\n-- not a marker\n" {
		t.Errorf("got %q", got)
	}
	if got := Files("pub type X;\n"); got["root.ar"] != "pub type X;\n" {
		t.Errorf("got %q", got)
	}
}

func TestNearest(t *testing.T) {
	words := []string{"prelude", "version", "name", "edition", "description", "limits.fuel"}
	tests := []struct{ name, want string }{
		{"prelud", "prelude"},
		{"verzion", "version"},
		{"vresion", "version"},
		{"Name", "name"},
		{"nmae", "name"},
		{"limits.fule", "limits.fuel"},
		{"xyz", ""},
		{"", ""},
		{"name", ""}, // the word itself is no suggestion
		{strings.Repeat("a", 5000), ""},
	}
	for _, tt := range tests {
		if got, _ := Nearest(tt.name, words); got != tt.want {
			t.Errorf("%.20q: got %q, want %q", tt.name, got, tt.want)
		}
	}
	if got := NearestN("bar", []string{"baz", "car", "bat", "quux"}, 2); !slices.Equal(got, []string{"bat", "baz"}) {
		t.Errorf("got %q", got)
	}
}

func TestRender(t *testing.T) {
	files := map[string]string{"root.ar": "pub type Book;\n\tpub type Löan { what: Bok }\nend\nmore\n"}
	text := func(p string) (string, bool) { s, ok := files[p]; return s, ok }
	find := func(word string) Place {
		i := strings.Index(files["root.ar"], word)
		return Place{"root.ar", i, i + len(word)}
	}
	tests := []struct {
		name string
		d    Diagnostic
		want string
	}{
		{"everything", Diagnostic{Code: "OE0101", Message: "there is no Bok\nhere", Place: find("Bok"), Help: "did you mean Book?",
			Related: []Related{{find("Book"), "declared here"}},
			Fix:     &Fix{"write Book", []Edit{{find("Bok"), "Book"}, {Place{"root.ar", 13, 13}, "?"}}}},
			`error[OE0101]: there is no Bok here
  --> root.ar:2:24
  |
2 |     pub type Löan { what: Bok }
  |                           ^^^
related: declared here
  --> root.ar:1:10
  |
1 | pub type Book;
  |          ^^^^
help: did you mean Book?
fix: write Book
  root.ar:2:24: replace "Bok" by "Book"
  root.ar:1:14: insert "?"
`},
		{"no length, at the end of a line", Diagnostic{Code: "OE0011", Message: "m", Place: Place{"root.ar", 14, 14}},
			"error[OE0011]: m\n  --> root.ar:1:15\n  |\n1 | pub type Book;\n  |               ^\n"},
		{"several lines", Diagnostic{Code: "OW0150", Severity: Warning, Message: "m", Place: Place{"root.ar", 9, len(files["root.ar"])}},
			"warning[OW0150]: m\n  --> root.ar:1:10\n  |\n1 | pub type Book;\n  |          ^^^^^\n2 |     pub type Löan { what: Bok }\n  | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n3 | end\n  | ^^^\n4 | more\n  | ^^^^\n"},
		{"a file that may not be shown", Diagnostic{Code: "OE1250", Message: "m", Place: Place{"../secret", 1, 2}},
			"error[OE1250]: m\n  --> ../secret\n"},
		{"offsets outside the text", Diagnostic{Code: "OE0001", Message: "m", Place: Place{"root.ar", 900, 1000}},
			"error[OE0001]: m\n  --> root.ar:5:1\n  |\n5 | \n  | ^\n"},
		{"no place", Diagnostic{Code: "OE0001", Message: "m"}, "error[OE0001]: m\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var b strings.Builder
			if err := Render(&b, tt.d, text, Options{}); err != nil {
				t.Fatal(err)
			}
			if b.String() != tt.want {
				t.Errorf("got\n%s\nwant\n%s", b.String(), tt.want)
			}
			if strings.Contains(b.String(), "\x1b") {
				t.Error("colour without being asked")
			}
			b.Reset()
			Render(&b, tt.d, text, Options{Color: true})
			if !strings.Contains(b.String(), "\x1b[") {
				t.Error("no colour though asked")
			}
		})
	}
}

func TestRenderShortensLongPlaces(t *testing.T) {
	long := strings.Repeat("x\n", 100) + strings.Repeat("y", 1000)
	var b strings.Builder
	Render(&b, Diagnostic{Code: "OE0001", Place: Place{"a", 0, len(long)}}, func(string) (string, bool) { return long, true }, Options{})
	if n := strings.Count(b.String(), "\n"); n > 20 || b.Len() > 1500 {
		t.Errorf("%d lines, %d bytes:\n%s", n, b.Len(), b.String())
	}
}
