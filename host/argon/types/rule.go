package types

import (
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// body types the body of an item.
func (e *Env) body(m *resolve.Module, sym *resolve.Symbol, item syntax.Item) {
	e.closures.within = ""
	if sym != nil {
		e.closures.within = sym.Qualified
	}
	switch it := item.(type) {
	case *syntax.Test:
		e.test(m, it)
		return
	}
	if sym == nil {
		return
	}
	switch it := item.(type) {
	case *syntax.Concept:
		e.refinement(m, e.Concepts[sym.Qualified], it)
	case *syntax.Derive:
		p := e.Predicates[predicateKey(sym.Qualified, len(it.Params))]
		if c := e.clause(m, it, p); c != nil {
			e.Clauses = append(e.Clauses, c)
		}
	case *syntax.Query:
		e.query(m, form(e.trial, queryForms, e.Queries[sym.Qualified]), it)
	case *syntax.Check:
		e.check(m, form(e.trial, checkForms, e.Checks[sym.Qualified]), it)
	case *syntax.Fn:
		e.fnBody(m, form(e.trial, fnForms, e.Fns[sym.Qualified]), it)
	case *syntax.Mutate:
		e.mutation(m, form(e.trial, mutationForms, e.Mutations[sym.Qualified]), it)
	}
}

// clause types one derive; nil for the empty declaration of a predicate.
func (e *Env) clause(m *resolve.Module, it *syntax.Derive, p *Predicate) *Clause {
	if !it.HasBody {
		return e.seed(m, it, p)
	}
	e.closures.within = p.Name
	mark := e.errors()
	s := e.newScope(m, "derive", true)
	c := &Clause{Name: p.Name, Head: p.Rel, Module: m, Span: it.Decl.Span}
	c.Args, c.Filters = s.head(it.Params)
	c.Body = s.body(it.Body)
	for i, arg := range c.Args {
		if i < len(p.Columns) && arg.Op == abi.ArgSlot && it.Params[i].Type == nil && !s.bound(arg.Index, p.Columns[i].Type) {
			s.mismatch(it.Params[i], s.typeOf(arg.Index), p.Columns[i].Type)
		}
	}
	s.strength(it, c, p)
	c.Slots, c.Modal = s.frame.slots, s.frame.modal
	c.Bound = e.TierBound(m, it.Attrs)
	c.Broken = e.errors() > mark || e.misread(m, it)
	return c
}

// head declares the parameters of a rule and returns the head's arguments and
// the tests of the typed ones.
func (s *scope) head(params []*syntax.Param) (args []abi.Arg, filters []abi.Atom) {
	for _, p := range params {
		if p.Term != nil {
			var v abi.Expr
			if computed(p.Term) {
				v.Op = abi.ExprAnd // its variables are bound by the body only
			} else {
				v, _ = s.value(p.Term, Top)
			}
			if v.Op != abi.ExprConst {
				s.report("OE1342", p, "name it in the body: n = …", "an argument of a rule's head is a variable or a constant")
			}
			args = append(args, abi.Arg{Op: abi.ArgConst, Index: v.Index})
			continue
		}
		if p.Name.Name == "_" {
			s.report("OE0269", p, "name it", "_ cannot stand in a head: nothing would be derived for it")
		}
		slot, seen := s.names[p.Name.Name]
		if !seen {
			slot = s.declare(p.Name.Name, Top)
		}
		args = append(args, abi.Arg{Op: abi.ArgSlot, Index: slot})
		if p.Type == nil {
			continue
		}
		t := s.e.resolveType(s.m, p.Type)
		s.bound(slot, t)
		s.lose(slot, s.typeOf(slot), p.Type)
		s.say(slot, t)
		filters = append(filters, s.typeTest(args[len(args)-1], t, p)...)
	}
	return args, filters
}

// computed reports whether x is no constant by its form.
func computed(x syntax.Expr) bool {
	switch x.(type) {
	case *syntax.Binary, *syntax.Method, *syntax.Index, *syntax.Aggregate, *syntax.Subquery, *syntax.If, *syntax.Match:
		return true
	}
	return false
}

// seed types a derive without a body: a ground fact, or, where every parameter
// has a type, a declaration without clauses.
func (e *Env) seed(m *resolve.Module, it *syntax.Derive, p *Predicate) *Clause {
	if declaresOnly(it) || e.misread(m, it) {
		return nil
	}
	s := e.newScope(m, "derive", false)
	c := &Clause{Name: p.Name, Head: p.Rel, Module: m, Span: it.Decl.Span}
	for i, param := range it.Params {
		x := param.Term
		if x == nil {
			path := syntax.Path{Span: param.Name.Span, Parts: []syntax.Ident{param.Name}}
			if param.Type != nil || e.World.Lookup(m, path, valueKinds) == nil && e.World.Lookup(m, path, typeNames) == nil {
				s.report("OE1342", param, "declare the individual with a fact, or add a body", "%s is no declared individual, and a derive without a body needs concrete arguments", param.Name.Name)
				continue
			}
			x = &syntax.Name{Span: param.Span, Path: path}
		}
		v, _ := s.expr(x, p.Columns[i].Type)
		value, ok := e.constant(&v)
		if !ok {
			s.report("OE1342", param, "", "a derive without a body needs concrete arguments")
			continue
		}
		c.Args = append(c.Args, abi.Arg{Op: abi.ArgConst, Index: e.Constants.Add(value)})
	}
	if len(c.Args) != len(it.Params) {
		return nil
	}
	s.strength(it, c, p)
	c.Slots = s.frame.slots
	return c
}

// declaresOnly reports whether it is no clause: without a body, and every
// parameter a name with a type.
func declaresOnly(it *syntax.Derive) bool {
	for _, param := range it.Params {
		if param.Type == nil {
			return false
		}
	}
	return !it.HasBody && len(it.Params) > 0
}

func (e *Env) check(m *resolve.Module, c *Check, it *syntax.Check) {
	mark := e.errors()
	s := e.newScope(m, "check", true)
	clause := &Clause{Name: c.Name, Module: m, Span: it.Decl.Span}
	clause.Args, clause.Filters = s.head(it.Params)
	c.Params = len(it.Params)
	clause.Body = s.body(it.Body)
	c.Clause = clause
	for _, a := range it.Attrs {
		if a.Name.String() == "evaluator" {
			c.Evaluator = a.Text
		}
	}
	if it.Payload != nil {
		in := s.inner()
		in.rule = false // it says what the body found, and finds nothing itself
		in.payload(c, it.Payload)
	}
	clause.Slots, clause.Modal = s.frame.slots, s.frame.modal
	clause.Bound = e.TierBound(m, it.Attrs)
	clause.Broken = e.errors() > mark || e.misread(m, it)
}

// payload types the Diagnostic that a check gives for each violation.
func (s *scope) payload(c *Check, x *syntax.StructLit) {
	if sym := s.e.World.Lookup(s.m, x.Path, resolve.Kinds(resolve.StructKind)); sym == nil || sym.Qualified != "std::core::Diagnostic" {
		s.report("OE0272", x, "write => Diagnostic { severity: Severity::Error, code: \"…\", message: \"…\" }", "a check gives a Diagnostic of std::core")
		return
	}
	diagnostic := s.e.Structs["std::core::Diagnostic"]
	if x.Base != nil {
		s.unsupported(x, "a Diagnostic with a base", "write every field")
		return
	}
	args := s.inits(x, "Diagnostic", diagnostic.Fields, x.Fields, nil)
	for i, f := range diagnostic.Fields {
		if args[i].Span == (abi.Span{}) {
			continue
		}
		v, constant := s.e.constant(&args[i])
		switch f.Name {
		case "severity":
			c.Payload.Severity = args[i]
			if constant {
				c.Severity = severityOf(v)
			}
		case "code":
			c.Payload.Code = args[i]
			if constant {
				c.Code = v.Str
			}
		case "message":
			c.Payload.Message = args[i]
		case "range":
			if constant && v.Kind != abi.KindNone {
				s.unsupported(x, "a range in a Diagnostic", "leave it out")
			}
		}
	}
}

func severityOf(v abi.Value) abi.Severity {
	for _, sev := range []abi.Severity{abi.SeverityError, abi.SeverityWarning, abi.SeverityInfo, abi.SeverityHint} {
		if v.Str == "std::core::Severity::"+sev.String() {
			return sev
		}
	}
	return abi.SeverityError
}

// foldDefaults types the defaults of fields. They must not need names of their
// own, because they are written into other bodies.
func (e *Env) foldDefaults() {
	each := func(fields []*Field) {
		for _, f := range fields {
			if f.Node.Default == nil {
				continue
			}
			s := e.newScope(f.Module, "default", false)
			v, _ := s.expr(f.Node.Default, f.Type)
			if len(s.frame.slots) > 0 {
				s.unsupported(f.Node.Default, "a default with variables of its own", "move it into a fn")
				continue
			}
			f.Default = &v
		}
	}
	for _, st := range e.StructList {
		each(st.Fields)
	}
	for _, c := range e.ConceptList {
		each(c.Fields)
	}
	for _, r := range e.RelList {
		each(r.Fields)
	}
}
