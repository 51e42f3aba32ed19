package resolve

import (
	"fmt"
	"slices"

	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

func (w *World) declareUse(m *Module, it *syntax.Use) {
	u := &use{node: it, module: m}
	if it.Glob {
		m.globs = append(m.globs, u)
		return
	}
	name := it.Name.Name
	if name == "" {
		return
	}
	if old := m.uses[name]; old != nil {
		if old.node.Path.String() != it.Path.String() {
			w.report(m, "OE0102", it.Span, fmt.Sprintf("two imports bring the name %s into module %s", name, m.Path),
				"import one of them under another name: use …::"+name+" as other_name;",
				diag.Related{Place: m.place(old.node.Span), Message: "the other import"})
		}
		return
	}
	m.uses[name] = u
}

// followAll follows every import of m, so that a wrong one is reported even
// where nothing needs it.
func (w *World) followAll(m *Module) {
	for _, item := range m.Items {
		it, ok := item.(*syntax.Use)
		if !ok {
			continue
		}
		if it.Glob {
			for _, g := range m.globs {
				if g.node == it {
					w.follow(g)
				}
			}
			continue
		}
		if u := m.uses[it.Name.Name]; u != nil && u.node == it {
			w.follow(u)
			if own := m.names[it.Name.Name]; own != nil && len(u.found) > 0 && u.found[0] != own {
				w.report(m, "OE0102", it.Span,
					fmt.Sprintf("the import of %s meets a %s of that name declared in module %s", it.Path, own.Kind, m.Path),
					"import it under another name with `as`", diag.Related{Place: own.Place, Message: "declared here"})
			}
		}
	}
}

// follow resolves the path of u. An import that is being followed gives
// nothing: cyclic imports are fine, and the name has to come from elsewhere.
func (w *World) follow(u *use) []*Symbol {
	switch u.state {
	case 1:
		w.goesRound(u)
		return nil
	case 2:
		return u.found
	}
	u.state = 1
	w.trail = append(w.trail, u)
	u.found = w.importPath(u)
	w.trail = w.trail[:len(w.trail)-1]
	u.state = 2
	w.leaveCircle(u)
	return u.found
}

func (w *World) importPath(u *use) []*Symbol {
	parts := u.node.Path.Parts
	if len(parts) == 0 {
		return nil
	}
	candidates, problem := w.walk(u.module, parts, anyKind, u)
	if len(candidates) > 0 {
		return candidates
	}
	if !u.node.Glob && len(parts) > 1 { // an individual, which facts declare later
		if mod := w.moduleAt(u.module, parts[:len(parts)-1], u); mod != nil && factNames(mod, parts[len(parts)-1].Name) != nil {
			fact := factNames(mod, parts[len(parts)-1].Name)
			w.individual(mod, parts[len(parts)-1], fact)
			if sym := mod.individuals[parts[len(parts)-1].Name]; sym != nil {
				return []*Symbol{sym}
			}
		}
	}
	if u.circle == nil {
		// Which individuals there are is known later only; facts name them.
		if problem.in != nil && problem.inEnum == nil && problem.part == len(parts)-1 {
			problem.named = w.namedByFacts(u.module, problem.in)
		}
		w.reportProblem(u.module, u.node.Path, problem, anyKind&^Kinds(IndividualKind))
	} else if u.circle == u {
		w.reportCircle(u)
	}
	return nil
}

// factNames returns a fact of m that names the individual.
func factNames(m *Module, name string) *syntax.Fact {
	for _, item := range m.Items {
		fact, ok := item.(*syntax.Fact)
		if !ok {
			continue
		}
		for _, arg := range fact.Args {
			if n, ok := arg.(*syntax.Name); ok && len(n.Path.Parts) == 1 && n.Path.Parts[0].Name == name {
				return fact
			}
		}
	}
	return nil
}

// namedByFacts returns what the facts of at name that m can see, as individuals:
// not what at imports.
func (w *World) namedByFacts(m, at *Module) (names []string) {
	if w.rest != nil {
		w.rest.unsure.Store(true) // it has the facts that are left out
	}
	for _, item := range at.Items {
		fact, ok := item.(*syntax.Fact)
		if !ok || !visible(fact.Vis, at, m) {
			continue
		}
		for _, arg := range fact.Args {
			n, ok := arg.(*syntax.Name)
			if !ok || len(n.Path.Parts) != 1 {
				continue
			}
			if name := n.Path.Parts[0].Name; at.uses[name] == nil && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}
