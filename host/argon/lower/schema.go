package lower

import (
	"fmt"
	"sort"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
	"github.com/ox-mcp/ox-mcp/host/argon/types"
	"github.com/ox-mcp/ox-mcp/host/argon/workers"
)

// schemaAside makes the schema of m beside what b does until wait is called: by
// what is declared now, and the checks.
func (b *builder) schemaAside(checks []abi.Check, m *Module) (wait func()) {
	env := *b.env
	of := &builder{env: &env}
	return workers.Aside(workers.Count(b.workers), func() { m.Schema = of.schema(checks) })
}

// schema lists what the package and its dependencies declare; the standard
// packages are left out.
func (b *builder) schema(checks []abi.Check) Schema {
	s := &schemaBuilder{b: b, lines: map[string]*lineIndex{}}
	for _, c := range b.env.ConceptList {
		s.concept(c)
	}
	for _, r := range b.env.RelList {
		s.relation(r)
	}
	for _, st := range b.env.StructList {
		if out := s.construct(st.Symbol, "struct", -1); out != nil {
			out.Fields = fields(st.Fields, "")
			out.Signature = visibility(st.Symbol) + "struct " + st.Symbol.Name + typeParamText(st.Params) + fieldText(out.Fields)
		}
	}
	for _, n := range b.env.EnumList {
		if n.Symbol.Kind == resolve.EnumKind {
			s.enum(n)
		}
	}
	for _, a := range b.env.AxisList {
		s.axis(a)
	}
	for _, pr := range b.env.PredicateList {
		if out := s.construct(pr.Symbol, "derive", pr.Rel); out != nil {
			out.Name = pr.Name
			out.Params = columns(pr.Columns)
			out.Signature = visibility(pr.Symbol) + "derive " + pr.Symbol.Name + paramText(out.Params)
		}
	}
	for _, f := range b.env.FnList {
		if f.Symbol == nil {
			continue
		}
		if out := s.construct(f.Symbol, "fn", f.Index); out != nil {
			out.Params, out.Result = params(f.Params), types.Print(f.Result)
			out.Signature = visibility(f.Symbol) + "fn " + f.Symbol.Name + typeParamText(f.Vars) + paramText(out.Params) + " -> " + out.Result
		}
	}
	for _, q := range b.env.QueryList {
		s.query(q)
	}
	for _, m := range b.env.MutationList {
		if m.Symbol == nil {
			continue
		}
		if out := s.construct(m.Symbol, "mutate", m.Index); out != nil {
			out.Params = params(m.Params)
			out.Signature = visibility(m.Symbol) + "mutate " + m.Symbol.Name + paramText(out.Params)
			if m.Result != nil {
				out.Result = types.Print(*m.Result)
				out.Signature += " -> " + out.Result
			}
		}
	}
	for i, c := range checks {
		if c.Guard {
			continue
		}
		declared := b.env.Checks[c.Name]
		if out := s.construct(declared.Symbol, "check", i); out != nil {
			out.Params = columns(b.env.Relations[c.Relation].Columns[:min(declared.Params, len(b.env.Relations[c.Relation].Columns))])
			out.Signature = visibility(declared.Symbol) + "check " + declared.Symbol.Name + paramText(out.Params)
			if c.Code != "" {
				out.Result = c.Code
			}
		}
	}
	s.tests()
	s.introducers()
	s.standpoints()
	sort.SliceStable(s.list, func(i, j int) bool {
		if s.list[i].Name != s.list[j].Name {
			return s.list[i].Name < s.list[j].Name
		}
		return s.list[i].Kind < s.list[j].Kind
	})
	out := Schema{Constructs: make([]Construct, len(s.list))}
	for i, c := range s.list {
		out.Constructs[i] = *c
	}
	return out
}

type schemaBuilder struct {
	b     *builder
	list  []*Construct
	lines map[string]*lineIndex
}

// construct adds an entry for sym, or returns nil if sym is of the standard
// packages.
func (s *schemaBuilder) construct(sym *resolve.Symbol, kind string, index int) *Construct {
	if sym == nil || sym.Module.Package == s.b.env.World.Std {
		return nil
	}
	c := &Construct{Name: sym.Qualified, Kind: kind, Public: sym.Vis != syntax.Private, Place: s.b.linePlace(s.lines, sym.Place), Index: index}
	for _, item := range sym.Items {
		if doc := item.Head().Doc; doc != "" && c.Doc == "" {
			c.Doc = doc
		}
	}
	s.list = append(s.list, c)
	return c
}

