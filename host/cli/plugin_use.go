package cli

import (
	"fmt"

	"github.com/ox-mcp/ox-mcp/host/runtime"
	"github.com/spf13/cobra"
)

func (a *app) pluginUse() *cobra.Command {
	var accept bool
	cmd := &cobra.Command{
		Use:   "use FILE|embedded",
		Short: "Make a build your reasoner, after it has proved itself",
		Long: `The build is admitted, tried on the conformance vectors, loaded with the package
around the folder if there is one, and compared with the build that serves now.
If nothing speaks against it, it is recorded with its hash in your own
configuration. A server that runs sees that, does the same with its own facts,
and swaps without a pause.`,
		Example: `  ox-mcp plugin use reasoner.wasm
  ox-mcp plugin use reasoner.wasm --accept-diff
  ox-mcp plugin use embedded`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, _, err := a.openAnywhere(cmd, nil)
			if err != nil {
				return err
			}
			req := runtime.UseRequest{File: args[0], AcceptDiff: accept}
			if req.File != runtime.EmbeddedReasoner {
				req.File = a.full(req.File)
			}
			res, err := s.Use(a.progress(cmd.Context()), req)
			if err != nil {
				return err
			}
			switch {
			case a.json():
				a.printJSON(res)
			case res.Outcome == runtime.SwapKept:
				fmt.Fprintf(a.env.Err, "refused at %s: %s\nnothing was recorded\n", res.Stage, res.Message)
			default:
				fmt.Fprint(a.env.Out, res.Table)
				fmt.Fprintf(a.env.Err, "%s\nrecorded in %s\n", res.Message, res.Wrote)
			}
			if res.Outcome == runtime.SwapKept {
				return errRefused
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&accept, "accept-diff", false, "answers that differ are no reason to keep the old build")
	return cmd
}
