package syntax

// body prints a conjunction: on the line where it is one atom, else one atom a
// line.
func (p *printer) body(atoms []Atom) {
	if len(atoms) == 1 {
		p.put(" ")
		p.atom(atoms[0])
		return
	}
	p.indent++
	for i, a := range atoms {
		if i > 0 {
			p.put(",")
		}
		p.line()
		p.atom(a)
	}
	p.indent--
}

// guardedWords at the start of an atom would be taken for an operator or a
// clause.
func guardedWord(w string) bool {
	switch w {
	case "box", "diamond", "forall", "unsafe":
		return true
	}
	return metricWords[w] || clauseWords[w] || w == "select"
}

// atomExpr prints the expression that an atom begins with.
func (p *printer) atomExpr(e Expr) {
	text := p.text(func(q *printer) { q.expr(e, 0) })
	p.put(guarded(text, guardedWord(firstWord(text))))
}

func (p *printer) atom(a Atom) {
	switch a := a.(type) {
	case *CallAtom:
		p.atomExpr(&Call{Path: a.Path, Args: a.Args})
	case *TypeAtom:
		p.atomExpr(a.Expr)
		p.put(": ", p.typeText(a.Type))
	case *CompareAtom:
		p.atomExpr(a.Expr)
	case *BindAtom:
		p.put(a.Name.Name, " = ")
		p.expr(a.Value, 0)
	case *IsAtom:
		p.atomExpr(a.Expr)
		p.put(" is ")
		p.pattern(a.Pattern)
	case *NotAtom:
		p.put("not ")
		p.atom(a.Atom)
	case *ExistsAtom:
		p.put("exists { ")
		list(p, a.Body, p.atom)
		p.put(" }")
	case *StepAtom:
		p.stepAtom(a)
	case *ModalAtom:
		p.modalAtom(a)
	case *MetricAtom:
		p.metricAtom(a)
	case *UnsupportedAtom, *BadAtom:
		p.put(p.raw(a.Range()))
	}
}

// stmtBlock prints { statements }.
func (p *printer) stmtBlock(stmts []Stmt) {
	braced(p, stmts, "", func(s Stmt) { p.stmt(s, false) })
}

func (p *printer) at(e Expr) {
	if e != nil {
		p.put(" at ")
		p.expr(e, 0)
	}
}

func (p *printer) stmt(s Stmt, inExpr bool) {
	switch s := s.(type) {
	case *Require:
		p.put("require ")
		p.expr(s.Cond, 0)
	case *Let:
		p.put("let ", s.Name.Name)
		if s.Type != nil {
			p.put(": ", p.typeText(s.Type))
		}
		p.put(" = ")
		p.expr(s.Value, 0)
	case *InsertStmt:
		p.expr(s.Insert, 0)
	case *TupleStmt:
		p.put(writeWord(s.Delete), " ", s.Path.String())
		p.args(s.Args)
		if len(s.Fields) > 0 {
			p.put(" ")
			p.inits(s.Fields, nil)
		}
		p.at(s.At)
	case *IntoStmt:
		p.put(writeWord(s.Delete), " ")
		p.expr(s.Value, 0)
		if s.Delete {
			p.put(" from ")
		} else {
			p.put(" into ")
		}
		p.expr(s.Target, 0)
		p.at(s.At)
	case *Update:
		p.put("update ")
		p.bareExpr(s.Target, levelUnary)
		if s.Type != nil {
			p.put(": ", p.typeText(s.Type))
		}
		p.put(" set { ")
		list(p, s.Sets, func(f *FieldInit) {
			p.put(f.Name.Name, " ", f.Op, " ")
			p.expr(f.Value, 0)
		})
		p.put(" }")
		p.at(s.At)
	case *For:
		p.put("for ", s.Var.Name, " in ")
		p.bareExpr(s.Source, 0)
		p.put(" ")
		p.stmtBlock(s.Body)
		return
	case *IfStmt:
		p.ifStmt(s)
		return
	case *Return:
		p.put("return")
		if s.Value != nil {
			p.put(" ")
			p.expr(s.Value, 0)
		}
	case *ExprStmt:
		text := p.text(func(q *printer) { q.expr(s.X, 0) })
		p.put(guarded(text, stmtWords[firstWord(text)]))
	case *Assert:
		text := p.text(func(q *printer) { q.expr(s.Cond, 0) })
		w := firstWord(text)
		p.put("assert ", guarded(text, w == "rejects" || w == "derivable"))
	case *AssertDerivable:
		p.put("assert ")
		if s.Not {
			p.put("not ")
		}
		p.put("derivable ", s.Path.String())
		p.args(s.Args)
	case *AssertRejects:
		p.put("assert rejects ")
		if s.Code != "" {
			p.put("(", quote(s.Code, false), ") ")
		}
		p.stmtBlock(s.Body)
	case *Forget:
		p.put("forget ")
		p.expr(s.X, 0)
	case *UnsupportedStmt:
		p.put(p.raw(s.Span))
		return
	case *BadStmt:
		p.put(p.raw(s.Span))
		return
	}
	p.put(";")
}

func writeWord(del bool) string {
	if del {
		return "delete"
	}
	return "insert"
}

func (p *printer) ifStmt(s *IfStmt) {
	p.put("if ")
	p.bareExpr(s.Cond, 0)
	p.put(" ")
	p.stmtBlock(s.Then)
	if s.Else == nil {
		return
	}
	p.put(" else ")
	if len(s.Else) == 1 {
		if again, ok := s.Else[0].(*IfStmt); ok {
			p.ifStmt(again)
			return
		}
	}
	p.stmtBlock(s.Else)
}
