package argon

import (
	"slices"
	"strings"

	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// at is an item of a basis: the place of its module in reach.modules, and its
// own in the module.
type at struct{ module, item int }

// reach says which items of a basis have to do with which others. That goes by
// names: an item is about what the names in its text may stand for, whatever
// kind of name is wanted there, and what it says may be about some of them.
type reach struct {
	world    *resolve.World
	std      *resolve.Package
	modules  []*resolve.Module // of all packages
	number   map[*resolve.Module]int
	places   map[syntax.Item]at
	files    map[string][]int         // modules, by the path of their source
	sayers   map[*resolve.Symbol][]at // by what they add to: see adds
	items    int                      // of the packages but the standard ones
	size     int                      // of their texts, in bytes
	filled   *fillings                // what facts files go by
	timed    []at                     // see basis.timed
	traits   map[string]bool          // names that lead to traits
	bringers map[syntax.Item]bool     // imports that bring traits into scope
	parents  map[string]bool          // parts of the names that standpoints give their parents
	ok       bool                     // names alone tell
}

// asksForIntroducer is the predicate that goes through all concepts that a
// metatype introduces.
const asksForIntroducer = "metaEq"

func newReach(w *resolve.World) *reach {
	r := &reach{world: w, std: w.Std, number: map[*resolve.Module]int{}, places: map[syntax.Item]at{}, files: map[string][]int{}, sayers: map[*resolve.Symbol][]at{}, traits: map[string]bool{}, bringers: map[syntax.Item]bool{}, parents: map[string]bool{}, ok: true}
	for _, p := range w.Packages {
		for _, m := range p.Modules {
			if p != w.Std && strings.Contains(m.Source.Text, asksForIntroducer) {
				r.ok = false
				return r
			}
			if p != w.Std && len(r.files[m.Source.Path]) == 0 {
				r.size += len(m.Source.Text)
			}
			if p != w.Std && !r.beyond(m) {
				r.ok = false
				return r
			}
			r.number[m] = len(r.modules)
			r.files[m.Source.Path] = append(r.files[m.Source.Path], len(r.modules))
			if p != w.Std {
				r.items += len(m.Items)
				for i, item := range m.Items {
					r.places[item] = at{len(r.modules), i}
				}
			}
			r.modules = append(r.modules, m)
		}
	}
	for n, m := range r.modules {
		if m.Package == w.Std {
			continue
		}
		for i, item := range m.Items {
			r.adds(m, item, func(s *resolve.Symbol) {
				if fact, ok := item.(*syntax.Fact); !ok || s.Kind != resolve.IndividualKind || len(fact.Args) == 1 {
					r.sayers[s] = append(r.sayers[s], at{n, i})
				}
			})
		}
	}
	r.filled = r.fillings()
	return r
}

func (r *reach) item(a at) syntax.Item { return r.modules[a.module].Items[a.item] }

// adds calls do for what an item says something of that is declared elsewhere:
// the relation of a fact and its individuals, the supertypes of a concept. What
// it is may have come from there.
func (r *reach) adds(m *resolve.Module, item syntax.Item, do func(*resolve.Symbol)) {
	path := func(p syntax.Path) {
		if len(p.Parts) > 0 {
			r.meanings(m, parts(p), do, nil)
		}
	}
	list := func(of []syntax.Path) {
		for _, p := range of {
			path(p)
		}
	}
	expr := func(x syntax.Expr) {
		if n, ok := x.(*syntax.Name); ok {
			path(n.Path)
		}
	}
	switch it := item.(type) {
	case *syntax.Fact:
		path(it.Target)
		for _, x := range it.Args {
			expr(x)
		}
	case *syntax.Concept:
		list(it.Supers)
		list(it.Cover)
		list(it.InstanceOf)
	case *syntax.Relation:
		list(it.Supers)
	case *syntax.GroupAxiom:
		path(it.Parent)
		list(it.Members)
	case *syntax.Trait:
		list(it.Supers)
	case *syntax.Impl:
		path(it.Trait)
		path(it.For)
	case *syntax.Derive:
		if it.Name.Name == "iof" {
			for _, p := range it.Params {
				expr(p.Term)
				if p.Name.Name != "" {
					path(syntax.Path{Parts: []syntax.Ident{p.Name}})
				}
			}
		}
	}
	for _, a := range item.Head().Attrs {
		paths(a.Text, func(list []string) { r.meanings(m, list, do, nil) })
	}
}

// saidOf are the paths of what a fact, a concept or a relation adds to.
func saidOf(item syntax.Item) []syntax.Path {
	switch it := item.(type) {
	case *syntax.Fact:
		list := []syntax.Path{it.Target}
		for _, x := range it.Args {
			if n, ok := x.(*syntax.Name); ok {
				list = append(list, n.Path)
			}
		}
		return list
	case *syntax.Concept:
		return slices.Concat(it.Supers, it.Cover, it.InstanceOf)
	case *syntax.Relation:
		return it.Supers
	case *syntax.GroupAxiom:
		return append([]syntax.Path{it.Parent}, it.Members...)
	}
	return nil
}

// meanings is World.Meanings without what the standard packages declare.
func (r *reach) meanings(m *resolve.Module, parts []string, symbol func(*resolve.Symbol), through func(*resolve.Module, *syntax.Use)) {
	r.world.Meanings(m, parts, func(s *resolve.Symbol) {
		if s.Kind == resolve.VariantKind || s.Kind == resolve.AxisValueKind {
			s = s.Enum
		}
		if s != nil && s.Kind != resolve.ModuleKind && s.Module != nil && s.Module.Package != r.std {
			symbol(s)
		}
	}, func(at *resolve.Module, u *syntax.Use) {
		if through != nil && at.Package != r.std {
			through(at, u)
		}
	})
}

func parts(p syntax.Path) []string {
	out := make([]string, len(p.Parts))
	for i, part := range p.Parts {
		out[i] = part.Name
	}
	return out
}

// named calls do with each path in an item of text. An import has its path in
// more than one place.
func named(text string, item syntax.Item, do func([]string)) {
	if u, ok := item.(*syntax.Use); ok {
		do(parts(u.Path))
		return
	}
	span := item.Range()
	paths(text[span.Start:span.End], do)
}

// users calls do for the items that may mean what the module m has under a
// name, or has had, or has now. It looks at all of the texts.
func (r *reach) users(m int, name string, do func(at)) {
	declared := r.modules[m]
	prelude := slices.ContainsFunc(declared.Package.Prelude, func(p string) bool { return strings.HasSuffix(p, "::"+name) })
	for path, modules := range r.files {
		if r.modules[modules[0]].Package == r.std {
			continue
		}
		text := r.modules[modules[0]].Source.Text
		for from := 0; ; {
			i := strings.Index(text[from:], name)
			if i < 0 {
				break
			}
			i += from
			from = i + len(name)
			if partOfWord(text, i, from) {
				continue
			}
			for _, a := range r.around(path, i) {
				if r.means(a, text, m, name, prelude) {
					do(a)
				}
				from = max(from, r.item(a).Range().End) // the item is known now
			}
		}
	}
}

func partOfWord(text string, start, end int) bool {
	return end < len(text) && wordEnd(text[end:min(end+4, len(text))], 0) > 0 || start > 0 && (wordStart(text[start-1]) || text[start-1] >= '0' && text[start-1] <= '9' || text[start-1] >= 0x80)
}

// around returns the items that an offset of a file is in.
func (r *reach) around(path string, offset int) []at {
	var out []at
	for _, m := range r.files[path] {
		items := r.modules[m].Items
		i, _ := slices.BinarySearchFunc(items, offset, func(it syntax.Item, offset int) int {
			if it.Range().End <= offset {
				return -1
			}
			return 1
		})
		if i == len(items) || items[i].Range().Start > offset {
			continue
		}
		if mod, ok := items[i].(*syntax.Mod); ok && mod.Inline {
			continue // an item of its own module is meant
		}
		out = append(out, at{m, i})
	}
	return out
}

// means reports whether the name in an item may be that of module m.
func (r *reach) means(a at, text string, m int, name string, prelude bool) bool {
	in, declared := r.modules[a.module], r.modules[m]
	if in == declared {
		return true
	}
	found := false
	named(text, r.item(a), func(list []string) {
		for k, part := range list {
			if found || part != name {
				continue
			}
			if k == 0 && (prelude || in.Brings(declared)) {
				found = true // a new one may come by that way
				return
			}
			if k > 0 {
				if through := r.world.ModuleAt(in, list[:k]); through == nil || through == declared || through.Globs() {
					found = true
					return
				}
			}
			r.meanings(in, list[:k+1], func(s *resolve.Symbol) {
				found = found || s.Module == declared && (s.Name == name || s.Member(name) != nil)
			}, func(at *resolve.Module, _ *syntax.Use) { found = found || at == declared })
		}
	})
	return found
}
