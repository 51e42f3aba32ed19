package types

import (
	"fmt"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/load"
	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// maxCellReports bounds the wrong cells that are reported of one file.
const maxCellReports = 20

// factTable is a [facts] file with what its columns fill.
type factTable struct {
	file   *load.FactFile
	target *resolve.Symbol // a concept or a relation
	keys   []factColumn
	fields []factColumn
}

// factColumn is a column of a facts file with what it fills.
type factColumn struct {
	name  string
	at    int // position in a row, or -1
	typ   abi.Type
	field *Field // nil for an endpoint or an id
}

// absent reports whether the cell may be empty.
func (c *factColumn) absent() bool {
	return c.field != nil && (c.field.Optional || c.field.Each || c.field.Default != nil)
}

// factTables finds what the [facts] files of every package fill, and notes
// the individuals that they spell, so that bodies can name them.
func (e *Env) factTables() {
	for _, p := range e.World.Packages {
		for _, f := range p.Facts {
			if t, ok := e.factTable(p, f); ok {
				e.tables = append(e.tables, t)
				e.nameCells(p, &t)
			}
		}
	}
}

// factFiles types the rows of the [facts] files.
func (e *Env) factFiles() {
	for i := range e.tables {
		t := &e.tables[i]
		reports := 0
		for _, row := range t.file.Rows {
			if reports >= maxCellReports {
				break
			}
			reports += e.factRow(t, row)
		}
	}
	e.tables = nil
}

func (e *Env) factTable(p *resolve.Package, f *load.FactFile) (t factTable, ok bool) {
	path := syntax.Path{}
	for _, part := range strings.Split(f.Target, "::") {
		path.Parts = append(path.Parts, syntax.Ident{Name: part})
	}
	complain := func(code, help, format string, args ...any) {
		e.diags.Add(diag.Diagnostic{Code: code, Place: f.Place, Help: help, Message: fmt.Sprintf(format, args...)})
	}
	sym := e.World.Lookup(p.Root(), path, extentKinds)
	if sym == nil {
		names := e.World.Names(p.Root(), nil, extentKinds)
		for _, m := range p.Modules {
			for _, s := range m.Symbols() {
				if s.Kind == resolve.ConceptKind || s.Kind == resolve.RelationKind {
					names = append(names, s.Qualified)
				}
			}
		}
		complain("OE0101", e.nearest(f.Target, names), "there is no concept or relation %s to fill from %s", f.Target, f.Path)
		return t, false
	}
	if sym.Kind == resolve.DeriveKind {
		complain("OE0270", "fill what it is derived from", "%s is derived, and a facts file asserts", sym.Qualified)
		return t, false
	}
	if c := e.Concepts[sym.Qualified]; c != nil && c.Defined() {
		complain("OE0211", "fill a supertype and the fields that its `iff` reads", "%s has exactly the members that its `iff` finds, and a facts file asserts", sym.Qualified)
		return t, false
	}
	t = factTable{file: f, target: sym}
	t.keys, t.fields, ok = e.factColumns(f, sym, complain)
	return t, ok
}

// factColumns finds which column fills what.
func (e *Env) factColumns(f *load.FactFile, sym *resolve.Symbol, complain func(code, help, format string, args ...any)) (keys, fields []factColumn, ok bool) {
	known := map[string]bool{}
	find := func(name string, t abi.Type, field *Field) factColumn {
		known[name] = true
		at, found := f.Column(name)
		if !found {
			at = -1
		}
		c := factColumn{name: name, at: at, typ: t, field: field}
		if field != nil {
			c.typ = field.Stored()
		}
		return c
	}
	var declared []*Field
	if c := e.Concepts[sym.Qualified]; c != nil {
		keys = append(keys, find("id", c.Type(), nil))
		declared = c.AllFields()
	} else {
		r := e.Rels[sym.Qualified]
		for i, col := range r.Columns {
			c := find(col.Name, col.Type, nil)
			if c.at < 0 && !f.Header && f.Columns == nil && len(f.Names) > i { // columns by position
				c.at = i
			}
			keys = append(keys, c)
		}
		declared = r.AllFields()
	}
	for _, field := range declared {
		if !known[field.Name] && field.View == nil {
			fields = append(fields, find(field.Name, Top, field))
		}
	}
	var names []string
	for name := range known {
		names = append(names, name)
	}
	for _, k := range keys {
		if k.at < 0 {
			complain("OE0263", "name it: columns = { "+k.name+" = \"…\" }", "%s has no column for %s of %s", f.Path, k.name, sym.Qualified)
			return nil, nil, false
		}
	}
	ok = true
	for name := range f.Columns {
		if !known[name] {
			complain("OE0259", e.nearest(name, names), "%s has no field %s, which columns maps", sym.Qualified, name)
			ok = false
		}
	}
	if f.Columns == nil && (f.Header || f.Format == load.JSONLines) {
		for _, name := range f.Names {
			if !known[name] && !allDigits(name) {
				complain("OE0259", e.nearest(name, names), "%s has no field %s, which is a column of %s; list the ones to take with columns = { … }", sym.Qualified, name, f.Path)
				ok = false
			}
		}
	}
	return keys, fields, ok
}

// factRow asserts one row and returns how many cells were wrong.
func (e *Env) factRow(t *factTable, row load.FactRow) (wrong int) {
	f := t.file
	at := f.Position(row)
	read := func(c factColumn, text load.Cell) (abi.Value, bool, bool) {
		v, empty, problem := e.cell(text, c.typ)
		if empty && c.absent() {
			return v, false, true
		}
		if empty && problem == "" {
			problem = "it is empty"
		}
		if problem != "" {
			wrong++
			e.diags.Add(diag.Diagnostic{
				Code: "OE0263", Place: at, Help: "correct the cell, or the declared type",
				Message: fmt.Sprintf("line %d of %s, column %s: %s is no %s: %s", row.Line, f.Path, c.name, quoted(text), Print(c.typ), problem),
			})
			return v, false, false
		}
		return v, true, true
	}
	cell := func(c factColumn) (abi.Value, bool, bool) { return read(c, row.Cell(c.at)) }
	key := make([]abi.Value, len(t.keys))
	for i, k := range t.keys {
		v, _, ok := cell(k)
		if !ok {
			return wrong
		}
		key[i] = v
	}
	rel := 0
	if c := e.Concepts[t.target.Qualified]; c != nil {
		rel = c.Plus
	} else {
		rel = e.Rels[t.target.Qualified].Plus
	}
	e.Facts = append(e.Facts, Fact{Relation: rel, Tuple: key, Place: at})
	value := Fact{Tuple: key, Place: at}
	for _, c := range t.fields {
		if c.at >= 0 && c.field.Each && row.Cell(c.at).Kind == load.CellList {
			for _, item := range row.Cell(c.at).Items() {
				if v, given, _ := read(c, item); given {
					e.assertField(single(c.field), value, v)
				}
			}
			continue
		}
		if c.at >= 0 {
			v, given, ok := cell(c)
			if given {
				e.assertField(single(c.field), value, v)
			}
			if given || !ok {
				continue
			}
		}
		if c.field.Default != nil && !c.field.Each {
			if v, ok := e.constant(c.field.Default); ok {
				value.Default = true
				e.assertField(c.field, value, v)
				value.Default = false
			}
		}
	}
	return wrong
}

// single is f as a row fills it: one item of a collection a row.
func single(f *Field) *Field {
	one := *f
	one.Each = false
	return &one
}

func quoted(c load.Cell) string {
	if c.Kind == load.CellMissing || c.Kind == load.CellNull {
		return "nothing"
	}
	text := c.Text
	if len(text) > 60 {
		text = strings.ToValidUTF8(text[:60], "") + "…"
	}
	return fmt.Sprintf("%q", text)
}

// cell reads a cell as a value of type t. Text is written as a literal without
// quotes; an individual by its name.
func (e *Env) cell(c load.Cell, t abi.Type) (v abi.Value, empty bool, problem string) {
	t = strip(t)
	if c.Kind == load.CellMissing || c.Kind == load.CellNull || c.Kind == load.CellText && c.Text == "" && t.Op != abi.TypeString {
		return abi.NoneValue(), true, ""
	}
	if c.Kind == load.CellList {
		return v, false, "only a field [T] takes an array"
	}
	if c.Kind == load.CellBool && t.Op != abi.TypeBool || c.Kind == load.CellNumber && !amount(t) {
		return v, false, "it is of another kind"
	}
	return e.ReadValue(c.Text, t)
}

// ReadValue reads text as a value of type t: what a literal of t is, without
// quotes; the tag of an enum constant; the name of an individual, which is a
// declared one where the name is qualified or unambiguous.
func (e *Env) ReadValue(text string, t abi.Type) (v abi.Value, empty bool, problem string) {
	as := func(kind syntax.LitKind, text, want string) (abi.Value, bool, string) {
		v, _, ok := Literal(kind, text)
		if !ok {
			return v, false, want
		}
		return v, false, ""
	}
	switch t.Op {
	case abi.TypeString:
		return abi.StringValue(text), false, ""
	case abi.TypeBool:
		if text != "true" && text != "false" {
			return v, false, "write true or false"
		}
		return as(syntax.BoolLit, text, "")
	case abi.TypeNat, abi.TypeInt:
		v, empty, problem = as(syntax.IntLit, text, "write digits")
		if problem == "" && t.Op == abi.TypeNat && v.Number().Sign() < 0 {
			problem = "it is negative"
		}
		if problem == "" && t.Name != "" && !within(v, t) {
			problem = "it is out of the bounds of " + t.Name
		}
		return v, empty, problem
	case abi.TypeReal, abi.TypeDecimal:
		return as(syntax.DecimalLit, text, "write digits, and a point where it has a fraction")
	case abi.TypeMoney:
		if strings.Contains(text, " ") {
			return as(syntax.MoneyLit, text, "write an amount and a currency: 12.50 EUR")
		}
		return as(syntax.DecimalLit, text, "write an amount: 12.50, or 12.50 EUR")
	case abi.TypeDate:
		return as(syntax.DateLit, text, "write the date as 2031-07-04")
	case abi.TypeDateTime:
		return as(syntax.DateTimeLit, text, "write the instant as 2031-07-04T10:00:00Z")
	case abi.TypeTime:
		if len(text) == len("10:30") {
			text += ":00"
		}
		return as(syntax.TimeLit, text, "write the time as 10:30:00")
	case abi.TypeEnum:
		if n := e.Enums[t.Name]; n != nil {
			if variant := n.Variant(text[strings.LastIndex(text, ":")+1:]); variant != nil && (variant.Short == text || variant.Name == text) {
				if len(variant.Fields) > 0 {
					return v, false, "a constant with a payload cannot be written in a cell"
				}
				return abi.SymbolValue(variant.Name), false, ""
			}
			var tags []string
			for _, variant := range n.Variants {
				tags = append(tags, variant.Short)
			}
			return v, false, "write one of " + strings.Join(tags, ", ")
		}
	case abi.TypeRef:
		return e.readReference(text, t)
	case abi.TypeConcept, abi.TypeTop:
		if found := e.World.Individuals(text); len(found) > 1 {
			return v, false, "it may be " + found[0].Qualified + " or " + found[1].Qualified + "; write which"
		}
		return abi.NamedValue(e.Individual(text)), false, ""
	}
	return v, false, "a cell cannot hold such a value"
}

// Individual returns the qualified name of the declared individual that text
// names, or text itself.
func (e *Env) Individual(text string) string {
	if found := e.World.Individuals(text); len(found) == 1 {
		return found[0].Qualified
	}
	return text
}
