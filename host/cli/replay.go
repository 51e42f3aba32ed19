package cli

import (
	"fmt"

	"github.com/ox-mcp/ox-mcp/host/runtime"
	"github.com/spf13/cobra"
)

// recording gives a verb that calls the reasoner the flag --record. What the
// call came to is recorded also where the verb ends in a refusal or an error.
func (a *app) recording(cmd *cobra.Command) *cobra.Command {
	var file string
	cmd.Flags().StringVar(&file, "record", "", "record the verb's first call of the reasoner in this file, to be run again with plugin run --replay")
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if file == "" {
			return run(cmd, args)
		}
		rec := new(runtime.Recorder)
		cmd.SetContext(runtime.WithRecorder(cmd.Context(), rec))
		err := run(cmd, args)
		r := rec.Recording()
		if r == nil {
			fmt.Fprintf(a.env.Err, "record: no call of the reasoner was made, %s is not written\n", file)
			return err
		}
		if writeErr := runtime.WriteRecording(a.full(file), r); writeErr != nil {
			return writeErr
		}
		fmt.Fprintf(a.env.Err, "record: wrote %s; `ox-mcp plugin run --replay %s` runs it again\n", file, file)
		return err
	}
	return cmd
}

// replaying gives `plugin run` the flag --replay, which takes the place of its
// arguments.
func (a *app) replaying(cmd *cobra.Command) *cobra.Command {
	var file string
	cmd.Flags().StringVar(&file, "replay", "", "run the call that this file recorded, in a fresh instance of the reasoner, and compare answer and cost")
	cmd.Use += " | --replay FILE"
	cmd.Example += "\n  ox-mcp plugin run --replay call.oxrec"
	args, run := cmd.Args, cmd.RunE
	cmd.Args = func(cmd *cobra.Command, given []string) error {
		if file != "" {
			return cobra.NoArgs(cmd, given)
		}
		return args(cmd, given)
	}
	cmd.RunE = func(cmd *cobra.Command, given []string) error {
		if file != "" {
			return a.runRecorded(cmd, file)
		}
		return run(cmd, given)
	}
	return cmd
}

func (a *app) runRecorded(cmd *cobra.Command, file string) error {
	r, err := runtime.ReadRecording(a.full(file))
	if err != nil {
		return err
	}
	a.serving = true // no package is needed
	s, _, err := a.open(cmd.Context(), nil)
	if err != nil {
		return err
	}
	res, err := s.ReplayRecording(a.progress(cmd.Context()), r)
	if err != nil {
		return err
	}
	if a.json() {
		a.printJSON(res)
	} else {
		fmt.Fprintf(a.env.Out, "%s on %s %s: %s\n", res.Export, res.Plugin.Name, res.Plugin.Version, res.Ended)
		fmt.Fprintf(a.env.Out, "fuel %d, memory %d bytes\n", res.Fuel, res.MemoryBytes)
		for _, d := range res.Differences {
			fmt.Fprintf(a.env.Out, "differs: %s\n", d)
		}
		if len(res.Differences) == 0 {
			fmt.Fprintln(a.env.Out, "equal to the recording")
		}
		for _, n := range res.Notes {
			fmt.Fprintf(a.env.Err, "note: %s\n", n)
		}
	}
	if len(res.Differences) > 0 {
		return errRefused
	}
	return nil
}
