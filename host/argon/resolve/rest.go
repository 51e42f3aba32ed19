package resolve

import "sync/atomic"

// Rest is what a part of a workspace leaves out, for suggestions.
type Rest struct {
	// Of are the names of the whole as it was, whose packages and modules are
	// those of the part.
	Of *World
	// Gone reports whether an item that had the name in a module of Of is no
	// more: whatever has the name now is in the part.
	Gone func(module *Module, name string) bool

	unsure  atomic.Bool
	modules map[*Module]*Module // of Of, by module of the part
}

// Unsure reports whether something was asked for that the part and the rest
// together do not tell.
func (r *Rest) Unsure() bool { return r.unsure.Load() }

// pair finds which module of the whole each of the part's is.
func (r *Rest) pair(w *World) {
	r.modules = map[*Module]*Module{}
	for i, p := range w.Packages {
		for j, m := range p.Modules {
			r.modules[m] = r.Of.Packages[i].Modules[j]
		}
	}
}

// namesOfRest calls do for what names of the whole gave and is there still.
func (w *World) namesOfRest(m, at *Module, want Want, followed bool, do func(string)) {
	if w.rest == nil {
		return
	}
	m, at = w.rest.modules[m], w.rest.modules[at]
	if m == nil || at == nil || at.Globs() {
		w.rest.unsure.Store(true) // what came there is not known
		return
	}
	for _, name := range w.rest.Of.names(m, at, want, followed) {
		if !w.rest.Gone(at, name) {
			do(name)
		}
	}
}

// declaredInRest returns what the module mod of the whole declares under a name
// that the part does not have, with the modules of the whole.
func (w *World) declaredInRest(m, mod *Module, name string) (asking, of *Module, found []*Symbol) {
	if w.rest == nil {
		return m, mod, nil
	}
	asking, of = w.rest.modules[m], w.rest.modules[mod]
	if asking == nil || of == nil {
		w.rest.unsure.Store(true)
		return m, mod, nil
	}
	if w.rest.Gone(of, name) {
		return asking, of, nil
	}
	return asking, of, []*Symbol{of.names[name], of.individuals[name]}
}
