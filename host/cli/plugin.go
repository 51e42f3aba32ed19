package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/ox-mcp/ox-mcp/host/runtime"
	"github.com/spf13/cobra"
)

func (a *app) plugin() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "plugin",
		Short: "List, inspect, pin and run the builds that do the work",
		Example: `  ox-mcp plugin list
  ox-mcp plugin inspect digits.wasm
  ox-mcp plugin pin digits.wasm --allow facts --write
  ox-mcp plugin verify
  ox-mcp plugin new digits --lang c`,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.pluginList(), a.pluginInspect(), a.pluginVerify(), a.pluginPin(), a.pluginStats(), a.replaying(a.pluginRun()), a.pluginDiff(), a.pluginUse(), a.pluginNew())
	return cmd
}

// openAnywhere gives the service also where there is no package.
func (a *app) openAnywhere(cmd *cobra.Command, args []string) (*runtime.Service, []string, error) {
	a.serving = true
	return a.open(cmd.Context(), args)
}

func (a *app) full(file string) string {
	if filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(a.env.Dir, file)
}

func (a *app) pluginList() *cobra.Command {
	return &cobra.Command{
		Use:     "list [PATH]",
		Short:   "List the configured plugins with their pins, grants and states",
		Example: "  ox-mcp plugin list --json",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, _, err := a.openAnywhere(cmd, args)
			if err != nil {
				return err
			}
			a.pluginRows(s.Plugins())
			return nil
		},
	}
}

func (a *app) pluginRows(list *runtime.PluginList) {
	if a.json() {
		a.printJSON(list)
		return
	}
	w := tabwriter.NewWriter(a.env.Out, 0, 0, 2, ' ', 0)
	for _, r := range list.Plugins {
		pin := nameOr(r.Pin, "no pin")
		if len(pin) > 16 {
			pin = pin[:16] + "…"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", r.Name, nameOr(r.World, "-"), r.State, pin, nameOr(strings.Join(r.Grants, ","), "no grants"), r.From)
	}
	w.Flush()
	for _, r := range list.Plugins {
		if r.Problem != "" {
			fmt.Fprintf(a.env.Err, "%s: %s\n", r.Name, r.Problem)
		}
	}
}

func (a *app) pluginInspect() *cobra.Command {
	return &cobra.Command{
		Use:     "inspect FILE",
		Short:   "Say what a plugin file is, what it asks for, and if it is admitted",
		Example: "  ox-mcp plugin inspect digits.wasm",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, _, err := a.openAnywhere(cmd, nil)
			if err != nil {
				return err
			}
			i, err := s.InspectPlugin(a.progress(cmd.Context()), a.full(args[0]))
			if err != nil {
				return err
			}
			if a.json() {
				a.printJSON(i)
			} else {
				a.inspection(i)
			}
			if !i.Admitted {
				return errRefused
			}
			return nil
		},
	}
}

func (a *app) inspection(i *runtime.PluginInspection) {
	w := tabwriter.NewWriter(a.env.Out, 0, 0, 2, ' ', 0)
	row := func(k, v string) { fmt.Fprintf(w, "%s\t%s\n", k, v) }
	row("file", i.File)
	row("bytes", fmt.Sprint(i.Bytes))
	row("blake3", i.Blake3)
	if i.Admitted {
		row("admitted", "yes")
	} else {
		row("admitted", "no ("+i.Code+"): "+i.Refusal)
	}
	row("world", nameOr(i.World, "none"))
	if i.Build != nil {
		row("calls itself", i.Build.Name+" "+i.Build.Version)
	}
	if i.Metered != "" {
		row("metered", i.Metered+" (rewriter "+i.Rewriter+")")
		row("needs", nameOr(strings.Join(i.Grants, ", "), "no grants"))
		if len(i.Wants) > 0 {
			row("can use", strings.Join(i.Wants, ", ")+", and is metered as "+i.Granted+" with it")
		}
		row("memory", fmt.Sprintf("%d bytes at the start", i.MemoryBytes))
		clone := "yes"
		if !i.Snapshotable {
			clone = "no: " + i.Why
		}
		row("snapshotable", clone)
	}
	for _, e := range i.Exports {
		row("export", e)
	}
	w.Flush()
}

