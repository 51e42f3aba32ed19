package expand

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/load"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// Trace is what was expanded where.
type Trace struct {
	uses []use
	lost []diag.Place           // uses that make no declarations, which was reported
	made map[syntax.Item]string // what macros made, as source

	named bool
}

// Named reports whether macros gave names that no source has: they depend on
// every word of every source.
func (t *Trace) Named() bool { return t.named }

type use struct {
	call  diag.Place // in the author's text
	macro string
	from  diag.Place // the macro's name where it is declared
}

func (t *Trace) add(call diag.Place, d *definition) {
	t.uses = append(t.uses, use{call, d.name, d.place()})
}

// Explain adds to each diagnostic that lies in the use of a macro where that
// macro is declared, and marks those that speak of the macro's own words.
func (t *Trace) Explain(items []diag.Diagnostic) {
	byPath := map[string][]use{}
	for _, u := range t.uses {
		byPath[u.call.Path] = append(byPath[u.call.Path], u)
	}
	for i := range items {
		d := &items[i]
		for _, u := range byPath[d.Place.Path] {
			if d.Place.Start < u.call.Start || d.Place.End > u.call.End || d.Place.Path != u.call.Path {
				continue
			}
			known := false
			for _, r := range d.Related {
				known = known || r.Place == u.from
			}
			if !known {
				d.Related = append(d.Related, diag.Related{Place: u.from, Message: "in what the macro " + u.macro + " makes"})
				d.Fix = nil // it would change the use
			}
			if d.Place == u.call {
				if name := u.from.Path + " " + u.macro + ";"; !strings.Contains(d.Macro, name) {
					d.Macro += name
				}
			}
		}
	}
}

// Follow marks the names that nobody declares because a macro that was to
// declare them made nothing: they stand among the words of its use.
func (t *Trace) Follow(items []diag.Diagnostic, sources map[string]*syntax.Source) {
	if len(t.lost) == 0 {
		return
	}
	words := map[string]bool{}
	for _, use := range t.lost {
		for _, word := range strings.FieldsFunc(textAt(use, sources), func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			words[word] = true
		}
	}
	for i := range items {
		d := &items[i]
		if d.Code != "OE0101" || !words[textAt(d.Place, sources)] {
			continue
		}
		d.Follows = !slices.ContainsFunc(t.lost, func(use diag.Place) bool {
			return use.Path == d.Place.Path && use.Start <= d.Place.Start && d.Place.End <= use.End
		})
	}
}

func textAt(p diag.Place, sources map[string]*syntax.Source) string {
	s := sources[p.Path]
	if s == nil || p.Start < 0 || p.Start > p.End || p.End > len(s.Text) {
		return ""
	}
	return s.Text[p.Start:p.End]
}

// Print writes a package as source after expansion, module by module.
func (t *Trace) Print(w io.Writer, p *load.Package) error {
	seen := map[*syntax.File]bool{}
	for _, m := range p.Modules {
		if m.File == nil || seen[m.File] || m.Decl != nil && m.Decl.Inline {
			continue
		}
		seen[m.File] = true
		if _, err := fmt.Fprintf(w, "// %s\n", m.File.Source.Path); err != nil {
			return err
		}
		if _, err := io.WriteString(w, t.module(m)); err != nil {
			return err
		}
	}
	return nil
}

func (t *Trace) module(m *load.Module) string {
	var b strings.Builder
	for i, item := range m.Items {
		if i > 0 {
			b.WriteByte('\n')
		}
		text, made := t.made[item]
		if !made {
			text = printed(item, m.File.Source)
		}
		if mod, ok := item.(*syntax.Mod); ok && mod.Inline {
			if child, ok := m.Child(mod.Name.Name); ok {
				head := *mod
				head.Items = nil
				text = strings.TrimSuffix(strings.TrimSpace(printed(&head, m.File.Source)), "}")
				text = strings.TrimRight(text, " \n") + "\n"
				for line := range strings.Lines(t.module(child)) {
					if strings.TrimSpace(line) != "" {
						line = "    " + line
					}
					text += line
				}
				text += "}\n"
			}
		}
		b.WriteString(text)
	}
	return b.String()
}

// printed is one item as source in the canonical form.
func printed(item syntax.Item, src *syntax.Source) string {
	var b strings.Builder
	if err := syntax.Print(&b, &syntax.File{Source: src, Items: []syntax.Item{item}}); err != nil {
		return ""
	}
	return b.String()
}
