package abi

import (
	"errors"
	"strconv"

	"github.com/ox-mcp/ox-mcp/abi/phrase"
)

// maxSlots bounds the slots of one body.
const maxSlots = 1 << 16

// Validate checks that the program holds together, so that a reasoner may
// follow its indexes without looking: every index is in range, operators have
// their operands, atoms the arity of their relations, each derived relation
// and each rule has its place in one component, and components come in an
// order in which they can be evaluated, with positive recursion only. It does
// not check types, nor that variables are bound before they are read. The
// error names the item. Constants are taken to be in normal form, as they are
// when they come from the codec.
func (p *Program) Validate() error {
	if p.ABI != Version {
		return errors.New(phrase.Of("program %q: written for version %q of the contract, this is %q: build it anew", p.Module, p.ABI, Version))
	}
	c := &checker{base: p, files: len(p.Files)}
	for i := range p.Types {
		c.at("type", i, p.Types[i].Name)
		c.typeDef(&p.Types[i])
	}
	c.supers()
	c.definitions(p.Relations, p.Rules, p.Functions, p.Queries, p.Mutations)
	c.components(p.Components, 0, 0)
	for i := range p.Checks {
		c.at("check", i, p.Checks[i].Name)
		c.check(&p.Checks[i])
	}
	for i := range p.Tests {
		c.at("test", i, p.Tests[i].Name)
		c.test(&p.Tests[i])
	}
	return c.err
}

// Validate checks the extension as Program.Validate does, with its indexes
// continuing those of base, which must be valid. An extension defines new
// relations only: its rules have no heads in base.
func (e *Extension) Validate(base *Program) error {
	c := &checker{base: base, ext: e, files: -1}
	c.definitions(e.Relations, e.Rules, e.Functions, e.Queries, e.Mutations)
	c.components(e.Components, len(base.Relations), len(base.Rules))
	return c.err
}

// ValidateExpr checks an expression over a number of slots, as ComputeRequest
// and EvaluateRequest carry it. It may read relations. ext may be nil.
func (p *Program) ValidateExpr(x *Expr, slots int, ext *Extension) error {
	c := &checker{base: p, ext: ext, files: -1}
	c.at("expression", 0, "")
	c.expr(x, scope{slots: x.Slots(slots), reads: true}, 0)
	return c.err
}

// Validate checks that the payload fits the columns, constants and functions
// that come with it, and the frame its columns. Functions that read relations
// may be among the functions, but the payload cannot come to call one.
func (q *EvaluateRequest) Validate() error {
	p := &Program{Constants: q.Constants, Functions: q.Functions}
	c := &checker{base: p, files: -1, blind: true}
	for i := range p.Functions {
		c.at("function", i, p.Functions[i].Name)
		c.function(&p.Functions[i])
	}
	c.at("check", 0, q.Check)
	c.payload(&q.Payload, len(q.Columns))
	if len(q.Frame.Columns) != len(q.Columns) {
		c.fail("frame of %d columns where %d are named", len(q.Frame.Columns), len(q.Columns))
	}
	return c.err
}

// checker looks at one program, or at an extension of one, and keeps the first
// error.
type checker struct {
	base  *Program
	ext   *Extension // or nil
	files int        // number of source files, or -1: spans may name others
	blind bool       // relations are not known: their arities cannot be checked

	kind  string // of the item that is looked at
	index int
	name  string
	err   error

	readers []bool // functions that read relations, once they are needed
}

func (c *checker) at(kind string, index int, name string) {
	c.kind, c.index, c.name = kind, index, name
}

func (c *checker) fail(format string, args ...any) {
	if c.err == nil {
		where := c.kind + " " + strconv.Itoa(c.index)
		if c.name != "" {
			where += " (" + c.name + ")"
		}
		c.err = errors.New(where + ": " + phrase.Of(format, args...))
	}
}

func pick[T any](i int, base, ext []T) *T {
	switch {
	case i < 0:
		return nil
	case i < len(base):
		return &base[i]
	case i-len(base) < len(ext):
		return &ext[i-len(base)]
	}
	return nil
}

// added is the extension, empty if there is none.
func (c *checker) added() *Extension {
	if c.ext == nil {
		return &Extension{}
	}
	return c.ext
}

func (c *checker) relation(i int) *Relation {
	r := pick(i, c.base.Relations, c.added().Relations)
	if r == nil {
		c.fail("relation %d of %d", i, len(c.base.Relations)+len(c.added().Relations))
	}
	return r
}

// arity checks that relation i exists and takes n operands.
func (c *checker) arity(i, n int) {
	if c.blind {
		return
	}
	if r := c.relation(i); r != nil && len(r.Columns) != n {
		c.fail("%d operands for %s, which has %d columns", n, r.Name, len(r.Columns))
	}
}

// writable checks that relation i is a base relation of n columns.
func (c *checker) writable(i, n int) {
	c.arity(i, n)
	if c.err == nil && c.relation(i).Role != Base {
		c.fail("a write to %s, which is derived", c.relation(i).Name)
	}
}

