package runtime

import (
	"context"
	"maps"
	"slices"

	"github.com/ox-mcp/ox-mcp/host/argon"
	"github.com/ox-mcp/ox-mcp/host/argon/lower"
	"github.com/ox-mcp/ox-mcp/host/coherence"
)

// checkFinding is a finding of a check.
type checkFinding struct {
	view  int // place of the view among those that were looked from
	check int // of the program
	Diagnostic
}

// passed is a package whose checks were evaluated as a whole. After an edit only
// those are evaluated again that can go by it, in a program that
// has nothing but them and what they read; what the others found is as it was.
type passed struct {
	of        *lower.Module
	told      []checkFinding
	declared  map[string]string // of its module
	text      func(path string) (string, bool)
	reasoner  *plugin
	evaluator *plugin
}

// check compiles a package and evaluates its checks, and makes use of what the
// last check found where what was edited since bears on a part of the package.
func (s *Service) check(ctx context.Context, p *coherence.Project, overlay map[string]string) (*gated, error) {
	o := gateOptions{overlay: overlay, sketch: true}
	if p == nil || !p.Sources() || p.Session == nil {
		return s.gateFor(ctx, p, o)
	}
	Progress(ctx, "compiling", 0, 0)
	r, err := p.Check(ctx, overlay)
	if err == nil && r.Edit != nil {
		g := s.compiled(p, r)
		if g.failed() {
			return g, nil
		}
		if done, err := s.recheck(ctx, g, r); done || err != nil {
			return g, err
		}
		r, err = p.Compile(ctx, overlay, false)
	}
	if err != nil {
		return nil, &Error{Status: 500, Code: "PROJECT_UNREADABLE", Message: err.Error()}
	}
	g, err := s.gateOf(ctx, p, r, o)
	if err == nil && g.all {
		reasoner, evaluator := s.builds()
		s.passed.Store(&passed{of: r.Module, told: g.told, declared: g.module.declared, text: r.Workspace.Text, reasoner: reasoner, evaluator: evaluator})
	}
	return g, err
}

func (s *Service) builds() (reasoner, evaluator *plugin) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.reasoner, s.evaluator
}

// recheck adds to g, an edited package, what its checks find. done is false
// where the whole package has to be evaluated for that.
func (s *Service) recheck(ctx context.Context, g *gated, r *argon.Result) (done bool, err error) {
	before := s.passed.Load()
	if before == nil || before.of != r.Edit.Of {
		return false, nil
	}
	if reasoner, evaluator := s.builds(); reasoner != before.reasoner || evaluator != before.evaluator {
		return false, nil
	}
	todo, ok := r.Edit.Evaluation()
	if !ok {
		return false, nil
	}
	var list []checkFinding
	for _, t := range before.told {
		if t.check = todo.Before[t.check]; t.check < 0 {
			continue
		}
		if !moved(&t.Diagnostic, before.text, r) {
			return false, nil
		}
		list = append(list, t)
	}
	if len(todo.Places)+len(todo.Individuals) > 0 {
		of := &gated{once: true}
		if of.module, _, err = packed(todo.Part, gateOptions{sketch: true}); err != nil {
			return false, nil
		}
		own := of.module.declared
		of.module.declared = before.declared
		if len(todo.Individuals) > 0 {
			of.module.declared, ok = redeclared(before.declared, own, todo.Individuals)
		}
		if !ok {
			return false, nil
		}
		err = s.gateChecks(ctx, of)
		of.end()
		if err != nil || !of.all {
			return false, err
		}
		for _, t := range of.told {
			if t.check = todo.Places[t.check]; t.check < 0 {
				return false, nil
			}
			list = append(list, t)
		}
	}
	if len(list) > maxGateViolations {
		return false, nil
	}
	slices.SortStableFunc(list, func(a, b checkFinding) int {
		if a.view != b.view {
			return a.view - b.view
		}
		return a.check - b.check
	})
	for _, t := range list {
		g.findings = append(g.findings, t.Diagnostic)
	}
	return true, nil
}

// redeclared returns the names of the individuals that a package declares after
// an edit, as module.declared has them: of what it declared before, and of what
// the part of it declares that has all there is of those that may have come or
// gone. ok is false where others have another name because of them.
func redeclared(before, part map[string]string, changed []string) (declared map[string]string, ok bool) {
	declared = maps.Clone(before)
	named := map[string]int{} // how many keys have a short name, itself among them
	for name := range declared {
		named[shortName(name)]++
	}
	add := func(key, name string) {
		if _, there := declared[key]; !there {
			named[shortName(key)]++
		}
		declared[key] = name
	}
	drop := func(key string) {
		if _, there := declared[key]; there {
			named[shortName(key)]--
		}
		delete(declared, key)
	}
	for _, name := range changed {
		_, was := declared[name]
		_, is := part[name]
		if was == is {
			continue
		}
		short := shortName(name)
		others := named[short]
		if was {
			others--
		}
		if _, there := declared[short]; there && short != name {
			others--
		}
		switch {
		case others == 1:
			return nil, false // the other one loses its short name, or gets it
		case is && others == 0:
			add(short, name)
		case others == 0:
			drop(short)
		}
		if is {
			add(name, name)
		} else {
			drop(name)
		}
	}
	return declared, true
}

// moved gives d its places in the edited package; ok is false where what it is
// about was edited.
func moved(d *Diagnostic, text func(string) (string, bool), r *argon.Result) (ok bool) {
	ok = true
	place := func(at Range) Range {
		was, known := text(at.File)
		is, still := r.Workspace.Text(at.File)
		if !known || !still {
			ok = false
			return at
		}
		start, end, good := r.Edit.Place(at.File, offsetIn(was, at.Start), offsetIn(was, at.End))
		ok = ok && good
		return rangeIn(at.File, is, start, end)
	}
	if d.Range != nil {
		at := place(*d.Range)
		d.Range = &at
	}
	d.Related = slices.Clone(d.Related)
	for i := range d.Related {
		d.Related[i].Range = place(d.Related[i].Range)
	}
	return ok
}
