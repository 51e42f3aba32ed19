package types

import (
	"context"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/load"
	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// Elaborate types every declaration of w, which is the names of ws. The result is whole only if nothing of
// severity Error was reported to diags; it is the same for any number of
// workers, of which zero means as many as there are processors.
func Elaborate(ctx context.Context, w *resolve.World, ws *load.Workspace, diags *diag.List, workers int) (*Env, error) {
	e := &Env{
		workers: workers, ctx: ctx,
		Text:  ws.Text,
		World: w, diags: diags, files: map[string]int{}, selves: map[*resolve.Symbol]abi.Type{}, needless: map[*resolve.Impl]bool{}, introducers: map[string]bool{},
		Concepts: map[string]*Concept{}, Structs: map[string]*Struct{}, Enums: map[string]*Enum{},
		Predicates: map[string]*Predicate{}, derived: map[*resolve.Symbol]bool{}, Rels: map[string]*Relation{}, Fns: map[string]*Fn{},
		Queries: map[string]*Query{}, Mutations: map[string]*Mutation{}, Checks: map[string]*Check{},
		Axes: map[string]*Axis{}, Metas: map[string]*Meta{}, Catalog: map[string]int{},
	}
	e.file("") // index 0 is "nowhere"
	var relations int
	e.list, relations = listed(w)
	e.Relations = make([]abi.Relation, 0, relations)
	passes := []func(*resolve.Module, *resolve.Symbol, syntax.Item){
		e.declareType, e.declareShape, e.declareSignature,
	}
	e.maxTiers()
	for _, pass := range passes {
		if err := e.items(ctx, pass); err != nil {
			return nil, err
		}
	}
	e.worlds()
	e.covers()
	e.standpoints()
	e.breakCycles()
	e.traits()
	e.dispatches()
	e.fieldClashes()
	e.relationFieldClashes()
	e.views()
	if err := e.metaPlane(ctx); err != nil {
		return nil, err
	}
	if err := e.instances(ctx); err != nil {
		return nil, err
	}
	if err := e.items(ctx, e.typeIndividuals()); err != nil {
		return nil, err
	}
	e.factTables()
	e.foldDefaults()
	e.inferPredicates()
	for _, pass := range []func(*resolve.Module, *resolve.Symbol, syntax.Item){e.fact, e.membership, e.group} {
		if err := e.items(ctx, pass); err != nil {
			return nil, err
		}
	}
	if err := e.bodies(ctx); err != nil {
		return nil, err
	}
	if err := e.items(ctx, noted[CapturedIn](e, e.captured)); err != nil {
		return nil, err
	}
	e.factFiles()
	e.boundsOfTypes()
	e.finishClosures()
	e.escapes()
	e.list, e.ctx = nil, nil
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return e, nil
}

// items calls do for every item with the symbol it declares; the symbol is nil
// for an item without one, and for one whose name was taken.
func (e *Env) items(ctx context.Context, do func(*resolve.Module, *resolve.Symbol, syntax.Item)) error {
	for i := range e.list {
		if i%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		do(e.list[i].module, e.list[i].symbol, e.list[i].item)
	}
	return nil
}

// declared is an item with the symbol that it declares.
type declared struct {
	module *resolve.Module
	symbol *resolve.Symbol
	item   syntax.Item
}

// listed returns every item, and how many relations they may make together with
// their checks.
func listed(w *resolve.World) (list []declared, relations int) {
	n := 0
	for _, p := range w.Packages {
		for _, m := range p.Modules {
			n += len(m.Items) + len(m.Extra())
		}
	}
	list = make([]declared, 0, n)
	for _, p := range w.Packages {
		for _, m := range p.Modules {
			for _, item := range m.Items {
				list = append(list, declared{m, m.Declared(item), item})
			}
			for _, member := range m.Extra() {
				list = append(list, declared{member.Module, member.Symbol, member.Item})
			}
		}
	}
	for i := range list {
		switch it := list[i].item.(type) {
		case *syntax.Concept:
			relations += 2 + len(it.Members) + len(it.Members)/2
		case *syntax.Relation:
			relations += 2 + 2*len(it.Params) + len(it.Fields)
		case *syntax.Derive, *syntax.Check:
			relations++
		}
	}
	return list, relations
}

// declareType enters concepts, structs and enums by name, so that types can
// refer to them in any order, and reports what is not taken yet.
func (e *Env) declareType(m *resolve.Module, sym *resolve.Symbol, item syntax.Item) {
	e.file(m.Source.Path)
	e.attributes(m, item)
	switch it := item.(type) {
	case *syntax.Unsupported:
		if it.What == syntax.UnsafeLogic {
			e.report(m, "OE1354", e.headline(m, it), unsafeHelp, "unsafe logic is not evaluated")
			break
		}
		e.unsupported(m, e.headline(m, it), it.What, "")
	}
	if sym == nil {
		return
	}
	if _, taken := primordial[sym.Name]; taken || (IsRef(sorts[sym.Name]) || builtinArgs[sym.Name] > 0 || sym.Name == "Result" || truthTypes[sym.Name]) && m.Package != e.World.Std {
		switch item.(type) {
		case *syntax.Concept, *syntax.Struct, *syntax.Enum:
			e.report(m, "OE0262", item.Head().Name.Span, "give it another name", "%s is a type of the language", sym.Name)
		}
	}
	switch it := item.(type) {
	case *syntax.Concept:
		c := &Concept{Name: sym.Qualified, Symbol: sym, Node: it}
		e.Concepts[c.Name] = c
		e.ConceptList = append(e.ConceptList, c)
		columns := []abi.Column{{Name: "self", Type: c.Type()}}
		c.Plus = -1
		if !c.Defined() {
			c.Plus = e.relation(abi.Relation{Name: c.Name + "+", Origin: abi.OriginConcept, Columns: columns, Span: e.Span(m, it.Name.Span)})
		}
		c.Rel = e.relation(abi.Relation{Name: c.Name, Role: abi.Derived, Origin: abi.OriginConcept, Columns: columns, Asserted: c.Plus, Span: e.Span(m, it.Name.Span)})
	case *syntax.Struct:
		s := &Struct{Name: sym.Qualified, Symbol: sym, Node: it}
		e.Structs[s.Name] = s
		e.StructList = append(e.StructList, s)
	case *syntax.Metaxis:
		e.declareAxis(sym, it)
	case *syntax.Enum:
		n := &Enum{Name: sym.Qualified, Symbol: sym, Node: it}
		e.Enums[n.Name] = n
		e.EnumList = append(e.EnumList, n)
	}
}

// relation adds r and returns its index. Asserted of a Derived relation is
// taken as it stands; that of a Base relation, and Refuted, are set to none.
func (e *Env) relation(r abi.Relation) int {
	if e.spoils() {
		return 0
	}
	if r.Role == abi.Base {
		r.Asserted = -1
	}
	r.Refuted = -1
	e.Relations = append(e.Relations, r)
	return len(e.Relations) - 1
}

// refuted returns the base relation of refuted tuples beside rel, which is
// made when something refutes.
func (e *Env) refuted(rel int) int {
	if at := e.Relations[rel].Refuted; at >= 0 {
		return at
	}
	if e.spoils() {
		return 0
	}
	r := e.Relations[rel]
	at := e.relation(abi.Relation{Name: r.Name + "-", Origin: r.Origin, Columns: r.Columns, Span: r.Span})
	e.Relations[rel].Refuted = at
	return at
}

// declareShape gives concepts, relations, structs and enums their fields,
// columns and supertypes.
func (e *Env) declareShape(m *resolve.Module, sym *resolve.Symbol, item syntax.Item) {
	if sym == nil {
		return
	}
	switch it := item.(type) {
	case *syntax.Concept:
		e.concept(m, e.Concepts[sym.Qualified], it)
	case *syntax.Relation:
		e.declareRelation(m, sym, it)
	case *syntax.Struct:
		s := e.Structs[sym.Qualified]
		params, done := e.generic(m, s.Name, it.TypeParams, it.Where)
		defer done()
		s.Params = params
		s.Fields = e.valueFields(m, it.Fields)
	case *syntax.Enum:
		n := e.Enums[sym.Qualified]
		params, done := e.generic(m, n.Name, it.TypeParams, it.Where)
		defer done()
		n.Params = params
		seen := map[string]bool{}
		for _, v := range it.Variants {
			if seen[v.Name.Name] {
				e.report(m, "OE0262", v.Name.Span, "", "enum %s has the constant %s twice", n.Name, v.Name.Name)
				continue
			}
			seen[v.Name.Name] = true
			variant := &Variant{Name: n.Name + "::" + v.Name.Name, Short: v.Name.Name, Named: v.Braces, Fields: e.valueFields(m, v.Fields)}
			for _, t := range v.Tuple {
				variant.Fields = append(variant.Fields, &Field{Type: e.resolveType(m, t), Relation: -1, Node: &syntax.Field{}, Module: m})
			}
			n.Variants = append(n.Variants, variant)
		}
	}
}

func (e *Env) concept(m *resolve.Module, c *Concept, it *syntax.Concept) {
	if sym := e.World.Lookup(m, it.Introducer, resolve.Kinds(resolve.MetatypeKind)); sym != nil {
		mt := sym.Items[0].(*syntax.Metatype)
		c.Abstract, c.Fixed = mt.Abstract, mt.Fixed
	} else {
		e.introducer(m, "OE0605", it.Introducer, "metatype", "type", resolve.MetatypeKind)
	}
	params, done := e.generic(m, c.Name, it.TypeParams, nil)
	defer done()
	c.Params, c.unknown = params, e.erased(params)
	for i, path := range it.Supers {
		if path.String() == "Top" && e.World.Lookup(m, path, resolve.Kinds(resolve.ConceptKind)) == nil {
			e.report(m, "OE0101", path.Span, "leave it out of the supertypes", "Top is no concept: everything is of it already")
			continue
		}
		sym := e.World.Resolve(m, path, resolve.Kinds(resolve.ConceptKind))
		if sym != nil {
			if up := e.Concepts[sym.Qualified]; up != nil {
				c.Supers = append(c.Supers, up)
				e.superArgs(m, c, up, path, it.SuperArgs[i])
			}
		}
	}
	e.erase = c.unknown
	defer func() { e.erase = nil }()
	seen := map[string]bool{}
	for _, member := range it.Members {
		switch {
		case member.Field != nil:
			if f := e.storedField(m, c.Name, member.Field, []abi.Column{{Name: "self", Type: c.Type()}}, seen); f != nil {
				if f.Node.From != nil {
					f.View = &View{} // filled once the relations are known
					e.Relations[f.Relation].Role = abi.Derived
				}
				c.Fields = append(c.Fields, f)
			}
		}
	}
}

// storedField declares a field that has a relation of its own, keyed by keys.
func (e *Env) storedField(m *resolve.Module, owner string, node *syntax.Field, keys []abi.Column, seen map[string]bool) *Field {
	if list, ok := node.Type.(*syntax.ListType); ok && len(keys) == 1 {
		e.counted = list // what a concept stores can be counted: see lower
	}
	f := e.field(m, node, seen)
	if f == nil {
		return nil
	}
	if len(e.erase) > 0 {
		f.Over = f.Type
		f.Type = e.erase.in(f.Type)
	}
	f.Each = collection(f.Type)
	f.Optional = f.Type.Op == abi.TypeOption
	columns := append(append([]abi.Column(nil), keys...), abi.Column{Name: f.Name, Type: f.Stored()})
	r := abi.Relation{Name: owner + "." + f.Name, Origin: abi.OriginField, Columns: columns, Mut: f.Mut, Span: e.Span(m, node.Name.Span)}
	if !f.Each {
		for i := range keys {
			r.Key = append(r.Key, i)
		}
	}
	f.Relation = e.relation(r)
	return f
}

func (e *Env) valueFields(m *resolve.Module, nodes []*syntax.Field) []*Field {
	var fields []*Field
	seen := map[string]bool{}
	for _, node := range nodes {
		if f := e.field(m, node, seen); f != nil {
			fields = append(fields, f)
		}
	}
	return fields
}

func (e *Env) field(m *resolve.Module, node *syntax.Field, seen map[string]bool) *Field {
	name := node.Name.Name
	if name == "" {
		return nil
	}
	if seen[name] {
		e.report(m, "OE0262", node.Name.Span, "", "the field %s is declared twice", name)
		return nil
	}
	seen[name] = true
	for _, a := range node.Attrs {
		e.attribute(m, a, "field")
	}
	if node.From != nil {
		e.viewForm(m, node)
	}
	return &Field{Name: name, Node: node, Module: m, Type: e.resolveType(m, node.Type), Mut: node.Mut, Relation: -1}
}

func (e *Env) declareRelation(m *resolve.Module, sym *resolve.Symbol, it *syntax.Relation) {
	r := &Relation{Name: sym.Qualified, Symbol: sym, Node: it}
	seen := map[string]bool{}
	for _, p := range it.Params {
		if p.Name.Name != "" && seen[p.Name.Name] {
			e.report(m, "OE0262", p.Name.Span, "", "the endpoint %s is declared twice", p.Name.Name)
		}
		seen[p.Name.Name] = true
		if p.Type == nil {
			e.report(m, "OE0257", p.Span, "write "+p.Name.Name+": T", "an endpoint of a relation needs a type")
		}
		r.Columns = append(r.Columns, abi.Column{Name: p.Name.Name, Type: e.resolveType(m, p.Type)})
	}
	span := e.Span(m, it.Name.Span)
	r.Plus = e.relation(abi.Relation{Name: r.Name + "+", Origin: abi.OriginRelation, Columns: r.Columns, Span: span})
	r.Rel = e.relation(abi.Relation{Name: r.Name, Role: abi.Derived, Origin: abi.OriginRelation, Columns: r.Columns, Asserted: r.Plus, Span: span})
	for _, f := range it.Fields {
		if f := e.storedField(m, r.Name, f, r.Columns, seen); f != nil {
			r.Fields = append(r.Fields, f)
		}
	}
	e.Rels[r.Name] = r
	e.RelList = append(e.RelList, r)
	e.metarel(m, r, it)
}

// metarel checks the introducer of a relation and the metatypes it asks of the
// endpoints.
func (e *Env) metarel(m *resolve.Module, r *Relation, it *syntax.Relation) {
	sym := e.World.Lookup(m, it.Introducer, resolve.Kinds(resolve.MetarelKind))
	if sym == nil {
		e.introducer(m, "OE0606", it.Introducer, "metarel", "rel", resolve.MetarelKind)
		return
	}
	for i, pos := range sym.Items[0].(*syntax.Metarel).Positions {
		named, ok := pos.Type.(*syntax.NamedType)
		if !ok || i >= len(r.Columns) || r.Columns[i].Type.Op != abi.TypeConcept {
			continue
		}
		want := e.World.Lookup(sym.Module, named.Path, resolve.Kinds(resolve.MetatypeKind))
		if want == nil || want.Qualified == "std::core::type" {
			continue
		}
		c := e.Concepts[r.Columns[i].Type.Name]
		if c == nil {
			continue
		}
		got := e.World.Lookup(c.Symbol.Module, c.Node.Introducer, resolve.Kinds(resolve.MetatypeKind))
		if got != nil && got.Qualified != want.Qualified {
			e.report(m, "OE0631", it.Params[i].Span, "fill the position with a concept that "+want.Name+" introduces",
				"position %d of %s is %s, introduced by %s, and the metarel %s wants %s there",
				i, r.Name, c.Name, got.Name, sym.Name, want.Name)
		}
	}
}

func (e *Env) introducer(m *resolve.Module, code string, path syntax.Path, word, std string, kind resolve.Kind) {
	if path.String() == "" {
		return
	}
	// One missing import is one mistake, however many declarations need it.
	key := m.Path + " " + path.String()
	if e.introducers[key] {
		return
	}
	if e.spoils() {
		return
	}
	e.introducers[key] = true
	d := diag.Diagnostic{Code: code, Place: place(m, path.Span), Follows: e.World.Unimported(m, path.String()), Message: "no " + word + " " + path.String() + " is in scope, and a declaration begins with one"}
	if path.String() == "type" || path.String() == "rel" {
		d.Help = "use std::core::{type, rel};"
		d.Fix = m.ImportFix("std::core::" + path.String())
	} else {
		if e.hints < maxHints {
			d.Help = e.nearest(path.String(), e.World.Names(m, nil, resolve.Kinds(kind)))
		}
		if d.Help == "" {
			d.Help = "declare it with `pub " + word + "`, import it, or begin with `" + std + "` of std::core"
		}
	}
	e.diags.Add(d)
}

// headline is the first line of an item: enough to point at something long.
func (e *Env) headline(m *resolve.Module, it syntax.Item) syntax.Span {
	s := it.Range()
	text := e.text(m)
	for i := s.Start; i < s.End && i < len(text); i++ {
		if text[i] == '\n' {
			return syntax.Span{Start: s.Start, End: i}
		}
	}
	return s
}
