package conformance

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon"
	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/lower"
)

//go:embed vectors/*.txt
var files embed.FS

// Vector is one program with calls and their answers.
type Vector struct {
	Name  string // of its file, without the ending
	About string // what it shows
	Steps []Step

	program abi.Program
	facts   []lower.FactSet
}

// Step is one call and the lines of its answer.
type Step struct {
	Line int // in the file, from 1
	Call string
	Want []string
}

// Suite is a set of vectors, ready to run. It is immutable.
type Suite struct{ Vectors []*Vector }

// Load compiles the vectors that are part of this program.
func Load(ctx context.Context) (*Suite, error) { return load(ctx, files, "vectors") }

func load(ctx context.Context, from fs.FS, folder string) (*Suite, error) {
	entries, err := fs.ReadDir(from, folder)
	if err != nil {
		return nil, fmt.Errorf("conformance: %w", err)
	}
	s := &Suite{}
	var broken []error
	for _, e := range entries {
		text, err := fs.ReadFile(from, path.Join(folder, e.Name()))
		if err != nil {
			return nil, fmt.Errorf("conformance: %w", err)
		}
		v, err := parse(ctx, strings.TrimSuffix(e.Name(), path.Ext(e.Name())), string(text))
		if err != nil {
			broken = append(broken, fmt.Errorf("conformance: %s: %w", e.Name(), err))
			continue
		}
		s.Vectors = append(s.Vectors, v)
	}
	return s, errors.Join(broken...)
}

// The marks between the parts of a file.
const (
	markProgram = "-- program --"
	markCalls   = "-- calls --"
)

// parse reads a vector: a line about it, the program after its mark, and the
// calls after theirs. An answer's lines begin with "= ".
func parse(ctx context.Context, name, text string) (*Vector, error) {
	about, rest, ok := strings.Cut(text, markProgram+"\n")
	source, calls, found := strings.Cut(rest, markCalls+"\n")
	if !ok || !found || strings.TrimSpace(about) == "" {
		return nil, fmt.Errorf("it must have a line about it, %q and %q", markProgram, markCalls)
	}
	v := &Vector{Name: name, About: strings.TrimSpace(about)}
	first := strings.Count(text[:len(text)-len(calls)], "\n") + 1
	for i, line := range strings.Split(calls, "\n") {
		line = strings.TrimSpace(line)
		answer, isAnswer := strings.CutPrefix(line, "= ")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case isAnswer && len(v.Steps) == 0:
			return nil, fmt.Errorf("line %d: an answer before any call", first+i)
		case isAnswer:
			last := &v.Steps[len(v.Steps)-1]
			last.Want = append(last.Want, answer)
		default:
			v.Steps = append(v.Steps, Step{Line: first + i, Call: line})
		}
	}
	if len(v.Steps) == 0 {
		return nil, fmt.Errorf("it has no calls")
	}
	r, err := argon.Snippet(ctx, source, argon.Options{})
	if err != nil {
		return nil, err
	}
	for _, d := range r.Diagnostics {
		if d.Severity == diag.Error {
			return nil, fmt.Errorf("the program does not compile: %s at %q: %s", d.Code, source[d.Place.Start:d.Place.End], d.Message)
		}
	}
	if r.Module == nil {
		return nil, fmt.Errorf("the program does not compile")
	}
	v.program, v.facts = r.Module.Program, r.Module.Facts
	return v, nil
}
