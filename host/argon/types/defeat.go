package types

import (
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// Attack is one #[defeats(head.label(args))]: wherever the clause that has it
// derives something, the tuples that fit Args are lost to the default clauses
// of Head. An argument is a slot of the attacker, a constant, or wild.
type Attack struct {
	Head  *Predicate
	Label string // the clause that is attacked; empty: every default clause of Head
	Args  []abi.Arg
	Span  syntax.Span
}

// removedStrength are the attributes that once gave a rule its strength, with
// what says the same now.
var removedStrength = map[string]string{
	"strict":     "take it out: a clause without #[default] is strict",
	"defeasible": "write #[default]",
	"defeater":   "write the exception as a derive of its own, with #[defeats(head(args))]",
	"priority":   "say which clause wins: #[defeats(head.label(args))] on the stronger one",
}

// directives checks the form of the attributes of a clause that say how it
// stands to others.
func (e *Env) directives(m *resolve.Module, it *syntax.Derive) {
	seen := map[string]bool{}
	for i := range it.Attrs {
		a := &it.Attrs[i]
		name := a.Name.String()
		switch name {
		case "default", "label", "defeats":
		default:
			continue
		}
		if declaresOnly(it) {
			e.report(m, "OE0351", a.Span, "put it on a clause", "#[%s] belongs to a clause, and this only declares the predicate", name)
			continue
		}
		switch name {
		case "default":
			if len(a.Args) > 0 {
				e.report(m, "OE0351", a.Span, "write #[default]", "#[default] takes no argument")
			}
		case "label":
			if labelOf(a) == "" {
				e.report(m, "OE0351", a.Span, "write #[label(some_name)]", "#[label] takes one name")
			}
		case "defeats":
			if _, _, _, ok := attacked(a); !ok {
				e.report(m, "OE0351", a.Span, "write #[defeats(head(x))] or #[defeats(head.label(x))]; for several, an attribute each", "#[defeats] takes one head with its arguments")
			}
			continue
		}
		if seen[name] {
			e.report(m, "OE0351", a.Span, "leave one", "a clause has #[%s] once", name)
		}
		seen[name] = true
	}
}

// labelOf returns the name that a #[label(name)] gives, or nothing.
func labelOf(a *syntax.Attr) string {
	if len(a.Args) != 1 {
		return ""
	}
	if n, ok := a.Args[0].(*syntax.Name); ok && len(n.Path.Parts) == 1 {
		return n.Path.Parts[0].Name
	}
	return ""
}

// attacked takes the argument of a #[defeats(…)] apart.
func attacked(a *syntax.Attr) (head syntax.Path, label syntax.Ident, args []syntax.Expr, ok bool) {
	if len(a.Args) != 1 {
		return head, label, nil, false
	}
	switch x := a.Args[0].(type) {
	case *syntax.Call:
		return x.Path, label, x.Args, true
	case *syntax.Method:
		if n, named := x.X.(*syntax.Name); named && x.Parens {
			return n.Path, x.Name, x.Args, x.Name.Name != ""
		}
	}
	return head, label, nil, false
}

func isDefault(it *syntax.Derive) bool {
	for i := range it.Attrs {
		if it.Attrs[i].Name.String() == "default" {
			return true
		}
	}
	return false
}

// enlist notes what attackers may aim at in a clause of p.
func (e *Env) enlist(m *resolve.Module, p *Predicate, it *syntax.Derive) {
	if isDefault(it) {
		p.defaults++
	}
	for i := range it.Attrs {
		a := &it.Attrs[i]
		label := labelOf(a)
		if a.Name.String() != "label" || label == "" {
			continue
		}
		if p.labels[label] != nil && p.labels[label] != it {
			e.report(m, "OE0354", a.Span, "give each clause a label of its own", "two clauses of %s have the label %s", p.Name, label)
			continue
		}
		if p.labels == nil {
			p.labels = map[string]*syntax.Derive{}
		}
		p.labels[label] = it
	}
}

// strength gives c, a clause of p, its label, whether it may lose, and what it
// attacks. It changes nothing in the types of the clause's slots.
func (s *scope) strength(it *syntax.Derive, c *Clause, p *Predicate) {
	for i := range it.Attrs {
		a := &it.Attrs[i]
		switch a.Name.String() {
		case "label":
			c.Label = labelOf(a)
		case "default":
			c.Default, c.Marked = true, a.Span
		case "defeats":
			if at, ok := s.attack(a, it, p); ok {
				c.Attacks = append(c.Attacks, at)
			}
		}
	}
}

func (s *scope) attack(a *syntax.Attr, it *syntax.Derive, own *Predicate) (Attack, bool) {
	path, label, args, ok := attacked(a)
	if !ok {
		return Attack{}, false
	}
	sym := s.e.World.Resolve(s.m, path, resolve.Kinds(resolve.DeriveKind))
	if sym == nil {
		return Attack{}, false
	}
	p := s.e.Predicates[predicateKey(sym.Qualified, len(args))]
	if p == nil {
		if t, known := s.e.predicate(sym, len(args)); known {
			s.arity(a.Args[0], t, len(args))
		}
		return Attack{}, false
	}
	switch clause := p.labels[label.Name]; {
	case label.Name != "" && clause == nil:
		var labels []string
		for l := range p.labels {
			labels = append(labels, l)
		}
		help := s.e.nearest(label.Name, labels)
		if help == "" {
			help = "label the clause: #[label(" + label.Name + ")]"
		}
		s.e.report(s.m, "OE0352", label.Span, help, "no clause of %s has the label %s", p.Name, label.Name)
		return Attack{}, false
	case label.Name != "" && !isDefault(clause):
		s.e.report(s.m, "OE0353", label.Span, "mark the clause with #[default] if it may lose", "the clause %s.%s is strict and cannot be defeated", p.Name, label.Name)
		return Attack{}, false
	case label.Name == "" && p.defaults == 0:
		s.report("OE0353", a.Args[0], "mark the clause that may lose with #[default]", "every clause of %s is strict and cannot be defeated", p.Name)
		return Attack{}, false
	case label.Name == "" && p == own && isDefault(it), label.Name != "" && clause == it:
		s.report("OE0356", a.Args[0], "name the clause that loses by its label: #[defeats(head.label(x))]", "this clause would defeat itself")
		return Attack{}, false
	}
	out := Attack{Head: p, Label: label.Name, Span: a.Span}
	mark := s.e.errors()
	for i, x := range args {
		out.Args = append(out.Args, s.attackArg(x, p.Columns[i].Type))
	}
	return out, s.e.errors() == mark
}

// attackArg types an argument of a #[defeats(…)]: it binds nothing.
func (s *scope) attackArg(x syntax.Expr, want abi.Type) abi.Arg {
	if _, ok := x.(*syntax.Wild); ok {
		return abi.Arg{}
	}
	if n, ok := x.(*syntax.Name); ok && len(n.Path.Parts) == 1 {
		name := n.Path.Parts[0].Name
		if slot, ok := s.find(name); ok {
			if !s.e.Comparable(s.typeOf(slot), want) {
				s.mismatch(x, s.typeOf(slot), want)
			}
			return abi.Arg{Op: abi.ArgSlot, Index: slot}
		}
		if s.e.World.Lookup(s.m, n.Path, valueKinds) == nil {
			s.report("OE1303", x, "use a variable of the clause, or _ for any value", "nothing in the clause binds %s", name)
			return abi.Arg{}
		}
	}
	mark := s.e.errors()
	v, t := s.value(x, want)
	c, ok := s.e.constant(&v)
	switch {
	case s.e.errors() > mark:
		return abi.Arg{}
	case !ok:
		s.report("OE0351", x, "bind it in the body: y = …, and write y here", "an argument of #[defeats] is a variable of the clause, a constant or _")
		return abi.Arg{}
	case !s.e.Comparable(t, want):
		s.mismatch(x, t, want)
	}
	return abi.Arg{Op: abi.ArgConst, Index: s.e.Constants.Add(c)}
}
