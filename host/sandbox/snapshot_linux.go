//go:build linux

package sandbox

import (
	"fmt"
	"os"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// mapped is a snapshot in files without a name, which instances map privately:
// each pays only for the pages that it writes. It is a root, and over it the
// stretches in which it differs from the root, packed in a file of their own.
type mapped struct {
	root  *memoryFile
	delta *memoryFile // nil: none
	runs  []run       // in order; a multiple of the page size each
}

const (
	// runsMost bounds the mappings of an instance. The system has some 65,000
	// in all for a process.
	runsMost = 64
	// deltaShare of the memory may be in the delta; beyond it a new root costs
	// less in the long run.
	deltaShare = 4
)

// sharing takes snapshots by mapping.
func sharing(pool *memoryPool, memory []byte, origin snapshot) (snapshot, bool) {
	if from, ok := origin.(*mapped); ok {
		if m := from.next(pool, memory); m != nil {
			return m, false
		}
	}
	all := []run{{0, uint64(len(memory))}}
	root := newMemoryFile(pool, memory, all)
	if root == nil {
		return nil, false
	}
	return &mapped{root: root}, true
}

// next is the snapshot of memory that lives on m. It copies only the pages
// that differ from the root. It gives nil where that is not worth it.
func (m *mapped) next(pool *memoryPool, memory []byte) *mapped {
	written, ok := privatePages(memory)
	if !ok {
		return nil
	}
	runs := joined(append(written, m.runs...), runsMost)
	if sizeOf(runs) > uint64(len(memory))/deltaShare {
		return nil
	}
	n := &mapped{root: m.root, runs: runs}
	if len(runs) > 0 {
		if n.delta = newMemoryFile(pool, memory, runs); n.delta == nil {
			return nil
		}
	}
	m.root.refs.Add(1)
	return n
}

func (m *mapped) restore(memory []byte) error {
	if m.root.size > uint64(len(memory)) {
		return fmt.Errorf("%d bytes of memory for a snapshot of %d", len(memory), m.root.size)
	}
	if err := m.root.mapOver(memory[:m.root.size], 0); err != nil {
		return err
	}
	at := uint64(0)
	for _, r := range m.runs {
		if err := m.delta.mapOver(memory[r.from:r.to], at); err != nil {
			return err
		}
		at += r.size()
	}
	return nil
}

func (m *mapped) retain() {
	m.root.refs.Add(1)
	if m.delta != nil {
		m.delta.refs.Add(1)
	}
}

func (m *mapped) release() {
	m.root.release()
	if m.delta != nil {
		m.delta.release()
	}
}

func (*mapped) shared() bool { return true }

// memoryFile is a file in memory, which does not change. It counts as memory
// of the pool until nobody needs it.
type memoryFile struct {
	pool *memoryPool
	fd   int
	size uint64
	refs atomic.Int64
}

// newMemoryFile copies the runs of memory, one behind the other. It gives nil
// where the system has no such files or the pool no room.
func newMemoryFile(pool *memoryPool, memory []byte, runs []run) *memoryFile {
	f := &memoryFile{pool: pool, size: sizeOf(runs)}
	if !pool.take(f.size) {
		return nil
	}
	f.refs.Store(1)
	fd, err := unix.MemfdCreate("ox-snapshot", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		pool.give(f.size)
		return nil
	}
	f.fd = fd
	if !f.fill(memory, runs) {
		f.release()
		return nil
	}
	return f
}

func (f *memoryFile) fill(memory []byte, runs []run) bool {
	if unix.Ftruncate(f.fd, int64(f.size)) != nil {
		return false
	}
	at := int64(0)
	for _, r := range runs {
		if !f.write(memory[r.from:r.to], at) {
			return false
		}
		at += int64(r.size())
	}
	// Only a mistake of ours could write to it; this turns one into an error.
	_, err := unix.FcntlInt(uintptr(f.fd), unix.F_ADD_SEALS, unix.F_SEAL_WRITE|unix.F_SEAL_GROW|unix.F_SEAL_SHRINK)
	return err == nil
}

// zeroPiece is what is looked at together: a piece of zeros takes no room.
const zeroPiece = 4096

// write puts the stretches of b that are not zero at the offset.
func (f *memoryFile) write(b []byte, offset int64) bool {
	for at := 0; at < len(b); {
		if zero(b[at : at+zeroPiece]) {
			at += zeroPiece
			continue
		}
		end := at + zeroPiece
		for end < len(b) && !zero(b[end:end+zeroPiece]) {
			end += zeroPiece
		}
		for at < end {
			n, err := unix.Pwrite(f.fd, b[at:end], offset+int64(at))
			if err != nil || n == 0 {
				return false
			}
			at += n
		}
	}
	return true
}

func zero(b []byte) bool {
	for _, w := range unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/8) {
		if w != 0 {
			return false
		}
	}
	return true
}

func (f *memoryFile) mapOver(memory []byte, offset uint64) error {
	at := unsafe.Pointer(unsafe.SliceData(memory))
	_, err := unix.MmapPtr(f.fd, int64(offset), at, uintptr(len(memory)), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_FIXED|unix.MAP_NORESERVE)
	return err
}

func (f *memoryFile) release() {
	if f.refs.Add(-1) == 0 {
		// Nothing can be lost: the file was never on a disk.
		_ = unix.Close(f.fd)
		f.pool.give(f.size)
	}
}

// The bits of an entry of /proc/self/pagemap.
const (
	pagePresent = 1 << 63
	pageSwapped = 1 << 62
	pageOfFile  = 1 << 61
)

// privatePages finds the pages of memory that are no longer those of the file
// below them, or have none below them and were touched. ok is false where the
// system does not say.
func privatePages(memory []byte) (runs []run, ok bool) {
	f, err := os.Open("/proc/self/pagemap")
	if err != nil {
		return nil, false
	}
	defer f.Close()
	page := uint64(os.Getpagesize())
	first := uint64(uintptr(unsafe.Pointer(unsafe.SliceData(memory)))) / page
	entries := make([]uint64, 4096)
	raw := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(entries))), 8*len(entries))
	pages := uint64(len(memory)) / page
	for at := uint64(0); at < pages; {
		n := min(pages-at, uint64(len(entries)))
		if _, err := f.ReadAt(raw[:8*n], int64(8*(first+at))); err != nil {
			return nil, false
		}
		for i, e := range entries[:n] {
			if e&(pagePresent|pageSwapped) == 0 || e&pageOfFile != 0 {
				continue
			}
			from := (at + uint64(i)) * page
			if last := len(runs) - 1; last >= 0 && runs[last].to == from {
				runs[last].to += page
			} else {
				runs = append(runs, run{from, from + page})
			}
		}
		at += n
	}
	return runs, true
}
