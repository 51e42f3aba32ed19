//go:build wasip1

// Command joinloop is the guest of the metering benchmark: the transitive
// closure of a random graph, by semi-naive joins over flat columns.
package main

// set is an open-addressing set of pairs. Key 0 is free: pairs are stored
// plus one.
type set struct {
	slots []uint64
	size  int
}

func (s *set) add(key uint64) bool {
	if s.size*2 >= len(s.slots) {
		old := s.slots
		s.slots = make([]uint64, max(64, 2*len(old)))
		for _, k := range old {
			if k != 0 {
				s.place(k)
			}
		}
	}
	if !s.place(key + 1) {
		return false
	}
	s.size++
	return true
}

func (s *set) place(k uint64) bool {
	mask := uint64(len(s.slots) - 1)
	for i := (k * 0x9E3779B97F4A7C15) >> 20 & mask; ; i = (i + 1) & mask {
		switch s.slots[i] {
		case 0:
			s.slots[i] = k
			return true
		case k:
			return false
		}
	}
}

// closure returns the number of pairs of the closure and their checksum.
//
//go:wasmexport closure
func closure(nodes, edges uint32) uint64 {
	seed := uint64(1)
	random := func() uint32 {
		seed = seed*6364136223846793005 + 1442695040888963407
		return uint32(seed>>33) % nodes
	}
	start := make([]uint32, nodes+1)
	from, to := make([]uint32, edges), make([]uint32, edges)
	for i := range from {
		from[i], to[i] = random(), random()
		start[from[i]+1]++
	}
	for i := uint32(0); i < nodes; i++ {
		start[i+1] += start[i]
	}
	targets := make([]uint32, edges)
	next := append([]uint32(nil), start...)
	for i, f := range from {
		targets[next[f]] = to[i]
		next[f]++
	}

	var seen set
	var left, right []uint32
	sum := uint64(0)
	emit := func(a, b uint32) {
		key := uint64(a)<<32 | uint64(b)
		if seen.add(key) {
			left, right = append(left, a), append(right, b)
			sum += key * 0xD6E8FEB86659FD93
		}
	}
	for i := range from {
		emit(from[i], to[i])
	}
	for low := 0; low < len(left); {
		high := len(left)
		for i := low; i < high; i++ {
			a, b := left[i], right[i]
			for _, c := range targets[start[b]:start[b+1]] {
				emit(a, c)
			}
		}
		low = high
	}
	return sum ^ uint64(len(left))
}

func main() {}
