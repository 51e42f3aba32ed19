package argon

import (
	"context"
	"maps"
	"slices"

	"github.com/ox-mcp/ox-mcp/host/argon/load"
	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// An edit that adds items, takes some away or changes what others see of them
// is compiled in a part of the package: the items that changed, all that goes by
// them, and all that those go by in turn. What is reported of items outside of
// it is as it was.

// Bounds of a part. One that is larger takes about as long as the whole.
const (
	maxReported = 64 // items that something is reported of
	partOf      = 4  // a part has at most one in so many of the items, or
	smallPart   = 400
	maxLooked   = 256 << 20 // bytes of text that are looked through for names that changed
	mostHints   = 50        // names suggested in the basis and the part: there is a bound on them
)

// part collects a part of a basis.
type part struct {
	b       *basis
	r       *reach
	edits   map[int]*moduleEdit   // by module
	moved   map[string]*movedText // by path
	changed map[name]bool         // names that mean something else than before, or nothing
	queue   []name
	again   map[at]bool // items that are looked at again
	in      map[at]bool // and with what they go by
	todo    []at
	known   map[*resolve.Symbol]bool
	most    int
	looked  int // bytes of text that were looked through for names
	ok      bool
}

// name is what a module has under a name.
type name struct {
	module int
	name   string
}

// moduleEdit is how the items of a module changed.
type moduleEdit struct {
	module int
	old    []syntax.Item
	new    []syntax.Item
	now    []int // by old item: its place among the new ones, or -1
	fresh  []int // new items that were not there
	moved  *movedText
}

// around returns what is reported of ws, where that is to be told from a part.
func (b *basis) around(ctx context.Context, ws *load.Workspace, files []load.Edit) (*Result, bool) {
	if b.env == nil || b.result.Expanded != b.result.Workspace || !b.env.Apart() {
		return nil, false
	}
	r := b.reaches()
	if !r.ok {
		return nil, false
	}
	p := b.part(r)
	edited := 0
	for _, f := range files {
		if !p.compare(f) {
			return nil, false
		}
	}
	for _, e := range p.edits {
		edited += len(e.fresh)
	}
	if edited > maxBodies || !p.reported() {
		return nil, false
	}
	p.seeds()
	p.filled()
	p.beyond()
	for _, a := range r.timed {
		p.need(a)
	}
	p.follow(ctx)
	if !p.ok || ctx.Err() != nil {
		return nil, false
	}
	rest := &resolve.Rest{Of: b.env.World, Gone: p.undeclared()}
	made := compile(ctx, p.workspace(ws), Options{Workers: 1}, false, rest)
	if ctx.Err() != nil || made.env == nil || rest.Unsure() || !p.holds(made) {
		return nil, false
	}
	items := append(slices.Clone(ws.Diagnostics), made.result.Diagnostics...)
	edit := &Edit{Of: b.result.Module, ws: ws, moved: p.moved, part: p, made: made}
	return &Result{Diagnostics: order(items), Sources: ws.Sources, Workspace: ws, Edit: edit}, true
}

// part is one of no items yet.
func (b *basis) part(r *reach) *part {
	return &part{
		b: b, r: r, edits: map[int]*moduleEdit{}, moved: map[string]*movedText{}, changed: map[name]bool{}, again: map[at]bool{}, in: map[at]bool{}, known: map[*resolve.Symbol]bool{},
		most: max(r.items/partOf, smallPart), ok: true,
	}
}

// reaches is the reach of the basis, which is found once.
func (b *basis) reaches() *reach {
	b.once.Do(func() {
		b.reach = newReach(b.env.World)
		if b.reach.ok {
			b.reach.timed = b.timed()
		}
	})
	return b.reach
}

// timed are the items of checks that may find something else at another time,
// with all that they go by: a part that has them tells what all checks find. It
// is nil where they are too many for that.
func (b *basis) timed() []at {
	m := b.result.Module
	if m == nil {
		return nil
	}
	p := b.part(b.reach)
	p.most /= 2
	for _, i := range b.draft.Timed(m) {
		span := m.Program.Checks[i].Span
		for _, a := range p.r.around(b.env.Files[span.File], span.Start) {
			p.need(a)
		}
	}
	if p.close(context.Background()); !p.ok {
		return nil
	}
	return slices.Collect(maps.Keys(p.in))
}

// byName reports whether an item has to do with others by the names in it and
// its own alone.
func byName(item syntax.Item) bool {
	switch it := item.(type) {
	case *syntax.Use:
		return !it.Glob
	case *syntax.Concept, *syntax.Relation, *syntax.Struct, *syntax.Enum, *syntax.Fact, *syntax.GroupAxiom, *syntax.Derive,
		*syntax.Check, *syntax.Query, *syntax.Mutate, *syntax.Fn, *syntax.Test:
		return true
	}
	return false
}

// reported adds the items that something was reported of: what else is
// reported, and of which of several, may go by what they are.
func (p *part) reported() bool {
	list := p.b.raw.Items[p.b.loaded:]
	for _, d := range list {
		if once(d.Code) {
			return false
		}
		found := p.r.around(d.Place.Path, d.Place.Start)
		if len(found) == 0 {
			return false
		}
		for _, a := range found {
			if !p.gone(a) {
				p.again[a] = true
				p.need(a)
			}
		}
	}
	return len(p.again) <= maxReported
}

// once reports whether a mistake of the code is told at one of several places
// only.
func once(code string) bool {
	switch code {
	case "OE0605", "OE0606", "OE1350", "OE1351", "OE1354":
		return true
	}
	return misread(code)
}

// gone reports whether an item of the basis is no more, or is another.
func (p *part) gone(a at) bool { return p.nowAt(a) < 0 }

// nowAt is the place of an item among the new ones of its module, or -1.
func (p *part) nowAt(a at) int {
	if e := p.edits[a.module]; e != nil {
		return e.now[a.item]
	}
	return a.item
}

// seeds marks what the items that went and came have names for, or say
// something of.
func (p *part) seeds() {
	imports := map[string]bool{}
	for _, e := range p.edits {
		for _, item := range e.touched() {
			if u, ok := item.(*syntax.Use); ok {
				imports[u.Name.Name] = true
			}
		}
	}
	for _, e := range p.edits {
		m := p.r.modules[e.module]
		for _, item := range e.touched() {
			p.names(e.module, item)
			p.says(m, item)
			p.titled(e.module, item, p.look)
		}
		for _, j := range e.fresh {
			// What an import that is new stands for is not known yet.
			p.r.adds(m, e.new[j], func(*resolve.Symbol) {})
			for _, path := range saidOf(e.new[j]) {
				if len(path.Parts) > 0 && imports[path.Parts[0].Name] {
					p.ok = false
				}
			}
		}
	}
}

// touched are the items of a module that went and that came.
func (e *moduleEdit) touched() []syntax.Item {
	var out []syntax.Item
	for i, j := range e.now {
		if j < 0 {
			out = append(out, e.old[i])
		}
	}
	for _, j := range e.fresh {
		out = append(out, e.new[j])
	}
	return out
}

// names marks the names that an item of a module declares.
func (p *part) names(module int, item syntax.Item) {
	mark := func(s string) {
		n := name{module, s}
		if s != "" && !p.changed[n] {
			p.changed[n] = true
			p.queue = append(p.queue, n)
		}
	}
	declares(item, mark)
	if home := p.home(module); home != module {
		if _, ok := item.(*syntax.Fact); ok {
			module = home
			declares(item, mark)
		}
	}
}

// home is the module that individuals belong to which facts of a module name.
func (p *part) home(module int) int { return p.r.number[p.r.modules[module].Home()] }

// declares calls do with the names that an item may declare.
func declares(item syntax.Item, do func(string)) {
	do(item.Head().Name.Name)
	if fact, ok := item.(*syntax.Fact); ok {
		for _, x := range fact.Args {
			if n, ok := x.(*syntax.Name); ok && len(n.Path.Parts) == 1 {
				do(n.Path.Parts[0].Name)
			}
		}
	}
	if trait, ok := item.(*syntax.Trait); ok {
		for _, member := range trait.Members {
			do(member.Head().Name.Name)
		}
	}
}

// titled calls do for the tests of a module that have the title of item, if
// that is a test: only one is to have it.
func (p *part) titled(module int, item syntax.Item, do func(at)) {
	test, ok := item.(*syntax.Test)
	if !ok {
		return
	}
	for i, item := range p.r.modules[module].Items {
		if t, ok := item.(*syntax.Test); ok && t.Title == test.Title {
			do(at{module, i})
		}
	}
}

// says marks what an item adds to.
func (p *part) says(m *resolve.Module, item syntax.Item) {
	p.r.adds(m, item, func(s *resolve.Symbol) {
		n := name{p.r.number[s.Module], s.Name}
		if !p.changed[n] {
			p.changed[n] = true
			p.queue = append(p.queue, n)
		}
	})
}

// follow looks at what goes by what changed, and then at what that goes by.
// Where ctx ends, it stops halfway.
func (p *part) follow(ctx context.Context) {
	for len(p.queue) > 0 && p.ok && ctx.Err() == nil {
		n := p.queue[len(p.queue)-1]
		p.queue = p.queue[:len(p.queue)-1]
		if p.looked += p.r.size; p.looked > maxLooked {
			p.ok = false
			return
		}
		m := p.r.modules[n.module]
		for _, s := range []*resolve.Symbol{m.Item(n.name), m.Individual(n.name)} {
			if s != nil {
				for _, item := range s.Items {
					p.look(p.r.places[item])
				}
				for _, a := range p.r.sayers[s] {
					p.look(a)
				}
			}
		}
		p.r.users(n.module, n.name, func(a at) {
			p.ok = p.ok && !p.r.brings(a, n.name)
			p.look(a)
		})
	}
	for _, e := range p.edits {
		for _, j := range e.fresh {
			p.mentioned(p.r.modules[e.module], e.moved.new, e.new[j])
		}
	}
	p.close(ctx)
}

// close adds what the items of the part go by.
func (p *part) close(ctx context.Context) {
	for len(p.todo) > 0 && p.ok && ctx.Err() == nil {
		a := p.todo[len(p.todo)-1]
		p.todo = p.todo[:len(p.todo)-1]
		m := p.r.modules[a.module]
		p.mentioned(m, m.Source.Text, p.r.item(a))
		p.titled(a.module, p.r.item(a), p.need)
	}
}

// look has an item looked at again, and all that may go by it.
func (p *part) look(a at) {
	if p.again[a] && p.changed[name{a.module, p.r.item(a).Head().Name.Name}] || p.gone(a) {
		return
	}
	p.again[a] = true
	p.need(a)
	p.names(a.module, p.r.item(a))
	p.says(p.r.modules[a.module], p.r.item(a))
}

// need adds an item that others go by.
func (p *part) need(a at) {
	if p.in[a] || p.gone(a) {
		return
	}
	p.in[a] = true
	p.todo = append(p.todo, a)
	p.ok = p.ok && len(p.in) <= p.most
}

// mentioned adds what the names in an item may stand for, with all that says
// something of that.
func (p *part) mentioned(m *resolve.Module, text string, item syntax.Item) {
	mean := func(parts []string) {
		p.ok = p.ok && parts[len(parts)-1] != asksForIntroducer
		p.r.meanings(m, parts, p.symbol, func(m *resolve.Module, u *syntax.Use) { p.need(p.r.places[u]) })
	}
	named(text, item, mean)
	if u, ok := item.(*syntax.Use); ok && !u.Glob {
		mean([]string{u.Name.Name}) // what it may meet
	}
}

func (p *part) symbol(s *resolve.Symbol) {
	if p.known[s] {
		return
	}
	p.known[s] = true
	for i, item := range s.Items {
		if fact, ok := item.(*syntax.Fact); ok && i > 0 && len(fact.Args) != 1 {
			continue // it says less of an individual than that there is one
		}
		p.need(p.r.places[item])
	}
	for _, a := range p.r.sayers[s] {
		p.need(a)
	}
}

// undeclared tells the names that items had which went: what has them now is in
// the part.
func (p *part) undeclared() func(*resolve.Module, string) bool {
	gone := map[name]bool{}
	for _, e := range p.edits {
		for i, j := range e.now {
			if j < 0 {
				declares(e.old[i], func(s string) { gone[name{e.module, s}], gone[name{p.home(e.module), s}] = true, true })
			}
		}
	}
	return func(m *resolve.Module, s string) bool { return gone[name{p.r.number[m], s}] }
}

// workspace is ws with the items of the part alone.
func (p *part) workspace(ws *load.Workspace) *load.Workspace {
	chosen := map[int][]int{}
	for a := range p.in {
		chosen[a.module] = append(chosen[a.module], p.nowAt(a))
	}
	for _, e := range p.edits {
		chosen[e.module] = append(chosen[e.module], e.fresh...)
	}
	number := 0
	var first []int // number of the first module, by package
	for _, q := range ws.Packages {
		first = append(first, number)
		number += len(q.Modules)
	}
	return ws.Part(func(pkg, module int) []syntax.Item {
		list := chosen[first[pkg]+module]
		all := ws.Packages[pkg].Modules[module].Items
		if len(ws.Packages[pkg].Modules[module].Children) > 0 {
			for i, item := range all {
				if _, ok := item.(*syntax.Mod); ok {
					list = append(list, i)
				}
			}
		}
		slices.Sort(list)
		list = slices.Compact(list)
		out := make([]syntax.Item, len(list))
		for i, at := range list {
			out[i] = all[at]
		}
		return out
	})
}

// holds reports whether what was made of the part tells what is to be said of
// the whole.
func (p *part) holds(made *basis) bool {
	if made.result.Expanded == nil || made.result.Macros.Named() || !made.env.Apart() || made.env.Hints()+p.b.env.Hints() > mostHints {
		return false
	}
	spans := map[string][]syntax.Span{}
	for a := range p.again {
		m := p.r.modules[a.module]
		span := p.r.item(a).Range()
		if moved := p.moved[m.Source.Path]; moved != nil {
			start, _ := moved.now(span.Start)
			span = syntax.Span{Start: start, End: start + span.End - span.Start}
		}
		spans[m.Source.Path] = append(spans[m.Source.Path], span)
	}
	for _, e := range p.edits {
		path := p.r.modules[e.module].Source.Path
		for _, j := range e.fresh {
			spans[path] = append(spans[path], e.new[j].Range())
		}
	}
	for _, d := range made.result.Diagnostics {
		if once(d.Code) || !slices.ContainsFunc(spans[d.Place.Path], func(s syntax.Span) bool { return s.Start <= d.Place.Start && d.Place.End <= s.End }) {
			return false
		}
	}
	return true
}
