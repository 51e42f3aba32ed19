package engine

// foundation says, of each open atom, which instance it rests on: one of whose
// positive literals none rests on the atom in turn. When that instance dies, the
// atom and what rests on it look for others; those that find none are false.
// So circles cost what is near them, however often they are looked for.
type foundation struct {
	source   []uint32 // by atom: the instance; meaningless while the atom is lost
	isLost   []bool   // by atom
	lost     []uint32 // open atoms without a source
	left     []uint32 // by instance, while sources are looked for: positive literals that are lost
	byHead   []uint32 // instances by head
	headEnds []uint32 // by atom: end of its instances in byHead
}

// found makes the foundation: every open atom is lost at first.
func (g *ground) found() {
	f := &foundation{
		source: make([]uint32, g.atoms), isLost: make([]bool, g.atoms), left: make([]uint32, len(g.heads)),
		byHead: make([]uint32, len(g.heads)), headEnds: make([]uint32, g.atoms+1),
	}
	for _, h := range g.heads {
		f.headEnds[h+1]++
	}
	for a := range g.atoms {
		f.headEnds[a+1] += f.headEnds[a]
	}
	for i, h := range g.heads {
		f.byHead[f.headEnds[h]] = uint32(i)
		f.headEnds[h]++
	}
	g.foundation = f
	for a := range g.atoms {
		g.lose(a)
	}
}

// of returns the part of a list that belongs to number n, where ends has the end
// of each one's part.
func of(list, ends []uint32, n uint32) []uint32 {
	from := uint32(0)
	if n > 0 {
		from = ends[n-1]
	}
	return list[from:ends[n]]
}

func (g *ground) lose(atom uint32) {
	if g.truth[atom] == isOpen && !g.isLost[atom] {
		g.isLost[atom] = true
		g.lost = append(g.lost, atom)
	}
}

// dropUnfounded gives the lost atoms and what rests on them new sources, and
// decides that those are false which could not follow even if every negated
// literal that is not false held.
func (g *ground) dropUnfounded() {
	for at := 0; at < len(g.lost); at++ {
		for _, u := range of(g.uses, g.useEnds, g.lost[at]) {
			if i := u >> 1; u&1 == 0 && !g.dead[i] && g.source[g.heads[i]] == i {
				g.lose(g.heads[i])
			}
		}
	}
	var back []uint32
	settle := func(i uint32) {
		if h := g.heads[i]; g.isLost[h] {
			g.isLost[h], g.source[h] = false, i
			back = append(back, h)
		}
	}
	// All are counted before any is settled: settling one lowers the counts.
	for _, a := range g.lost {
		for _, i := range of(g.byHead, g.headEnds, a) {
			g.left[i] = 0
			for _, l := range g.body(i) {
				if l&1 == 0 && g.isLost[l>>1] {
					g.left[i]++
				}
			}
		}
	}
	for _, a := range g.lost {
		for _, i := range of(g.byHead, g.headEnds, a) {
			if !g.dead[i] && g.left[i] == 0 {
				settle(i)
				break
			}
		}
	}
	for at := 0; at < len(back); at++ {
		for _, u := range of(g.uses, g.useEnds, back[at]) {
			i := u >> 1
			if u&1 == 1 || g.dead[i] || !g.isLost[g.heads[i]] {
				continue
			}
			if g.left[i]--; g.left[i] == 0 {
				settle(i)
			}
		}
	}
	lost := g.lost
	g.lost = g.lost[:0:0]
	for _, a := range lost {
		if g.isLost[a] {
			g.isLost[a] = false
			g.decide(a, isFalse)
		}
	}
}
