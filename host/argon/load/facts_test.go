package load_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/argon/load"
)

func readFacts(t *testing.T, entry, file, text string) (*load.FactFile, *load.Workspace) {
	t.Helper()
	w := loadMemory(t, "-- ox.toml --\n[facts]\n\"root::R\" = "+entry+"\n-- root.ar --\n-- "+file+" --\n"+text, load.Options{})
	if len(w.Main.Facts) != 1 {
		t.Fatal(w.Diagnostics)
	}
	return w.Main.Facts[0], w
}

// show writes what a file holds: names, then "line: cells" for each row. Kinds
// other than text are marked: #number ?bool null -missing.
func show(f *load.FactFile) string {
	var b strings.Builder
	b.WriteString(strings.Join(f.Names, "|"))
	for _, r := range f.Rows {
		fmt.Fprintf(&b, "\n%d:", r.Line)
		for i := range f.Names {
			c := r.Cell(i)
			b.WriteString([...]string{" -", " ", " #", " ?", " null", " @"}[c.Kind] + c.Text)
		}
	}
	return b.String()
}

func TestFactFormats(t *testing.T) {
	tests := []struct {
		name, entry, file, text, want string
		problems                      []string
	}{
		{"csv", `"f.csv"`, "f.csv", "a,b\nx,1.50\n\n\"y, \"\"z\"\"\",\"two\nlines\"\nw,\n", "a|b\n2: x 1.50\n4: y, \"z\" two\nlines\n6: w ", nil},
		{"csv with CRLF and a mark", `"f.csv"`, "f.csv", "\uFEFFa,b\r\nx,y\r\n", "a|b\n2: x y", nil},
		{"csv without header", `{ path = "f.csv", header = false }`, "f.csv", "x,1\ny,2\n", "1|2\n1: x 1\n2: y 2", nil},
		{"empty csv", `"f.csv"`, "f.csv", "", "", nil},
		{"csv rows of other lengths", `"f.csv"`, "f.csv", "a,b\nx\ny,1\nz,1,2\n", "a|b\n3: y 1", []string{"line 2: the row has 1 fields", "line 4: the row has 3"}},
		{"csv with a stray quote", `"f.csv"`, "f.csv", "a\nx\ny\"z\nw\n", "a\n2: x", []string{"line 3: "}},
		{"csv with an open quote", `"f.csv"`, "f.csv", "a\n\"x\ny\n", "a", []string{"quote"}},
		{"header with a name twice", `"f.csv"`, "f.csv", "a,a\n", "a|a", []string{"twice"}},
		{"tsv", `"f.tsv"`, "f.tsv", "a\tb\nx \"q\"\t1\n", "a|b\n2: x \"q\" 1", nil},
		{"format by name", `{ path = "f.txt", format = "tsv" }`, "f.txt", "a\tb\nx\ty\n", "a|b\n2: x y", nil},
		{"json objects", `"f.jsonl"`, "f.jsonl", "{\"a\": \"x\", \"n\": 12345678901234567890.10}\n\n{\"n\": 1e400, \"b\": true}\n{\"a\": null}\n",
			"a|n|b\n1: x #12345678901234567890.10 -\n3: - #1e400 ?true\n4: null - -", nil},
		{"json arrays", `"f.jsonl"`, "f.jsonl", "[\"x\", 1]\n[\"y\", 2]\n", "1|2\n1: x #1\n2: y #2", nil},
		{"json array too long", `"f.jsonl"`, "f.jsonl", "[1]\n[1, 2]\n", "1\n1: #1", []string{"line 2: the row has 2 values"}},
		{"json mixed", `"f.jsonl"`, "f.jsonl", "{\"a\": 1}\n[1]\n", "a\n1: #1", []string{"mixed"}},
		{"json nested", `"f.jsonl"`, "f.jsonl", "{\"new\": [[1]]}\n{\"b\": {}}\n{\"a\": 1}\n", "a\n3: #1", []string{"nothing nested", "nothing nested"}},
		{"json lists", `"f.jsonl"`, "f.jsonl", "{\"a\": [1, \"x\", null], \"b\": []}\n", "a|b\n1: @[1, \"x\", null] @[]", nil},
		{"json list cut short", `"f.jsonl"`, "f.jsonl", "{\"a\": [1, 2\n", "", []string{"not finished"}},
		{"json list in an array", `"f.jsonl"`, "f.jsonl", "[\"x\", [true]]\n", "1|2\n1: x @[true]", nil},
		{"json key twice", `"f.jsonl"`, "f.jsonl", "{\"a\": 1, \"a\": 2}\n", "", []string{"twice"}},
		{"json scalar", `"f.jsonl"`, "f.jsonl", "3\n", "", []string{"object or array"}},
		{"json cut short", `"f.jsonl"`, "f.jsonl", "{\"a\": 1\n", "", []string{"not finished"}},
		{"json with more behind", `"f.jsonl"`, "f.jsonl", "{\"a\": 1} {\"a\": 2}\n", "", []string{"more after"}},
		{"json that is none", `"f.jsonl"`, "f.jsonl", "{a: 1}\n", "", []string{"not JSON"}},
		{"not UTF-8", `"f.csv"`, "f.csv", "a\n\xff\n", "", []string{"not UTF-8 at byte 2"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f, w := readFacts(t, tt.entry, tt.file, tt.text)
			if got := show(f); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
			if len(w.Diagnostics) != len(tt.problems) {
				t.Fatalf("diagnostics %+v, want %q", w.Diagnostics, tt.problems)
			}
			for i, d := range w.Diagnostics {
				if d.Code != "OE1267" || !strings.Contains(d.Message, tt.problems[i]) || d.Place.Path != tt.file {
					t.Errorf("got %+v, want %q", d, tt.problems[i])
				}
			}
		})
	}
}

