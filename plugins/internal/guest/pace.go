package guest

import (
	"runtime"
	"runtime/debug"
	"weak"

	"github.com/ox-mcp/ox-mcp/abi"
)

// headroom is the part of the memory limit, 1/8 and at least 4 MiB, that the
// collector must leave free: a growing slice needs its next size at once, and
// a refused growth of memory is the end of the instance.
const (
	headroomShare = 8
	headroomLeast = 4 << 20
)

// defaultPercent is Go's own pace, which holds between calls.
const defaultPercent = 100

// collector is the pace of this instance's collector between calls: exports
// are functions without a receiver.
var collector pace

// PaceGC turns the collector off until memory comes near memoryLimit bytes, as
// a call that evaluates wants it; the function that it returns sets the pace
// again that holds between calls. Limit 0, or one too small to have headroom,
// changes nothing.
func PaceGC(memoryLimit uint64) (restore func()) {
	soft, ok := softLimit(memoryLimit)
	if !ok {
		return func() {}
	}
	debug.SetMemoryLimit(soft)
	debug.SetGCPercent(-1)
	return collector.resume
}

// PaceFilling is PaceGC for a call that fills the instance: what it leaves is
// taken to be alive. The collector would otherwise look through all of it in
// the next call, and in that of each clone.
func PaceFilling(memoryLimit uint64) (restore func()) {
	resume := PaceGC(memoryLimit)
	return func() {
		resume()
		collector.fill()
	}
}

// pace is how far the heap may grow between calls before it is collected. The
// zero pace is Go's own.
type pace struct {
	percent int
	until   weak.Pointer[mark] // percent holds until it is collected
}

// mark is an object of a size that is not put together with others.
type mark [64]byte

func (p *pace) resume() {
	percent := defaultPercent
	if p.until.Value() != nil {
		percent = p.percent
	}
	debug.SetGCPercent(percent)
}

// fill makes the next collection come when the heap is twice as large as now.
func (p *pace) fill() {
	m := new(runtime.MemStats)
	p.until = weak.Make(new(mark))
	debug.SetGCPercent(defaultPercent)
	runtime.ReadMemStats(m)
	if p.percent = percentFor(m.HeapAlloc, m.NextGC); p.percent == defaultPercent {
		p.until = weak.Pointer[mark]{}
	}
	p.resume()
}

// percentFor returns the percentage that makes the goal twice what is allocated,
// where goal is that of the default one: twice what was alive when the
// collector last ran.
func percentFor(allocated, goal uint64) int {
	alive := goal / 2
	if alive == 0 || allocated <= alive {
		return defaultPercent
	}
	return int((2*allocated - alive) * 100 / alive)
}

// pacedBytes is the size from which on a request is decoded at the pace of the
// call that it asks for: what comes of it is kept, and the collector would
// look through it each time that it has doubled.
const pacedBytes = 64 << 10

// paceRequest is PaceGC with the limit that the request states; a request that
// states none changes nothing.
func paceRequest(b []byte) (restore func()) {
	c, err := abi.PeekCall(b)
	if err != nil {
		return func() {}
	}
	return PaceGC(c.Limits.Memory)
}

func softLimit(memoryLimit uint64) (int64, bool) {
	reserve := max(memoryLimit/headroomShare, headroomLeast)
	if memoryLimit <= 2*reserve || memoryLimit > 1<<62 {
		return 0, false
	}
	return int64(memoryLimit - reserve), true
}
