package runtime

import (
	"encoding/xml"
	"errors"
	"fmt"
	"html"
	"io"
	"regexp"
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
		flat := flattened(text)
		if !strings.Contains(flat, r.Fact) {
			t.Errorf("%s: the fact is not there whole:\n%s", name, text)
		}
	}
	if got := Wrapped(strings.Repeat("x", 200), treeColumns, treeColumns); len(got) != 1 {
		t.Errorf("a word was broken: %q", got)
	}
}

// deep is a chain of proofs, each with a fact as long as the line beside the
// next, and wide a proof with many premises.
func deep(levels int, fact string) *ProofNode {
	n := &ProofNode{Fact: fact, Kind: "asserted"}
	for i := range levels {
		n = &ProofNode{Fact: fmt.Sprintf("%s level %d", fact, levels-i), Kind: "rule", Alternatives: i,
			Rule: &RuleRef{Name: "root::reaches", Span: &Range{File: "some/folder/file.ar"}}, Children: []*ProofNode{{Fact: fact, Kind: "asserted"}, n}}
	}
	return n
}

// flattened is a drawing as one line of words.
func flattened(text string) string {
	return strings.Join(strings.Fields(strings.NewReplacer("│", "", "├─", "", "└─", "").Replace(text)), " ")
}

func TestDeepAndWideTreesKeepToTheColumns(t *testing.T) {
	fact := "reaches(a harbour, another harbour that is far away from it, and a third)"
	wide := &ProofNode{Fact: fact, Kind: "rule"}
	for range 300 {
		wide.Children = append(wide.Children, deep(2, fact))
	}
	not := &WhyNotNode{Fact: fact, Truth4: "Not"}
	for range 40 {
		not = &WhyNotNode{Fact: fact, Truth4: "Can", Rules: []Attempt{{Rule: RuleRef{Name: "root::reaches"}, Of: 2, Reached: 1,
			Also: []FailedAtom{{Atom: fact, Reason: "no_match"}}, Failed: FailedAtom{Atom: fact, Reason: "undefined"}, NearMiss: fact, Children: []*WhyNotNode{not}}}}
	}
	for name, text := range map[string]string{"deep": renderTree(deep(60, fact)), "wide": renderTree(wide), "why not": renderWhyNot(not)} {
		flat := flattened(text)
		for _, line := range strings.Split(text, "\n") {
			if n := utf8.RuneCountInString(line); n > treeColumns {
				t.Errorf("%s: a line has %d columns: %s", name, n, line)
			}
		}
		if name != "wide" && (strings.Count(flat, "below, at [1]") != 1 || !strings.Contains(text, "\n[1] ")) {
			t.Errorf("%s: what stands too deep is not told once, and drawn below:\n%s", name, text)
		}
	}
	flat := flattened(renderTree(deep(60, fact)))
	for i := range 60 {
		if want := fmt.Sprintf("level %d ", i+1); !strings.Contains(flat, want) {
			t.Errorf("%sis not drawn", want)
		}
	}
}

// What is drawn for a viewer breaks its lines as the text does.
func TestDrawingsOfDeepTreesBreakTheirLines(t *testing.T) {
	fact := "reaches(a harbour, another harbour that is far away from it, and a third, and one more)"
	not := &WhyNotNode{Fact: fact, Truth4: "Not"}
	for range 30 {
		not = &WhyNotNode{Fact: fact, Truth4: "Not", Rules: []Attempt{{Rule: RuleRef{Name: "root::reaches"}, Of: 2, Failed: FailedAtom{Atom: fact}, NearMiss: fact, Children: []*WhyNotNode{not}}}}
	}
	for name, r := range map[string]*ExplainResult{"proof": {Fact: fact, Root: deep(30, fact)}, "why not": {Fact: fact, WhyNot: not}} {
		nodes := 0
		for _, line := range strings.Split(RenderDOT(r), "\n") {
			if _, label, ok := strings.Cut(line, "[label="); ok {
				nodes++
				for _, part := range strings.Split(label, `\n`) {
					if n := utf8.RuneCountInString(part); n > treeColumns+20 { // with the attributes
						t.Errorf("%s: a label of the graph has a line of %d letters: %s", name, n, part)
					}
				}
			}
		}
		if nodes < 60 {
			t.Errorf("%s: the graph has %d nodes", name, nodes)
		}
		for _, text := range regexp.MustCompile(`<text[^>]*>([^<]*)<`).FindAllStringSubmatch(RenderSVG(r), -1) {
			if n := utf8.RuneCountInString(html.UnescapeString(text[1])); n > svgText+3 {
				t.Errorf("%s: a line of the image has %d letters: %s", name, n, text[1])
			}
		}
	}
}

