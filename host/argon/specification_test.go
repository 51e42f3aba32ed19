package argon_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/diag"
)

const specificationFile = "../../docs/spec.md"

// specRule is one rule of docs/spec.md: a paragraph that begins with **[id]**,
// and the example under it.
type specRule struct {
	id, text, example string
}

var (
	specRuleID  = regexp.MustCompile(`^\*\*\[([a-z]+(?:\.[a-z0-9-]+)+)\]\*\* `)
	specCode    = regexp.MustCompile(`\bO[EW]\d{4}\b`)
	specFinds   = regexp.MustCompile(`// finds ([\w:-]+(?:, [\w:-]+)*)$`)
	specRejects = regexp.MustCompile(`rejects \((O[EW]\d{4})\)`)
)

// specification reads docs/spec.md: its rules, and the text of its grammar.
func specification(t *testing.T) (rules []specRule, grammar, whole string) {
	t.Helper()
	text, err := os.ReadFile(specificationFile)
	if err != nil {
		t.Fatal(err)
	}
	fence, body := "", ""
	for i, line := range strings.Split(string(text), "\n") {
		fault := func(format string, args ...any) {
			t.Errorf("%s:%d: %s", specificationFile, i+1, fmt.Sprintf(format, args...))
		}
		switch name, opens := strings.CutPrefix(line, "```"); {
		case opens && fence == "":
			fence, body = name, ""
			if fence != "argon" && fence != "grammar" {
				fault("a block is argon or grammar, not %q", fence)
			}
		case opens && fence == "argon":
			if len(rules) == 0 || rules[len(rules)-1].example != "" {
				fault("an example stands under its rule")
			} else {
				rules[len(rules)-1].example = body
			}
			fence = ""
		case opens:
			grammar += body
			fence = ""
		case fence != "":
			body += line + "\n"
		case specRuleID.MatchString(line):
			if n := len(rules); n > 0 && rules[n-1].example == "" {
				fault("the rule %s has no example", rules[n-1].id)
			}
			id := specRuleID.FindStringSubmatch(line)[1]
			if slices.ContainsFunc(rules, func(r specRule) bool { return r.id == id }) {
				fault("there are two rules %s", id)
			}
			rules = append(rules, specRule{id: id, text: line})
		case strings.HasPrefix(line, "**["):
			fault("the id of the rule does not read")
		}
	}
	if n := len(rules); n == 0 || rules[n-1].example == "" {
		t.Fatal("the last rule has no example")
	}
	return rules, grammar, string(text)
}

// TestSpecification runs the examples of docs/spec.md as TestSpec runs its
// files. What the checks find in the declared facts of an example is said
// behind what is violated (// finds CODE). A rule cites the codes that its
// example shows. -update writes the rows anew.
func TestSpecification(t *testing.T) {
	rules, _, whole := specification(t)
	updated := whole
	for _, rule := range rules {
		t.Run(rule.id, func(t *testing.T) {
			files := diag.Files(rule.example)
			if _, ok := files["ox.toml"]; !ok {
				files["ox.toml"] = "[package]\nname = \"example\"\nprelude = [\"std::core::type\", \"std::core::rel\"]\n"
			}
			specDiagnostics(t, files)
			if _, ok := files["root.ar"]; ok && !strings.Contains(rule.example, "want OE1260") {
				updated = strings.Replace(updated, rule.example, specMeaning(t, rule.example, files), 1)
				specViolations(t, files)
			}
			for _, code := range shownCodes(rule.example) {
				if !strings.Contains(rule.text, code) {
					t.Errorf("the example shows %s, which the rule does not cite", code)
				}
			}
		})
	}
	if *update && updated != whole {
		if err := os.WriteFile(specificationFile, []byte(updated), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// shownCodes are the codes that an example wants, finds or rejects by.
func shownCodes(example string) (codes []string) {
	for line := range strings.Lines(example) {
		line = strings.TrimSuffix(line, "\n")
		for _, find := range []*regexp.Regexp{wantComment, specFinds, specRejects} {
			if m := find.FindStringSubmatch(line); m != nil {
				codes = append(codes, specCode.FindAllString(m[1], -1)...)
			}
		}
	}
	return codes
}

// specViolations holds what the checks find in the declared facts of files to
// what the lines of the root file say.
func specViolations(t *testing.T, files map[string]string) {
	t.Helper()
	m := compileFiles(t, files).Module
	if m == nil {
		return // specMeaning says so
	}
	said := map[string]bool{}
	for i, line := range strings.Split(files["root.ar"], "\n") {
		if finds := specFinds.FindStringSubmatch(line); finds != nil {
			for _, code := range strings.Split(finds[1], ", ") {
				said[fmt.Sprintf("root.ar:%d %s", i+1, code)] = true
			}
		}
	}
	out, f := loaded(t, m).Checks(&abi.ChecksRequest{Call: call, Check: -1})
	if f != nil {
		t.Fatal(f)
	}
	for _, v := range out.Violations {
		c := &m.Program.Checks[v.Check]
		path := m.Program.Files[c.Span.File]
		place := fmt.Sprintf("%s:%d %s", path, lineOf(files[path], c.Span.Start), c.Code)
		if !said[place] && c.Severity <= abi.SeverityWarning {
			t.Errorf("the facts violate %s: %s", place, c.Name)
		}
		delete(said, place)
	}
	for place := range said {
		t.Errorf("the facts do not violate %s", place)
	}
}
