package argon

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/load"
	"github.com/ox-mcp/ox-mcp/host/argon/lower"
	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// Evaluation is what has to be evaluated for what the checks of an edited
// package find over its own facts, and where that goes among what they found
// before. Places are those in the order of the edited package's checks, and
// nothing but that order.
type Evaluation struct {
	// Part is a package for evaluating its checks, and for nothing else.
	Part *Result
	// Places are those of Part's checks; -1: it is not known.
	Places []int
	// Before are the places of the checks of Edit.Of; -1: it is no more, or
	// one of Part's says what it finds now.
	Before []int
	// Individuals are the qualified names of individuals that facts that
	// changed are about, and of some others. Part declares all of them that
	// the package declares.
	Individuals []string
}

// Evaluation returns what of the checks may find something else than before.
// ok is false where Of is nil, and where that cannot be told from a part alone:
// then the package has to be compiled. The Result of which the Edit is must
// have no errors.
func (e *Edit) Evaluation() (v *Evaluation, ok bool) {
	switch {
	case e.Of == nil:
		return nil, false
	case e.part != nil:
		return e.ofPart()
	}
	s, ok := e.redrawn.Slice(e.Of, e.Place)
	if !ok {
		return nil, false
	}
	v = &Evaluation{Part: &Result{Module: s.Module}, Places: s.Checks}
	for i := range e.Of.Program.Checks {
		if slices.Contains(s.Checks, i) {
			i = -1
		}
		v.Before = append(v.Before, i)
	}
	e.sources(v.Part, s.Files)
	return v, true
}

// sources gives part the sources that its places are in.
func (e *Edit) sources(part *Result, files []string) {
	ws := *e.ws
	ws.Inputs = slices.DeleteFunc(slices.Clone(ws.Inputs), func(in load.Input) bool { return !slices.Contains(files, in.Path) })
	part.Sources, part.Workspace = ws.Sources, &ws
}

// ofPart is Evaluation where a part of the package was compiled.
func (e *Edit) ofPart() (*Evaluation, bool) {
	p, m := e.part, e.made.result.Module
	if m == nil || !lower.Apart(e.Of) || !lower.Apart(m) {
		return nil, false
	}
	declared := p.declaredChecks(e.ws)
	again := map[string]bool{}
	for i := range m.Program.Checks {
		again[m.Program.Checks[i].Name] = true
	}
	v := &Evaluation{Part: &Result{Module: m}, Individuals: p.individuals()}
	guards := map[string]int{} // by name; -1: there are several
	for i := range e.Of.Program.Checks {
		c := &e.Of.Program.Checks[i]
		place, there := declared[c.Name]
		if c.Guard {
			place, there = len(declared)+i, !p.looksAt(c.Span)
			if _, twice := guards[c.Name]; twice {
				place = -1
			}
			guards[c.Name] = place
		}
		if !there || again[c.Name] {
			place = -1
		}
		v.Before = append(v.Before, place)
	}
	for _, i := range p.b.draft.Timed(e.Of) {
		if v.Before[i] >= 0 {
			return nil, false // the part is without it
		}
	}
	for i := range m.Program.Checks {
		c := &m.Program.Checks[i]
		place, known := declared[c.Name]
		if c.Guard {
			place, known = guards[c.Name]
		}
		if !known {
			place = -1
		}
		v.Places = append(v.Places, place)
		for _, col := range m.Program.Relations[c.Relation].Columns {
			if col.Type.Op == abi.TypeRef {
				return nil, false // it is about declarations, and says where they are
			}
		}
	}
	e.sources(v.Part, p.sources())
	return v, true
}

// declaredChecks gives the checks that sources declare, by name, their places.
func (p *part) declaredChecks(ws *load.Workspace) map[string]int {
	out := map[string]int{}
	for _, q := range ws.Packages {
		for _, m := range q.Modules {
			for _, item := range m.Items {
				if c, ok := item.(*syntax.Check); ok {
					out[m.Path+"::"+c.Name.Name] = len(out)
				}
			}
		}
	}
	return out
}

// looksAt reports whether the part has what a place of the basis is in, or that
// is no more.
func (p *part) looksAt(s abi.Span) bool {
	return slices.ContainsFunc(p.r.around(p.b.env.Files[s.File], s.Start), func(a at) bool { return p.in[a] || p.gone(a) })
}

// sources are the files of what the part has.
func (p *part) sources() []string {
	var out []string
	for path := range p.moved {
		out = append(out, path)
	}
	for a := range p.in {
		if path := p.r.modules[a.module].Source.Path; !slices.Contains(out, path) {
			out = append(out, path)
		}
	}
	return out
}

// individuals are the names of the individuals that facts that went or came may
// be about.
func (p *part) individuals() []string {
	var out []string
	for _, e := range p.edits {
		m := p.r.modules[e.module]
		for _, item := range e.touched() {
			fact, ok := item.(*syntax.Fact)
			if !ok {
				continue
			}
			for _, x := range fact.Args {
				n, ok := x.(*syntax.Name)
				if !ok {
					continue
				}
				if len(n.Path.Parts) == 1 {
					out = append(out, m.Home().Path+"::"+n.Path.Parts[0].Name)
				}
				p.r.meanings(m, parts(n.Path), func(s *resolve.Symbol) {
					if s.Kind == resolve.IndividualKind {
						out = append(out, s.Qualified)
					}
				}, nil)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
