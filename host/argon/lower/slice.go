package lower

import (
	"maps"
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/types"
)

// Slice is the part of an edited program that some of its checks go by, as a
// module of its own. What it finds is what the whole program finds.
//
// It is cut from the checks down: what the edits have to do with, and all that
// this reads, from rules that no program holds yet, so that constants, functions
// and places are numbered anew. The runtime cuts a program for another reason,
// and from the facts up: of a large module that is whole it leaves out the rules
// that declared facts alone cannot fire.
type Slice struct {
	Module *Module
	// Checks are those that may find something else than before the edits: by
	// check of Module's program, its index in the program before.
	Checks []int
	Files  []string // that its places are in
}

// Slice returns the part of the edited program that the checks go by that the
// edits have to do with, and those that may find something else at another time;
// m is the module that the Draft is of. at says where a place of a file is after
// the edits. ok is false where something may ask for more than the part: an
// evaluator of its own, declarations.
func (r *Redrawn) Slice(m *Module, at func(path string, start, end int) (int, int, bool)) (s *Slice, ok bool) {
	p := &m.Program
	for i := range p.Checks {
		if p.Checks[i].Evaluator != "" {
			return nil, false
		}
	}
	c := &cutter{r: r, m: m, relations: map[int]int{}, functions: map[int]int{}, rules: map[int][]abi.Rule{}, fns: map[int]abi.Function{}}
	out := &Slice{Checks: r.d.affected(r, m), Module: &Module{Standpoints: m.Standpoints}}
	var checks []abi.Check
	for _, i := range out.Checks {
		k, edited := r.checks[i]
		if !edited {
			k = p.Checks[i]
		} else if k.Evaluator != "" {
			return nil, false
		}
		k.Payload = copyPayload(k.Payload)
		for _, col := range r.b.env.Relations[k.Relation].Columns {
			if col.Type.Op == abi.TypeRef {
				return nil, false // it is about declarations, and says where they are
			}
		}
		c.relation(k.Relation)
		abi.References{Relation: c.reads, Function: c.calls}.Payload(&k.Payload)
		checks = append(checks, k)
	}
	c.follow()
	program, ok := c.program(checks, at)
	if !ok {
		return nil, false
	}
	out.Module.Program, out.Files = *program, c.files
	out.Module.Facts, out.Module.Periods = c.facts(m.Facts), c.facts(m.Periods)
	out.Module.Schema = c.schema(program, out.Checks)
	out.Module.Tiers = make([]RuleTier, len(program.Rules))
	return out, program.Validate() == nil
}

func copyPayload(p abi.Payload) abi.Payload {
	return abi.Payload{Severity: copyExpr(p.Severity), Code: copyExpr(p.Code), Message: copyExpr(p.Message)}
}

// cutter takes a part out of the edited program: what is needed of it, by its
// index there, and copies of the rules and functions.
type cutter struct {
	r         *Redrawn
	m         *Module
	relations map[int]int // to their indexes in the part, once they are known
	functions map[int]int
	rules     map[int][]abi.Rule // by head
	fns       map[int]abi.Function
	todo      []int // relations whose rules were not looked at
	todoFns   []int
	files     []string // that places are in
}

func (c *cutter) reads(rel *int) { c.relation(*rel) }

func (c *cutter) relation(rel int) {
	if _, known := c.relations[rel]; !known && rel >= 0 {
		c.relations[rel] = 0
		c.todo = append(c.todo, rel)
	}
}

func (c *cutter) calls(f *int) {
	if _, known := c.functions[*f]; !known {
		c.functions[*f] = 0
		c.todoFns = append(c.todoFns, *f)
	}
}

// follow adds what the relations and functions need.
func (c *cutter) follow() {
	v := abi.References{Relation: c.reads, Function: c.calls}
	for len(c.todo)+len(c.todoFns) > 0 {
		if n := len(c.todoFns); n > 0 {
			i := c.todoFns[n-1]
			c.todoFns = c.todoFns[:n-1]
			f, edited := c.r.bodies[i]
			if !edited {
				f = c.m.Program.Functions[i]
			}
			f.Body = copyExpr(f.Body)
			v.Expr(&f.Body)
			c.fns[i] = f
			continue
		}
		n := len(c.todo)
		rel := c.todo[n-1]
		c.todo = c.todo[:n-1]
		known := &c.r.b.env.Relations[rel]
		c.relation(known.Asserted)
		c.relation(known.Refuted)
		add := func(r abi.Rule) {
			r.Args, r.Body = slices.Clone(r.Args), copyAtoms(r.Body)
			v.Rule(&r)
			c.rules[rel] = append(c.rules[rel], r)
		}
		if old := c.r.d.b; rel < len(old.byHead) {
			for _, i := range old.byHead[rel] {
				if !c.r.gone[i] {
					add(old.rules[i])
				}
			}
		}
		for i := range c.r.b.rules {
			if c.r.b.rules[i].Head == rel {
				add(c.r.b.rules[i])
			}
		}
	}
}

