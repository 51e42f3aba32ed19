package cli

import (
	"context"
	"fmt"

	"github.com/ox-mcp/ox-mcp/host/runtime"
	"github.com/spf13/cobra"
)

// scenarioFlag gives cmd the flag by which a verb reads what a scenario left.
func scenarioFlag(cmd *cobra.Command, file *string) {
	cmd.Flags().StringVar(file, "scenario", "", "run this scenario file on a throw-away copy first")
}

// after is s, or where a scenario is named the copy that it ran on.
func (a *app) after(ctx context.Context, s *runtime.Service, file string) (*runtime.Service, error) {
	if file == "" {
		return s, nil
	}
	return a.replay(a.progress(ctx), s, file)
}

// replay runs a scenario on a throw-away copy, which the verb then reads.
func (a *app) replay(ctx context.Context, s *runtime.Service, file string) (*runtime.Service, error) {
	copied, res, err := s.Replay(ctx, runtime.ScenarioRequest{File: file})
	a.copy = copied
	if err != nil {
		return nil, err
	}
	if res.Refused() {
		a.outcome(&res.Outcome)
		return nil, errRefused
	}
	for i, st := range res.Steps {
		if st.Failure != "" {
			fmt.Fprintf(a.env.Err, "scenario step %d: %s\n", i+1, st.Failure)
		}
	}
	return copied, nil
}
