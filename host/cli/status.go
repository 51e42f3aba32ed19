package cli

import (
	"fmt"
	"sort"
	"strings"
	"text/tabwriter"

	"github.com/ox-mcp/ox-mcp/host/runtime"
	"github.com/spf13/cobra"
)

func (a *app) statusVerb() *cobra.Command {
	var server string
	cmd := &cobra.Command{
		Use:   "status [PATH]",
		Short: "Say what is served, and whether it is what the sources say",
		Example: `  ox-mcp status
  ox-mcp status --url http://127.0.0.1:7780`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if server != "" {
				return a.statusAt(cmd, server, args)
			}
			s, _, err := a.open(cmd.Context(), args)
			if err != nil {
				return err
			}
			res, err := s.Status(cmd.Context())
			if err != nil {
				return err
			}
			return a.finish(res, func() { a.printStatus(res) })
		},
	}
	urlFlag(cmd, &server)
	return cmd
}

// statusAt prints the status of a running server; as JSON to the byte.
func (a *app) statusAt(cmd *cobra.Command, server string, args []string) error {
	if err := aloneWithURL(args); err != nil {
		return err
	}
	res, body, err := statusOf(cmd.Context(), server)
	if err != nil {
		return err
	}
	if a.json() {
		fmt.Fprintf(a.env.Out, "%s\n", body)
		return ending(res.Outcomes())
	}
	return a.finish(res, func() { a.printStatus(res) })
}

func (a *app) printStatus(res *runtime.StatusResult) {
	w := tabwriter.NewWriter(a.env.Out, 0, 0, 2, ' ', 0)
	rows := func(k string, lines []string) {
		for _, line := range lines {
			fmt.Fprintf(w, "%s\t%s\n", k, line)
			k = ""
		}
	}
	row := func(k, v string) {
		if v != "" {
			rows(k, runtime.Wrapped(v, columns-statusLabel, columns-statusLabel))
		}
	}
	row("project", res.Paths["project"])
	row("artifact", nameOr(res.OnDiskOxbinHash, "not built"))
	row("served", nameOr(res.LoadedModuleHash, "nothing yet"))
	dirty := "no"
	if res.SourceDirty {
		dirty = "yes: " + nameOr(strings.Join(res.DirtyInputs, ", "), "not built")
	}
	row("sources changed", dirty)
	row("dirty policy", res.DirtyPolicy)
	row("stamp", fmt.Sprint(res.Stamp))
	row("capabilities", strings.Join(res.Capabilities, ", "))
	for _, p := range res.Plugins {
		text := "not started"
		if p.Loaded {
			text = fmt.Sprintf("%s %s %s", p.Name, p.Version, p.Blake3)
		}
		if p.Quarantined != "" {
			text += ", in quarantine: " + p.Quarantined
		}
		if p.Problem != "" {
			text = "cannot be used: " + p.Problem
		}
		row(nameOr(p.Plugin, p.World), text)
		row("last swap", swapText(p.LastSwap))
	}
	rows("limits", packed(limitsText(res.Limits), columns-statusLabel))
	w.Flush()
	for _, n := range res.Notes {
		fmt.Fprintf(a.env.Err, "note: %s\n", n)
	}
}

// statusLabel is the columns of what stands before the values of a status.
const statusLabel = 17

// limitsText is each limit with its name, in the unit in which it is read best.
func limitsText(limits map[string]uint64) []string {
	names := make([]string, 0, len(limits))
	for k := range limits {
		names = append(names, k)
	}
	sort.Strings(names)
	for i, k := range names {
		names[i] += " " + amount(k, limits[k])
	}
	return names
}

// amount writes the value of a limit: bytes and milliseconds in the largest unit
// that divides them, counts with commas.
func amount(limit string, v uint64) string {
	units := []unit{}
	switch limit {
	case "body", "bytes", "hostBytes", "memory", "output", "source":
		units = []unit{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"B", 1}}
	case "deadline":
		units = []unit{{"s", 1000}, {"ms", 1}}
	case "fuel":
		units = []unit{{"G", 1e9}, {"M", 1e6}}
	}
	for _, u := range units {
		if v >= u.size && v%u.size == 0 {
			return fmt.Sprintf("%d %s", v/u.size, u.name)
		}
	}
	return grouped(v)
}

type unit struct {
	name string
	size uint64
}

// grouped writes a number with a comma before each three digits.
func grouped(v uint64) string {
	text := fmt.Sprint(v)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// swapText says what became of the last swap, in a line; empty where there was
// none.
func swapText(r *runtime.SwapResult) string {
	if r == nil {
		return ""
	}
	text := r.Outcome
	if r.Stage != "" {
		text += " at " + r.Stage
	}
	if r.At != "" {
		text += ", " + r.At
	}
	return text + ": " + r.Message
}