// program numbers the part anew, in the order of the whole.
func (c *cutter) program(checks []abi.Check, at func(string, int, int) (int, int, bool)) (*abi.Program, bool) {
	env := c.r.b.env
	p := &abi.Program{ABI: abi.Version, Module: c.m.Program.Module, Files: env.Files}
	for n, rel := range slices.Sorted(maps.Keys(c.relations)) {
		c.relations[rel] = n
		p.Relations = append(p.Relations, env.Relations[rel])
	}
	for n, f := range slices.Sorted(maps.Keys(c.functions)) {
		c.functions[f] = n
		p.Functions = append(p.Functions, c.fns[f])
	}
	ok := true
	constants := map[int]int{}
	number := abi.References{
		Relation: func(i *int) { *i = c.relations[*i] },
		Function: func(i *int) { *i = c.functions[*i] },
		Constant: func(i *int) {
			n, known := constants[*i]
			if !known {
				n = len(p.Constants)
				constants[*i] = n
				p.Constants = append(p.Constants, env.Constants.Values[*i])
			}
			*i = n
		},
		Span: func(s *abi.Span) {
			if *s == (abi.Span{}) {
				return
			}
			path := env.Files[s.File]
			start, end, good := at(path, s.Start, s.End)
			if !slices.Contains(c.files, path) {
				c.files = append(c.files, path)
			}
			s.Start, s.End, ok = start, end, ok && good
		},
	}
	first := map[int]int{}
	for _, rel := range slices.Sorted(maps.Keys(c.relations)) {
		first[rel] = len(p.Rules)
		for _, r := range c.rules[rel] {
			number.Rule(&r)
			p.Rules = append(p.Rules, r)
		}
	}
	for i := range p.Relations {
		r := &p.Relations[i]
		number.Span(&r.Span)
		for _, twin := range []*int{&r.Asserted, &r.Refuted} {
			if *twin >= 0 {
				*twin = c.relations[*twin]
			}
		}
	}
	for i := range p.Functions {
		number.Expr(&p.Functions[i].Body)
		number.Span(&p.Functions[i].Span)
	}
	for _, k := range checks {
		k.Rule = first[k.Relation]
		k.Relation = c.relations[k.Relation]
		number.Payload(&k.Payload)
		number.Span(&k.Span)
		p.Checks = append(p.Checks, k)
	}
	p.Types = c.types(p)
	told := diag.List{}
	b := &builder{env: &types.Env{Relations: p.Relations, Files: p.Files, Constants: types.Pool{Values: p.Constants}}, diags: &told, rules: p.Rules}
	p.Components = b.components(0, 0)
	return p, ok && len(told.Items) == 0
}

// facts are those that the part needs.
func (c *cutter) facts(list []FactSet) (out []FactSet) {
	for _, f := range list {
		if rel, needed := c.relations[f.Relation]; needed {
			f.Relation, f.Places = rel, nil
			out = append(out, f)
		}
	}
	return out
}

// types are the structs and enums that the columns of p may hold, for their
// values to be printed.
func (c *cutter) types(p *abi.Program) []abi.TypeDef {
	byName := map[string]*abi.TypeDef{}
	for i := range c.m.Program.Types {
		if t := &c.m.Program.Types[i]; t.Op != abi.TypeConcept {
			byName[t.Name] = t
		}
	}
	var defs []abi.TypeDef
	var need func(t abi.Type)
	fields := func(list []abi.FieldDef) []abi.FieldDef {
		list = slices.Clone(list)
		for i := range list {
			list[i].Default, list[i].Relation = nil, -1
			need(list[i].Type)
		}
		return list
	}
	need = func(t abi.Type) {
		for _, a := range t.Args {
			need(a)
		}
		def := byName[t.Name]
		if def == nil {
			return
		}
		delete(byName, t.Name)
		d := *def
		d.Span = abi.Span{}
		d.Fields = fields(d.Fields)
		d.Variants = slices.Clone(d.Variants)
		for i := range d.Variants {
			d.Variants[i].Fields = fields(d.Variants[i].Fields)
		}
		defs = append(defs, d)
	}
	for i := range p.Relations {
		for _, col := range p.Relations[i].Columns {
			need(col.Type)
		}
	}
	return defs
}

// schema is what the module's schema says of the checks.
func (c *cutter) schema(p *abi.Program, of []int) Schema {
	at := map[string]int{}
	for i := range of {
		at[p.Checks[i].Name] = i
	}
	var out Schema
	for _, k := range c.m.Schema.Constructs {
		if i, needed := at[k.Name]; needed && k.Kind == "check" {
			k.Index, k.Doc, k.Place = i, "", Place{}
			out.Constructs = append(out.Constructs, k)
		}
	}
	return out
}
