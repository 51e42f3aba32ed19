package cli

import (
	"fmt"
	"strings"

	"github.com/ox-mcp/ox-mcp/host/runtime"
	"github.com/spf13/cobra"
)

func (a *app) trust() *cobra.Command {
	var remove, list bool
	cmd := &cobra.Command{
		Use:   "trust [PATH]",
		Short: "Let a package bring plugins of its own, as it is now",
		Long: `A package's ox.toml may name a reasoner and check evaluators. They are ignored
until you say that you trust the package. What is recorded is the content of
its ox.toml and of the plugin files it names: when one of them changes, the
package is not trusted any more.`,
		Example: `  ox-mcp trust examples/plugins/digits
  ox-mcp trust examples/plugins/digits --remove
  ox-mcp trust --list`,
		RunE: func(cmd *cobra.Command, args []string) error {
			s, _, err := a.openAnywhere(cmd, args)
			if err != nil {
				return err
			}
			var res *runtime.TrustResult
			if list {
				res, err = s.TrustedPackages()
			} else {
				res, err = s.TrustPackage(cmd.Context(), remove)
			}
			if err != nil {
				return err
			}
			switch {
			case a.json():
				a.printJSON(res)
			case list:
				for _, r := range res.Records {
					fmt.Fprintf(a.env.Out, "%s %s %s\n", r.Digest, r.At.Format("2006-01-02"), r.Path)
				}
			case remove:
				fmt.Fprintf(a.env.Out, "%s forgotten\n", count(res.Removed, "record"))
			default:
				fmt.Fprintf(a.env.Out, "trusted %s\n", res.Digest)
				fmt.Fprintf(a.env.Err, "%s may name: %s\n", res.Path, nameOr(strings.Join(res.Plugins, ", "), "nothing; it names no plugins"))
			}
			if remove && res.Removed == 0 {
				return errRefused
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&remove, "remove", false, "forget the package")
	cmd.Flags().BoolVar(&list, "list", false, "list what is trusted")
	return cmd
}
