package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// The lines between which README.md holds the transcript.
const (
	opening = "<!-- transcript: written by `go run ./examples/demo -update` -->\n```text\n"
	closing = "```\n<!-- end of transcript -->\n"
)

// record writes the transcript beside this program and into README.md.
func record(transcript, root string) error {
	if err := os.WriteFile(filepath.Join(root, "examples", "demo", "transcript.txt"), []byte(transcript), 0o644); err != nil {
		return err
	}
	readme := filepath.Join(root, "README.md")
	text, err := os.ReadFile(readme)
	if err != nil {
		return err
	}
	before, _, after, err := split(string(text))
	if err != nil {
		return err
	}
	return os.WriteFile(readme, []byte(before+opening+transcript+closing+after), 0o644)
}

// split takes a README apart: the transcript, and what stands around it.
func split(readme string) (before, transcript, after string, err error) {
	before, rest, ok := strings.Cut(readme, opening)
	if !ok {
		return "", "", "", fmt.Errorf("README.md has no line %q", strings.TrimSpace(opening))
	}
	transcript, after, ok = strings.Cut(rest, closing)
	if !ok {
		return "", "", "", fmt.Errorf("README.md has no line %q behind the transcript", strings.TrimSpace(closing))
	}
	return before, transcript, after, nil
}