func (c *checker) functionAt(i int) *Function {
	f := pick(i, c.base.Functions, c.added().Functions)
	if f == nil {
		c.fail("function %d of %d", i, len(c.base.Functions)+len(c.added().Functions))
	}
	return f
}

func (c *checker) mutationAt(i int) *Mutation {
	m := pick(i, c.base.Mutations, c.added().Mutations)
	if m == nil {
		c.fail("mutation %d of %d", i, len(c.base.Mutations)+len(c.added().Mutations))
	}
	return m
}

func (c *checker) constant(i int) {
	if pick(i, c.base.Constants, c.added().Constants) == nil {
		c.fail("constant %d of %d", i, len(c.base.Constants)+len(c.added().Constants))
	}
}

func (c *checker) span(s *Span) {
	if *s == (Span{}) {
		return
	}
	if s.File < 0 || c.files >= 0 && s.File >= c.files || s.Start < 0 || s.End < s.Start {
		c.fail("span of bytes %d to %d in file %d of %d", s.Start, s.End, s.File, c.files)
	}
}

// known checks an enumeration of a program that was not decoded.
func known[E ~uint8](c *checker, what string, op, last E) bool {
	if op > last {
		c.fail("unknown %s %d", what, int(op))
	}
	return op <= last
}

func (c *checker) typ(t *Type, depth int) {
	if depth > MaxDepth {
		c.fail("nested deeper than %d levels", MaxDepth)
		return
	}
	if !known(c, "type", t.Op, typeOpCount-1) {
		return
	}
	low, high := 0, 0
	switch t.Op {
	case TypeList, TypeSet, TypeOption, TypeRange:
		low, high = 1, 1
	case TypeMap:
		low, high = 2, 2
	case TypeRef:
		high = 1
	case TypeFn:
		low, high = 1, len(t.Args)
	case TypeStruct, TypeEnum:
		high = len(t.Args)
	}
	if len(t.Args) < low || len(t.Args) > high {
		c.fail("type %d with %d arguments", int(t.Op), len(t.Args))
	}
	for i := range t.Args {
		c.typ(&t.Args[i], depth+1)
	}
}

func (c *checker) typeDef(d *TypeDef) {
	c.span(&d.Span)
	if d.Op != TypeConcept && d.Op != TypeStruct && d.Op != TypeEnum {
		c.fail("a definition that is no concept, struct or enum")
	}
	for _, s := range d.Supers {
		if s < 0 || s >= len(c.base.Types) || c.base.Types[s].Op != TypeConcept || d.Op != TypeConcept {
			c.fail("supertype %d is no concept, or not of one", s)
		}
	}
	concept := d.Op == TypeConcept
	if concept && d.Extent != -1 {
		c.arity(d.Extent, 1)
	}
	c.fieldDefs(d.Fields, concept)
	for i := range d.Variants {
		c.fieldDefs(d.Variants[i].Fields, false)
	}
}

func (c *checker) fieldDefs(fields []FieldDef, stored bool) {
	for i := range fields {
		f := &fields[i]
		c.typ(&f.Type, 0)
		if stored && f.Relation != -1 {
			c.arity(f.Relation, 2)
		}
		if f.Default != nil {
			c.expr(f.Default, scope{slots: f.Default.Slots(0), reads: true}, 0)
		}
	}
}

// supers checks that no concept is its own supertype, however far up.
func (c *checker) supers() {
	if c.err != nil {
		return
	}
	below := make([]int, len(c.base.Types)) // direct subtypes that are not settled
	for i := range c.base.Types {
		for _, s := range c.base.Types[i].Supers {
			below[s]++
		}
	}
	var settled []int
	for i, n := range below {
		if n == 0 {
			settled = append(settled, i)
		}
	}
	for at := 0; at < len(settled); at++ {
		for _, s := range c.base.Types[settled[at]].Supers {
			if below[s]--; below[s] == 0 {
				settled = append(settled, s)
			}
		}
	}
	for i, n := range below {
		if n > 0 {
			c.at("type", i, c.base.Types[i].Name)
			c.fail("is below itself, or above a type that is")
			return
		}
	}
}

// definitions checks the parts that programs and extensions share.
func (c *checker) definitions(relations []Relation, rules []Rule, functions []Function, queries []Query, mutations []Mutation) {
	for i := range relations {
		c.at("relation", i, relations[i].Name)
		c.relationDef(&relations[i])
	}
	for i := range functions {
		c.at("function", i, functions[i].Name)
		c.function(&functions[i])
	}
	for i := range mutations {
		c.at("mutation", i, mutations[i].Name)
		c.mutation(&mutations[i])
	}
	for i := range queries {
		c.at("query", i, queries[i].Name)
		c.query(&queries[i])
	}
	for i := range rules {
		c.at("rule", i, rules[i].Name)
		c.rule(&rules[i])
	}
}

