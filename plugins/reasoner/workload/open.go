package workload

import "github.com/ox-mcp/ox-mcp/abi"

// Open is a program of an open world: of units in yards of ten, each of which
// feeds the next of its yard, some are known to be blocked and some to be clear, and
// of the others neither is known. It derives which run, what they reach, and between
// how many and how many of a yard run. The first facts are those that are clear.
func Open(units int64) (w Workload, p abi.Program, relations map[string]int) {
	const yard, clear, blocked = 10, 3, 7
	clears, blocks := Facts{Relation: "clear", Arity: 1}, Facts{Relation: "blocked", Arity: 1}
	places, feeds, yards := Facts{Relation: "unit", Arity: 2}, Facts{Relation: "feeds", Arity: 2}, Facts{Relation: "yard", Arity: 1}
	for i := range units {
		places.add(i, units+i/yard)
		if i%yard != yard-1 {
			feeds.add(i, i+1)
		} else {
			yards.add(units + i/yard)
		}
		switch {
		case i%clear == 0:
			clears.add(i)
		case i%blocked == 0:
			blocks.add(i)
		}
	}
	w = Workload{Name: "open", About: "an open world", Ask: "runs", Facts: []Facts{clears, blocks, places, feeds, yards}}
	relations = map[string]int{"clear": 0, "blocked": 1, "unit": 2, "feeds": 3, "yard": 4, "open": 5, "runs": 6, "reaches": 7, "running": 8}
	t := abi.Type{Op: abi.TypeInt}
	p = abi.Program{ABI: abi.Version, Module: w.Name}
	for i, arity := range []int{1, 1, 2, 2, 1, 0, 1, 2, 3} {
		r := abi.Relation{Role: abi.Base, Origin: abi.OriginRelation, Asserted: -1, Refuted: -1}
		for name, at := range relations {
			if at == i {
				r.Name = name
			}
		}
		if i >= 5 {
			r.Role, r.Origin = abi.Derived, abi.OriginDerive
		}
		for c := range arity {
			r.Columns = append(r.Columns, abi.Column{Name: string(rune('a' + c)), Type: t})
		}
		p.Relations = append(p.Relations, r)
	}
	args := func(slots ...int) (out []abi.Arg) {
		for _, s := range slots {
			out = append(out, abi.Arg{Op: abi.ArgSlot, Index: s})
		}
		return out
	}
	scan := func(rel string, slots ...int) abi.Atom {
		return abi.Atom{Op: abi.AtomScan, Rel: relations[rel], Args: args(slots...)}
	}
	not := func(a abi.Atom) abi.Atom { a.Neg = true; return a }
	rule := func(head string, slots int, of []abi.Arg, body ...abi.Atom) int {
		r := abi.Rule{Name: head, Head: relations[head], Args: of, Body: body}
		for i := range slots {
			r.Slots = append(r.Slots, abi.Slot{Name: string(rune('a' + i)), Type: t})
		}
		p.Rules = append(p.Rules, r)
		return len(p.Rules) - 1
	}
	component := func(c abi.Component) {
		c.Stratum = len(p.Components)
		p.Components = append(p.Components, c)
	}
	component(abi.Component{Relations: []int{relations["open"]}, WellFounded: true, Recursive: true,
		Rules: []int{rule("open", 0, nil, not(scan("open")))}})
	unknown := abi.Atom{Op: abi.AtomExists, Neg: true, Body: []abi.Atom{not(scan("clear", 0)), not(scan("open"))}}
	component(abi.Component{Relations: []int{relations["runs"]},
		Rules: []int{rule("runs", 2, args(0), scan("unit", 0, 1), not(scan("blocked", 0)), unknown)}})
	component(abi.Component{Relations: []int{relations["reaches"]}, Recursive: true, Rules: []int{
		rule("reaches", 2, args(0, 1), scan("feeds", 0, 1), scan("runs", 0), scan("runs", 1)),
		rule("reaches", 3, args(0, 2), scan("reaches", 0, 1), scan("feeds", 1, 2), scan("runs", 2))}})
	least := abi.Atom{Op: abi.AtomFold, Slot: 2, Fold: abi.FoldCount, Over: []int{1}, Body: []abi.Atom{scan("unit", 1, 0), scan("runs", 1)}}
	most := least
	most.Slot, most.Possible = 3, true
	component(abi.Component{Relations: []int{relations["running"]},
		Rules: []int{rule("running", 4, args(0, 2, 3), scan("yard", 0), least, most)}})
	return w, p, relations
}
