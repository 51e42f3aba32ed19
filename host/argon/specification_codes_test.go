package argon_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/argon/diag"
)

const grammarFile = "syntax/grammar.txt"

var grammarName = regexp.MustCompile(`^([A-Z]\w*) = `)

// shownElsewhere are the codes whose example is no text of a few lines, or is
// no source text at all.
var shownElsewhere = []string{
	"OE0052", "OE0053", "OE0154", "OE1366", // a text of a great depth, of many errors, of bytes that are no UTF-8
	"OE1266", "OE1351", "OE1352", "OW0152", // a limit, or a plugin, which an example does not have
	"OE1204", "OE1210", "OE1213", "OE1214", "OE1255", "OE1256", "OE1257", // of a file .oxbin
	"OW0159", // of an ad-hoc body
	"OW1252", // of an operator's configuration
}

// TestSpecificationCitesEachCode holds that each code that may be reported is
// cited by the rule that it guards, and shown by an example.
func TestSpecificationCitesEachCode(t *testing.T) {
	rules, _, _ := specification(t)
	cited, shown := map[string]bool{}, map[string]bool{}
	for _, rule := range rules {
		for _, code := range specCode.FindAllString(rule.text, -1) {
			cited[code] = true
			if _, ok := diag.Lookup(code); !ok {
				t.Errorf("%s cites %s, which the catalog does not have", rule.id, code)
			}
		}
		for _, code := range shownCodes(rule.example) {
			shown[code] = true
		}
	}
	for _, e := range diag.All() {
		switch {
		case e.Reserved != "":
		case !cited[e.Code]:
			t.Errorf("no rule cites %s: %s", e.Code, e.Title)
		case !shown[e.Code] && !slices.Contains(shownElsewhere, e.Code):
			t.Errorf("no example shows %s: %s", e.Code, e.Title)
		}
	}
}

// TestSpecificationHasTheGrammar holds the grammar of docs/spec.md to that of
// the parser: the same rules, each with the same text. -update writes the text
// anew; a new rule is put into its section by hand.
func TestSpecificationHasTheGrammar(t *testing.T) {
	_, grammar, whole := specification(t)
	text, err := os.ReadFile(grammarFile)
	if err != nil {
		t.Fatal(err)
	}
	want, got := grammarRules(string(text)), grammarRules(grammar)
	for name, rule := range want {
		if got[name] == "" {
			t.Errorf("the specification leaves out %s", name)
		} else if *update {
			whole = strings.Replace(whole, got[name], rule, 1)
		} else if got[name] != rule {
			t.Errorf("the specification says\n%s\nthe grammar\n%s", got[name], rule)
		}
	}
	for name := range got {
		if want[name] == "" {
			t.Errorf("the grammar has no %s", name)
		}
	}
	if *update {
		if err := os.WriteFile(specificationFile, []byte(whole), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// grammarRules are the rules of a grammar by name, without comments.
func grammarRules(text string) map[string]string {
	rules := map[string]string{}
	name := ""
	for line := range strings.Lines(text) {
		switch m := grammarName.FindStringSubmatch(line); {
		case m != nil:
			name = m[1]
			rules[name] += line
		case strings.HasPrefix(line, " ") && name != "":
			rules[name] += line
		default:
			name = ""
		}
	}
	return rules
}
