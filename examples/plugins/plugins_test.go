package plugins

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// languages are those that the example is written in.
var languages = []string{"go", "c"}

// built is the module of the example in a language. Its README builds it
// outside of this checkout, as a stranger would.
func built(t *testing.T, lang string) string {
	t.Helper()
	if why := missing(lang); why != "" {
		t.Skip(why)
	}
	folder := filepath.Join(t.TempDir(), "iban-"+lang)
	if err := os.CopyFS(folder, os.DirFS("iban-"+lang)); err != nil {
		t.Fatal(err)
	}
	if lang == "go" {
		if err := os.WriteFile(filepath.Join(folder, "go.mod"), []byte("module iban\n\ngo 1.24\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	buildAsTold(t, folder)
	return filepath.Join(folder, "iban.wasm")
}

func appendTo(t *testing.T, file, text string) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(file, append(b, text...), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// What each build makes of the accounts: of those of the package, and of more.
func TestBothBuildsDecideTheSame(t *testing.T) {
	p := newPerson(t)
	folder := p.copied("accounts")
	// More countries than fit in a page of facts, so that there are two.
	const countries = 4100
	var schemes, accounts strings.Builder
	schemes.WriteString("id,country,length\n")
	for i := range countries {
		fmt.Fprintf(&schemes, "s%d,%c%c%d,%d\n", i, 'A'+i%26, 'A'+i/26%26, i, 15+i%20)
	}
	accounts.WriteString("id,number\n")
	for i := range 72 { // no more than check lists
		fmt.Fprintf(&accounts, "a%d,%s\n", i, []string{
			fmt.Sprintf("DE%02d370400440532013000", i+23), fmt.Sprintf("NO%02d86011117%03d", i+2, i),
			strings.Repeat("Ä", i/6), fmt.Sprintf("BE68%d", i), "GB82 WEST 1234 5698 7654 32", "be68 5390 0754 7034",
		}[i%6])
	}
	for name, text := range map[string]string{"schemes.csv": schemes.String(), "accounts.csv": accounts.String()} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	appendTo(t, filepath.Join(folder, "ox.toml"), `
[facts]
"root::Scheme" = { path = "schemes.csv", columns = { id = "id", country = "country", length = "length" } }
"root::Account" = { path = "accounts.csv", columns = { id = "id", number = "number" } }
`)
	appendTo(t, filepath.Join(folder, "root.ar"), `
pub fact Account(nothing);
pub fact Account(typed_wrong) { number: "BE68 5390 0754 7043" };
`)

	found := map[string][]finding{}
	fuel := map[string]uint64{}
	for _, lang := range languages {
		t.Run(lang, func(t *testing.T) {
			file := built(t, lang)
			p.pin(file, "iban", "facts")
			found[lang], _ = p.check(folder)
			fuel[lang] = p.fuel(folder, "iban")
			counts := map[string]int{}
			for _, f := range found[lang] {
				counts[f.Code]++
			}
			for _, code := range []string{"IBAN-FORM", "IBAN-COUNTRY", "IBAN-LENGTH", "IBAN-DIGITS"} {
				if counts[code] == 0 {
					t.Errorf("nothing has the code %s: %v", code, counts)
				}
			}
			// Those that add up are no violations.
			text := fmt.Sprint(found[lang])
			if strings.Contains(text, "DE89370400440532013000") || !strings.Contains(text, "BE68539007547043 does not add up: its check digits are 68, and 19 would fit") ||
				!strings.Contains(text, "there is no number") {
				t.Errorf("found %s", text)
			}
		})
	}
	if len(found) < len(languages) {
		t.Skip("only one language can be built here: nothing to compare")
	}
	if !reflect.DeepEqual(found["go"], found["c"]) {
		t.Errorf("Go found %v\nC found %v", found["go"], found["c"])
	}
	if fuel["c"] > fuel["go"] {
		t.Errorf("C spent %d units of fuel, and Go %d", fuel["c"], fuel["go"])
	}
}

// The package as it is, in the ways of its README.
func TestThePackageRunsWithEitherBuild(t *testing.T) {
	for _, lang := range languages {
		t.Run(lang, func(t *testing.T) {
			p := newPerson(t)
			file := built(t, lang)
			folder := p.copied("accounts")

			if list, status := p.check(folder); status != 1 || !hasCode(list, "OE1352") {
				t.Errorf("without the plugin it is checked, with %d: %v", status, list)
			}
			wasm, err := os.ReadFile(file)
			if err == nil {
				err = os.WriteFile(filepath.Join(folder, "iban.wasm"), wasm, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			p.must(folder, "trust", ".")
			if list, status := p.check(folder); status != 1 || !hasCode(list, "OE1352") {
				t.Errorf("without a pin it is checked, with %d: %v", status, list)
			}
			if out := p.must(folder, "test", "--dev"); !strings.Contains(out, "1 passed, 0 failed") {
				t.Error(out)
			}
			p.must(folder, "trust", ".", "--remove")

			p.pin(file, "iban", "facts")
			if out := p.must(folder, "test"); !strings.Contains(out, "1 passed, 0 failed") {
				t.Error(out)
			}
			list, status := p.check(folder)
			if status != 0 || !hasCode(list, "IBAN-COUNTRY") {
				t.Errorf("status %d, found %v", status, list)
			}
			// What it must read and may not is no silence.
			p.pin(file, "iban", "")
			if out, said, status := p.run(folder, "check"); status == 0 || !strings.Contains(out+said, `grants = ["facts"]`) {
				t.Errorf("without its grant the status is %d: %s%s", status, out, said)
			}
			// Nor is what the body does not name.
			p.pin(file, "iban", "facts")
			source, err := os.ReadFile(filepath.Join(folder, "root.ar"))
			if err == nil {
				source = bytes.ReplaceAll(source, []byte(", length_of(_, _)"), nil)
				err = os.WriteFile(filepath.Join(folder, "root.ar"), source, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			list, _ = p.check(folder)
			if text := fmt.Sprint(list); !hasCode(list, "OE1352") || !strings.Contains(text, `the facts of length_of: the body of root::number_adds_up does not name the relation "length_of"`) {
				t.Errorf("with a body that does not name the facts it found %s", text)
			}
		})
	}
}

func hasCode(list []finding, code string) bool {
	for _, f := range list {
		if f.Code == code {
			return true
		}
	}
	return false
}

// Neither build answers a request that is none, and the next call works.
func TestARequestThatIsNoneIsRefused(t *testing.T) {
	requests := map[string]string{
		"empty": "", "no list": "\x00", "short": "\x87", "endless": "\x9f", "a huge list": "\x9b\xff\xff\xff\xff\xff\xff\xff\xff",
		"deep": strings.Repeat("\x81", 100_000), "a frame of nothing": "\x87\x00\x61a\x80\x80\x80\x80\x40",
		"a huge frame": "\x87\x00\x61a\x80\x80\x80\x80\x54OXF1\xff\xff\xff\x7f\xff\xff\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00",
	}
	for _, lang := range languages {
		t.Run(lang, func(t *testing.T) {
			p := newPerson(t)
			file := built(t, lang)
			for name, request := range requests {
				path := filepath.Join(p.home, "request")
				if err := os.WriteFile(path, []byte(request), 0o600); err != nil {
					t.Fatal(err)
				}
				out, said, status := p.run(p.home, "plugin", "run", file, "ox:plugin/check-evaluator@0.1.0#evaluate", "--request", path)
				if status != 1 && status != 2 || !strings.Contains(said, "bad_request") && !strings.Contains(said, "trap") && !strings.Contains(said, "unreachable") {
					t.Errorf("%s: status %d\n%s%s", name, status, out, said)
				}
			}
		})
	}
}

// Whatever an evaluator answers, what the host says has a code and a reason.
func TestNonsenseHasACode(t *testing.T) {
	p := newPerson(t)
	folder := t.TempDir()
	wasm := filepath.Join(folder, "nonsense.wasm")
	buildGo(t, "./testdata/nonsense", wasm)
	p.pin(wasm, "nonsense", "")
	for _, c := range []struct {
		what   string
		status int
		wants  []string
	}{
		{"few_verdicts", 2, []string{"PLUGIN_BAD_OUTPUT", "0 verdicts for 1"}},
		{"many_verdicts", 2, []string{"PLUGIN_BAD_OUTPUT", "3 verdicts for 1"}},
		{"no_cbor", 2, []string{"PLUGIN_BAD_OUTPUT", "does not parse"}},
		{"no_severity", 2, []string{"PLUGIN_BAD_OUTPUT", "unknown constant 9"}},
		{"no_utf8", 2, []string{"PLUGIN_BAD_OUTPUT", "not UTF-8"}},
		{"a_huge_length", 2, []string{"PLUGIN_BAD_OUTPUT", "more than the 0 bytes left"}},
		{"outside_of_memory", 2, []string{"PLUGIN_TRAPPED", "outside the memory"}},
		{"no_failure", 2, []string{"PLUGIN_TRAPPED", "the failure does not decode"}},
		{"no_discriminant", 2, []string{"PLUGIN_TRAPPED", "discriminant 7"}},
		{"area_far_away", 2, []string{"PLUGIN_TRAPPED", "outside the memory"}},
		{"a_panic", 2, []string{"PLUGIN_TRAPPED", "unreachable", "main.evaluate"}},
		{"too_much", 0, []string{"OW0152", "the limit of output"}},
		{"no_end", 0, []string{"OW0152", "the limit of fuel"}},
		{"no_bottom", 0, []string{"OW0152", "the limit of depth"}},
	} {
		t.Run(c.what, func(t *testing.T) {
			file := filepath.Join(folder, c.what+".ar")
			if err := os.WriteFile(file, []byte(strings.ReplaceAll(nonsenseSource, "WHAT", c.what)), 0o600); err != nil {
				t.Fatal(err)
			}
			out, said, status := p.run(folder, "check", file, "--json")
			if status != c.status {
				t.Errorf("status %d, expected %d", status, c.status)
			}
			for _, want := range c.wants {
				if !strings.Contains(out, want) {
					t.Errorf("no %q in %s%s", want, out, said)
				}
			}
		})
	}
}

const nonsenseSource = `use std::core::type;
use std::core::Severity;
use std::core::Diagnostic;
pub type Item;
pub fact Item(a);
#[evaluator(nonsense)]
pub check WHAT(i: Item) :- Item(i)
    => Diagnostic { severity: Severity::Error, code: "N", message: "none" };
`

// What a plugin says before it crashes is for whoever runs it by hand.
func TestTheLastWordsOfAPluginAreShown(t *testing.T) {
	p := newPerson(t)
	wasm := filepath.Join(p.home, "nonsense.wasm")
	buildGo(t, "./testdata/nonsense", wasm)
	_, said, status := p.run(p.home, "plugin", "run", wasm, "ox:plugin/check-evaluator@0.1.0#evaluate")
	if status == 0 || !strings.Contains(said, "panic: on purpose") || !strings.Contains(said, "main.evaluate") {
		t.Errorf("status %d: %s", status, said)
	}
}

// What faces the wall is the same in the examples and in the skeletons, so
// that a plugin author learns it once.
func TestTheExamplesFaceTheWallAsTheSkeletonsDo(t *testing.T) {
	for example, skeleton := range map[string]string{
		"iban-go/wall.go": "go/wall.go", "iban-go/cbor.go": "go/cbor.go", "iban-go/message.go": "go/message.go", "iban-c/ox.h": "c/ox.h",
	} {
		have, err := os.ReadFile(example)
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(filepath.Join("..", "..", "host", "cli", "skeleton", skeleton))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(have, want) {
			t.Errorf("%s differs from the skeleton's", example)
		}
	}
}
