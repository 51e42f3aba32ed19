package eval

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/internal/term"
)

// Fold is a running aggregate. Its zero value with Op set is empty.
type Fold struct {
	Op    abi.FoldOp
	count int64
	best  abi.Term
	sum   term.Sum
	items []abi.Term
}

// Add adds x. A count looks at no value.
func (f *Fold) Add(t *term.Table, x abi.Term) term.Fault {
	f.count++
	switch f.Op {
	case abi.FoldCount:
		return term.OK
	case abi.FoldSum, abi.FoldAvg:
		return f.sum.Add(t, x)
	case abi.FoldList:
		f.items = append(f.items, x)
		return term.OK
	}
	if x == abi.None {
		return term.Absent
	}
	if f.count == 1 {
		f.best = x
		return term.OK
	}
	order, fault := t.Order(x, f.best)
	if (order < 0) == (f.Op == abi.FoldMin) {
		f.best = x
	}
	return fault
}

// Result returns the aggregate; Absent for min, max and avg of nothing.
func (f *Fold) Result(t *term.Table) (abi.Term, term.Fault) {
	switch {
	case f.Op == abi.FoldCount:
		return t.Int(f.count), term.OK
	case f.Op == abi.FoldSum:
		return f.sum.Total(t)
	case f.Op == abi.FoldList:
		if len(f.items) > term.MaxItems {
			return 0, term.LargeList
		}
		slices.SortFunc(f.items, t.Compare)
		return t.List(f.items), term.OK
	case f.count == 0:
		return 0, term.Absent
	case f.Op == abi.FoldAvg:
		x, fault := f.sum.Total(t)
		if fault != term.OK {
			return 0, fault
		}
		return t.Div(x, t.Int(f.count))
	}
	return f.best, term.OK
}

func (m *Machine) fold(op abi.FoldOp, items []abi.Term) (abi.Term, term.Fault) {
	f := Fold{Op: op}
	for _, x := range items {
		if fault := f.Add(m.table, x); fault != term.OK {
			return 0, fault
		}
	}
	return f.Result(m.table)
}
