package argon

import (
	"errors"
	"fmt"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/lower"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// The paths under which diagnostics of ad-hoc texts are placed.
const (
	QueryPath  = "query"
	MutatePath = "mutate"
	FactPath   = "fact"
)

// CompileQuery compiles an ad-hoc query against m: the extension's only query.
// Bare names resolve as in the entry module, with every public name of the
// package visible. Each variable of the body is a parameter as well: an
// argument fixes it, and one that the body does not bind needs an argument.
// The extension is nil if there are errors.
func CompileQuery(m *lower.Module, body string) (*abi.Extension, []diag.Diagnostic) {
	diags := &diag.List{}
	src := &syntax.Source{Path: QueryPath, Text: body}
	parsed := syntax.ParseBody(src, syntax.AdHocQuery, diags)
	if diags.HasErrors() || parsed.Query == nil {
		return nil, order(diags.Items)
	}
	env := m.Env.Extend(diags)
	q := env.AdHocQuery(src, parsed.Query)
	if diags.HasErrors() {
		return nil, order(diags.Items)
	}
	return checked(m, lower.ExtendQuery(m, env, q, diags), diags)
}

// CompileMutate compiles the statements of an ad-hoc mutate against m: the
// extension's only mutation. A name that means nothing else is a parameter.
func CompileMutate(m *lower.Module, body string) (*abi.Extension, []diag.Diagnostic) {
	diags := &diag.List{}
	src := &syntax.Source{Path: MutatePath, Text: body}
	parsed := syntax.ParseBody(src, syntax.AdHocMutate, diags)
	if diags.HasErrors() {
		return nil, order(diags.Items)
	}
	env := m.Env.Extend(diags)
	mu := env.AdHocMutate(src, parsed.Stmts)
	if diags.HasErrors() {
		return nil, order(diags.Items)
	}
	return checked(m, lower.ExtendMutate(m, env, mu, diags), diags)
}

func checked(m *lower.Module, ext *abi.Extension, diags *diag.List) (*abi.Extension, []diag.Diagnostic) {
	if diags.HasErrors() {
		return nil, order(diags.Items)
	}
	if err := ext.Validate(&m.Program); err != nil {
		diags.Add(diag.Diagnostic{Code: "OE1351", Message: fmt.Sprintf("the compiler made a body that does not hold together: %v; please report it", err)})
		return nil, order(diags.Items)
	}
	return ext, order(diags.Items)
}

// ParseFact reads a fact such as "Head(a, b)": the relation, and the tuple. A
// name that is not declared stands for the named individual of that spelling;
// a name that is no identifier is written as a string. The error is in words
// for the caller.
func ParseFact(m *lower.Module, text string) (relation int, tuple []abi.Value, err error) {
	return ParseShown(m, text, nil)
}

// ParseShown is ParseFact for facts as they are printed: shown tells, by
// relation, which of its columns are. A fact may have a value for each of those
// only; then the tuple is that short.
func ParseShown(m *lower.Module, text string, shown map[int][]bool) (relation int, tuple []abi.Value, err error) {
	diags := &diag.List{}
	src := &syntax.Source{Path: FactPath, Text: text}
	parsed := syntax.ParseBody(src, syntax.LoneFact, diags)
	if diags.HasErrors() {
		return 0, nil, errors.New(diags.Items[0].Message)
	}
	if parsed.Fact == nil {
		return 0, nil, errors.New("it is no fact")
	}
	return m.Env.Extend(diags).AdHocFact(src, parsed.Fact, shown)
}
