package syntax

// How many members a declaration, and how many arms a match, may have on one
// line.
const (
	maxMembersOnLine = 3
	maxArmsOnLine    = 2
)

// itemList begins each item on a line of its own, from piece at on.
func (f *formatter) itemList(items []Item, at int, g *group, indent int) {
	for _, it := range items {
		for f.kindAt(at) == tSemi {
			at++
		}
		h := it.Head()
		if h.Span.Start < f.pieces[at].start || f.kindAt(at) == tEOF {
			continue // another leaf of a `use`
		}
		f.ownLine(at, g, indent)
		for i := range h.Attrs {
			if j := f.after(h.Attrs[i].End); j >= 0 {
				f.ownLine(j, g, indent)
				f.pieces[j].keep = false
			}
		}
		end, ok := f.ends[h.Span.End]
		if _, use := it.(*Use); use || !ok {
			for end = at; f.kindAt(end) != tSemi && f.kindAt(end) != tEOF; end++ {
			}
			f.useBraces(at, end)
		}
		at = end + 1
	}
}

// ownLine begins a line at piece i. A comment before it gets its own, so that
// the piece stands where its line begins.
func (f *formatter) ownLine(i int, g *group, indent int) {
	f.breakAt(i, g, indent)
	q := f.pieces[i]
	q.keep = true
	for _, c := range q.inline {
		q.lead = append(q.lead, comment{text: c})
	}
	q.inline = nil
}

// lastBrace is the opening brace of the braces with which a span ends, or -1.
func (f *formatter) lastBrace(at Span) int {
	i, ok := f.ends[at.End]
	if !ok {
		return -1
	}
	for i > 0 && f.kindAt(i) == tSemi {
		i--
	}
	if f.kindAt(i) != tRBrace {
		return -1
	}
	return f.pieces[i].match
}

// braceFrom is the next opening brace from piece i on, or -1.
func (f *formatter) braceFrom(i int) int {
	for ; i >= 0 && i < len(f.pieces); i++ {
		if f.kindAt(i) == tLBrace {
			return i
		}
	}
	return -1
}

// itemBlock lays out braces that hold declarations.
func (f *formatter) itemBlock(open int, items []Item) {
	if open < 0 {
		return
	}
	f.clear(open)
	if len(items) == 0 {
		return
	}
	g := f.bracket[open]
	g.must = true
	f.itemList(items, open+1, g, 1)
	f.breakAt(f.pieces[open].match, g, 0)
}

// clear takes the commas' breaks of a bracket back.
func (f *formatter) clear(open int) {
	f.pieces[open].plain = true
	g := f.bracket[open]
	for i := open + 1; i < f.pieces[open].match; i++ {
		if q := f.pieces[i]; q.breaks == g && q.inside == open {
			q.breaks, q.keep = nil, false
		}
	}
	if close := f.pieces[open].match; close > open+1 {
		f.breakAt(open+1, g, 1)
	}
}

// stmtBlock lays out braces with statements, and the value at their end, as
// parts of g. brief lets one simple statement stand on the line of the braces.
func (f *formatter) stmtBlock(open int, stmts []Stmt, value Expr, g *group, brief bool) {
	if open < 0 {
		return
	}
	f.clear(open)
	closing := f.pieces[open].match
	if len(stmts) == 0 && value == nil {
		return
	}
	if g == nil {
		g = f.bracket[open]
	}
	if !brief && len(stmts) > 0 || len(stmts) > 1 || len(stmts) == 1 && (value != nil || isNested(stmts[0])) {
		g.must = true
	}
	at := open + 1
	for _, s := range stmts {
		for f.kindAt(at) == tSemi {
			at++
		}
		f.ownLine(at, g, 1)
		end, ok := f.ends[s.Range().End]
		if !ok || end < at {
			return
		}
		at = end + 1
	}
	for f.kindAt(at) == tSemi {
		at++
	}
	if value != nil {
		f.ownLine(at, g, 1)
	}
	f.breakAt(closing, g, 0)
}

func isNested(s Stmt) bool {
	switch s.(type) {
	case *For, *IfStmt, *AssertRejects:
		return true
	}
	return false
}

// begin is the first piece of a declaration behind its attributes.
func (f *formatter) begin(d *Decl) int {
	if n := len(d.Attrs); n > 0 {
		return f.after(d.Attrs[n-1].End)
	}
	if i, ok := f.starts[d.Start]; ok {
		return i
	}
	return -1
}

// whole is the group of a declaration behind its attributes, or nil.
func (f *formatter) whole(d *Decl) *group {
	first := f.begin(d)
	last, ok := f.ends[d.Span.End]
	if first < 0 || !ok {
		return nil
	}
	return f.group(first, last)
}

// of is the group of a part of the tree, or nil.
func (f *formatter) of(at Span) *group {
	first, ok := f.starts[at.Start]
	last, ok2 := f.ends[at.End]
	if !ok || !ok2 || last < first {
		return nil
	}
	return f.group(first, last)
}

