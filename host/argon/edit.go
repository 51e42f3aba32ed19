package argon

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/load"
	"github.com/ox-mcp/ox-mcp/host/argon/lower"
	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
	"github.com/ox-mcp/ox-mcp/host/argon/types"
)

// basis is a compilation from nothing, with all that is needed to say what is
// reported of the package after edits of a few bodies. It is never changed, so
// that each edit is seen as one of the basis, however many came before.
type basis struct {
	result *Result
	mode   Options
	env    *types.Env
	draft  *lower.Draft
	raw    diag.List // in the order in which they were reported, and finished otherwise
	loaded int       // how many of them are the Workspace's

	once  sync.Once
	reach *reach // see reaches
}

// maxBodies bounds the edited items that are typed alone: with more, a new
// basis serves better.
const maxBodies = 64

// after returns what is reported of ws, and how its program differs from that
// of the basis; ok is false where a compilation from nothing has to say it.
func (b *basis) after(ctx context.Context, ws *load.Workspace) (r *Result, ok bool) {
	files, ok := ws.Edits(b.result.Workspace)
	if !ok {
		return nil, false
	}
	if r, ok := b.bodies(ctx, ws, files); ok {
		return r, true
	}
	return b.around(ctx, ws, files)
}

// bodies is after where nothing but bodies of items changed.
func (b *basis) bodies(ctx context.Context, ws *load.Workspace, files []load.Edit) (r *Result, ok bool) {
	if b.draft == nil {
		return nil, false
	}
	var edits []types.Edited
	texts := map[*resolve.Module]string{}
	moved := map[string]*movedText{}
	for _, f := range files {
		m := b.module(f.Old)
		if m == nil {
			return nil, false
		}
		mt, changed, ok := compare(f)
		if !ok || len(edits)+len(changed) > maxBodies {
			return nil, false
		}
		for _, i := range changed {
			it := mt.items[i].alone()
			if it == nil || !b.plain(m, f.Old.Items[i]) {
				return nil, false
			}
			edits = append(edits, types.Edited{Module: m, Old: f.Old.Items[i], New: it})
		}
		texts[m] = mt.both
		moved[f.Old.Source.Path] = mt
	}
	diags := &diag.List{Keep: true}
	x, typed, ok := b.env.Retype(ctx, edits, texts, diags)
	if !ok {
		return nil, false
	}
	redrawn, ok := b.draft.Redraw(x, typed, diags)
	if !ok || ctx.Err() != nil {
		return nil, false
	}
	items, ok := b.splice(ws, diags, moved)
	if !ok {
		return nil, false
	}
	edit := &Edit{Of: b.result.Module, ws: ws, redrawn: redrawn, moved: moved}
	return &Result{Diagnostics: order(items), Sources: ws.Sources, Workspace: ws, Edit: edit}, true
}

// Edit says how a package differs from an earlier compilation, of which only
// bodies of items changed.
type Edit struct {
	// Of is the module of the earlier compilation; nil if that had errors.
	Of *lower.Module

	ws      *load.Workspace
	redrawn *lower.Redrawn
	moved   map[string]*movedText
	part    *part  // where more than bodies changed
	made    *basis // of the part
}

// Place returns where a place of a source that did not change is now; ok is
// false for one that is in what changed.
func (e *Edit) Place(path string, start, end int) (newStart, newEnd int, ok bool) {
	m := e.moved[path]
	if m == nil {
		return start, end, true
	}
	newStart, ok = m.now(start)
	newEnd, good := m.now(end)
	return newStart, newEnd, ok && good
}

// module returns the module of which the items of a file are, apart from those
// of its inline modules.
func (b *basis) module(f *syntax.File) *resolve.Module {
	for _, p := range b.env.World.Packages {
		for _, m := range p.Modules {
			if m.Source == f.Source && (m.Decl() == nil || !m.Decl().Inline) {
				return m
			}
		}
	}
	return nil
}

// plain reports whether an item stands in its module as it was written, and no
// macro looked at its words.
func (b *basis) plain(m *resolve.Module, item syntax.Item) bool {
	return slices.Contains(m.Items, item) && !b.result.Macros.Named()
}

