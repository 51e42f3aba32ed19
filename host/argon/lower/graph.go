package lower

// graph returns, by relation, what the bodies of its rules read.
func (b *builder) graph() [][]edge {
	edges := make([][]edge, len(b.env.Relations))
	counts := make([]int, len(edges))
	all := 0
	for i := range b.rules {
		head := b.rules[i].Head
		readsOf(b.rules[i].Body, positive, func(int, uint8) { counts[head]++; all++ })
	}
	room := make([]edge, all)
	for rel, n := range counts {
		edges[rel], room = room[:0:n], room[n:]
	}
	for i := range b.rules {
		head := b.rules[i].Head
		readsOf(b.rules[i].Body, positive, func(rel int, kind uint8) {
			edges[head] = append(edges[head], edge{to: rel, kind: kind, rule: i})
		})
	}
	return edges
}

// rulesOf returns the rules of each relation; the first rule of b is firstRule.
func (b *builder) rulesOf(firstRule int) [][]int {
	rules := make([][]int, len(b.env.Relations))
	counts := make([]int, len(rules))
	for i := range b.rules {
		counts[b.rules[i].Head]++
	}
	room := make([]int, len(b.rules))
	for rel, n := range counts {
		rules[rel], room = room[:0:n], room[n:]
	}
	for i := range b.rules {
		head := b.rules[i].Head
		rules[head] = append(rules[head], firstRule+i)
	}
	return rules
}