// lines decides where lines break.
func (f *formatter) lines(part any) {
	switch x := part.(type) {
	case *Mod:
		if x.Inline && !x.Forward {
			f.itemBlock(f.lastBrace(x.Decl.Span), x.Items)
		}
	case *Trait:
		f.itemBlock(f.lastBrace(x.Decl.Span), memberItems(x.Members))
	case *Impl:
		f.itemBlock(f.lastBrace(x.Decl.Span), memberItems(x.Members))
	case *Macro:
		f.macroArms(x)
	case *Struct:
		f.members(x.Decl.Span, len(x.Fields))
	case *Concept:
		if x.Body {
			f.members(x.Decl.Span, len(x.Members))
		}
	case *Relation:
		f.members(x.Decl.Span, len(x.Fields)+len(x.Overrides))
	case *Derive:
		if x.HasBody {
			f.body(f.whole(&x.Decl), x.Body)
		}
	case *Check:
		f.check(x)
	case *Fn:
		f.fn(x)
	case *Mutate:
		f.stmtBlock(f.lastBrace(x.Decl.Span), x.Body, nil, nil, false)
	case *Test:
		f.stmtBlock(f.lastBrace(x.Decl.Span), x.Body, nil, nil, false)
	case *For:
		f.stmtBlock(f.braceFrom(f.after(x.Source.Range().End)), x.Body, nil, f.of(x.Span), true)
	case *IfStmt:
		f.ifStmt(x)
	case *AssertRejects:
		f.stmtBlock(f.lastBrace(x.Span), x.Body, nil, nil, true)
	case *Query:
		if !x.Short {
			f.queryBody(f.lastBrace(x.Decl.Span))
		}
	case *Subquery:
		if x.Select != nil {
			f.queryBody(f.lastBrace(x.Span))
		}
	case *If:
		f.ifExpr(x)
	case *Block:
		if i, ok := f.starts[x.Start]; ok {
			f.stmtBlock(i, x.Stmts, x.Value, f.chains[x], len(x.Stmts) == 0)
		}
	case *Match:
		f.match(x)
	case *Binary:
		f.binary(x)
	case *Aggregate:
		if i, ok := f.ends[x.End]; ok {
			f.comprehension(f.pieces[i].match)
		}
	case *Comprehension:
		if i, ok := f.starts[x.Start]; ok {
			f.comprehension(i)
		}
	}
}

func memberItems(members []TraitMember) []Item {
	var out []Item
	for _, m := range members {
		out = append(out, m.Item)
	}
	return out
}

func (f *formatter) members(at Span, n int) {
	if open := f.lastBrace(at); open >= 0 && n > maxMembersOnLine {
		f.bracket[open].must = true
	}
}

func (f *formatter) macroArms(m *Macro) {
	open := f.lastBrace(m.Decl.Span)
	if open < 0 || len(m.Arms) == 0 {
		return
	}
	f.clear(open)
	g := f.bracket[open]
	g.must = true
	for _, arm := range m.Arms {
		if i, ok := f.starts[arm.Start]; ok {
			f.ownLine(i, g, 1)
		}
	}
	f.breakAt(f.pieces[open].match, g, 0)
}

// body lays out `head :- atoms`, which g holds: the atoms on the line of the
// head, on one of their own, or on one each.
func (f *formatter) body(g *group, atoms []Atom) {
	if g == nil || len(atoms) == 0 {
		return
	}
	i, ok := f.starts[atoms[0].Range().Start]
	if !ok {
		return
	}
	for i > g.first && f.kindAt(i-1) != tNeck {
		i--
	}
	f.breakAt(i, g, 1)
	f.atoms(i, atoms, 0)
}

// check lays out the head with the body, and below them what is reported.
func (f *formatter) check(x *Check) {
	g := f.whole(&x.Decl)
	if g == nil || x.Payload == nil {
		return
	}
	if i, ok := f.starts[x.Payload.Start]; ok && i-2 > g.first {
		f.breakAt(i-1, g, 1)
		f.body(f.group(g.first, i-2), x.Body)
	}
}

// atoms lays out a conjunction that begins at piece first.
func (f *formatter) atoms(first int, atoms []Atom, indent int) {
	last, ok := f.ends[atoms[len(atoms)-1].Range().End]
	if !ok || last < first {
		return
	}
	f.conjunction(first, last, indent)
}

// conjunction breaks behind the commas of the pieces from first to last that
// are in no brackets there.
func (f *formatter) conjunction(first, last, indent int) {
	g := f.group(first, last)
	for i := first; i < last; i++ {
		if q := f.pieces[i]; q.kind == tComma && q.inside == f.pieces[first].inside {
			f.breakAt(i+1, g, indent)
		}
	}
}

func (f *formatter) fn(x *Fn) {
	if x.Body == nil {
		return
	}
	i, ok := f.starts[x.Body.Range().Start]
	if !ok {
		return
	}
	for i > 0 && f.kindAt(i-1) == tLParen {
		i--
	}
	if f.kindAt(i-1) == tAssign && !hugs(x.Body) {
		f.breakAt(i, f.whole(&x.Decl), 1)
	}
}

