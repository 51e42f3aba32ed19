package types

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// gates are the codes of writes that are never accepted, whatever the state is:
// they are refused before anything runs.
var gates = []string{"OE0211", "OE0233", "OE0251", "OE0254", "OE0256"}

// rejects types an assertion that a block is refused. Where it expects one of
// the gates and the block is refused by that, the assertion holds already.
func (s *scope) rejects(st *syntax.AssertRejects) (body []abi.Stmt, step abi.TestStep) {
	before := len(s.e.diags.Items)
	body = s.stmts(st.Body)
	step = abi.TestStep{Op: abi.TestRejects, Code: st.Code, Text: s.text(st), Span: s.span(st)}
	if !slices.Contains(gates, st.Code) {
		return body, step
	}
	items := s.e.diags.Items
	expected := func(d diag.Diagnostic) bool { return d.Code == st.Code }
	if !slices.ContainsFunc(items[before:], expected) {
		return body, step
	}
	s.e.diags.Items = append(items[:before], slices.DeleteFunc(slices.Clone(items[before:]), expected)...)
	yes := s.constant(abi.BoolValue(true), st)
	return nil, abi.TestStep{Op: abi.TestAssert, Expr: &yes, Text: step.Text, Span: step.Span}
}
