package types

import (
	"maps"
	"slices"

	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// maxSupers bounds the supertypes on the way up from a type: what a type
// inherits is looked up along them.
const maxSupers = 64

// breakCycles resolves the supertypes of relations, reports what is its own
// supertype and what is too far down, and cuts both, so that later walks end
// soon.
func (e *Env) breakCycles() {
	concepts := &order[*Concept]{
		supers: func(c *Concept) []*Concept { return c.Supers },
		cut: func(c *Concept, i int) {
			e.circle(c.Symbol, c.Node.Supers, c.Supers[i].Symbol)
			c.Supers = append(c.Supers[:i:i], c.Supers[i+1:]...)
		},
		deep: func(c *Concept, told bool) {
			e.tooDeep(c.Symbol, told)
			c.Supers = nil
		},
	}
	concepts.walk(e.ConceptList)
	for _, c := range e.ConceptList {
		c.above = c.ancestors()
	}
	e.relationSupers()
	relations := &order[*Relation]{
		supers: func(r *Relation) []*Relation { return r.Supers },
		cut: func(r *Relation, i int) {
			e.circle(r.Symbol, r.Node.Supers, r.Supers[i].Symbol)
			r.Supers = append(r.Supers[:i:i], r.Supers[i+1:]...)
		},
		deep: func(r *Relation, told bool) {
			e.tooDeep(r.Symbol, told)
			r.Supers = nil
		},
	}
	relations.walk(e.RelList)
}

// fieldClashes reports fields of one name that meet in a concept: a read could
// mean either, and a value would be given to one of them only.
func (e *Env) fieldClashes() {
	clashes := map[*Concept]map[string]bool{}
	for _, c := range e.ConceptList {
		if len(c.Supers) == 0 {
			continue
		}
		owner := map[string]*Concept{}
		for _, a := range c.ancestors() {
			for _, f := range a.Fields {
				first := owner[f.Name]
				if first == nil {
					owner[f.Name] = a
					continue
				}
				if clashes[c] == nil {
					clashes[c] = map[string]bool{}
				}
				clashes[c][f.Name] = true
			}
		}
	}
	for _, c := range e.ConceptList {
		for _, name := range slices.Sorted(maps.Keys(clashes[c])) {
			if slices.ContainsFunc(c.Supers, func(s *Concept) bool { return clashes[s][name] }) {
				continue // reported above
			}
			at := c.Node.Name.Span
			for _, f := range c.Fields {
				if f.Name == name {
					at = f.Node.Name.Span
				}
			}
			e.report(c.Symbol.Module, "OE0262", at, "keep the field in one of them, or rename it", "%s has the field %s more than once, by its supertypes", c.Name, name)
		}
	}
}

// circle reports that sym is below itself by way of super, which one of its
// paths names.
func (e *Env) circle(sym *resolve.Symbol, paths []syntax.Path, super *resolve.Symbol) {
	at := syntax.Span{Start: sym.Place.Start, End: sym.Place.End}
	for _, p := range paths {
		if p.Parts[len(p.Parts)-1].Name == super.Name {
			at = p.Span
		}
	}
	e.report(sym.Module, "OE0105", at, "remove one of the supertypes on the way round", "%s is its own supertype, by way of %s", sym.Qualified, super.Qualified)
}

func (e *Env) tooDeep(sym *resolve.Symbol, told bool) {
	if told {
		return
	}
	at := syntax.Span{Start: sym.Place.Start, End: sym.Place.End}
	e.unsupported(sym.Module, at, "a type more than 64 supertypes below the top", "put the types beside each other")
}

// relationSupers resolves the supertypes of relations, which must have as many
// endpoints.
func (e *Env) relationSupers() {
	for _, r := range e.RelList {
		for _, path := range r.Node.Supers {
			sym := e.World.Resolve(r.Symbol.Module, path, resolve.Kinds(resolve.RelationKind))
			if sym == nil || e.Rels[sym.Qualified] == nil {
				continue
			}
			up := e.Rels[sym.Qualified]
			if len(up.Columns) != len(r.Columns) {
				e.report(r.Symbol.Module, "OE0258", path.Span, "", "%s has %s and its supertype %s %s", r.Name, plural(len(r.Columns), "endpoint"), up.Name, plural(len(up.Columns), "endpoint"))
				continue
			}
			r.Supers = append(r.Supers, up)
		}
	}
}

// order walks types from the bottom up, each once.
type order[T comparable] struct {
	supers func(T) []T
	cut    func(T, int)
	deep   func(t T, told bool)

	cutOff map[T]bool // what was cut and reported
	height map[T]int  // supertypes above; -1 while it is being walked
}

// far cuts t, which is too far down, and reports it where nothing above it was
// cut: a chain that is too long is one mistake, and so is a circle that is long.
func (o *order[T]) far(t T) {
	told := false
	seen := map[T]bool{t: true}
	for queue := []T{t}; len(queue) > 0 && !told; queue = queue[1:] {
		told = o.cutOff[queue[0]]
		for _, s := range o.supers(queue[0]) {
			if !seen[s] {
				seen[s] = true
				queue = append(queue, s)
			}
		}
	}
	o.cutOff[t] = true
	o.deep(t, told)
}

func (o *order[T]) walk(all []T) {
	o.height, o.cutOff = map[T]int{}, map[T]bool{}
	type frame struct {
		t  T
		at int
	}
	for _, root := range all {
		if _, seen := o.height[root]; seen {
			continue
		}
		o.height[root] = -1
		stack := []frame{{root, 0}}
		for len(stack) > 0 {
			f := &stack[len(stack)-1]
			supers := o.supers(f.t)
			if f.at == len(supers) {
				height := 0
				for _, s := range supers {
					height = max(height, o.height[s]+1)
				}
				if height > maxSupers {
					o.far(f.t)
					height = 0
				}
				o.height[f.t] = height
				stack = stack[:len(stack)-1]
				continue
			}
			next := supers[f.at]
			switch h, seen := o.height[next]; {
			case !seen:
				f.at++
				o.height[next] = -1
				stack = append(stack, frame{next, 0})
			case h < 0:
				o.cutOff[f.t] = true
				o.cut(f.t, f.at)
			default:
				f.at++
			}
		}
	}
}
