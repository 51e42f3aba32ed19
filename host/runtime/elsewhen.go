package runtime

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/lower"
	"github.com/ox-mcp/ox-mcp/host/overtime"
	"github.com/ox-mcp/ox-mcp/host/store"
)

// What is stated for other days than the one that is asked about is near to what
// is missing: it is told, with its days.

// maxOtherDays is how many runs of days are told of a fact, or of several.
const maxOtherDays = 3

// timedFact is a fact with days on which it holds.
type timedFact struct {
	tuple []abi.Value
	days  overtime.Days
}

// otherDays says on which other days a fact that is missing holds, or "". Of a
// tuple nil is any value.
func (p *prover) otherDays(rel int, tuple []*abi.Value) string {
	base := p.m.assertedBy(rel)
	if base < 0 {
		return ""
	}
	today := dayOf(store.MomentOf(p.msg.Call.Now))
	list := p.elsewhen(base, tuple)
	list = slices.DeleteFunc(list, func(f timedFact) bool { return f.days.From <= today && today < f.days.To })
	if len(list) == 0 {
		return ""
	}
	far := func(d overtime.Days) int64 { return max(d.From-today, today-d.To+1) }
	slices.SortStableFunc(list, func(a, b timedFact) int { return int(max(-1, min(1, far(a.days)-far(b.days)))) })
	more := ""
	if n := len(list) - maxOtherDays; n > 0 {
		list, more = list[:maxOtherDays], fmt.Sprintf(", and at %d times more", n)
	}
	var parts []string
	for _, f := range list {
		about := "it holds "
		if slices.Contains(tuple, nil) {
			about = p.fact(base, pointers(f.tuple)) + " holds "
		} else if parts != nil {
			about = ""
		}
		parts = append(parts, about+f.days.Text())
	}
	return strings.Join(parts, ", ") + more + "; asked as of " + overtime.Date(today)
}

// assertedBy is the base relation whose facts a relation has, or -1.
func (m *module) assertedBy(rel int) int {
	if rel < 0 {
		return -1
	}
	r := &m.program.Relations[rel]
	if r.Role == abi.Derived {
		if rel = r.Asserted; rel < 0 {
			return -1
		}
		r = &m.program.Relations[rel]
	}
	switch r.Origin {
	case abi.OriginConcept, abi.OriginField, abi.OriginRelation:
		return rel
	}
	return -1
}

// elsewhen returns the facts of a base relation that fit a pattern, with the days
// on which they hold, if events say so: not those that always do.
func (p *prover) elsewhen(rel int, pattern []*abi.Value) (out []timedFact) {
	m, name := p.m, p.m.program.Relations[rel].Name
	fits := func(tuple []abi.Value, columns []int) bool {
		return len(tuple) == len(pattern) && !slices.ContainsFunc(columns, func(i int) bool { return pattern[i] != nil && !abi.Equal(*pattern[i], tuple[i]) })
	}
	all := make([]int, len(pattern))
	for i := range all {
		all[i] = i
	}
	key := m.program.Relations[rel].Key
	if len(key) == 0 {
		key = all
	}
	var order []string
	lines := map[string][]stretch{}
	for _, layer := range m.layers(p.ses.point.view) {
		for _, e := range m.withDeclared(p.events) {
			if e.Relation != name || e.Layer != layer || !fits(e.Tuple, key) {
				continue
			}
			k := m.keyOf(rel, e.Tuple)
			if lines[k] == nil {
				order, lines[k] = append(order, k), []stretch{{-lower.Always, lower.Always, nil}}
			}
			to := int64(lower.Always)
			if e.ValidTo != nil {
				to = dayOf(*e.ValidTo)
			}
			lines[k] = said(lines[k], dayOf(e.ValidFrom), to, e.Tuple, e.Remove)
		}
	}
	for _, k := range order {
		for _, s := range lines[k] {
			if s.tuple != nil && fits(s.tuple, all) {
				out = append(out, timedFact{s.tuple, overtime.Days{From: s.from, To: s.to}})
			}
		}
	}
	return out
}
