//go:build !linux

package sandbox

// space is a slice that grows by copying.
type space struct{ all []byte }

func (s *space) reserve(uint64) {}

func (s *space) resize(size uint64) []byte {
	if size > uint64(cap(s.all)) {
		grown := make([]byte, size, max(size, 2*uint64(len(s.all))))
		copy(grown, s.all)
		s.all = grown
	}
	s.all = s.all[:size]
	return s.all
}

func (s *space) free() { s.all = nil }
