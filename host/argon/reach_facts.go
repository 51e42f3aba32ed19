package argon

import (
	"strings"

	"github.com/ox-mcp/ox-mcp/host/argon/load"
	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// A facts file stands in no module, and says something of what the manifest has
// it fill and of the individuals that its cells spell, if source declares those.
// Every part of a package has all of its facts files, so that all they go by is
// in each part, too.

// fillings is what facts files go by.
type fillings struct {
	individuals []*resolve.Symbol // declared ones that cells spell
	parts       map[string]bool   // of the names of what is filled
}

func (r *reach) fillings() *fillings {
	f := &fillings{parts: map[string]bool{}}
	known := map[string]bool{}
	for _, p := range r.world.Packages {
		for _, file := range p.Facts {
			for _, part := range strings.Split(file.Target, "::") {
				f.parts[part] = true
			}
			eachCell(file, func(text string) {
				if !known[text] {
					found := r.world.Individuals(text)
					known[text] = len(found) > 0
					f.individuals = append(f.individuals, found...)
				}
			})
		}
	}
	return f
}

// eachCell calls do with what is written in the cells of a file.
func eachCell(f *load.FactFile, do func(text string)) {
	for i := range f.Rows {
		for _, c := range f.Rows[i].Cells {
			if c.Kind != load.CellList {
				do(c.Text)
				continue
			}
			for _, item := range c.Items() {
				do(item.Text)
			}
		}
	}
}

// spelt reports whether a cell spells one of the names.
func (r *reach) spelt(names map[string]bool) (found bool) {
	if len(names) == 0 {
		return false
	}
	for _, p := range r.world.Packages {
		for _, file := range p.Facts {
			eachCell(file, func(text string) {
				found = found || names[text[strings.LastIndexByte(text, ':')+1:]]
			})
		}
	}
	return found
}

// filled adds what facts files go by. What an edit does to that itself is for
// the whole package to say.
func (p *part) filled() {
	f := p.r.filled
	if len(f.parts) == 0 {
		return
	}
	individuals := map[string]bool{}
	for _, e := range p.edits {
		for _, item := range e.touched() {
			_, fact := item.(*syntax.Fact)
			declares(item, func(s string) {
				p.ok = p.ok && !f.parts[s]
				if fact && s != "" {
					individuals[s] = true
				}
			})
		}
	}
	if p.ok = p.ok && !p.r.spelt(individuals); !p.ok {
		return
	}
	for _, q := range p.r.world.Packages {
		for _, file := range q.Facts {
			p.r.meanings(q.Root(), strings.Split(file.Target, "::"), p.symbol, func(_ *resolve.Module, u *syntax.Use) { p.need(p.r.places[u]) })
		}
	}
	for _, s := range f.individuals {
		if s.Module.Package != p.r.std {
			p.symbol(s)
		}
	}
}