func TestFactRowsKnowTheirPlace(t *testing.T) {
	for _, tt := range []struct{ file, text string }{
		{"f.csv", "\uFEFFa,b\r\n\r\n\"x\ny\",1\r\nz,2"},
		{"f.tsv", "a\tb\n\nxy\t1\nz\t2\n"},
		{"f.jsonl", "\n{\"a\": 1}\r\n{\"a\": 2}\n"},
	} {
		f, _ := readFacts(t, `"`+tt.file+`"`, tt.file, tt.text)
		var got []string
		for _, r := range f.Rows {
			p := f.Position(r)
			got = append(got, tt.text[p.Start:p.End])
		}
		want := map[string][]string{
			"f.csv":   {"\"x\ny\",1", "z,2"},
			"f.tsv":   {"xy\t1", "z\t2"},
			"f.jsonl": {`{"a": 1}`, `{"a": 2}`},
		}[tt.file]
		if !slices.Equal(got, want) {
			t.Errorf("%s: rows at %q, want %q", tt.file, got, want)
		}
	}
}

func TestMalformedRowsAreCapped(t *testing.T) {
	_, w := readFacts(t, `"f.csv"`, "f.csv", "a,b\n"+strings.Repeat("x\n", 50))
	if len(w.Diagnostics) != 20 || !strings.Contains(w.Diagnostics[19].Help, "30 more") {
		t.Errorf("%d diagnostics, the last %+v", len(w.Diagnostics), w.Diagnostics[len(w.Diagnostics)-1])
	}
}

func TestRowsWithNothingInCommonDoNotFillTheMemory(t *testing.T) {
	var b strings.Builder
	for i := range 900 {
		fmt.Fprintf(&b, "{\"k%d\": 1}\n", i)
	}
	b.WriteString(strings.Repeat("{\"k899\":1}\n", 5000))
	f, _ := readFacts(t, `"f.jsonl"`, "f.jsonl", b.String())
	cells := 0
	for _, r := range f.Rows {
		cells += len(r.Cells)
	}
	if cells > b.Len() {
		t.Errorf("%d cells of %d bytes", cells, b.Len())
	}
}

func TestSkipFactsLeavesFilesUnread(t *testing.T) {
	w := loadMemory(t, "-- ox.toml --\n[facts]\n\"A\" = \"gone.csv\"\n-- root.ar --\n", load.Options{SkipFacts: true})
	if len(w.Diagnostics) > 0 || len(w.Main.Facts) != 1 || len(w.Inputs) != 2 {
		t.Errorf("%v, %v, %v", w.Diagnostics, w.Main.Facts, inputPaths(w.Inputs))
	}
}

func TestOneFileOfTwoRelationsIsReportedOnce(t *testing.T) {
	w := loadMemory(t, "-- ox.toml --\n[facts]\n\"A\" = \"f.csv\"\n\"B\" = { path = \"f.csv\", columns = { id = \"b\" } }\n-- root.ar --\n-- f.csv --\na,b\nx,y\nz\n", load.Options{})
	if len(w.Diagnostics) != 1 {
		t.Errorf("got %v, want one diagnostic", w.Diagnostics)
	}
	for _, f := range w.Main.Facts {
		if got := show(f); got != "a|b\n2: x y" {
			t.Errorf("%s: got %q", f.Target, got)
		}
	}
}
