package engine

// foundation says, of each open atom, which instance it rests on: one of whose
// positive literals none rests on the atom in turn. When that instance dies, the
// atom and what rests on it look for others; those that find none are false.
// So circles cost what is near them, however often they are looked for.
type foundation struct {
	source []uint32 // by atom: the instance; meaningless while the atom is lost
	isLost []bool   // by atom
	lost   []uint32 // open atoms without a source
	left   []uint32 // by instance, while sources are looked for: positive literals that are lost
	back   []uint32 // atoms that have found a source, and whose uses are still to be looked at
}

// found makes the foundation: every open atom is lost at first.
func (g *ground) found() {
	g.indexHeads()
	g.foundation = &foundation{source: make([]uint32, g.atoms), isLost: make([]bool, g.atoms), left: make([]uint32, len(g.heads))}
	for a := range g.atoms {
		g.lose(a)
	}
}

// indexHeads lists the instances by head.
func (g *ground) indexHeads() {
	if g.headEnds != nil {
		return
	}
	g.byHead, g.headEnds = make([]uint32, len(g.heads)), make([]uint32, g.atoms+1)
	for _, h := range g.heads {
		g.headEnds[h+1]++
	}
	for a := range g.atoms {
		g.headEnds[a+1] += g.headEnds[a]
	}
	for i, h := range g.heads {
		g.byHead[g.headEnds[h]] = uint32(i)
		g.headEnds[h]++
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

// usesOf returns the uses of an atom, in two parts.
func (g *ground) usesOf(atom uint32) (parts [2][]uint32) {
	if int(atom)+1 < len(g.useEnds) {
		parts[0] = of(g.uses, g.useEnds, atom)
	}
	if g.record != nil {
		parts[1] = g.usedBy.of(atom)
	}
	return parts
}

// instancesOf returns the instances with an atom as head, in two parts.
func (g *ground) instancesOf(atom uint32) (parts [2][]uint32) {
	if int(atom)+1 < len(g.headEnds) {
		parts[0] = of(g.byHead, g.headEnds, atom)
	}
	if g.record != nil {
		parts[1] = g.derivedBy.of(atom)
	}
	return parts
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
		for _, uses := range g.usesOf(g.lost[at]) {
			for _, u := range uses {
				if i := u >> 1; u&1 == 0 && !g.dead[i] && g.source[g.heads[i]] == i {
					g.lose(g.heads[i])
				}
			}
		}
	}
	// All are counted before any is settled: settling one lowers the counts.
	for _, a := range g.lost {
		for _, instances := range g.instancesOf(a) {
			for _, i := range instances {
				g.left[i] = g.lostIn(i)
			}
		}
	}
	g.back = g.back[:0]
	for _, a := range g.lost {
		g.settleOne(a)
	}
	for at := 0; at < len(g.back); at++ {
		for _, uses := range g.usesOf(g.back[at]) {
			for _, u := range uses {
				i := u >> 1
				if u&1 == 1 || g.dead[i] || !g.isLost[g.heads[i]] {
					continue
				}
				if g.left[i]--; g.left[i] == 0 {
					g.settle(i)
				}
			}
		}
	}
	lost := g.lost
	g.lost = g.lost[:0:0]
	from := len(g.decided)
	for _, a := range lost {
		if g.isLost[a] {
			g.isLost[a] = false
			g.decide(a, isFalse)
		}
	}
	if len(g.decided) > from {
		g.together = append(g.together, [2]int{from, len(g.decided)})
	}
}

// lostIn returns how many positive literals of an instance are lost.
func (g *ground) lostIn(instance uint32) (n uint32) {
	for _, l := range g.body(instance) {
		if l&1 == 0 && g.isLost[l>>1] {
			n++
		}
	}
	return n
}

// settleOne gives a lost atom a source, if there is an instance that rests on no
// lost one.
func (g *ground) settleOne(atom uint32) {
	for _, instances := range g.instancesOf(atom) {
		for _, i := range instances {
			if !g.dead[i] && g.left[i] == 0 {
				g.settle(i)
				return
			}
		}
	}
}

// settle makes an instance the source of its head.
func (g *ground) settle(instance uint32) {
	if h := g.heads[instance]; g.isLost[h] {
		g.isLost[h], g.source[h] = false, instance
		g.back = append(g.back, h)
	}
}
