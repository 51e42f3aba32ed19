package engine

// readSet gathers the relations that a component reads. There is one for all
// components of a program, which are added one after the other.
type readSet struct {
	marks []uint8 // by relation
	list  []int   // those with a mark, in the order in which they were met
}

// The marks of a readSet.
const (
	unread uint8 = iota
	plainRead
	guardedRead // under a negation, or in a nested body
)

// open empties the set, for a program of n relations.
func (s *readSet) open(n int) *readSet {
	for _, r := range s.list {
		s.marks[r] = unread
	}
	s.list = s.list[:0]
	if len(s.marks) < n {
		s.marks = make([]uint8, n)
	}
	return s
}

func (s *readSet) add(relation int, guarded bool) {
	if s.marks[relation] == unread {
		s.marks[relation] = plainRead
		s.list = append(s.list, relation)
	}
	if guarded {
		s.marks[relation] = guardedRead
	}
}
