// Package evaluator is the built-in check evaluator: it words the diagnostics
// of a check's violations by evaluating the check's payload over each
// violating tuple. It keeps no state between calls.
package evaluator

import (
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/internal/eval"
	"github.com/ox-mcp/ox-mcp/plugins/internal/term"
)

// The name and version that the plugin reports.
const (
	Name    = "ox-checks"
	Version = "0.1.0"
)

// Describe returns what the plugin says of itself.
func Describe() *abi.Description {
	return &abi.Description{ABI: abi.Version, World: abi.WorldEvaluator, Name: Name, Version: Version}
}

// Evaluate returns a verdict for each row of the request's frame. A part of
// the payload that fails for a row (it divides by zero, say) does not hide the
// violation: the severity is then Error, the code empty, and the message says
// what failed. Limits end the call.
func Evaluate(r *abi.EvaluateRequest) (*abi.EvaluateResponse, *abi.Failure) {
	if err := r.Validate(); err != nil {
		return nil, refuse("%s", err)
	}
	p, failure := prepare(r)
	if failure != nil {
		return nil, failure
	}
	dict := p.table.InternFrame(nil, &r.Frame)
	response := &abi.EvaluateResponse{Verdicts: make([]abi.Verdict, r.Frame.Rows)}
	for i := range response.Verdicts {
		if failure = p.fill(r, dict, i); failure != nil {
			return nil, failure
		}
		if failure = p.verdict(&response.Verdicts[i]); failure != nil {
			return nil, failure
		}
	}
	return response, nil
}

// payload is a check's compiled payload with the slots that it runs over.
type payload struct {
	table   *term.Table
	machine *eval.Machine
	slots   []abi.Term
	columns int

	severity, code, message *eval.Code
}

func prepare(r *abi.EvaluateRequest) (*payload, *abi.Failure) {
	table := term.New()
	p := &payload{table: table, machine: eval.New(table), columns: len(r.Columns)}
	p.machine.Begin(&r.Call)
	if f := p.machine.Load(r.Constants, r.Functions, nil); f != nil {
		return nil, f
	}
	// A payload may bind slots of its own behind those of the columns.
	width := p.columns
	for _, e := range []*abi.Expr{&r.Payload.Severity, &r.Payload.Code, &r.Payload.Message} {
		width = max(width, e.Slots(p.columns))
	}
	p.slots = make([]abi.Term, width)
	for i := range p.slots {
		p.slots[i] = term.Unbound
	}
	var f *abi.Failure
	if p.severity, f = p.machine.Compile(&r.Payload.Severity, width); f != nil {
		return nil, f
	}
	if p.code, f = p.machine.Compile(&r.Payload.Code, width); f != nil {
		return nil, f
	}
	p.message, f = p.machine.Compile(&r.Payload.Message, width)
	return p, f
}

// fill puts row i into the slots.
func (p *payload) fill(r *abi.EvaluateRequest, dict []abi.Term, i int) *abi.Failure {
	for c := range p.columns {
		column := r.Frame.Columns[c]
		if i >= len(column) {
			return refuse("check %s: column %d of the frame has %d rows of %d", r.Check, c, len(column), r.Frame.Rows)
		}
		x, ok := term.Resolve(dict, column[i])
		if !ok {
			return refuse("check %s: row %d, column %d of the frame is no term of it", r.Check, i, c)
		}
		p.slots[c] = x
	}
	return nil
}

func (p *payload) verdict(v *abi.Verdict) *abi.Failure {
	var wrong []string
	part := func(name string, code *eval.Code, kind abi.Kind) (abi.Term, *abi.Failure) {
		x, ok, f := p.machine.Eval(code, p.slots)
		switch {
		case f != nil:
			return term.Unbound, f
		case !ok:
			wrong = append(wrong, name+": "+p.machine.Fault().Message)
			return term.Unbound, nil
		case p.table.Kind(x) != kind:
			wrong = append(wrong, name+": it is of the wrong kind")
			return term.Unbound, nil
		}
		return x, nil
	}
	x, f := part("severity", p.severity, abi.KindSymbol)
	if f != nil {
		return f
	}
	if x != term.Unbound {
		if severity, ok := severityOf(p.table.Str(x)); ok {
			v.Severity = severity
		} else {
			wrong = append(wrong, "severity: "+p.table.Str(x)+" is none")
		}
	}
	if x, f = part("code", p.code, abi.KindString); f != nil {
		return f
	}
	v.Code = p.table.Str(x)
	if x, f = part("message", p.message, abi.KindString); f != nil {
		return f
	}
	v.Message = p.table.Str(x)
	if len(wrong) > 0 {
		v.Message = strings.TrimSpace(v.Message + " (the check's payload failed: " + strings.Join(wrong, "; ") + ")")
	}
	return nil
}

// severityOf reads the tag of a constant of std::core::Severity.
func severityOf(path string) (abi.Severity, bool) {
	tag := path[strings.LastIndex(path, ":")+1:]
	for s := abi.SeverityError; s <= abi.SeverityHint; s++ {
		if s.String() == tag {
			return s, true
		}
	}
	return abi.SeverityError, false
}
