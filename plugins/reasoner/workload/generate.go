package workload

// draw is a linear congruential generator: the same numbers everywhere.
type draw struct{ state uint64 }

func (d *draw) below(n int64) int64 {
	d.state = d.state*6364136223846793005 + 1442695040888963407
	return int64(d.state>>33) % n
}

func closure(about string, edges Facts) Workload {
	edges.Relation = "edge"
	return Workload{
		About: "closure: " + about, Ask: "path", Facts: []Facts{edges},
		Rules: "path(X, Y) :- edge(X, Y).\npath(X, Z) :- path(X, Y), edge(Y, Z).\n",
	}
}

func randomGraph(nodes, degree int64) Facts {
	f, d := Facts{Arity: 2}, draw{12345}
	for range nodes * degree {
		f.add(d.below(nodes), d.below(nodes))
	}
	return f
}

// thinGraph is paths of 69 nodes with short cuts of up to eight steps.
func thinGraph(paths, cuts int64) Facts {
	const length = 69
	f, d := Facts{Arity: 2}, draw{99}
	for p := range paths {
		for i := range int64(length - 1) {
			f.add(p*length+i, p*length+i+1)
		}
	}
	for range cuts {
		p, i := d.below(paths), d.below(length-9)
		f.add(p*length+i, p*length+i+2+d.below(7))
	}
	return f
}

func path(n int64) Facts {
	f := Facts{Arity: 2}
	for i := range n - 1 {
		f.add(i, i+1)
	}
	return f
}

func sameGeneration() Workload {
	f := Facts{Relation: "parent", Arity: 2}
	for i := int64(1); i < 2047; i++ {
		f.add(i, (i-1)/2)
	}
	return Workload{
		About: "same generation in a binary tree of depth 10", Ask: "same", Facts: []Facts{f},
		Rules: "same(X, Y) :- parent(X, P), parent(Y, P), X != Y.\nsame(X, Y) :- parent(X, P), same(P, Q), parent(Y, Q).\n",
	}
}

// game has positions with some moves each: to later positions only, so that
// none is drawn; or to anywhere, with one position in fifty that has none.
func game(positions, moves int64, later bool) Facts {
	f, d := Facts{Arity: 2}, draw{12345}
	for i := range positions {
		if !later && i%50 == 0 {
			continue
		}
		for range moves {
			to := d.below(positions)
			if later {
				if to += i + 1; to >= positions {
					continue
				}
			}
			f.add(i, to)
		}
	}
	return f
}

// hubs is a graph in which most edges begin or end at one of twenty nodes: each
// of the others leads to two of them and is led to by two, and they lead to one
// another at random.
func hubs(nodes int64) Facts {
	const hubs = 20
	f, d := Facts{Arity: 2}, draw{7}
	for i := range int64(hubs) {
		for range hubs / 2 {
			f.add(i, d.below(hubs))
		}
	}
	for i := hubs + int64(0); i < nodes; i++ {
		for range 2 {
			f.add(i, d.below(hubs))
			f.add(d.below(hubs), i)
		}
	}
	return f
}

func triangles(about string, edges Facts) Workload {
	edges.Relation = "edge"
	return Workload{
		About: "triangles: " + about, Ask: "three", Facts: []Facts{edges},
		Rules: "three(X, Y, Z) :- edge(X, Y), edge(Y, Z), edge(Z, X).\n",
	}
}

func winMove(about string, moves Facts) Workload {
	moves.Relation = "move"
	return Workload{
		About: "win-move, well-founded: " + about, Ask: "win", Facts: []Facts{moves},
		Rules: "win(X) :- move(X, Y), not win(Y).\n",
	}
}

// pointsTo is a points-to analysis of a program of some variables: allocations,
// copies, and loads and stores through references. Copies go to near
// variables, as in code that is made of functions.
func pointsTo(variables int64) Workload {
	d := draw{2024}
	// Modules of functions of twelve variables, with calls within the module.
	const function, module = 12, 900
	near := func(v int64) int64 {
		if d.below(4) == 0 {
			return min(v/module*module+d.below(module), variables-1)
		}
		return v/function*function + d.below(function)
	}
	made, copied := Facts{Relation: "made", Arity: 2}, Facts{Relation: "copied", Arity: 2}
	stored, loaded := Facts{Relation: "stored", Arity: 2}, Facts{Relation: "loaded", Arity: 2}
	for v := range variables {
		switch v % 6 {
		case 0, 3:
			made.add(v, v)
		case 1, 2:
			copied.add(v, near(v))
			copied.add(v, near(v))
		case 4:
			loaded.add(v, near(v))
		case 5:
			copied.add(v, near(v))
			stored.add(near(v), near(v))
		}
	}
	return Workload{
		About: "points-to analysis", Ask: "refers", Facts: []Facts{made, copied, stored, loaded},
		Rules: `refers(V, O) :- made(V, O).
refers(V, O) :- copied(V, U), refers(U, O).
holds(B, O) :- stored(X, Y), refers(X, B), refers(Y, O).
refers(V, O) :- loaded(V, X), refers(X, B), holds(B, O).
`,
	}
}

// completion classifies an ontology of the description logic EL: a hierarchy of
// concepts with conjunctions, existential restrictions, subroles and a role
// chain. Concepts speak of others of their module, and one in 8*sums follows from
// a restriction: with many of these each concept comes to be under most others.
func completion(concepts, module, sums int64) Workload {
	d := draw{7}
	concept, told := Facts{Relation: "concept", Arity: 1}, Facts{Relation: "told", Arity: 2}
	both, some, sum := Facts{Relation: "both", Arity: 3}, Facts{Relation: "some", Arity: 3}, Facts{Relation: "sum", Arity: 3}
	subrole, chain := Facts{Relation: "subrole", Arity: 2}, Facts{Relation: "chain", Arity: 3}
	const roles = 20
	concept.add(0)
	for i := int64(1); i < concepts; i++ {
		concept.add(i)
		base := i / module * module // the module's first concept, which is under that of the first
		if i == base {
			told.add(i, 0)
			continue
		}
		told.add(i, base+d.below(i-base)) // a tree of logarithmic depth
		if i%16 == 0 {
			told.add(i, base+d.below(i-base))
		}
		switch i % 8 {
		case 0:
			both.add(base+d.below(module/10), base+d.below(module/10), i)
		case 1, 2:
			some.add(i, d.below(roles), base+d.below(module))
		case 3:
			if i%(8*sums) == 3 {
				sum.add(d.below(roles), base+d.below(module), i)
			}
		}
	}
	for r := int64(0); r+1 < roles; r += 2 {
		subrole.add(r+1, r)
	}
	chain.add(0, 0, 0)
	return Workload{
		About: "completion of an EL ontology", Ask: "sub", Facts: []Facts{concept, told, both, some, sum, subrole, chain},
		Rules: `sub(X, X) :- concept(X).
sub(X, Z) :- sub(X, Y), told(Y, Z).
sub(X, Z) :- sub(X, Y), sub(X, W), both(Y, W, Z).
link(X, R, Z) :- sub(X, Y), some(Y, R, Z).
sub(X, W) :- link(X, R, Y), sub(Y, Z), sum(R, Z, W).
link(X, S, Y) :- link(X, R, Y), subrole(R, S).
link(X, T, Z) :- link(X, R, Y), link(Y, S, Z), chain(R, S, T).
`,
	}
}
