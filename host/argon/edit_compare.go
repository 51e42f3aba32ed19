package argon

import (
	"cmp"
	"slices"

	"github.com/ox-mcp/ox-mcp/host/argon/load"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// compare tells the items of a file, and of the modules and standpoints that are
// declared in it, that are the same from those that went and came. ok is false
// where other kinds of items did than are known to have to do with others by
// their names alone.
func (p *part) compare(f load.Edit) (ok bool) {
	moved := &movedText{old: f.Old.Source.Text, new: f.New.Source.Text}
	p.moved[f.Old.Source.Path] = moved
	of := -1
	for _, m := range p.r.files[f.Old.Source.Path] {
		if d := p.r.modules[m].Decl(); d == nil || !d.Inline {
			of = m
		}
	}
	ok = of >= 0 && p.compareItems(of, f.Old.Items, f.New.Items, moved)
	slices.SortFunc(moved.items, func(a, b movedItem) int { return cmp.Compare(a.old.Start, b.old.Start) })
	return ok
}

// compareItems is compare for the items of one module.
func (p *part) compareItems(module int, old, new []syntax.Item, moved *movedText) bool {
	if len(p.r.modules[module].Items) != len(old) {
		return false
	}
	e := &moduleEdit{module: module, old: old, new: new, now: make([]int, len(old)), moved: moved}
	p.edits[module] = e
	same := func(i, j int) bool { return sameItem(e.old[i], e.new[j], moved) }
	first, last := 0, 0
	for first < len(e.old) && first < len(e.new) && same(first, first) {
		e.now[first] = first
		first++
	}
	for last < len(e.old)-first && last < len(e.new)-first && same(len(e.old)-1-last, len(e.new)-1-last) {
		last++
		e.now[len(e.old)-last] = len(e.new) - last
	}
	next := first // the first new item that may be an old one still
	if (len(e.old)-last-first)*(len(e.new)-last-first) > 1_000_000 {
		return false
	}
	var inside []string // modules in the file of which some of the items changed
	for i := first; i < len(e.old)-last; i++ {
		e.now[i] = -1
		for j := next; j < len(e.new)-last; j++ {
			header := sameHeader(e.old[i], e.new[j], moved)
			if header && !same(i, j) {
				inside = append(inside, e.old[i].Head().Name.Name)
			}
			if header || same(i, j) {
				e.now[i] = j
				next = j + 1
				break
			}
		}
	}
	kept := map[int]bool{}
	for i, j := range e.now {
		if j < 0 {
			if !byName(e.old[i]) {
				return false
			}
			continue
		}
		kept[j] = true
		if x, y := e.old[i].Range(), e.new[j].Range(); same(i, j) {
			moved.items = append(moved.items, movedItem{of: moved, old: x, new: y, fixed: x.End - x.Start})
		}
	}
	for j, item := range e.new {
		if kept[j] {
			continue
		}
		if !byName(item) {
			return false
		}
		e.fresh = append(e.fresh, j)
	}
	slices.Sort(inside)
	for _, name := range slices.Compact(inside) {
		if !p.compareInside(e, name) {
			return false
		}
	}
	return true
}

// compareInside compares the items of a module that is declared among those of
// e, by one declaration or, of a standpoint, by several.
func (p *part) compareInside(e *moduleEdit, name string) bool {
	child := p.r.modules[e.module].Item(name)
	if child == nil || child.Target == nil {
		return false
	}
	var old, new []syntax.Item
	whole := &movedText{old: e.moved.old, new: e.moved.new} // of declarations that are the same, whose items move with them
	for i, item := range e.old {
		a, ok := item.(*syntax.Mod)
		if !ok || a.Name.Name != name {
			continue
		}
		b, ok := e.new[e.now[i]].(*syntax.Mod)
		if !ok {
			return false
		}
		old, new = append(old, a.Items...), append(new, b.Items...)
		if sameItem(a, b, e.moved) {
			x, y := a.Range(), b.Range()
			whole.items = append(whole.items, movedItem{of: e.moved, old: x, new: y, fixed: x.End - x.Start})
		}
	}
	before := len(e.moved.items)
	if !p.compareItems(p.r.number[child.Target], old, new, e.moved) {
		return false
	}
	inner := slices.DeleteFunc(slices.Clone(e.moved.items[before:]), func(it movedItem) bool {
		return slices.ContainsFunc(whole.items, func(w movedItem) bool { return w.old.Start <= it.old.Start && it.old.End <= w.old.End })
	})
	e.moved.items = append(e.moved.items[:before], inner...)
	return true
}

// sameItem reports whether two items read the same.
func sameItem(a, b syntax.Item, moved *movedText) bool {
	x, y := a.Range(), b.Range()
	if moved.old[x.Start:x.End] != moved.new[y.Start:y.End] || a.Head().Vis != b.Head().Vis {
		return false
	}
	u, is := a.(*syntax.Use)
	v, does := b.(*syntax.Use)
	return is == does && (!is || u.Path.String() == v.Path.String() && u.Name.Name == v.Name.Name && u.Glob == v.Glob)
}

// sameHeader reports whether two items declare a module or a standpoint in the
// file, and differ in nothing before its first item.
func sameHeader(a, b syntax.Item, moved *movedText) bool {
	x, is := a.(*syntax.Mod)
	y, does := b.(*syntax.Mod)
	if !is || !does || !x.Inline || !y.Inline || len(x.Items) == 0 || len(y.Items) == 0 {
		return false
	}
	return moved.old[x.Start:x.Items[0].Range().Start] == moved.new[y.Start:y.Items[0].Range().Start]
}