func (a *app) pluginVerify() *cobra.Command {
	return &cobra.Command{
		Use:   "verify [FILE]",
		Short: "Hold the files of the plugins to their pins",
		Example: `  ox-mcp plugin verify
  ox-mcp plugin verify digits.wasm`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			path, rest := a.target(args)
			if path == "" {
				args = nil
			}
			s, _, err := a.openAnywhere(cmd, args)
			if err != nil {
				return err
			}
			list := s.Plugins()
			if len(rest) == 1 {
				return a.verifyFile(list, a.full(rest[0]))
			}
			a.pluginRows(list)
			if list.Failed() {
				return errRefused
			}
			return nil
		},
	}
}

func (a *app) verifyFile(list *runtime.PluginList, file string) error {
	wasm, err := runtime.ReadPlugin(file)
	if err != nil {
		return err
	}
	have := runtime.PinOf(wasm)
	names := []string{}
	for _, r := range list.Plugins {
		if strings.EqualFold(r.Pin, have) {
			names = append(names, r.Name)
		}
	}
	if a.json() {
		a.printJSON(map[string]any{"file": file, "blake3": have, "pinnedAs": names})
	} else {
		fmt.Fprintf(a.env.Out, "%s %s\n", have, nameOr(strings.Join(names, ", "), "is pinned by nothing"))
	}
	if len(names) == 0 {
		return errRefused
	}
	return nil
}

func (a *app) pluginPin() *cobra.Command {
	var name string
	var grants []string
	var write bool
	cmd := &cobra.Command{
		Use:   "pin FILE",
		Short: "Print the table that declares a plugin file, or record it",
		Example: `  ox-mcp plugin pin digits.wasm
  ox-mcp plugin pin digits.wasm --name digits --allow facts --write`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, _, err := a.openAnywhere(cmd, nil)
			if err != nil {
				return err
			}
			res, err := s.Pin(a.progress(cmd.Context()), runtime.PinRequest{File: a.full(args[0]), Name: name, Grants: grants, Write: write})
			if err != nil {
				return err
			}
			if a.json() {
				a.printJSON(res)
				return nil
			}
			fmt.Fprint(a.env.Out, res.Table)
			if res.Missing != "" {
				fmt.Fprintf(a.env.Err, "note: the module asks for %s; without it it is not admitted. If you want it to have that: --allow %s\n", res.Missing, strings.ReplaceAll(res.Missing, ", ", ","))
			}
			if res.Wrote != "" {
				fmt.Fprintf(a.env.Err, "recorded in %s\n", res.Wrote)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&name, "name", "", "the plugin's name (the file's, without its ending)")
	cmd.Flags().StringSliceVar(&grants, "allow", nil, "what the plugin is granted: "+strings.Join(runtime.Grants(), ", "))
	cmd.Flags().BoolVar(&write, "write", false, "record it in your own configuration")
	return cmd
}

// maxPluginRequest bounds the request of plugin run, in bytes.
const maxPluginRequest = 64 << 20

func (a *app) pluginRun() *cobra.Command {
	var request string
	cmd := &cobra.Command{
		Use:   "run FILE EXPORT",
		Short: "Call an export of a plugin file once, and tell what it cost",
		Example: `  ox-mcp plugin run digits.wasm 'ox:plugin/check-evaluator@0.1.0#describe'
  ox-mcp plugin run digits.wasm 'ox:plugin/check-evaluator@0.1.0#evaluate' \
    --request request.cbor`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			var body []byte
			if request != "" {
				f, err := os.Open(a.full(request))
				if err != nil {
					return err
				}
				body, err = io.ReadAll(io.LimitReader(f, maxPluginRequest))
				f.Close()
				if err != nil {
					return err
				}
			}
			s, _, err := a.openAnywhere(cmd, nil)
			if err != nil {
				return err
			}
			res, err := s.RunPlugin(a.progress(cmd.Context()), a.full(args[0]), args[1], body)
			if err != nil {
				return err
			}
			if a.json() {
				a.printJSON(res)
			} else {
				fmt.Fprintln(a.env.Out, res.Answer)
				fmt.Fprintf(a.env.Err, "fuel %d, memory %d bytes, host calls %d\n", res.Fuel, res.MemoryBytes, res.HostCalls)
				for _, line := range []string{res.Failure, res.Stopped, res.Stack, res.Output} {
					if line != "" {
						fmt.Fprintln(a.env.Err, line)
					}
				}
			}
			if res.Failure != "" || res.Stopped != "" {
				return errRefused
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&request, "request", "", "file with the request's CBOR")
	return cmd
}
