package cli

import (
	"fmt"

	"github.com/spf13/cobra"
)

func (a *app) serve() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve [PATH]",
		Short: "Serve MCP, status and metrics over HTTP on this machine",
		Long: `Serve the package over HTTP, to clients on this machine only:

  /mcp        the Model Context Protocol, streamable HTTP
  /v1/status  what argon_status answers
  /metrics    figures of the server and of each sandboxed build, for Prometheus
  /healthz    the process answers
  /readyz     the package is loaded, so that calls are answered

Whoever can open a connection from this machine may use the server: it has no
tokens yet. SIGINT and SIGTERM end it; calls in flight are answered first. The
address is printed once it listens.`,
		Example: `  ox-mcp serve path/to/package
  ox-mcp serve --addr 127.0.0.1:0`,
		RunE: func(cmd *cobra.Command, args []string) error {
			a.serving = true
			s, _, err := a.open(cmd.Context(), args)
			if err != nil {
				return err
			}
			return a.env.ServeHTTP(cmd.Context(), s, a.given(), func(url string) {
				if a.json() {
					a.printJSON(map[string]string{"url": url, "mcp": url + "/mcp"})
					return
				}
				fmt.Fprintf(a.env.Out, "serving %s\n", url)
			})
		},
	}
	cmd.Flags().String("addr", "", "the address to listen on (127.0.0.1:7780)")
	return cmd
}