// hugs tells whether an expression ends with a bracket that breaks by itself,
// so that it begins on the line of what stands before it.
func hugs(x Expr) bool {
	switch x.(type) {
	case *Match, *Block, *StructLit, *MapLit, *SetLit, *List, *Comprehension, *Aggregate, *Subquery, *Call, *Insert:
		return true
	}
	return false
}

func (f *formatter) ifStmt(x *IfStmt) {
	g := f.chains[x]
	if g == nil {
		g = f.of(x.Span)
	}
	if g == nil {
		return
	}
	open := f.braceFrom(f.after(x.Cond.Range().End))
	f.stmtBlock(open, x.Then, nil, g, true)
	if x.Else == nil || open < 0 {
		return
	}
	g.must = true
	at := f.pieces[open].match + 1 // else
	if len(x.Else) == 1 && f.word(at+1, "if") {
		if next, ok := x.Else[0].(*IfStmt); ok {
			f.chains[next] = g
			return
		}
	}
	if f.kindAt(at+1) == tLBrace {
		f.stmtBlock(at+1, x.Else, nil, g, true)
	}
}

func (f *formatter) ifExpr(x *If) {
	g := f.chains[x]
	if g == nil {
		g = f.of(x.Span)
	}
	if g == nil {
		return
	}
	f.chains[x.Then] = g
	if x.Else != nil {
		f.chains[x.Else] = g
	}
}

func (f *formatter) match(x *Match) {
	open := f.lastBrace(x.Span)
	if open < 0 {
		return
	}
	g := f.bracket[open]
	g.must = g.must || len(x.Arms) > maxArmsOnLine
	for _, arm := range x.Arms {
		i, ok := f.starts[arm.Start]
		if !ok {
			continue
		}
		f.ownLine(i, g, 1)
		body, ok := f.starts[arm.Body.Range().Start]
		if ok && !hugs(arm.Body) {
			for f.kindAt(body-1) == tLParen {
				body--
			}
			if a := f.of(arm.Span); f.kindAt(body-1) == tFat {
				f.breakAt(body, a, 1)
			}
		}
	}
}

// binary breaks before the operators of one level, all or none.
func (f *formatter) binary(x *Binary) {
	g := f.chains[x]
	if g == nil {
		g = f.of(x.Span)
	}
	if g == nil {
		return
	}
	if i, ok := f.starts[x.OpAt.Start]; ok {
		f.breakAt(i, g, 1)
	}
	if left, ok := x.X.(*Binary); ok && left.Start == x.Start && opLevel(left.Op) == opLevel(x.Op) {
		f.chains[left] = g
	}
}

func opLevel(op string) int {
	switch op {
	case "||":
		return levelOr
	case "&&":
		return levelAnd
	case "in", "not in":
		return levelIn
	case "+", "-":
		return levelAdd
	case "*", "/", "%":
		return levelMul
	}
	return levelCompare
}

// comprehension breaks before `for` and `where` inside a bracket.
func (f *formatter) comprehension(open int) {
	if open < 0 {
		return
	}
	found := false
	for i := open + 1; i < f.pieces[open].match; i++ {
		if f.pieces[i].inside == open && (f.word(i, "for") || f.word(i, "where")) {
			f.breakAt(i, f.bracket[open], 1)
			found = true
		}
	}
	if found {
		f.pieces[open].plain = true
	}
}

// queryBody lays out select … from … where … in braces: on one line, or one
// clause a line, its conditions on one line or on one each.
func (f *formatter) queryBody(open int) {
	if open < 0 {
		return
	}
	f.clear(open)
	g := f.bracket[open]
	closing := f.pieces[open].match
	f.breakAt(open+1, g, 1)
	f.breakAt(closing, g, 0)
	if closing-1 <= open+1 {
		return
	}
	clauses := f.group(open+1, closing-1)
	begin := -1
	end := func(at int) {
		if begin >= 0 && at > begin+1 {
			f.conjunction(begin+1, at-1, 1)
		}
		begin = -1
	}
	for i := open + 1; i < closing; i++ {
		if f.pieces[i].inside != open || f.pieces[i].verbatim {
			continue
		}
		if f.word(i, "from") || f.word(i, "where") || f.word(i, "optional") && f.word(i+1, "from") {
			end(i)
			f.breakAt(i, clauses, 0)
			begin = i
			if f.word(i, "optional") {
				begin, i = i+1, i+1
			}
		} else if f.pieces[i].kind == tIdent && !f.pieces[i].name && clauseWords[f.pieces[i].text] {
			end(i)
			f.breakAt(i, clauses, 0)
		} else if f.pieces[i-1].kind == tSemi {
			f.breakAt(i, clauses, 0)
			clauses.must = true
		}
	}
	end(closing)
}
