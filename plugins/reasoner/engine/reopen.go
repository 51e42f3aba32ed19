package engine

import "github.com/ox-mcp/ox-mcp/abi"

// remove takes away the instances of a head.
func (g *ground) remove(head uint32) {
	for _, instances := range g.instancesOf(head) {
		for _, i := range instances {
			if g.missing[i] == notThere {
				continue
			}
			if !g.dead[i] {
				g.support[head]--
			}
			g.dead[i], g.missing[i] = true, notThere
			g.gone++
		}
	}
	g.derivedBy.clear(head)
}

// admit takes up the instances from number from on. Idle ones may not fire.
func (g *ground) admit(from int, idle bool) {
	for n := from; n < len(g.heads); n++ {
		i := uint32(n)
		g.missing, g.dead, g.idle = append(g.missing, 0), append(g.dead, true), append(g.idle, idle)
		if g.foundation != nil {
			g.left = append(g.left, 0)
		}
		g.derivedBy.add(g.heads[i], i)
		for _, l := range g.body(i) {
			g.usedBy.add(l>>1, i<<1|l&1)
		}
		g.recount(i)
	}
}

// known says of a literal whether it holds and whether it is false.
func (g *ground) known(literal uint32) (holds, fails bool) {
	t := g.truth[literal>>1]
	return t != isOpen && (t == isTrue) == (literal&1 == 0), t != isOpen && (t == isTrue) != (literal&1 == 0)
}

// recount counts the literals of an instance that are not known to hold, and
// brings it back if none is false any more.
func (g *ground) recount(instance uint32) {
	if g.missing[instance] == notThere {
		return
	}
	missing := uint32(0)
	if g.idle[instance] {
		missing = 1
	}
	for _, l := range g.body(instance) {
		holds, fails := g.known(l)
		if fails {
			return
		}
		if !holds {
			missing++
		}
	}
	g.missing[instance] = missing
	if g.dead[instance] {
		g.dead[instance] = false
		g.support[g.heads[instance]]++
	}
}

// doubt puts an atom in doubt, if it is decided.
func (g *ground) doubt(atom uint32) {
	if g.truth[atom] != isOpen && !g.queued[atom] {
		g.queued[atom] = true
		g.queue.push(g.stage[atom], atom)
	}
}

// reopen goes through the atoms in doubt by their stages. Those that have a
// ground of earlier stages stay what they are; the others are open again, and
// put in doubt what was decided after them. looked is told how much was looked
// at.
func (g *ground) reopen(looked func(n int) *abi.Failure) *abi.Failure {
	for len(g.queue) > 0 {
		atom := g.queue.pop()
		g.queued[atom] = false
		grounded, n := g.grounded(atom)
		if !grounded {
			n += g.open(atom)
		}
		if f := looked(n + 1); f != nil {
			return f
		}
	}
	return nil
}

// grounded reports whether a decided atom has a ground; n is how many instances
// were looked at.
func (g *ground) grounded(atom uint32) (yes bool, n int) {
	isSo := g.truth[atom] == isTrue
	for _, instances := range g.instancesOf(atom) {
		for _, i := range instances {
			if g.missing[i] == notThere {
				continue
			}
			n++
			if isSo && !g.dead[i] && g.missing[i] == 0 && g.since(i, g.stage[atom]) {
				return true, n
			}
			if !isSo && (!g.dead[i] || !g.deadSince(i, g.stage[atom])) {
				return false, n
			}
		}
	}
	return !isSo, n
}

// since reports whether all literals of an instance, which hold, do so since
// stages before the one given.
func (g *ground) since(instance, stage uint32) bool {
	for _, l := range g.body(instance) {
		if g.stage[l>>1] >= stage {
			return false
		}
	}
	return true
}

// deadSince reports whether an instance has a literal that is false since a
// stage before the one given, or a positive one since that stage.
func (g *ground) deadSince(instance, stage uint32) bool {
	for _, l := range g.body(instance) {
		if _, fails := g.known(l); fails && (g.stage[l>>1] < stage || g.stage[l>>1] == stage && l&1 == 0) {
			return true
		}
	}
	return false
}

// open makes a decided atom open, and puts in doubt what may rest on it. n is
// how many uses were looked at.
func (g *ground) open(atom uint32) (n int) {
	t, stage := g.truth[atom], g.stage[atom]
	g.truth[atom], g.was[atom] = isOpen, t
	g.reopened = append(g.reopened, atom)
	for _, uses := range g.usesOf(atom) {
		n += len(uses)
		for _, u := range uses {
			i := u >> 1
			if g.missing[i] == notThere {
				continue
			}
			held := (t == isTrue) == (u&1 == 0)
			if h := g.heads[i]; g.stage[h] >= stage && held == (g.truth[h] == isTrue) {
				g.doubt(h)
			}
			g.recount(i)
		}
	}
	return n
}

// decideAgain decides what it can of atoms that are open, and what follows.
func (g *ground) decideAgain(c *component, atoms []uint32) *abi.Failure {
	for _, a := range atoms {
		switch {
		case g.truth[a] != isOpen:
		case g.support[a] == 0:
			g.decide(a, isFalse)
		case g.follows(a):
			g.decide(a, isTrue)
		case g.foundation != nil:
			g.lose(a)
		}
	}
	g.draw()
	if g.foundation == nil {
		return nil
	}
	return g.dropCircles(c)
}

// follows reports whether all literals of an instance of the atom hold.
func (g *ground) follows(atom uint32) bool {
	for _, instances := range g.instancesOf(atom) {
		for _, i := range instances {
			if !g.dead[i] && g.missing[i] == 0 {
				return true
			}
		}
	}
	return false
}
