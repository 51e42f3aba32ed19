package abi

import "unsafe"

// slabs are what short lists of a program are cut from: it has a million of
// them, lives and dies as a whole, and in a guest an allocation costs as much as
// reading ten fields. An entry is the rest of the last slab.
type slabs struct {
	ints     []int
	args     []Arg
	slots    []Slot
	columns  []Column
	atoms    []Atom
	exprs    []Expr
	types    []Type
	params   []Param
	patterns []Pattern
}

// slabBytes is the size of a slab.
const slabBytes = 4096

// cutMost is the length of the longest list that is cut: a quarter of a slab,
// so that no more than that is lost where the rest is too short.
func cutMost[T any](*[]T) int { return slabBytes / 4 / int(unsafe.Sizeof(*new(T))) }

func cut[T any](rest *[]T, n int) []T {
	if len(*rest) < n {
		*rest = make([]T, slabBytes/unsafe.Sizeof(*new(T)))
	}
	s := (*rest)[:n:n]
	*rest = (*rest)[n:]
	return s
}

// slab is list where the items are cut from rest, if the coder cuts.
func slab[T any](c *coder, p, rest *[]T, item func(*coder, *T)) {
	if c.r != nil && c.r.skip(majorArray) {
		*p = nil
		return
	}
	if !c.cutting {
		anyList(c, p, firstCapacity, item)
		return
	}
	n := c.r.Array()
	if n == 0 || n > cutMost(p) {
		items(c, p, n, firstCapacity, item)
		return
	}
	s := cut(rest, n)
	for i := range s {
		item(c, &s[i])
	}
	*p = s
}

// cutOptional is optional where what is there is cut from rest, if the coder
// cuts.
func cutOptional[T any](c *coder, p **T, rest *[]T, item func(*coder, *T)) {
	if !c.cutting || c.r.peek() == cborNull {
		optional(c, p, item)
		return
	}
	*p = &cut(rest, 1)[0]
	item(c, *p)
}

// keep makes the texts of what follows parts of one copy of the message, and
// short lists parts of slabs.
func (c *coder) keep() {
	if c.r != nil {
		c.r.text = string(c.r.b)
		c.cutting = true
	}
}
