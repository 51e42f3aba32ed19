package runtime

import (
	"context"
	"fmt"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon"
	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/lower"
	"github.com/ox-mcp/ox-mcp/host/governor"
)

// compileBody compiles an ad-hoc body against the served module; an ill-typed
// one is an outcome, and is never run. Of another the outcome has the warnings.
func (ses *session) compileBody(ctx context.Context, body string, compile func(*lower.Module, string) (*abi.Extension, []diag.Diagnostic)) (*abi.Extension, Outcome, error) {
	if limit := ses.call.Limits.BodyBytes; uint64(len(body)) > limit {
		return nil, limitOutcome(governor.Exceeded(abi.Breach{Limit: abi.LimitBody, Allowed: limit, Used: uint64(len(body))}), ""), nil
	}
	c, err := ses.m.recompiled(ctx)
	if err != nil {
		return nil, Outcome{}, err
	}
	ext, found := compile(c.Module, body)
	list := render(found, func(path string) (string, bool) {
		if path == argon.QueryPath || path == argon.MutatePath {
			return body, true
		}
		return c.Workspace.Text(path)
	})
	for _, d := range list {
		if d.Severity == "Error" {
			return nil, Outcome{
				Code: CodeIllTyped, Diagnostics: list, DiagnosticCodes: codesOf(list),
				Message: fmt.Sprintf("the body was not run: %s %s", d.Code, d.Message),
			}, nil
		}
	}
	return ext, Outcome{Diagnostics: list}, nil
}