func (s *schemaBuilder) concept(c *types.Concept) {
	out := s.construct(c.Symbol, "concept", c.Rel)
	if out == nil {
		return
	}
	out.World, out.WorldFrom = s.world(c.Rel, c.Node.Attrs, c.Symbol.Module.Package.OpenWorld)
	out.Fields = fields(c.Fields, "")
	own := fieldText(out.Fields)
	seen := map[string]bool{}
	for _, f := range c.Fields {
		seen[f.Name] = true
	}
	for _, up := range ancestors(c) {
		for _, f := range fields(up.Fields, up.Name) {
			if !seen[f.Name] {
				seen[f.Name] = true
				out.Fields = append(out.Fields, f)
			}
		}
	}
	text := visibility(c.Symbol) + c.Node.Introducer.String() + " " + c.Symbol.Name
	for i, up := range c.Supers {
		out.Supers = append(out.Supers, up.Name)
		text += map[bool]string{true: " <: ", false: ", "}[i == 0] + short(up.Name)
	}
	if r := c.Node.Refinement; r != nil {
		text += " " + strings.Join(strings.Fields(c.Symbol.Module.Source.Text[r.Start:r.End]), " ")
	}
	for i, h := range c.InstanceOf {
		text += map[bool]string{true: " : ", false: ", "}[i == 0] + short(h.Name)
	}
	if cover := c.Node.Cover; len(cover) > 0 {
		var names []string
		for _, p := range cover {
			names = append(names, p.String())
		}
		own = " { " + strings.Join(names, ", ") + " }"
	}
	out.Signature = text + own
}

// ancestors returns what is above c, nearest first.
func ancestors(c *types.Concept) []*types.Concept {
	seen := map[*types.Concept]bool{c: true}
	var list []*types.Concept
	queue := c.Supers
	for at := 0; at < len(queue); at++ {
		if !seen[queue[at]] {
			seen[queue[at]] = true
			list = append(list, queue[at])
			queue = append(queue[:len(queue):len(queue)], queue[at].Supers...)
		}
	}
	return list
}

func (s *schemaBuilder) relation(r *types.Relation) {
	out := s.construct(r.Symbol, "relation", r.Rel)
	if out == nil {
		return
	}
	out.Params = columns(r.Columns)
	out.World, out.WorldFrom = s.world(r.Rel, r.Node.Attrs, false)
	out.Fields = fields(r.Fields, "")
	own := fieldText(out.Fields)
	for _, up := range r.Ancestors()[1:] {
		out.Fields = append(out.Fields, fields(up.Fields, up.Name)...)
	}
	text := visibility(r.Symbol) + r.Node.Introducer.String() + " " + r.Symbol.Name + paramText(out.Params)
	for _, c := range r.Node.Cardinalities {
		high := "*"
		if c.Max >= 0 {
			high = fmt.Sprint(c.Max)
		}
		text += fmt.Sprintf(" [%d..%s]", c.Min, high)
	}
	for i, up := range r.Supers {
		out.Supers = append(out.Supers, up.Name)
		text += map[bool]string{true: " <: ", false: ", "}[i == 0] + short(up.Name)
	}
	if len(r.Fields) > 0 {
		text += own
	}
	out.Signature = text
}

func (s *schemaBuilder) enum(n *types.Enum) {
	out := s.construct(n.Symbol, "enum", -1)
	if out == nil {
		return
	}
	for _, v := range n.Variants {
		text := v.Short
		var parts []string
		for _, f := range v.Fields {
			part := types.Print(f.Type)
			if v.Named {
				part = f.Name + ": " + part
			}
			parts = append(parts, part)
		}
		switch {
		case v.Named:
			text += " { " + strings.Join(parts, ", ") + " }"
		case len(parts) > 0:
			text += "(" + strings.Join(parts, ", ") + ")"
		}
		out.Variants = append(out.Variants, text)
	}
	out.Signature = visibility(n.Symbol) + "enum " + n.Symbol.Name + typeParamText(n.Params) + " { " + strings.Join(out.Variants, ", ") + " }"
}

