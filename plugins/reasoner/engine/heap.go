package engine

// heap has the least of its numbers on top.
type heap []uint64

func (h *heap) push(at uint64) {
	q := append(*h, at)
	for i := len(q) - 1; i > 0; {
		up := (i - 1) / 2
		if q[up] <= q[i] {
			break
		}
		q[up], q[i] = q[i], q[up]
		i = up
	}
	*h = q
}

func (h *heap) pop() uint64 {
	q := *h
	top, last := q[0], len(q)-1
	q[0] = q[last]
	q = q[:last]
	for i := 0; ; {
		child := 2*i + 1
		if child >= len(q) {
			break
		}
		if child+1 < len(q) && q[child+1] < q[child] {
			child++
		}
		if q[i] <= q[child] {
			break
		}
		q[i], q[child] = q[child], q[i]
		i = child
	}
	*h = q
	return top
}
