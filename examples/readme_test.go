package examples

import (
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

var updateReadmes = flag.Bool("update-readmes", false, "write what the commands of the READMEs print into them")

// areas are the packages that each teach one area of the language, with the
// code for which the package in their folder twin is refused.
var areas = map[string]string{
	"orchard":    "OE0101", // getting started
	"apiary":     "OE0631", // vocabulary and packages
	"library":    "OE0252", // relations
	"workshop":   "OE0211", // refinement
	"railway":    "OE1317", // rules and recursion
	"ward":       "OE0352", // defeasible reasoning
	"footpaths":  "OE1211", // standpoints
	"bridges":    "OE0257", // bitemporal
	"quarantine": "OE0712", // modal and temporal
	"museum":     "OE1360", // traits and macros
	"fisheries":  "MLT-01", // multi-level
	"covenants":  "OE0263", // a capstone in finance
}

// TestReadmes runs, in a copy of its package, each command that a README shows
// in a block of console, and compares what it prints with what the README
// says. A status other than 0 is a line of its own: "exit 1".
func TestReadmes(t *testing.T) {
	for name := range areas {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(name, "README.md")
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got, commands := answered(t, name, string(text))
			if commands < 4 {
				t.Errorf("%s shows %d commands; an example shows at least four", path, commands)
			}
			if *updateReadmes {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if line, is, was := firstDifference(got, string(text)); line > 0 {
				t.Errorf("%s:%d: it prints\n%s\nand the README says\n%s\nIf that is right: go test ./examples -run TestReadmes -update-readmes", path, line, is, was)
			}
		})
	}
}

// answered is the text with the output of each command in its place.
func answered(t *testing.T, name, text string) (out string, commands int) {
	var b strings.Builder
	inside := false
	for line := range strings.Lines(text) {
		command, ok := strings.CutPrefix(line, "$ ox-mcp ")
		switch {
		case inside && ok:
			b.WriteString(line)
			printed, status := verb(t, name, words(strings.TrimSpace(command))...)
			b.WriteString(printed)
			if printed != "" && !strings.HasSuffix(printed, "\n") {
				b.WriteString("\n")
			}
			if status != 0 {
				b.WriteString("exit " + strconv.Itoa(status) + "\n")
			}
			commands++
			continue
		case strings.HasPrefix(line, "```"):
			inside = strings.HasPrefix(line, "```console")
		case inside:
			continue // what was printed before
		}
		b.WriteString(line)
	}
	return b.String(), commands
}

// words splits a command at blanks outside of single or double quotes.
func words(command string) (out []string) {
	var word strings.Builder
	quote, started := rune(0), false
	for _, c := range command {
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote, started = c, true
		case quote == 0 && c == ' ':
			if started {
				out = append(out, word.String())
			}
			word.Reset()
			started = false
		default:
			word.WriteRune(c)
			started = true
		}
	}
	if started {
		out = append(out, word.String())
	}
	return out
}

func firstDifference(a, b string) (line int, inA, inB string) {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range max(len(x), len(y)) {
		at := func(s []string) string {
			if i < len(s) {
				return s[i]
			}
			return "(the end)"
		}
		if at(x) != at(y) {
			return i + 1, at(x), at(y)
		}
	}
	return 0, "", ""
}

// TestTwins holds each package's twin to the one code for which it is refused.
func TestTwins(t *testing.T) {
	for name, code := range areas {
		t.Run(name, func(t *testing.T) {
			printed, status := verb(t, name, "check", "--codes", "--quiet", "twin")
			if printed != code+"\n" || status != 1 {
				t.Errorf("check --codes twin prints %q and ends with %d; want %q and 1", printed, status, code+"\n")
			}
		})
	}
}

// Every package is tested: its check has no error and its tests pass.
func TestAreasHold(t *testing.T) {
	for name := range areas {
		t.Run(name, func(t *testing.T) {
			// What a rule says of today() does not change with the day of the test.
			if printed, status := verb(t, name, "check", "--now", "2026-11-30T12:00:00Z"); status != 0 {
				t.Errorf("check ends with %d:\n%s", status, printed)
			}
			printed, status := verb(t, name, "test", "--now", "2026-11-30T12:00:00Z")
			if status != 0 || !strings.Contains(printed, ", 0 failed") || strings.Contains(printed, "0 passed") {
				t.Errorf("test ends with %d:\n%s", status, printed)
			}
		})
	}
}

// The list in README.md has each package, with the code of its twin, and no
// other one.
func TestAreasAreListed(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := 0
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) != 5 || !strings.HasPrefix(cells[1], " [") {
			continue
		}
		listed++
		name, _, _ := strings.Cut(strings.TrimPrefix(cells[1], " ["), "]")
		if code := strings.TrimSpace(cells[3]); areas[name] != code {
			t.Errorf("README.md lists %s with %q; areas has %q", name, code, areas[name])
		}
	}
	if listed != len(areas) {
		t.Errorf("README.md lists %d packages; areas has %d", listed, len(areas))
	}
}
