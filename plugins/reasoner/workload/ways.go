package workload

import "github.com/ox-mcp/ox-mcp/abi"

// Ways is how far each node of a random graph is from one of them, by a circle
// through min: a program that other engines are not asked, so that its rules are
// not text. relations gives the index of each relation; the first facts are the
// legs.
func Ways(nodes, legs int64) (w Workload, p abi.Program, relations map[string]int) {
	f, d := Facts{Relation: "leg", Arity: 3}, draw{7}
	for range legs {
		f.add(d.below(nodes), d.below(nodes), 1+d.below(100))
	}
	w = Workload{
		Name: "ways", About: "shortest ways from one node", Ask: "dist",
		Facts: []Facts{f, {Relation: "start", Arity: 2, Rows: []int64{0, 0}}},
	}
	relations = map[string]int{"leg": 0, "start": 1, "way": 2, "dist": 3}
	t := abi.Type{Op: abi.TypeInt}
	p = abi.Program{ABI: abi.Version, Module: w.Name}
	for i, name := range []string{"leg", "start", "way", "dist"} {
		r := abi.Relation{Name: name, Role: abi.Base, Origin: abi.OriginRelation, Asserted: -1, Refuted: -1}
		if i > 1 {
			r.Role, r.Origin = abi.Derived, abi.OriginDerive
		}
		for _, c := range []string{"a", "b", "n"}[:max(2, 3-i)] {
			r.Columns = append(r.Columns, abi.Column{Name: c, Type: t})
		}
		p.Relations = append(p.Relations, r)
	}
	args := func(slots ...int) (out []abi.Arg) {
		for _, s := range slots {
			out = append(out, abi.Arg{Op: abi.ArgSlot, Index: s})
		}
		return out
	}
	slot := func(i int) abi.Expr { return abi.Expr{Op: abi.ExprSlot, Index: i} }
	scan := func(rel string, slots ...int) abi.Atom {
		return abi.Atom{Op: abi.AtomScan, Rel: relations[rel], Args: args(slots...)}
	}
	sum, way := abi.Expr{Op: abi.ExprAdd, Args: []abi.Expr{slot(2), slot(3)}}, slot(2)
	rule := func(head string, slots int, of []abi.Arg, body ...abi.Atom) {
		r := abi.Rule{Name: head, Head: relations[head], Args: of, Body: body}
		for i := range slots {
			r.Slots = append(r.Slots, abi.Slot{Name: string(rune('a' + i)), Type: t})
		}
		p.Rules = append(p.Rules, r)
	}
	rule("way", 2, args(0, 1), scan("start", 0, 1))
	rule("way", 5, args(1, 4), scan("dist", 0, 2), scan("leg", 0, 1, 3), abi.Atom{Op: abi.AtomLet, Slot: 4, Expr: &sum})
	some := scan("way", 0)
	some.Args = append(some.Args, abi.Arg{Op: abi.ArgWild})
	rule("dist", 3, args(0, 1), some,
		abi.Atom{Op: abi.AtomFold, Slot: 1, Fold: abi.FoldMin, Expr: &way, Over: []int{2}, Body: []abi.Atom{scan("way", 0, 2)}})
	p.Components = []abi.Component{{
		Recursive: true, Relations: []int{2, 3}, Rules: []int{0, 1, 2},
		Costs: []abi.Cost{{Relation: 2, Column: 1}, {Relation: 3, Column: 1}},
	}}
	return w, p, relations
}
