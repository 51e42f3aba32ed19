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