func TestRepairsThatDifferInOneValueAreOneLine(t *testing.T) {
	one := func(fact, was string) Repair {
		r := Repair{Facts: []string{fact}, Verified: true}
		if was != "" {
			r.Was = []string{was}
		}
		return r
	}
	n := &WhyNotNode{Searched: &Searched{MaxSize: 1, Complete: true}, Repairs: []Repair{
		one("jar.cracks = 2", "3"), one("jar.cracks = 1", "3"), one("jar.cracks = 0", "3"), one("jar.cracks = 5", "3"), one("jar.cracks = 6", "3"),
		one("pot.cracks = 0", "3"), {Removed: []string{"Permit(heavy, mill)"}, Verified: true},
		one("Next(quay, north)", ""), one("Next(quay, south)", ""), one("Next(quay, west)", ""), one("Next(pier, south)", ""), one("Calm(sea)", ""),
	}}
	var b strings.Builder
	drawRepairs(&b, n)
	want := `It would hold with one change:
~ jar.cracks = 2, 1, 0 or one of 2 others   ‹was 3; tried: it holds then›
~ pot.cracks = 0   ‹was 3; tried: it holds then›
- Permit(heavy, mill)   ‹tried: it holds without›
+ and 3 more; format json lists all
`
	if b.String() != want {
		t.Errorf("the repairs are drawn as\n%swant\n%s", b.String(), want)
	}
	lines := repairLines(n.Repairs)
	if got, want := lines[3].text(), "Next(quay, north or south or west)"; got != want {
		t.Errorf("values of a term are drawn as %s, want %s: a comma would begin the next term", got, want)
	}
}

// The graph shows what the text does: no types of parameters, all premises that
// fail, and the nearest fact.
func TestAGraphShowsWhatTheTextDoes(t *testing.T) {
	leaf := func(fact string, filter bool) *ProofNode {
		return &ProofNode{Fact: fact, Kind: "asserted", Filter: filter}
	}
	proof := RenderDOT(&ExplainResult{Root: &ProofNode{Fact: "way(a, b)", Kind: "rule", Tag: "+∂", Rule: &RuleRef{Name: "root::way"},
		Children: []*ProofNode{leaf("Next(a, b)", false), leaf("Place(a)", true)}}})
	if strings.Contains(proof, "Place(a)") || !strings.Contains(proof, "Next(a, b)") || !strings.Contains(proof, "‹+∂ by way") {
		t.Errorf("the graph of a proof:\n%s", proof)
	}
	not := RenderDOT(&ExplainResult{WhyNot: &WhyNotNode{Fact: "way(a, b)", Truth4: "Not", Rules: []Attempt{{Rule: RuleRef{Name: "root::way"}, Of: 2,
		Also: []FailedAtom{{Atom: "Open(b)", Reason: "no_match"}}, Failed: FailedAtom{Atom: "Next(a, b)", Reason: "no_match"}, NearMiss: "Next(a, c)"}}}})
	for _, want := range []string{"missing: Open(b)", "missing: Next(a, b)", "nearest: Next(a, c)"} {
		if !strings.Contains(not, want) {
			t.Errorf("the graph does not show %s:\n%s", want, not)
		}
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
