package engine

import (
	"math/big"
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
)

// columnRef is a column of a relation.
type columnRef struct{ rel, col int }

// places groups the columns of a program by the values that they may share: two
// are in a group if a rule has one variable in both. A repair takes a value for
// a column from its group, from the constants that stand in it, and from what it
// is compared with; of others, as many as the rules can tell apart (cells.go).
type places struct {
	of       map[columnRef]int // groups, by place; a parent each, as in union-find
	parent   []int
	consts   map[int][]abi.Term  // by group: constants in it
	compared map[int][]abi.Term  // by group: values it is compared with, whatever the facts say
	ordered  map[int][]abi.Term  // by group: those of them that it comes before or after
	beside   map[int][]int       // by group: groups it is compared with
	columns  map[int][]columnRef // by group: columns of base relations
	guessed  map[int]guess       // by group: how rules look at the values
	is       map[int][]*abi.Type // by group: types that rules ask for
	open     map[columnRef]bool  // in which a value that nothing names may help; nil: all
}

func (p *places) group(x columnRef) int {
	g, ok := p.of[x]
	if !ok {
		g = len(p.parent)
		p.parent = append(p.parent, g)
		p.of[x] = g
	}
	return p.root(g)
}

func (p *places) root(g int) int {
	for p.parent[g] != g {
		p.parent[g] = p.parent[p.parent[g]]
		g = p.parent[g]
	}
	return g
}

// placesOf reads the groups off the rules, and how the values are looked at off
// those whose heads are reached; nil is all.
func (e *Engine) placesOf(reached []reach) *places {
	p := &places{
		of: map[columnRef]int{}, consts: map[int][]abi.Term{}, compared: map[int][]abi.Term{}, ordered: map[int][]abi.Term{},
		beside: map[int][]int{}, columns: map[int][]columnRef{}, guessed: map[int]guess{}, is: map[int][]*abi.Type{},
	}
	type pair struct {
		g     int
		value abi.Term
	}
	type asked struct {
		g int
		t *abi.Type
	}
	var consts, compared, ordered []pair
	var types []asked
	var beside [][2]int
	type look struct {
		g   int
		how guess
	}
	var looks []look
	for _, rs := range e.rules {
		slots := map[int]int{} // by slot: a group it is in
		r := reading{e: e, width: rs.width, groups: slots, known: map[int]abi.Term{}}
		reads := reached == nil || reached[rs.rule.Head] != 0
		r.against = func(g int, value abi.Term, order bool) {
			compared = append(compared, pair{g, value})
			if order && reads {
				ordered = append(ordered, pair{g, value})
			}
		}
		r.guess = func(g int, how guess) {
			if reads {
				looks = append(looks, look{g, how})
			}
		}
		r.is = func(g int, t *abi.Type) {
			if reads {
				types = append(types, asked{g, t})
			}
		}
		changed := false
		meet := func(slot, g int) {
			h, ok := slots[slot]
			if changed = changed || !ok || p.root(h) != p.root(g); ok {
				p.parent[p.root(h)] = p.root(g)
			}
			slots[slot] = g
		}
		args := func(rel int, args []abi.Arg) {
			for c, x := range args {
				g := p.group(columnRef{rel, c})
				switch x.Op {
				case abi.ArgSlot:
					meet(x.Index, g)
				case abi.ArgConst:
					consts = append(consts, pair{g, e.consts[x.Index]})
				}
			}
		}
		var scans, tests func(body []abi.Atom)
		scans = func(body []abi.Atom) {
			for i := range body {
				if body[i].Op == abi.AtomScan {
					args(body[i].Rel, body[i].Args)
				}
				scans(body[i].Body)
			}
		}
		// A variable that is another one, or the least or greatest of what
		// another one is, has its values.
		var same func(body []abi.Atom)
		same = func(body []abi.Atom) {
			for i := range body {
				a := &body[i]
				same(a.Body)
				if a.Op == abi.AtomLet {
					if _, known := r.known[a.Slot]; !known {
						if value, ok := r.fixed(a.Expr); ok {
							r.known[a.Slot], changed = value, true
						}
					}
				}
				x, y := a.Slot, -1
				switch {
				case a.Op == abi.AtomCmp && a.Cmp == abi.CmpEq && a.Args[0].Op == abi.ArgSlot && a.Args[1].Op == abi.ArgSlot:
					x, y = a.Args[0].Index, a.Args[1].Index
				case (a.Op == abi.AtomLet || a.Op == abi.AtomFold && (a.Fold == abi.FoldMin || a.Fold == abi.FoldMax)) && a.Expr.Op == abi.ExprSlot:
					y = a.Expr.Index
				}
				if y < 0 {
					continue
				}
				if g, ok := slots[y]; ok {
					meet(x, g)
				} else if g, ok := slots[x]; ok {
					meet(y, g)
				}
			}
		}
		tests = func(body []abi.Atom) {
			for i := range body {
				a := &body[i]
				outside := r.within
				r.within = outside || a.Neg || a.Op == abi.AtomFold
				tests(a.Body)
				r.within = outside
				r.atom(a)
				if a.Expr != nil {
					// Whatever the expression does with them, its constants are
					// what its variables are held against.
					var named []abi.Term
					constantsOf(a.Expr, func(k int) { named = append(named, e.consts[k]) })
					for _, s := range exprSlots(a.Expr, rs.width).list() {
						if g, ok := slots[s]; ok {
							for _, x := range named {
								compared = append(compared, pair{g, x})
							}
						}
					}
				}
				if a.Op != abi.AtomCmp {
					continue
				}
				var sides [2]int
				for i, x := range a.Args {
					sides[i] = -1
					if g, ok := slots[x.Index]; ok && x.Op == abi.ArgSlot {
						sides[i] = g
					}
				}
				for i, x := range a.Args {
					switch other := sides[1-i]; {
					case other < 0:
					case x.Op == abi.ArgConst:
						compared = append(compared, pair{other, e.consts[x.Index]})
					case sides[i] >= 0:
						beside = append(beside, [2]int{other, sides[i]})
					}
				}
			}
		}
		args(rs.rule.Head, rs.rule.Args)
		scans(rs.rule.Body)
		for changed = true; changed; {
			changed = false
			same(rs.rule.Body)
		}
		r.within = reached != nil && reached[rs.rule.Head]&^reachedPlainly != 0
		tests(rs.rule.Body)
		if reads {
			told(rs.rule.Body, r.within, func(at columnRef) { looks = append(looks, look{p.group(at), guessedTold}) })
		}
	}
	for _, x := range consts {
		g := p.root(x.g)
		p.consts[g] = append(p.consts[g], x.value)
	}
	for _, x := range compared {
		g := p.root(x.g)
		p.compared[g] = append(p.compared[g], x.value)
	}
	for _, x := range ordered {
		g := p.root(x.g)
		p.ordered[g] = append(p.ordered[g], x.value)
	}
	if reached != nil {
		p.open = e.opensOf(reached)
	}
	for _, x := range types {
		g := p.root(x.g)
		p.is[g] = append(p.is[g], x.t)
	}
	for _, x := range looks {
		p.guessed[p.root(x.g)] |= x.how
	}
	for _, x := range beside {
		g, h := p.root(x[0]), p.root(x[1])
		p.beside[g] = append(p.beside[g], h)
	}
	for rel := range e.rels {
		if e.prog.Relations[rel].Role == abi.Base {
			for c := range e.prog.Relations[rel].Columns {
				g := p.group(columnRef{rel, c})
				p.columns[g] = append(p.columns[g], columnRef{rel, c})
			}
		}
	}
	return p
}

