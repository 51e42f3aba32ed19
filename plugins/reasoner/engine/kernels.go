package engine

import (
	"math"
	"unsafe"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/kernel"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/relation"
)

// Kernels is where modules run that the engine makes for rules.
type Kernels interface {
	// Load returns a handle, below 0 if the module was not taken.
	Load(module []byte) int32
	// Call calls the module's function, and reports whether it was called.
	Call(handle int32, values *uint64) bool
}

// kernels are those of an engine. A rule has one once its plan has come to so
// many bindings that making it does not matter any more, and is run by it where
// there are so many rows to go through that calling it does not.
type kernels struct {
	run         Kernels // nil: there are none
	after, rows int
	made        []*ruleKernel
	words       []uint32
	values      [1]uint64
	calls       uint64 // host calls that are left for them
	bytes       uint64
	uncounted   bool // host calls are not
}

// ruleKernel is a kernel that was made; handle is below 0 where it was not taken.
type ruleKernel struct {
	key    string
	handle int32
	params []kernel.Param
}

// kernelAfter is how many bindings a plan comes to without a kernel, and
// kernelRows the fewest rows for one. A kernel is checked and compiled in some
// 1.5 ms, which 100,000 bindings gain where the head's set is a matrix. Where
// it is a table of hashes, which one waits for with a kernel as without, they
// gain a fifth of that or less, and a plan has none before kernelHashed times as
// many.
const (
	kernelAfter  = 64 * defaultBatch
	kernelRows   = 256
	kernelHashed = 16
)

// UseKernels has the engine make kernels.
func (e *Engine) UseKernels(run Kernels) { e.kernels.use(run, kernelAfter, kernelRows) }

func (ks *kernels) use(run Kernels, after, rows int) { ks.run, ks.after, ks.rows = run, after, rows }

// begin leaves half of a call's host calls to others: that a limit on them ends
// a call which would end without kernels is not to be.
func (ks *kernels) begin(c *abi.Call) {
	ks.calls, ks.bytes = c.Limits.HostCalls/2, c.Limits.HostBytes/2
}

// pay takes a host call of n bytes. Where one cannot be paid, there are none any
// more in this call.
func (ks *kernels) pay(n uint64) bool {
	switch {
	case ks.uncounted:
		return true
	case ks.calls == 0 || ks.bytes < n:
		ks.calls = 0
		return false
	}
	ks.calls, ks.bytes = ks.calls-1, ks.bytes-n
	return true
}

// runKernel runs a rule by a kernel; done is false if that cannot be, or is not
// worth it.
func (e *Engine) runKernel(p *plan, w *window, out *headSink) (done bool, f *abi.Failure) {
	ks := &e.kernels
	if ks.run == nil || ks.calls == 0 && !ks.uncounted || p.fused != nil || p.made < ks.after || p.patience != 0 || e.most != math.MaxInt || e.upper ||
		w == nil || w.active == nil || w.round > 0 || w.from != nil || w.ghosts != nil || p.learning(e) {
		return false, nil
	}
	first := p.steps[0]
	if first.op != opScan || p.made < kernelHashed*ks.after && !out.rel.Dense() {
		return false, nil
	}
	// Most rounds of a long derivation are small: they are not prepared twice.
	if lo, hi := w.span(e, first.rel, first.atom, uint32(e.rels[first.rel].data.Rows())); int(hi) < int(lo)+ks.rows {
		return false, nil
	}
	for _, s := range p.steps {
		e.prepare(s, p.width, w)
	}
	s, ok := e.shapeOf(p, out.args)
	if !ok {
		return false, nil
	}
	at, to := 4*s.steps[0].lo, 4*s.steps[0].hi
	for room := 4 * e.batch; ; room *= 2 {
		r := out.rel
		target := r.Target(room, s.from)
		s.shape.Matrix = target.Bits != nil
		k := ks.of(&s.shape)
		if k == nil || !ks.pay(8) {
			return false, nil
		}
		most := target.Room
		if l := e.call.Limits.Derived; l > 0 {
			most = min(most, r.Rows()+1+int(min(l-min(l, e.work.Derived), math.MaxInt32)))
		}
		ks.words = ks.words[:0]
		for _, q := range k.params {
			ks.words = append(ks.words, s.word(q, &target, at, to, r.Rows(), most))
		}
		ks.values[0] = uint64(address(ks.words))
		if !ks.run.Call(k.handle, &ks.values[0]) {
			return false, internal("a kernel was not called")
		}
		before := r.Rows()
		at = ks.words[0]
		r.Took(&target, int(ks.words[1]/4))
		p.made += r.Rows() - before
		if f := out.count(r.Rows() - before); f != nil || at >= to {
			return true, f
		}
	}
}