func (c *checker) relationDef(r *Relation) {
	c.span(&r.Span)
	known(c, "role", r.Role, Derived)
	known(c, "origin", r.Origin, OriginAux)
	c.columns(r.Columns)
	for i, k := range r.Key {
		if k < 0 || k >= len(r.Columns) {
			c.fail("key column %d of %d", k, len(r.Columns))
		}
		for _, other := range r.Key[:i] {
			if other == k {
				c.fail("key column %d twice", k)
			}
		}
	}
	if r.Role != Derived {
		return
	}
	for _, twin := range [...]int{r.Asserted, r.Refuted} {
		if twin != -1 {
			c.writable(twin, len(r.Columns))
		}
	}
}

func (c *checker) columns(columns []Column) {
	if len(columns) > maxFrameArity {
		c.fail("%d columns, more than %d", len(columns), maxFrameArity)
	}
	for i := range columns {
		c.typ(&columns[i].Type, 0)
	}
}

// frame checks the slots of a body, the first of which are its parameters.
func (c *checker) frame(params []Param, slots []Slot) {
	if len(params) > len(slots) {
		c.fail("%d parameters and only %d slots", len(params), len(slots))
	}
	if len(slots) > maxSlots {
		c.fail("%d slots, more than %d", len(slots), maxSlots)
	}
	for i := range params {
		c.typ(&params[i].Type, 0)
	}
	for i := range slots {
		c.typ(&slots[i].Type, 0)
	}
}

func (c *checker) function(f *Function) {
	c.span(&f.Span)
	c.frame(f.Params, f.Slots)
	c.typ(&f.Result, 0)
	c.expr(&f.Body, scope{slots: len(f.Slots), reads: true}, 0)
}

func (c *checker) mutation(m *Mutation) {
	c.span(&m.Span)
	c.frame(m.Params, m.Slots)
	if m.Result != nil {
		c.typ(m.Result, 0)
	}
	c.stmts(m.Body, scope{slots: len(m.Slots), reads: true}, 0)
}

func (c *checker) query(q *Query) {
	c.span(&q.Span)
	c.frame(q.Params, q.Slots)
	s := scope{slots: len(q.Slots), reads: true}
	c.atoms(q.Body, s, 0)
	for _, a := range q.Out {
		c.boundArg(a, s)
	}
	if len(q.Columns) != len(q.Out) {
		c.fail("%d columns for %d results", len(q.Columns), len(q.Out))
	}
	c.columns(q.Columns)
	if q.Truth != -1 {
		c.arity(q.Truth, len(q.Out))
	}
	if a := q.AsOf; a != nil && (a.ByVT && a.VT == nil || a.VT != nil && a.VT.Kind != KindDay && a.VT.Kind != KindInstant) {
		c.fail("read point that is no day or instant")
	}
}

func (c *checker) rule(r *Rule) {
	c.span(&r.Span)
	c.frame(nil, r.Slots)
	c.arity(r.Head, len(r.Args))
	if c.err == nil {
		switch {
		case c.relation(r.Head).Role != Derived:
			c.fail("its head %s is not derived", c.relation(r.Head).Name)
		case c.ext != nil && r.Head < len(c.base.Relations):
			c.fail("its head %s belongs to the loaded program, to which an extension adds no rules", c.relation(r.Head).Name)
		}
	}
	s := scope{slots: len(r.Slots)}
	for _, a := range r.Args {
		c.boundArg(a, s)
	}
	c.atoms(r.Body, s, 0)
}

func (c *checker) check(k *Check) {
	c.span(&k.Span)
	known(c, "severity", k.Severity, SeverityHint)
	r := c.relation(k.Relation)
	if r == nil {
		return
	}
	if rule := pick(k.Rule, c.base.Rules, nil); rule == nil || rule.Head != k.Relation {
		c.fail("rule %d does not define its relation %s", k.Rule, r.Name)
	}
	if k.Keys < 0 || k.Keys > len(r.Columns) {
		c.fail("%d key columns of a relation of %d", k.Keys, len(r.Columns))
	}
	c.payload(&k.Payload, len(r.Columns))
}

func (c *checker) payload(p *Payload, columns int) {
	for _, x := range [...]*Expr{&p.Severity, &p.Code, &p.Message} {
		c.expr(x, scope{slots: x.Slots(columns)}, 0)
	}
}

func (c *checker) test(t *Test) {
	c.span(&t.Span)
	c.frame(nil, t.Slots)
	s := scope{slots: len(t.Slots), reads: true}
	for i := range t.Steps {
		step := &t.Steps[i]
		c.span(&step.Span)
		switch step.Op {
		case TestRun, TestRejects:
			c.mutationAt(step.Mutation)
		case TestAssert:
			if step.Expr == nil {
				c.fail("step %d asserts nothing", i)
			}
		case TestDerivable:
			c.arity(step.Rel, len(step.Exprs))
		default:
			c.fail("unknown step %d", int(step.Op))
		}
		if step.Expr != nil {
			c.expr(step.Expr, s, 0)
		}
		c.exprs(step.Exprs, s, 0)
	}
}
