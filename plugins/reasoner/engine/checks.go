package engine

import "github.com/ox-mcp/ox-mcp/abi"

// Checks evaluates the checks and reports what violates them. A check that
// passes a limit is reported as such, and the others are not held up by it.
func (e *Engine) Checks(r *abi.ChecksRequest) (*abi.ChecksResponse, *abi.Failure) {
	if f := e.begin(&r.Call); f != nil {
		return nil, f
	}
	if r.Check < -1 || r.Check >= len(e.prog.Checks) {
		return nil, badRequest("check %d is out of range: the program has %d", r.Check, len(e.prog.Checks))
	}
	out := &abi.ChecksResponse{}
	for i := range e.prog.Checks {
		if r.Check >= 0 && r.Check != i {
			continue
		}
		rel := e.prog.Checks[i].Relation
		switch f := e.ensure(rel); {
		case f == nil:
		case f.Limit != nil:
			out.Breached = append(out.Breached, abi.CheckBreach{Check: i, Rule: f.Rule, Limit: *f.Limit})
			continue
		default:
			return nil, f
		}
		if data := e.rels[rel].data; data.Live() > 0 {
			out.Violations = append(out.Violations, abi.Violations{Check: i, Frame: e.frame(data, e.sortedRows(data))})
		}
	}
	out.Work = e.spent()
	return out, nil
}
