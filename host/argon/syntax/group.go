package syntax

// GroupAxiom is `disjoint { A, B }`, `complete P { A, B }` or
// `partition P { A, B }`. It declares no name.
type GroupAxiom struct {
	Decl
	Word    string // "disjoint", "complete" or "partition"
	Parent  Path   // empty for disjoint
	Members []Path
}

// atGroupAxiom tells `disjoint {` and `complete P {` from a declaration whose
// introducer has that name.
func (p *parser) atGroupAxiom(word string) bool {
	if word == "disjoint" {
		return p.peek(1).kind == tLBrace
	}
	if p.peek(1).kind != tIdent {
		return false
	}
	i := 2
	for p.peek(i).kind == tPath && p.peek(i+1).kind == tIdent {
		i += 2
	}
	return p.peek(i).kind == tLBrace
}

func (p *parser) groupAxiom(d Decl) Item {
	g := &GroupAxiom{Decl: d, Word: p.text(p.next())}
	if g.Word != "disjoint" {
		g.Parent = p.path("the name of a concept")
	}
	p.memberList(func() { g.Members = append(g.Members, p.path("the name of a concept")) })
	p.eat(tSemi)
	return g
}

func (p *printer) groupAxiom(g *GroupAxiom) {
	p.put(g.Word)
	if g.Word != "disjoint" {
		p.put(" ", g.Parent.String())
	}
	p.put(" { ")
	p.paths("", g.Members)
	p.put(" }")
}
