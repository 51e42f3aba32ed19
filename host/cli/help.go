package cli

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// columns is the width that output for people keeps to, but for what is one
// word, such as a hash.
const columns = 80

// groups are the parts of the list of verbs.
func groups() []*cobra.Group {
	return []*cobra.Group{
		{ID: "sources", Title: "Write a package:"},
		{ID: "answers", Title: "Ask it, and change its facts:"},
		{ID: "serving", Title: "Serve it:"},
		{ID: "machine", Title: "Set up:"},
	}
}

// group puts verbs into a part of the list.
func group(id string, verbs ...*cobra.Command) []*cobra.Command {
	for _, v := range verbs {
		v.GroupID = id
	}
	return verbs
}

// usage writes how a verb is called, its verbs and its flags.
func usage(c *cobra.Command) error {
	w := c.OutOrStderr()
	fmt.Fprintln(w, "Usage:")
	if c.Runnable() {
		fmt.Fprintf(w, "  %s\n", c.UseLine())
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(w, "  %s VERB\n", c.CommandPath())
	}
	if c.HasExample() {
		fmt.Fprintf(w, "\nExamples:\n%s\n", c.Example)
	}
	if c.HasAvailableSubCommands() {
		for _, g := range c.Groups() {
			verbs(w, c, g.Title, g.ID)
		}
		title := "Verbs:"
		if len(c.Groups()) > 0 {
			title = "And:"
		}
		verbs(w, c, title, "")
	}
	if c.HasAvailableLocalFlags() {
		flags(w, "Flags:", c.LocalFlags())
	}
	if c.HasAvailableInheritedFlags() {
		flags(w, "Flags of every verb:", c.InheritedFlags())
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(w, "\n%s VERB --help says more of a verb.\n", c.CommandPath())
	}
	return nil
}

func verbs(w io.Writer, c *cobra.Command, title, group string) {
	for _, v := range c.Commands() {
		if v.GroupID != group || !v.IsAvailableCommand() && v.Name() != "help" {
			continue
		}
		if title != "" {
			fmt.Fprintf(w, "\n%s\n", title)
			title = ""
		}
		fmt.Fprintf(w, "  %-*s %s\n", v.NamePadding(), v.Name(), v.Short)
	}
}

func flags(w io.Writer, title string, set *pflag.FlagSet) {
	fmt.Fprintf(w, "\n%s\n%s\n", title, strings.TrimRight(set.FlagUsagesWrapped(columns), "\n"))
}

// packed puts items into lines of at most the width, with commas between them.
func packed(items []string, width int) []string {
	var lines []string
	for i, item := range items {
		if i < len(items)-1 {
			item += ","
		}
		if n := len(lines); n > 0 && utf8.RuneCountInString(lines[n-1])+1+utf8.RuneCountInString(item) <= width {
			lines[n-1] += " " + item
			continue
		}
		lines = append(lines, item)
	}
	return lines
}
