package lower

import (
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// What is absent from an open concept or relation is unknown, so that its
// negation is undefined unless the tuple is refuted. It is compiled onto the
// well-founded semantics: $open is a flag that is undefined, and beside each
// negated body that reads something open stands a second condition: no
// solution could come about without $open. Where only a refutation excludes the
// solutions, the condition holds; else it is as undefined as the flag.

// OpenRelation is the name of the flag that is undefined. A program has it
// where something in it is open.
const OpenRelation = "$open"

// unknown returns the relation of the undefined flag, or -1 where everything
// is closed.
func (b *builder) unknown() int {
	if b.open != 0 {
		return b.open - 1
	}
	return -1
}

// openWorld adds the undefined flag, if something is open.
func (b *builder) openWorld() {
	for i := range b.env.Relations {
		if b.env.Relations[i].Open {
			rel := b.relation(abi.Relation{Name: OpenRelation, Role: abi.Derived, Origin: abi.OriginAux})
			b.rule(abi.Rule{Name: OpenRelation, Head: rel, Body: []abi.Atom{{Op: abi.AtomScan, Rel: rel, Neg: true}}})
			b.open = rel + 1
			return
		}
	}
}

// opened gives the negations of body their second conditions. outside are the
// slots that are bound around it.
func (b *builder) opened(body []abi.Atom, outside map[int]bool) []abi.Atom {
	if b.unknown() < 0 {
		return body
	}
	out, _ := b.openedIn(body, outside, false)
	plainAgain(out)
	return out
}

// openedIn does this, and returns what makes an answer in body undecided. Where
// body is of a disjunction, its negations are the sides of it: one holds where
// the side is not known to.
func (b *builder) openedIn(body []abi.Atom, outside map[int]bool, sides bool) (out []abi.Atom, doubts [][]abi.Atom) {
	uses := useCount(body)
	for i := range body {
		a := body[i]
		if len(a.Body) > 0 {
			around := map[int]bool{}
			for s := range open(func(w slotWalk) { w.atom(&body[i]) }) {
				if outside[s] || uses[s] > 1 {
					around[s] = true
				}
			}
			written := a.Body
			var inside [][]abi.Atom
			a.Body, inside = b.openedIn(a.Body, around, isDisjunction(&a))
			second, needed := b.second(a.Body, written, around, a.Span)
			if needed && asksWhether(&a) {
				doubt := undecided(&a, second)
				out = append(out, a, certain(doubt, a.Span))
				doubts = append(doubts, append(without(body, i), doubt...))
				continue
			}
			if a.Op == abi.AtomExists {
				for _, doubt := range inside {
					if a.Neg {
						out = append(out, certain(doubt, a.Span))
					}
					doubts = append(doubts, append(without(body, i), abi.Atom{Op: abi.AtomExists, Body: copyAtoms(doubt), Span: a.Span}))
				}
			}
			if needed && a.Op == abi.AtomExists && a.Neg && !sides {
				out = append(out, a, second)
				continue
			}
		}
		out = append(out, a)
		if a.Op == abi.AtomScan && a.Neg && !sides {
			positive := a
			positive.Neg = false
			if second, needed := b.second([]abi.Atom{positive}, []abi.Atom{positive}, slotsOf(a.Args), a.Span); needed {
				out = append(out, second)
			}
		}
	}
	return out, doubts
}

// second is the condition beside the negation of body; it is not needed where
// body reads nothing that is open. written is body before its own negations had
// second conditions, which mention again what is theirs.
func (b *builder) second(body, written []abi.Atom, outside map[int]bool, span abi.Span) (abi.Atom, bool) {
	possible, widened := b.widenedTo(body, b.openScans(body) > 1)
	if !widened {
		return abi.Atom{}, false
	}
	if countAtoms(possible) > maxSecond {
		if !b.deepTold {
			b.deepTold = true
			b.unsupported(span, "a negation in a negation, many times over, of what is open", "give the inner ones a derive of their own")
		}
		possible, written = nil, nil
	}
	checked, _ := b.widened(written)
	bound, uses := map[int]bool{}, useCount(checked)
	for s := range outside {
		bound[s] = true
		uses[s]++
	}
	safe := true
	b.bind(checked, bound, uses, func(int, abi.Span, string) { safe = false })
	if !safe {
		// What is open gives values that nothing else gives: anything could.
		possible = nil
	}
	flag := abi.Atom{Op: abi.AtomScan, Rel: b.unknown(), Neg: true, Span: span}
	return abi.Atom{Op: abi.AtomExists, Neg: true, Body: append(possible, flag), Span: span}, true
}

// maxSecond bounds the atoms of a second condition: each negation in another
// doubles what it holds.
const maxSecond = 1000

func countAtoms(body []abi.Atom) int {
	n := len(body)
	for i := range body {
		n += countAtoms(body[i].Body)
	}
	return n
}

// widened returns the body for what could hold if all that is open held unless
// it is refuted; changed reports whether that makes a difference.
func (b *builder) widened(body []abi.Atom) (out []abi.Atom, changed bool) {
	return b.widenedTo(body, false)
}

// widenedTo does this, and with both lets in what is asserted, too, although
// some layer refutes it. The absence of a solution needs that only where
// another atom is open: where none is, such a tuple makes a solution, and there
// is nothing to decide.
func (b *builder) widenedTo(body []abi.Atom, both bool) (out []abi.Atom, changed bool) {
	for i := range body {
		a := copyAtoms(body[i : i+1])[0]
		switch {
		case isDisjunction(&a):
			inner, certain, inside := b.widenedSides(a.Body, both)
			changed = changed || inside
			if certain {
				continue
			}
			a.Body = inner
		case a.Op == abi.AtomExists && !a.Neg:
			inner, inside := b.widenedTo(a.Body, both)
			a.Body, changed = inner, changed || inside
		case a.Op == abi.AtomScan && !a.Neg && b.env.Relations[a.Rel].Open:
			changed = true
			minus := b.env.Relations[a.Rel].Refuted
			if minus < 0 || anyWild(a.Args) {
				continue
			}
			if both {
				a = refutedAlone(a, minus)
				a.Neg = true
			} else {
				a.Rel, a.Neg = minus, true
			}
		}
		out = append(out, a)
	}
	return out, changed
}

// refutedAlone is the condition that the tuple of a scan is refuted, and not
// asserted, too.
func refutedAlone(scan abi.Atom, minus int) abi.Atom {
	absent, refuted := copyAtoms([]abi.Atom{scan})[0], scan
	absent.Neg = true
	refuted.Rel, refuted.Neg = minus, false
	return abi.Atom{Op: abi.AtomExists, Body: []abi.Atom{refuted, absent}, Span: scan.Span}
}

// openScans counts the atoms of body that ask for something open, those of a
// disjunction among them.
func (b *builder) openScans(body []abi.Atom) int {
	n := 0
	for i := range body {
		if a := &body[i]; a.Op == abi.AtomScan && b.env.Relations[a.Rel].Open {
			n++
		}
		n += b.openScans(body[i].Body)
	}
	return n
}

// widenedSides does this for the sides of a disjunction, which stand there
// negated; certain reports that one of them could hold whatever is refuted.
func (b *builder) widenedSides(body []abi.Atom, both bool) (out []abi.Atom, certain, changed bool) {
	for _, a := range body {
		switch {
		case a.Op == abi.AtomScan && a.Neg && b.env.Relations[a.Rel].Open:
			changed = true
			if b.env.Relations[a.Rel].Refuted < 0 || anyWild(a.Args) {
				return nil, true, true
			}
			minus := b.env.Relations[a.Rel].Refuted
			if both {
				a.Neg = false
				a = refutedAlone(a, minus)
			} else {
				a.Rel, a.Neg = minus, false
			}
		case a.Op == abi.AtomExists && a.Neg && !isDisjunction(&a):
			inner, inside := b.widenedTo(a.Body, both)
			if len(inner) == 0 {
				return nil, true, true
			}
			a.Body, changed = inner, changed || inside
		}
		out = append(out, a)
	}
	return out, false, changed
}

func anyWild(args []abi.Arg) bool {
	for _, x := range args {
		if x.Op == abi.ArgWild {
			return true
		}
	}
	return false
}

// openedAll does this for the builder's rules and for queries.
func (b *builder) openedAll(queries []abi.Query) {
	for i := range b.rules {
		b.deepTold = false
		b.rules[i].Body = b.opened(b.rules[i].Body, slotsOf(b.rules[i].Args))
	}
	for i := range queries {
		b.deepTold = false
		outside := slotsOf(queries[i].Out)
		for j := range queries[i].Params {
			outside[j] = true
		}
		queries[i].Body = b.opened(queries[i].Body, outside)
	}
}

// openedSub does this for the body of a subquery. Whether it has a solution is
// asked in the form of a double negation where it reads something open: an
// expression that goes by what is unknown then says so, and does not take it
// for false.
func (b *builder) openedSub(sub *abi.Sub, outside map[int]bool, span abi.Span) []abi.Atom {
	if b.unknown() < 0 {
		return sub.Body
	}
	b.deepTold = false
	if _, reads := b.widened(sub.Body); reads && sub.Op == abi.SubExists {
		without := []abi.Atom{{Op: abi.AtomExists, Neg: true, Body: sub.Body, Span: span}}
		return []abi.Atom{{Op: abi.AtomExists, Neg: true, Body: b.opened(without, outside), Span: span}}
	}
	return b.opened(sub.Body, outside)
}

func slotsOf(args []abi.Arg) map[int]bool {
	return open(func(w slotWalk) { w.args(args) })
}

// The declarations that a construct's world may come from.
const (
	WorldOfMark    = "mark"    // #[world(…)]
	WorldOfPackage = "package" // default_world
)

// world is the word for what an absent tuple of a concept or relation means,
// and where it comes from.
func (s *schemaBuilder) world(rel int, attrs []syntax.Attr, ofPackage bool) (word, from string) {
	word = "closed"
	if s.b.env.Relations[rel].Open {
		word = "open"
	}
	for _, a := range attrs {
		if a.Name.String() == "world" {
			return word, WorldOfMark
		}
	}
	if ofPackage {
		from = WorldOfPackage
	}
	return word, from
}
