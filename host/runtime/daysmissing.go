package runtime

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/lower"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
)

// maxStretches bounds the runs of days that a why-not answer lists.
const maxStretches = 4

// daysRead is what an operator over time with one operand asks of a day: that
// the operand holds on all, or on some, of those from the one that is from days
// away to the one that is to away.
type daysRead struct {
	operand  int // relation of the days on which the operand holds
	from, to int64
	all      bool
}

// daysReadBy returns what the operator asks that a relation stands for. ok is
// false where it has two operands, or the relation is of no operator.
func (m *module) daysReadBy(rel int) (r daysRead, ok bool) {
	name := m.program.Relations[rel].Name
	word, rest, _ := strings.Cut(name, "[")
	distance, _, _ := strings.Cut(rest, "]")
	near, far, _ := strings.Cut(distance, ", ")
	var from, to int64
	if n, _ := fmt.Sscan(near, &from); n != 1 {
		return r, false
	}
	if n, _ := fmt.Sscan(far, &to); n != 1 {
		to = 2 * lower.Always
	}
	switch word {
	case "box_minus", "diamond_minus":
		r.from, r.to = -to, -from
	case "box_plus", "diamond_plus":
		r.from, r.to = from, to
	default:
		return r, false
	}
	r.all = strings.HasPrefix(word, "box")
	r.operand = -1
	seen := map[int]bool{rel: true}
	for queue := []int{rel}; len(queue) > 0; queue = queue[1:] {
		for i := range m.program.Rules {
			rule := &m.program.Rules[i]
			if rule.Head != queue[0] {
				continue
			}
			for _, a := range rule.Body {
				if a.Op != abi.AtomScan || a.Neg || seen[a.Rel] || !m.ofOperator(a.Rel) {
					continue
				}
				seen[a.Rel] = true
				if _, twin := lower.Twin(&m.program.Relations[a.Rel]); twin && strings.HasPrefix(m.program.Relations[a.Rel].Name, "days#") {
					r.operand = a.Rel
					continue
				}
				queue = append(queue, a.Rel)
			}
		}
	}
	return r, r.operand >= 0 && len(m.program.Relations[r.operand].Columns) == len(m.program.Relations[rel].Columns)+2
}

// missingDays says of the operators that fail in a why-not answer on which of
// their days the operand does not hold: by the key of the fact that stands for
// the operator.
func (ses *session) missingDays(ctx context.Context, in *sandbox.Instance, call abi.Call, nodes []abi.WhyNotNode) (map[string]string, error) {
	if len(ses.m.twins) == 0 {
		return nil, nil
	}
	out := map[string]string{}
	asked := map[int]*daysAsked{} // by the relation of the operator
	for i := range nodes {
		for j := range nodes[i].Attempts {
			a := &nodes[i].Attempts[j]
			rule := ses.m.rule(a.Rule)
			if rule == nil || a.Failed < 0 || a.Failed >= len(rule.Body) {
				continue
			}
			tuple, ok := ses.m.scanned(rule, a)
			if !ok {
				continue
			}
			rel := rule.Body[a.Failed].Rel
			key := defeatKey(rel, tuple)
			if _, told := out[key]; told {
				continue
			}
			if asked[rel] == nil {
				found, err := ses.askDays(ctx, in, call, rel)
				if err != nil {
					return nil, err
				}
				asked[rel] = found
			}
			if of := asked[rel]; of.ok {
				out[key] = of.read.missing(&of.rows.Frame, tuple, floorDay(call.Now.Int))
			}
		}
	}
	return out, nil
}

// daysAsked is what an operator asks of the days, and those on which its operand
// holds. ok is false where it is of no such operator.
type daysAsked struct {
	read daysRead
	rows abi.Rows
	ok   bool
}

func (ses *session) askDays(ctx context.Context, in *sandbox.Instance, call abi.Call, rel int) (*daysAsked, error) {
	out := &daysAsked{}
	if out.read, out.ok = ses.m.daysReadBy(rel); !out.ok {
		return out, nil
	}
	return out, ses.ask(ctx, in, abi.ExportDerive, &abi.DeriveRequest{Call: call, Relation: out.read.operand}, &out.rows)
}

// scanned returns the tuple that an attempt failed to find; ok is false where
// it asked for something else, or for any of several.
func (m *module) scanned(rule *abi.Rule, a *abi.Attempt) ([]abi.Value, bool) {
	atom := &rule.Body[a.Failed]
	if atom.Op != abi.AtomScan || atom.Neg || !m.ofOperator(atom.Rel) {
		return nil, false
	}
	tuple := []abi.Value{}
	for _, x := range atom.Args {
		switch {
		case x.Op == abi.ArgConst:
			tuple = append(tuple, m.program.Constants[x.Index])
		case x.Op == abi.ArgSlot && x.Index < len(a.Bindings) && a.Bindings[x.Index] != nil:
			tuple = append(tuple, *a.Bindings[x.Index])
		default:
			return nil, false
		}
	}
	return tuple, true
}

func floorDay(seconds int64) int64 {
	day := seconds / abi.SecondsPerDay
	if seconds%abi.SecondsPerDay < 0 {
		day--
	}
	return day
}

// missing says on which days an operator over time misses its operand, where
// frame has the days of that, from and up to, behind the values of its
// variables.
func (r *daysRead) missing(frame *abi.Frame, tuple []abi.Value, today int64) string {
	type run struct{ from, to int64 } // to is not among them
	window := run{max(today+r.from, -lower.Always), min(today+r.to+1, lower.Always)}
	var held []run
	for i := range frame.Rows {
		row := frame.Row(nil, i)
		n := len(row) - 2
		if slices.EqualFunc(row[:n], tuple, abi.Equal) {
			held = append(held, run{row[n].Int, row[n+1].Int})
		}
	}
	slices.SortFunc(held, func(a, b run) int { return cmp.Compare(a.from, b.from) })
	if !r.all {
		return "on no day " + stretchText(window.from, window.to)
	}
	var parts []string
	at, some := window.from, false
	note := func(to int64) {
		if at < to {
			parts = append(parts, stretchText(at, to))
		}
	}
	for _, h := range held {
		if h.to <= at || h.from >= window.to {
			continue
		}
		note(h.from)
		some = true
		at = max(at, h.to)
	}
	note(window.to)
	if len(parts) == 0 {
		return ""
	}
	if len(parts) > maxStretches {
		parts = append(parts[:maxStretches], fmt.Sprintf("%d times more", len(parts)-maxStretches))
	}
	text := "missing " + strings.Join(parts, ", ")
	if some {
		text += "; it looks at the days " + stretchText(window.from, window.to)
	}
	return text
}
