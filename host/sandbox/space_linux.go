//go:build linux

package sandbox

import "syscall"

// space is a stretch of address space that becomes memory from its start. It
// never moves, so a growth copies nothing.
type space struct{ all []byte }

func (s *space) reserve(size uint64) {
	if size == 0 {
		return
	}
	all, err := syscall.Mmap(-1, 0, int(size), syscall.PROT_NONE, syscall.MAP_PRIVATE|syscall.MAP_ANON|syscall.MAP_NORESERVE)
	if err == nil {
		s.all = all
	}
}

// resize makes the first size bytes readable and writable, or gives nil.
func (s *space) resize(size uint64) []byte {
	switch {
	case size > uint64(len(s.all)):
		return nil
	case size == 0:
		return []byte{}
	}
	if err := syscall.Mprotect(s.all[:size], syscall.PROT_READ|syscall.PROT_WRITE); err != nil {
		return nil
	}
	return s.all[:size:size]
}

func (s *space) free() {
	if s.all != nil {
		// Munmap fails only for a mapping that is not ours.
		_ = syscall.Munmap(s.all)
		s.all = nil
	}
}