// misread are the codes after which the rest of an item may be left unread.
func misread(code string) bool {
	return strings.HasPrefix(code, "OE000") || code == "OE0051" || code == "OE0052"
}

// splice puts what was reported of edited items in the place of what was
// reported of them before, and moves the rest with its text.
func (b *basis) splice(ws *load.Workspace, now *diag.List, moved map[string]*movedText) ([]diag.Diagnostic, bool) {
	fresh := map[any][]diag.Diagnostic{}
	for _, s := range now.Sections {
		fresh[s.Of] = now.Items[s.Start:s.End]
	}
	for _, d := range now.Items {
		if misread(d.Code) {
			return nil, false
		}
	}
	out := slices.Clone(ws.Diagnostics)
	ok := true
	keep := func(list []diag.Diagnostic) {
		for _, d := range list {
			if d, good := relocate(d, moved); good {
				out = append(out, d)
			} else {
				ok = false
			}
		}
	}
	at := b.loaded
	for _, s := range b.raw.Sections {
		list, edited := fresh[s.Of]
		if !edited {
			continue
		}
		keep(b.raw.Items[at:s.Start])
		for _, d := range b.raw.Items[s.Start:s.End] {
			ok = ok && !misread(d.Code)
		}
		at = s.End
		first := len(out)
		keep(list)
		for i := range out[first:] {
			if src := ws.Sources[out[first+i].Place.Path]; src != nil {
				diag.Respell(&out[first+i], src.Text)
			}
		}
	}
	keep(b.raw.Items[at:])
	return out, ok
}

// relocate returns d with its places where they are now.
func relocate(d diag.Diagnostic, moved map[string]*movedText) (diag.Diagnostic, bool) {
	ok := true
	place := func(p diag.Place) diag.Place {
		m := moved[p.Path]
		if m == nil {
			return p
		}
		start, good := m.now(p.Start)
		end, fine := m.now(p.End)
		ok = ok && good && fine
		return diag.Place{Path: p.Path, Start: start, End: end}
	}
	d.Place = place(d.Place)
	d.Related = slices.Clone(d.Related)
	for i := range d.Related {
		d.Related[i].Place = place(d.Related[i].Place)
	}
	if d.Fix != nil {
		fix := *d.Fix
		fix.Edits = slices.Clone(fix.Edits)
		for i := range fix.Edits {
			e := &fix.Edits[i]
			if at, good := imported(*e, moved[e.Place.Path]); good {
				e.Place.Start, e.Place.End = at, at
				continue
			}
			e.Place = place(e.Place)
		}
		d.Fix = &fix
	}
	return d, ok
}

// imported returns where an edit that adds an import goes now, which is a place
// of the file and not one of what stands there.
func imported(e diag.Edit, m *movedText) (offset int, ok bool) {
	if m == nil || e.Place.Start != e.Place.End || !strings.HasPrefix(e.Text, "use ") {
		return 0, false
	}
	if was, good := resolve.ImportOffset(m.old); !good || e.Place.Start != was {
		return 0, false
	}
	return resolve.ImportOffset(m.new)
}

// movedText is a source before and after an edit. A place of the old text is an
// offset in it; one of the new text comes behind all of those.
type movedText struct {
	old, new string
	both     string // the text that places of either kind are in
	items    []movedItem
}

// movedItem is one item of the two texts.
type movedItem struct {
	of       *movedText
	old, new syntax.Span
	fixed    int // how far it begins with the same text; all of an item that is the same
}

// base is where the places of the new text begin.
func (m *movedText) base() int { return len(m.old) + 1 }

