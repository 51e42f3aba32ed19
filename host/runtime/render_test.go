package runtime

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode/utf8"
)

// long is an explanation whose facts are longer than a line.
func long() *ExplainResult {
	fact := "supplies(" + strings.Repeat("a harbour & <its> berth, ", 6) + "quay)"
	leaf := func() *WhyNotNode {
		return &WhyNotNode{Fact: fact, Rules: []Attempt{{
			Rule: RuleRef{Name: "root::supplies"}, Of: 2, NearMiss: fact,
			Failed: FailedAtom{Atom: fact, Reason: "no_match"},
		}}}
	}
	root := leaf()
	root.Rules[0].Children = []*WhyNotNode{leaf(), leaf()}
	root.Repairs = []Repair{{Facts: []string{fact, fact}, Verified: true}}
	root.Searched = &Searched{MaxSize: 2}
	return &ExplainResult{Fact: fact, WhyNot: root}
}

func TestTreesKeepToTheColumnsOfATerminal(t *testing.T) {
	r := long()
	proof := &ProofNode{Fact: r.Fact, Kind: "asserted", Source: &Range{File: "a/rather/long/path/to/some/facts.csv"}}
	for name, text := range map[string]string{
		"why not": RenderText(r),
		"proof":   renderTree(&ProofNode{Fact: r.Fact, Kind: "rule", Children: []*ProofNode{proof, {Fact: r.Fact, Kind: "rule", Children: []*ProofNode{proof}}}}),
	} {
		for _, line := range strings.Split(text, "\n") {
			if n := utf8.RuneCountInString(line); n > treeColumns {
				t.Errorf("%s: a line has %d columns: %s", name, n, line)
			}
		}
		// Nothing is lost where a line is broken.
		flat := strings.Join(strings.Fields(strings.NewReplacer("│", "", "├─", "", "└─", "").Replace(text)), " ")
		if !strings.Contains(flat, r.Fact) {
			t.Errorf("%s: the fact is not there whole:\n%s", name, text)
		}
	}
	if got := wrapped(strings.Repeat("x", 200), treeColumns, treeColumns); len(got) != 1 {
		t.Errorf("a word was broken: %q", got)
	}
}

func TestDrawingsAreWellFormed(t *testing.T) {
	text := RenderSVG(long())
	d := xml.NewDecoder(strings.NewReader(text))
	boxes := 0
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("the drawing does not parse: %v\n%s", err, text)
		}
		if e, ok := tok.(xml.StartElement); ok && e.Name.Local == "rect" {
			boxes++
		}
	}
	if want := 1 + 2*3 + 2; boxes != want { // the ground, a box a fact and rule, the repairs
		t.Errorf("%d boxes, want %d", boxes, want)
	}
}
