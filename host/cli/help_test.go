package cli

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// TestHelpFitsATerminal reads the help of every verb.
func TestHelpFitsATerminal(t *testing.T) {
	a := &app{}
	read := 0
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		var text strings.Builder
		c.SetOut(&text)
		if err := c.Help(); err != nil {
			t.Errorf("%s: %v", c.CommandPath(), err)
		}
		read++
		for _, line := range strings.Split(text.String(), "\n") {
			if n := utf8.RuneCountInString(line); n > columns {
				t.Errorf("%s --help has a line of %d columns:\n%s", c.CommandPath(), n, line)
			}
		}
		if !strings.Contains(text.String(), "Usage:") {
			t.Errorf("%s --help does not say how it is called", c.CommandPath())
		}
		for _, sub := range c.Commands() {
			if c.Parent() == nil && sub.GroupID == "" && sub.Name() != "help" && sub.Name() != "completion" {
				t.Errorf("%s stands in no part of the list of verbs", sub.Name())
			}
			visit(sub)
		}
	}
	visit(a.root())
	if read < 30 {
		t.Errorf("%d helps were read", read)
	}
}

func TestLimitsAreToldInTheirUnits(t *testing.T) {
	got := strings.Join(limitsText(map[string]uint64{
		"fuel": 20_000_000_000, "memory": 1 << 30, "deadline": 1500, "rounds": 1_000_000, "bytes": 1000, "rows": 200,
	}), "; ")
	if want := "bytes 1000 B; deadline 1500 ms; fuel 20 G; memory 1 GiB; rounds 1,000,000; rows 200"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := packed([]string{"ab 1", "cd 2", "ef 3"}, 11); strings.Join(got, "|") != "ab 1, cd 2,|ef 3" {
		t.Errorf("packed: %q", got)
	}
}