// compare finds the items whose bodies an edit changed; ok is false if it
// changed more.
func compare(f load.Edit) (m *movedText, changed []int, ok bool) {
	m = &movedText{old: f.Old.Source.Text, new: f.New.Source.Text}
	if len(f.Old.Items) != len(f.New.Items) || f.Old.Doc != f.New.Doc {
		return nil, nil, false
	}
	m.both = m.old + "\n" + m.new
	lastOld, lastNew := 0, 0
	for i := range f.Old.Items {
		a, b := f.Old.Items[i].Range(), f.New.Items[i].Range()
		if a.Start < lastOld || b.Start < lastNew || !sameGap(m.old[lastOld:a.Start], m.new[lastNew:b.Start]) {
			return nil, nil, false
		}
		lastOld, lastNew = a.End, b.End
		it := movedItem{of: m, old: a, new: b, fixed: a.End - a.Start}
		if was, is := m.old[a.Start:a.End], m.new[b.Start:b.End]; was != is {
			head, sameKind := headEnd(f.Old.Items[i], f.New.Items[i])
			if !sameKind || len(is) < head || was[:head] != is[:head] {
				return nil, nil, false
			}
			it.fixed = head
			changed = append(changed, i)
		}
		m.items = append(m.items, it)
	}
	return m, changed, sameGap(m.old[lastOld:], m.new[lastNew:])
}

// sameGap reports whether what stands between items differs in nothing but
// space and comments.
func sameGap(a, b string) bool { return a == b || trivia(a) && trivia(b) }

func trivia(s string) bool {
	for s != "" {
		s = strings.TrimLeft(s, " \t\r\n")
		if s == "" {
			break
		}
		if !strings.HasPrefix(s, "//") {
			return false
		}
		_, s, _ = strings.Cut(s, "\n")
	}
	return true
}

// headEnd returns how long the head of an item is, behind which its body
// begins. ok is false for an item without one, and for two of different kinds.
func headEnd(a, b syntax.Item) (length int, ok bool) {
	first, second := body(a), body(b)
	if first == nil || second == nil {
		return 0, false
	}
	x, y := first.Range().Start-a.Range().Start, second.Range().Start-b.Range().Start
	return x, x == y && x > 0
}

// body is the first part of the body of an item.
func body(it syntax.Item) syntax.Node {
	switch it := it.(type) {
	case *syntax.Derive:
		if it.HasBody && len(it.Body) > 0 {
			return it.Body[0]
		}
	case *syntax.Check:
		if len(it.Body) > 0 {
			return it.Body[0]
		}
	case *syntax.Fn:
		if it.Body != nil {
			return it.Body
		}
	case *syntax.Query:
		if !it.Short && it.Select != nil && len(it.Refused) == 0 {
			return it.Select
		}
	case *syntax.Mutate:
		if len(it.Body) > 0 {
			return it.Body[0]
		}
	case *syntax.Test:
		if len(it.Body) > 0 {
			return it.Body[0]
		}
	}
	return nil
}

// alone parses the new text of the item, with its places as those of the new
// text are; nil if it does not read as it stands.
func (it *movedItem) alone() syntax.Item {
	pad := it.of.base() + it.new.Start
	var found diag.List
	f := syntax.ParseFile(&syntax.Source{Text: strings.Repeat(" ", pad) + it.of.new[it.new.Start:it.new.End]}, &found)
	if len(f.Items) != 1 || len(found.Items) > 0 || f.BodyMacros {
		return nil
	}
	return f.Items[0]
}

// now returns where a place is in the new text. ok is false for one in a body
// that changed, or between items where what stands there changed.
func (m *movedText) now(at int) (offset int, ok bool) {
	if at >= m.base() {
		return at - m.base(), true
	}
	i, _ := slices.BinarySearchFunc(m.items, at, func(it movedItem, at int) int { return cmp.Compare(it.old.End, at) })
	if i < len(m.items) && m.items[i].old.Start <= at {
		it := m.items[i]
		switch {
		case at == it.old.End:
			return it.new.End, true
		case at-it.old.Start <= it.fixed:
			return it.new.Start + at - it.old.Start, true
		}
		return 0, false
	}
	endOld, endNew := 0, 0
	if i > 0 {
		endOld, endNew = m.items[i-1].old.End, m.items[i-1].new.End
	}
	nextOld, nextNew := len(m.old), len(m.new)
	if i < len(m.items) {
		nextOld, nextNew = m.items[i].old.Start, m.items[i].new.Start
	}
	if m.old[endOld:nextOld] != m.new[endNew:nextNew] {
		return 0, false
	}
	return endNew + at - endOld, true
}
