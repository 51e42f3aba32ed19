// Command ox-mcp is the command line and the MCP server.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/ox-mcp/ox-mcp/host/cli"
)

// version is the release that this source is on the way to.
const version = "0.1.0"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal asks; the next one ends the process as it always does.
	context.AfterFunc(ctx, stop)
	code := run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

func run(ctx context.Context, args []string) int {
	dir, err := os.Getwd()
	if err != nil {
		dir = "."
	}
	w := &wiring{dir: dir, getenv: os.Getenv, environ: os.Environ}
	defer w.close(context.WithoutCancel(ctx))
	return cli.Run(ctx, cli.Env{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		InTerminal: terminal(os.Stdin), ErrTerminal: terminal(os.Stderr),
		Color: terminal(os.Stdout) && os.Getenv("NO_COLOR") == "",
		Dir:   dir, Version: version, Now: time.Now,
		Open: w.open, Serve: w.serve, ServeHTTP: w.serveHTTP,
	}, args)
}

func terminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
