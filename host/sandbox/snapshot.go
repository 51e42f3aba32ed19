package sandbox

import (
	"cmp"
	"slices"
)

// snapshot is the memory of an instance as it was between two calls. Its
// methods may be called from several goroutines.
type snapshot interface {
	// restore puts the snapshot in place of memory, which has its size; the
	// address stays. Memory of a new instance is zero where no data segment
	// went. After an error memory must not be touched any more.
	restore(memory []byte) error
	// retain and release count who needs the snapshot: the instance it was
	// taken of until its next call, and each instance that lives on it.
	retain()
	release()
	// shared says that instances keep using the snapshot after restore.
	shared() bool
}

// snapshotLeast is the size in bytes below which copying is as cheap as
// mapping.
const snapshotLeast = 1 << 20

// snapshots takes a snapshot of memory that instances share until they write
// to it, or gives nil where there is no room, or no such thing. origin is the
// snapshot that memory lives on, or nil. renewed says that the snapshot owes
// nothing to origin, so that memory had better live on it from now on.
type snapshots func(pool *memoryPool, memory []byte, origin snapshot) (s snapshot, renewed bool)

// noSnapshots makes every clone a copy.
func noSnapshots(*memoryPool, []byte, snapshot) (snapshot, bool) { return nil, false }

// live is a memory that is there only while its instance is not called: it is
// copied.
type live struct{ memory []byte }

func (l live) restore(memory []byte) error {
	copy(memory, l.memory)
	return nil
}

func (live) retain()      {}
func (live) release()     {}
func (live) shared() bool { return false }

// run is a half-open range of bytes of a memory.
type run struct{ from, to uint64 }

func (r run) size() uint64 { return r.to - r.from }

func sizeOf(runs []run) (n uint64) {
	for _, r := range runs {
		n += r.size()
	}
	return n
}

// joined sorts runs and joins those that touch, and then those nearest to
// each other until there are at most most.
func joined(runs []run, most int) []run {
	if len(runs) == 0 {
		return nil
	}
	slices.SortFunc(runs, func(a, b run) int { return cmp.Compare(a.from, b.from) })
	within := func(gap uint64) []run {
		out := []run{runs[0]}
		for _, r := range runs[1:] {
			if last := &out[len(out)-1]; r.from <= last.to || r.from-last.to <= gap {
				last.to = max(last.to, r.to)
			} else {
				out = append(out, r)
			}
		}
		return out
	}
	runs = within(0)
	if len(runs) <= most {
		return runs
	}
	gaps := make([]uint64, 0, len(runs))
	for i := range runs[1:] {
		gaps = append(gaps, runs[i+1].from-runs[i].to)
	}
	slices.Sort(gaps)
	return within(gaps[len(gaps)-most])
}