func (s *schemaBuilder) query(q *types.Query) {
	out := s.construct(q.Symbol, "query", q.Index)
	if out == nil {
		return
	}
	out.Params = params(q.Params)
	var cols []string
	for _, c := range q.Columns {
		cols = append(cols, c.Name+": "+types.Print(c.Type))
	}
	out.Result = "[" + strings.Join(cols, ", ") + "]"
	out.Signature = visibility(q.Symbol) + "query " + q.Symbol.Name + paramText(out.Params) + " -> " + out.Result
	if out.Across = q.Across; len(q.Across) > 0 {
		out.Signature += " across [" + strings.Join(q.Across, ", ") + "]"
	}
}

func (s *schemaBuilder) tests() {
	for i, t := range s.b.env.TestList {
		if t.Module.Package == s.b.env.World.Std {
			continue
		}
		place := t.Node.Decl.Span
		c := &Construct{
			Name: t.Module.Path + "::" + t.Name, Kind: "test", Doc: t.Node.Doc, Signature: fmt.Sprintf("test %q", t.Name), Index: i,
			Place: s.b.linePlace(s.lines, s.b.place(s.b.env.Span(t.Module, place))),
		}
		s.list = append(s.list, c)
	}
}

func (s *schemaBuilder) introducers() {
	for _, p := range s.b.env.World.Packages {
		for _, m := range p.Modules {
			for _, sym := range m.SymbolsOf(resolve.Kinds(resolve.TraitKind, resolve.MacroKind, resolve.MetatypeKind, resolve.MetarelKind)) {
				switch sym.Kind {
				case resolve.TraitKind:
					s.trait(sym)
				case resolve.MacroKind:
					s.macro(sym)
				case resolve.MetatypeKind:
					if out := s.construct(sym, "metatype", -1); out != nil {
						node := sym.Items[0].(*syntax.Metatype)
						out.Signature = visibility(sym) + modifiers(node.Abstract, node.Fixed) + "metatype " + sym.Name + s.onAxes(sym, " = ")
					}
				case resolve.MetarelKind:
					if out := s.construct(sym, "metarel", -1); out != nil {
						node := sym.Items[0].(*syntax.Metarel)
						for _, p := range node.Positions {
							param := Param{Name: p.Name.Name}
							if t, ok := p.Type.(*syntax.NamedType); ok {
								param.Type = t.Path.String()
							}
							out.Params = append(out.Params, param)
						}
						out.Signature = visibility(sym) + modifiers(node.Abstract, node.Fixed) + "metarel " + sym.Name + paramText(out.Params) + s.onAxes(sym, " ")
					}
				}
			}
		}
	}
}

func modifiers(abstract, fixed bool) string {
	s := ""
	if abstract {
		s += "abstract "
	}
	if fixed {
		s += "fixed "
	}
	return s
}

func visibility(sym *resolve.Symbol) string {
	switch sym.Vis {
	case syntax.Public:
		return "pub "
	case syntax.PubPackage:
		return "pub(pkg) "
	}
	return ""
}

func fields(list []*types.Field, from string) []Field {
	var out []Field
	for _, f := range list {
		out = append(out, Field{
			Name: f.Name, Type: types.Print(f.Type), Mut: f.Mut, From: from,
			Required: f.Type.Op != abi.TypeOption && f.Type.Op != abi.TypeList && f.Type.Op != abi.TypeSet && f.Node.Default == nil && f.View == nil,
		})
	}
	return out
}

func fieldText(list []Field) string {
	if len(list) == 0 {
		return ""
	}
	var parts []string
	for _, f := range list {
		text := f.Name + ": " + f.Type
		if f.Mut {
			text = "mut " + text
		}
		parts = append(parts, text)
	}
	return " { " + strings.Join(parts, ", ") + " }"
}

func params(list []abi.Param) []Param {
	var out []Param
	for _, p := range list {
		out = append(out, Param{p.Name, types.Print(p.Type)})
	}
	return out
}

func columns(list []abi.Column) []Param {
	var out []Param
	for _, c := range list {
		out = append(out, Param{c.Name, types.Print(c.Type)})
	}
	return out
}

func paramText(list []Param) string {
	var parts []string
	for _, p := range list {
		if p.Type == "" {
			parts = append(parts, p.Name)
			continue
		}
		parts = append(parts, p.Name+": "+p.Type)
	}
	return "(" + strings.Join(parts, ", ") + ")"
}
