package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// stage is a connection to one server, and the paper that it is told on.
type stage struct {
	ctx     context.Context
	session *mcp.ClientSession
	folder  string // of the package that is served
	out     io.Writer
	minted  map[string]string // what a person calls the individuals that were made here, by id
}

// failure ends a scene; play turns it into an error.
type failure struct{ err error }

func open(ctx context.Context, command *exec.Cmd, folder string, out io.Writer) (*stage, error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "demo", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: command}, nil)
	if err != nil {
		return nil, err
	}
	return &stage{ctx: ctx, session: session, folder: folder, out: out, minted: map[string]string{}}, nil
}

func (s *stage) close() error { return s.session.Close() }

func (s *stage) fail(format string, args ...any) { panic(failure{fmt.Errorf(format, args...)}) }

// must ends the demonstration where it does not show what it is there to show.
func (s *stage) must(holds bool, format string, args ...any) {
	if !holds {
		s.fail("the demonstration does not show what it should: "+format, args...)
	}
}

// call calls a tool, prints the call, and decodes its answer into result.
func (s *stage) call(tool string, args string, result any) {
	s.print("▸ %s %s\n", tool, args)
	s.quietly(tool, args, result)
}

// quietly is call without a printed line.
func (s *stage) quietly(tool string, args string, result any) {
	r, err := s.session.CallTool(s.ctx, &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(args)})
	if err != nil {
		s.fail("%s: %w", tool, err)
	}
	data, err := json.Marshal(r.StructuredContent)
	if err != nil {
		s.fail("%s: %w", tool, err)
	}
	if r.IsError {
		s.fail("%s does not take its arguments: %s", tool, data)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(result); err != nil {
		s.fail("%s: its answer does not fit: %w", tool, err)
	}
}

func (s *stage) print(format string, args ...any) { fmt.Fprintf(s.out, format, args...) }

// part opens a scene.
func (s *stage) part(title, prose string) {
	s.print("\n── %s %s\n%s\n\n", title, strings.Repeat("─", max(3, 74-len([]rune(title)))), prose)
}

// answer prints a text, indented.
func (s *stage) answer(format string, args ...any) {
	for _, line := range strings.Split(strings.TrimRight(fmt.Sprintf(format, args...), "\n"), "\n") {
		s.print("%s\n", strings.TrimRight("  "+line, " "))
	}
}

// width is where prose is broken, in characters.
const width = 96

// prose prints a text that may be long, with its further lines indented.
func (s *stage) prose(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	indent := strings.Repeat(" ", len(text)-len(strings.TrimLeft(text, " ")))
	line := indent
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
			line += word
		case len([]rune(line))+1+len([]rune(word)) > width:
			s.answer("%s", line)
			line = indent + "    " + word
		default:
			line += " " + word
		}
	}
	s.answer("%s", line)
}

// edit replaces a text in a file of the package, as an editor would.
func (s *stage) edit(file, old, new string) {
	path := filepath.Join(s.folder, file)
	text, err := os.ReadFile(path)
	if err != nil {
		s.fail("%w", err)
	}
	if strings.Count(string(text), old) != 1 {
		s.fail("%s does not hold %q once", file, old)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), old, new, 1)), 0o644); err != nil {
		s.fail("%w", err)
	}
	s.print("✎ %s: %s  →  %s\n", file, old, new)
}

// table prints rows in columns.
func (s *stage) table(rows [][]string) {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], len([]rune(cell)))
		}
	}
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			line += cell + strings.Repeat(" ", widths[i]-len([]rune(cell))+2)
		}
		s.answer("%s", line)
	}
}
