package engine

import (
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/relation"
)

// fused is a rule variant that is a relation.Join: a scan, a probe by one of
// its columns, and a head of one column of each.
type fused struct {
	scan, probe *step
	left        int // the scan's column that the head takes
	key         int // its column that the probe looks up
	join        relation.Join
}

// fuse recognises such a plan; nil if it is another.
func fuse(p *plan, head []abi.Arg) *fused {
	if len(p.steps) != 2 || len(head) != 2 || head[0].Op != abi.ArgSlot || head[1].Op != abi.ArgSlot {
		return nil
	}
	scan, probe := p.steps[0], p.steps[1]
	if scan.op != opScan || len(scan.same) > 0 || probe.op != opProbe || len(probe.same) > 0 ||
		len(probe.keys) != 1 || len(probe.binds) != 1 {
		return nil
	}
	column := func(slot int) int {
		for _, b := range scan.binds {
			if b.slot == slot {
				return b.col
			}
		}
		return -1
	}
	f := &fused{scan: scan, probe: probe, key: column(probe.keys[0].slot)}
	a, b := head[0].Index, head[1].Index
	right := probe.binds[0].slot
	switch {
	case b == right:
		f.left = column(a)
	case a == right:
		f.left, f.join.Swap = column(b), true
	default:
		return nil
	}
	f.join.Right = probe.binds[0].col
	if f.key < 0 || f.left < 0 {
		return nil
	}
	return f
}

// joinBatches is how many batches of tuples a join adds before the limits are
// looked at.
const joinBatches = 4

// runFused runs the join into the head; done is false if the state of the
// relations does not allow it, and the plan must be run.
func (e *Engine) runFused(f *fused, p *plan, w *window, out *headSink) (done bool, failure *abi.Failure) {
	e.prepare(f.scan, p.width, w)
	e.prepare(f.probe, p.width, w)
	if f.scan.lo >= f.scan.hi || f.probe.lo >= f.probe.hi {
		return true, nil
	}
	if f.scan.holes || f.probe.holes {
		return false, nil
	}
	j := &f.join
	j.Left, j.Take, j.Key, j.From, j.To = f.scan.target, f.left, f.key, f.scan.lo, f.scan.hi
	j.Index, j.Lo, j.Into = f.probe.probe.Index, f.probe.lo, out.rel
	if !j.Start(f.probe.hi) {
		return false, nil
	}
	for {
		added, done := j.Run(joinBatches * e.batch)
		if failure := out.count(added); failure != nil || done {
			return true, failure
		}
	}
}
