// Command demo is a session of an agent with ox-mcp, printed for a person: it
// starts the built binary as an MCP server, speaks to it through the client of
// the Go SDK over its pipe, and prints what it asks and what it is answered.
//
//	go run ./examples/demo                  prints the transcript
//	go run ./examples/demo -update          also writes it to transcript.txt and into README.md
//
// Two runs print the same: the server has its instant and its seed from us,
// and no hash, path or time is printed.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// limit ends a demonstration that hangs.
const limit = 3 * time.Minute

func main() {
	server := flag.String("server", filepath.Join("bin", "ox-mcp"), "the built binary")
	update := flag.Bool("update", false, "write the transcript to examples/demo/transcript.txt and README.md")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	var transcript bytes.Buffer
	err := run(ctx, *server, "examples", io.MultiWriter(os.Stdout, &transcript))
	if err == nil && *update {
		err = record(transcript.String(), ".")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

// run plays the whole demonstration on copies of the example packages.
func run(ctx context.Context, server, examples string, out io.Writer) error {
	server, err := filepath.Abs(server)
	if err != nil {
		return err
	}
	if _, err := os.Stat(server); err != nil {
		return fmt.Errorf("there is no server to start: %w; run `make build`", err)
	}
	folder, err := os.MkdirTemp("", "ox-mcp-demo-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	for _, name := range []string{"supply_chain", "runaway"} {
		if err := os.CopyFS(filepath.Join(folder, name), os.DirFS(filepath.Join(examples, name))); err != nil {
			return fmt.Errorf("copy the package %s: %w", name, err)
		}
		// What an earlier build left there is no part of the package.
		if err := os.RemoveAll(filepath.Join(folder, name, "target")); err != nil {
			return err
		}
	}
	for _, scenes := range []struct {
		folder string
		play   func(*stage)
	}{{"supply_chain", supplyChain}, {"runaway", runaway}} {
		if err := play(ctx, server, filepath.Join(folder, scenes.folder), out, scenes.play); err != nil {
			return err
		}
	}
	return nil
}

// play runs scenes against a server of its own.
func play(ctx context.Context, server, folder string, out io.Writer, scenes func(*stage)) (err error) {
	command := exec.CommandContext(ctx, server, "stdio", folder, "--now", "2026-11-30T12:00:00Z", "--seed", "demo")
	// The settings of whoever runs this are left alone, and out of it.
	command.Env = append(os.Environ(), "XDG_CONFIG_HOME="+filepath.Dir(folder))
	var stderr bytes.Buffer
	command.Stderr = &stderr
	s, err := open(ctx, command, folder, out)
	if err != nil {
		return fmt.Errorf("start the server: %w: %s", err, bytes.TrimSpace(stderr.Bytes()))
	}
	defer func() {
		if failed := recover(); failed != nil {
			stopped, ok := failed.(failure)
			if !ok {
				panic(failed)
			}
			err = fmt.Errorf("%w\n%s", stopped.err, bytes.TrimSpace(stderr.Bytes()))
		}
		if closing := s.close(); err == nil && closing != nil {
			err = fmt.Errorf("stop the server: %w", closing)
		}
	}()
	scenes(s)
	return nil
}
