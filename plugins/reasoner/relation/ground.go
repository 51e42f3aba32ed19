package relation

// A ground program is the instances of rules: each has an atom as its head, and
// literals. Atoms have numbers; a literal is an atom's number twice, plus one if
// it is negated. The lists of instances and of the uses of atoms lie one behind
// another, and of each its end is known: the loops here make them, and draw what
// follows. As those of loops.go, they have a second form in assembly.

// Truth is what is known of an atom of a ground program.
type Truth uint8

// What may be known of an atom. One that is open when all has been drawn is
// undefined.
const (
	Open Truth = iota
	True
	False
)

// NoLiteral stands among literals that are still to be squeezed where an
// instance has none.
const NoLiteral = ^uint32(0)

// plainNumber writes to every stride-th place of dst, for each row that is
// given plus one, the row shifted to the left, plus code, and NoLiteral where
// there is 0. It returns how many there were of those.
func plainNumber(dst []uint32, stride int, rows []uint32, shift uint, code uint32) (absent int) {
	for i, row := range rows {
		v := row<<shift + code
		if row == 0 {
			v = NoLiteral
			absent++
		}
		dst[i*stride] = v
	}
	return absent
}

// plainSqueeze closes the gaps that NoLiteral leaves from literals[at] on, in the
// lists of len(ends) instances of width literals each. It writes where each list
// ends then, and returns where the last does.
func plainSqueeze(literals []uint32, at, width int, ends []uint32) int {
	read := at
	for i := range ends {
		for range width {
			literals[at] = literals[read]
			if literals[at] != NoLiteral {
				at++
			}
			read++
		}
		ends[i] = uint32(at)
	}
	return at
}

// plainTally adds one to the count of each number that the list has, shifted to
// the right.
func plainTally(counts, list []uint32, shift uint) {
	for _, x := range list {
		counts[x>>shift]++
	}
}

// plainSums makes each count the sum of those up to it.
func plainSums(counts []uint32) {
	sum := uint32(0)
	for i, n := range counts {
		sum += n
		counts[i] = sum
	}
}

// plainPlaceUses lists the uses of each atom: an instance twice, plus one where
// the atom is negated in it. useEnds has where each list starts, and then where
// it ends. It writes how many literals each instance has, and returns how many
// have none.
func plainPlaceUses(literals, ends, useEnds, uses, missing []uint32) (facts int) {
	at := uint32(0)
	for i, end := range ends {
		missing[i] = end - at
		if end == at {
			facts++
		}
		for ; at < end; at++ {
			l := literals[at]
			use := useEnds[l>>1]
			uses[use] = uint32(i)<<1 | l&1
			useEnds[l>>1] = use + 1
		}
	}
	return facts
}

// plainNextZero returns the first place from from on that is 0, or the length.
func plainNextZero(list []uint32, from int) int {
	for from < len(list) && list[from] != 0 {
		from++
	}
	return from
}

// Consequences is what drawing consequences reads and writes.
type Consequences struct {
	Truth   []Truth  // by atom
	Support []uint32 // by atom: instances with it as head that may still fire
	Missing []uint32 // by instance: literals that are not known to hold
	Dead    []bool   // by instance: a literal is false
	Heads   []uint32 // by instance
	Uses    []uint32 // an instance twice, plus one where the atom is negated in it
	UseEnds []uint32 // by atom: end of its uses
}

// plainDraw draws the consequences of decided[drawn:n], and of what is decided
// by them, which it adds; decided has room for all atoms. It returns how many
// are decided then.
func plainDraw(c *Consequences, decided []uint32, drawn, n int) int {
	for ; drawn < n; drawn++ {
		atom := decided[drawn]
		from := uint32(0)
		if atom > 0 {
			from = c.UseEnds[atom-1]
		}
		// Positive literals of a true atom hold, and negated ones of a false atom.
		failing := uint32(1)
		if c.Truth[atom] == False {
			failing = 0
		}
		for _, u := range c.Uses[from:c.UseEnds[atom]] {
			i := u >> 1
			if c.Dead[i] {
				continue
			}
			h, t := c.Heads[i], True
			if u&1 != failing {
				if c.Missing[i]--; c.Missing[i] > 0 {
					continue
				}
			} else {
				c.Dead[i], t = true, False
				if c.Support[h]--; c.Support[h] > 0 {
					continue
				}
			}
			if c.Truth[h] == Open {
				c.Truth[h] = t
				decided[n] = h
				n++
			}
		}
	}
	return n
}