// neighbours returns a value, and of a number, an amount, a day or an instant the
// ones beside it, which a strict comparison asks for.
func (e *Engine) neighbours(x abi.Term) []abi.Term {
	const far = 1 << 40
	out := []abi.Term{x}
	v := e.terms.Value(x)
	for _, by := range []int64{-1, 1} {
		switch {
		case v.Kind == abi.KindNum && v.Rat != nil:
			out = append(out, e.terms.Intern(abi.RatValue(new(big.Rat).Add(v.Rat, big.NewRat(by, 1)))))
		case v.Kind == abi.KindMoney:
			out = append(out, e.terms.Intern(abi.MoneyValue(new(big.Rat).Add(v.Number(), big.NewRat(by, 1)), v.Str)))
		case (v.Kind == abi.KindNum || v.Kind == abi.KindDay || v.Kind == abi.KindInstant) && v.Int > -far && v.Int < far:
			beside := v
			beside.Int += by
			out = append(out, e.terms.Intern(beside))
		}
	}
	return out
}

func constantsOf(x *abi.Expr, each func(int)) {
	if x.Op == abi.ExprConst {
		each(x.Index)
	}
	for i := range x.Args {
		constantsOf(&x.Args[i], each)
	}
}

// placing returns the groups of the program.
func (s *repairing) placing() *places {
	if s.places == nil {
		s.places = s.e.placesOf(s.reach)
	}
	return s.places
}

// placed returns the values that a column's group has, beside it stands or is
// compared with; those of the goal's own places, and those that stand in a tuple
// which is to have one more, among them. near are the neighbours of what it is
// compared with that nothing names.
func (s *repairing) placed(rel, column int, tuple []abi.Term) (out, near []abi.Term) {
	p := s.placing()
	g := p.group(columnRef{rel, column})
	seen := map[abi.Term]bool{}
	add := func(x abi.Term) {
		if !seen[x] {
			seen[x] = true
			out = append(out, x)
		}
	}
	gather := func(g int) {
		for _, at := range p.columns[g] {
			data := s.e.rels[at.rel].data
			if id := s.e.rels[at.rel].comp; s.asking && id >= 0 && s.e.comps[id].state != fresh {
				s.cut = true // it is not known what values it has
			}
			if s.work += uint64(data.Rows()); s.work > s.bounds.work {
				s.cut = true
				return
			}
			for _, row := range liveRows(data) {
				add(data.Column(at.col)[row])
			}
		}
		for _, old := range s.gave {
			for c, x := range old.tuple {
				if p.group(columnRef{old.rel, c}) == g {
					add(x)
				}
			}
		}
		for _, x := range p.consts[g] {
			add(x)
		}
		for c, x := range s.goal.tuple {
			if p.group(columnRef{s.goal.rel, c}) == g {
				add(x)
			}
		}
	}
	gather(g)
	for c, x := range tuple {
		if x != unbound && p.group(columnRef{rel, c}) == g {
			add(x)
		}
	}
	for _, x := range p.compared[g] {
		add(x)
	}
	done := map[int]bool{g: true}
	for _, h := range p.beside[g] {
		if !done[h] {
			done[h] = true
			gather(h)
		}
	}
	for _, x := range p.compared[g] {
		for _, y := range s.e.neighbours(x) {
			if !seen[y] {
				seen[y] = true
				near = append(near, y)
			}
		}
	}
	t := &s.e.prog.Relations[rel].Columns[column].Type
	takes := s.e.fits
	if measured(t) {
		takes = s.e.takes
	}
	other := func(x abi.Term) bool { return !takes(t, x) }
	return slices.DeleteFunc(out, other), slices.DeleteFunc(near, other)
}