// learning reports whether a probe of the plan has still to see whether it is to
// look at chosen rows.
func (p *plan) learning(e *Engine) bool {
	for _, s := range p.steps {
		if s.partner != nil && !s.partner.used && s.made < min(semijoinAfter*e.batch, e.kernels.after) {
			return true
		}
	}
	return false
}

// of returns the kernel for a shape, nil if there is none.
func (ks *kernels) of(shape *kernel.Shape) *ruleKernel {
	key := shape.Key()
	for _, k := range ks.made {
		if k.key == key {
			if k.handle < 0 {
				return nil
			}
			return k
		}
	}
	module, params := kernel.Emit(shape)
	if !ks.pay(uint64(len(module))) {
		return nil
	}
	k := &ruleKernel{key: key, handle: ks.run.Load(module), params: params}
	if k.handle == int32(abi.KernelNotGranted) {
		ks.run = nil
		return nil
	}
	ks.made = append(ks.made, k)
	if k.handle < 0 {
		return nil
	}
	return k
}

// address is where a list lies: the collector moves nothing, and what a kernel
// reads is held by the relations.
func address[T any](s []T) uint32 { return uint32(uintptr(unsafe.Pointer(unsafe.SliceData(s)))) }

// word is what a kernel is given for a parameter.
func (s *shaped) word(q kernel.Param, t *relation.Target, at, to uint32, rows, room int) uint32 {
	switch q.What {
	case kernel.At:
		return at
	case kernel.To:
		return to
	case kernel.Rows:
		return 4 * uint32(rows)
	case kernel.Room:
		return 4 * uint32(room)
	case kernel.Term:
		return uint32(s.terms[q.Col])
	}
	if q.Step == len(s.steps) {
		switch q.What {
		case kernel.Column:
			return address(t.Cols[q.Col]) - 4
		case kernel.Bits:
			return address(t.Bits)
		case kernel.Dim:
			return uint32(t.Dim)
		}
		return tableWord(q.What, t.Table, t.Shift)
	}
	x := s.steps[q.Step]
	switch q.What {
	case kernel.Column:
		if x.op == opScan {
			return address(x.target.Column(q.Col))
		}
		return address(x.target.Column(q.Col)) - 4
	case kernel.Lo:
		return x.lo
	case kernel.Hi:
		return x.hi
	}
	if x.op == opMember {
		table, shift, _ := x.target.Table()
		return tableWord(q.What, table, shift)
	}
	c, _ := x.probe.Index.Chains(x.hi)
	switch q.What {
	case kernel.Next:
		return address(c.Next) - 4
	case kernel.Tag:
		return uint32(c.Tag)
	case kernel.Last:
		return uint32(len(c.Table) - 1)
	case kernel.Key:
		return address(c.Keys[q.Col]) - 4
	}
	return tableWord(q.What, c.Table, c.Shift)
}

// tableWord is a parameter that is about a table of hashes, whose places a kernel
// counts in bytes.
func tableWord(what kernel.What, table []uint32, shift uint) uint32 {
	switch what {
	case kernel.Shift:
		return uint32(shift) - 2
	case kernel.Mask:
		return 4 * uint32(len(table)-1)
	}
	return address(table)
}
