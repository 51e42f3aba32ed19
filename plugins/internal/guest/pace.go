package guest

import "runtime/debug"

// headroom is the part of the memory limit, 1/8 and at least 4 MiB, that the
// collector must leave free: a growing slice needs its next size at once, and
// a refused growth of memory is the end of the instance.
const (
	headroomShare = 8
	headroomLeast = 4 << 20
)

// defaultPercent is Go's own pace, which holds between calls.
const defaultPercent = 100

// PaceGC turns the collector off until memory comes near memoryLimit bytes, as
// a call that evaluates wants it; the function that it returns sets the usual
// pace again. Limit 0, or one too small to have headroom, changes nothing.
func PaceGC(memoryLimit uint64) (restore func()) {
	soft, ok := softLimit(memoryLimit)
	if !ok {
		return func() {}
	}
	debug.SetMemoryLimit(soft)
	debug.SetGCPercent(-1)
	return func() { debug.SetGCPercent(defaultPercent) }
}

func softLimit(memoryLimit uint64) (int64, bool) {
	reserve := max(memoryLimit/headroomShare, headroomLeast)
	if memoryLimit <= 2*reserve || memoryLimit > 1<<62 {
		return 0, false
	}
	return int64(memoryLimit - reserve), true
}
