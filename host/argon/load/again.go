package load

import (
	"bytes"
	"slices"

	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// tree is a parsed source, with what the parser said of it. Nothing after the
// parser changes a tree, so that several workspaces may hold one.
type tree struct {
	file  *syntax.File
	found []diag.Diagnostic
}

// Same reports whether w and the earlier Workspace of the same Files are of the
// same options and the files said the same of everything that was asked: then
// the two differ in nothing.
func (w *Workspace) Same(earlier *Workspace) bool {
	return w.asked == earlier.asked && slices.EqualFunc(w.seen, earlier.seen, observation.equal)
}

// asked is the options of a load that decide what it gives, beside its files.
type asked struct {
	entry, workspace       string
	limit                  int64
	skipFacts, skipSources bool
}

// observation is one answer of Files.
type observation struct {
	question byte // r, n or s: Read, Real, Sources
	file     string
	limit    int64
	bytes    []byte
	names    []string
	err      string
}

func (o observation) equal(p observation) bool {
	return o.question == p.question && o.file == p.file && o.limit == p.limit && o.err == p.err &&
		bytes.Equal(o.bytes, p.bytes) && slices.Equal(o.names, p.names)
}

// observer writes down what files say.
type observer struct {
	Files
	seen *[]observation
}

func (o *observer) note(n observation, err error) {
	if err != nil {
		n.err = err.Error()
	}
	*o.seen = append(*o.seen, n)
}

func (o *observer) Read(file string, limit int64) ([]byte, error) {
	text, err := o.Files.Read(file, limit)
	o.note(observation{question: 'r', file: file, limit: limit, bytes: text}, err)
	return text, err
}

func (o *observer) Real(file string) (string, error) {
	real, err := o.Files.Real(file)
	o.note(observation{question: 'n', file: file, names: []string{real}}, err)
	return real, err
}

func (o *observer) Sources(folder string) ([]string, error) {
	found, err := o.Files.Sources(folder)
	o.note(observation{question: 's', file: folder, names: found}, err)
	return found, err
}
