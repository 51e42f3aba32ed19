package runtime

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon"
	"github.com/ox-mcp/ox-mcp/host/argon/lower"
	"github.com/ox-mcp/ox-mcp/host/coherence"
	"github.com/ox-mcp/ox-mcp/host/oxbin"
	"github.com/ox-mcp/ox-mcp/host/store"
)

// module is a loaded artifact: immutable, shared by all scopes.
type module struct {
	hash     oxbin.Hash
	artifact *oxbin.Artifact
	program  *abi.Program
	sent     *abi.Program      // what an instance is given of program, where that is less; or nil
	facts    []coherence.Facts // what has always held
	timed    []coherence.Facts // what has a period, the later counting more
	since    []store.Event     // timed, as events of stamp 0
	schema   lower.Schema

	relations   map[string]int   // by qualified name
	short       map[string][]int // derived relations that a caller may name, by short name
	types       map[string]int
	sources     map[string]string
	declared    map[string]string   // individuals declared in facts: short or qualified name -> qualified, where unambiguous
	typeMembers map[string][]string // by concept: the types that declared facts put in it
	params      map[int][]bool      // of a check's relation: the columns that are its parameters
	strengths   strengths

	standpoints []string            // qualified names, in the artifact's order
	lattice     map[string][]string // parents of each

	overTime []int // checks that go by an operator over time

	foreign bool // another build of the compiler is noted to have made the artifact from sources that are there

	twins map[int]int // relations that an operator over time reads, to the relation of their days

	heldOnce sync.Once
	held     map[int]map[string][]abi.Value // declared tuples of those, by key

	compileOnce sync.Once
	compiled    *argon.Result // the package compiled again from the artifact's sources, for ad-hoc bodies
	compileErr  error
}

func newModule(a *oxbin.Artifact, hash oxbin.Hash) (*module, error) {
	facts, schema, err := coherence.Unpack(a)
	if err != nil {
		return nil, err
	}
	return moduleOf(a, hash, facts, schema)
}

// moduleOf is newModule of an artifact whose facts and schema were read.
func moduleOf(a *oxbin.Artifact, hash oxbin.Hash, facts []coherence.Facts, schema lower.Schema) (*module, error) {
	lattice, err := coherence.UnpackLattice(a)
	if err != nil {
		return nil, err
	}
	always := len(facts)
	for always > 0 && facts[always-1].Timed() {
		always--
	}
	m := &module{
		timed:   facts[always:],
		lattice: lower.Lattice(lattice),
		hash:    hash, artifact: a, program: &a.Program, facts: facts[:always:always], schema: schema,
		relations: map[string]int{}, short: map[string][]int{}, types: map[string]int{},
		sources: map[string]string{}, declared: map[string]string{}, params: map[int][]bool{}, typeMembers: map[string][]string{},
		strengths: strengthsOf(&a.Program),
	}
	for _, s := range lattice {
		m.standpoints = append(m.standpoints, s.Name)
	}
	for i, r := range m.program.Relations {
		m.relations[r.Name] = i
		if m.nameable(i) {
			m.short[shortName(r.Name)] = append(m.short[shortName(r.Name)], i)
		}
	}
	for i, t := range m.program.Types {
		m.types[t.Name] = i
	}
	for _, s := range a.Sources {
		m.sources[s.Path] = s.Text
	}
	m.since = m.beginnings()
	m.twins = twins(m.program)
	m.overTime = overTime(m.program)
	m.indexIndividuals()
	m.indexTypeMembers()
	m.indexChecks()
	return m, nil
}

// indexChecks tells the parameters of checks from the columns that are there
// for their payload only.
func (m *module) indexChecks() {
	params := map[string][]lower.Param{}
	for _, c := range m.schema.Constructs {
		if c.Kind == "check" {
			params[c.Name] = c.Params
		}
	}
	for _, c := range m.program.Checks {
		list, ok := params[c.Name]
		if !ok {
			continue
		}
		names := make([]string, len(list))
		for i, p := range list {
			names[i] = p.Name
		}
		columns := m.program.Relations[c.Relation].Columns
		declared := make([]bool, len(columns))
		for i, col := range columns {
			declared[i] = slices.Contains(names, col.Name)
		}
		m.params[c.Relation] = declared
	}
}

// declaredColumn reports whether column i of relation rel is one that the
// source declares.
func (m *module) declaredColumn(rel, i int) bool {
	declared, ok := m.params[rel]
	return !ok || i >= len(declared) || declared[i]
}

// shownColumns are the columns of relation rel that facts are printed with.
func (m *module) shownColumns(rel int) []abi.Column {
	var out []abi.Column
	for i, c := range m.program.Relations[rel].Columns {
		if m.declaredColumn(rel, i) {
			out = append(out, c)
		}
	}
	return out
}

// ofHead reports whether an atom comes from the type of a head parameter.
func (m *module) ofHead(r *abi.Rule, a *abi.Atom) bool {
	if a.Op != abi.AtomIs && (a.Op != abi.AtomScan || a.Neg || len(a.Args) != 1) || a.Span.File != r.Span.File || m.rangeOf(r.Span) == nil {
		return false
	}
	neck := strings.Index(m.sources[m.program.Files[r.Span.File]][r.Span.Start:r.Span.End], ":-")
	return neck >= 0 && a.Span.Start >= r.Span.Start && a.Span.End <= r.Span.Start+neck
}

// nameable reports whether a caller may ask for the extent of relation i.
func (m *module) nameable(i int) bool {
	r := &m.program.Relations[i]
	switch r.Origin {
	case abi.OriginAux, abi.OriginQuery:
		return false
	case abi.OriginField:
		return true
	}
	return r.Role == abi.Derived
}

// indexIndividuals finds the individuals that declared facts name: a short
// name stands for one where only one has it.
func (m *module) indexIndividuals() {
	ambiguous := map[string]bool{}
	for _, f := range m.stated() {
		for _, v := range f.Frame.Dict {
			if v.Kind != abi.KindNamed {
				continue
			}
			m.declared[v.Str] = v.Str
			short := shortName(v.Str)
			if q, ok := m.declared[short]; ok && q != v.Str {
				ambiguous[short] = true
			}
			m.declared[short] = v.Str
		}
	}
	for short := range ambiguous {
		delete(m.declared, short)
	}
}

// individual returns the individual that a text names: a declared one, one
// made at run time by its id, or the named individual of that spelling.
func (m *module) individual(text string) abi.Value {
	if q, ok := m.declared[text]; ok {
		return abi.NamedValue(q)
	}
	if id, ok := parseUUID(text); ok {
		return abi.MintedValue(id)
	}
	return abi.NamedValue(text)
}

func (m *module) typeDef(name string) *abi.TypeDef {
	if i, ok := m.types[name]; ok {
		return &m.program.Types[i]
	}
	return nil
}

func (m *module) rule(i int) *abi.Rule {
	if i < 0 || i >= len(m.program.Rules) {
		return nil
	}
	return &m.program.Rules[i]
}

// recompiled returns the compiler's view of the module, made from the sources
// in the artifact, so that ad-hoc bodies meet the same checks as the package.
func (m *module) recompiled(ctx context.Context) (*argon.Result, error) {
	m.compileOnce.Do(func() {
		m.compiled, m.compileErr = coherence.Restore(ctx, m.artifact)
	})
	if m.compileErr != nil {
		return nil, &Error{Status: 500, Code: "ARTIFACT_SOURCES", Message: fmt.Sprintf("the sources in the artifact do not compile (%v); build the package again", m.compileErr)}
	}
	return m.compiled, nil
}

// find returns the relation that a caller names, qualified or short.
func (m *module) find(name string) (int, error) {
	i, err := m.findNamed(name)
	if plain, arity, ok := strings.Cut(name, "/"); ok && err != nil {
		// The first of several arities has no number in its name.
		if j, plainErr := m.findNamed(plain); plainErr == nil && strconv.Itoa(len(m.program.Relations[j].Columns)) == arity {
			return j, nil
		}
	}
	if err != nil || strings.Contains(name, "/") {
		return i, err
	}
	if others := m.arities(i); len(others) > 1 {
		return 0, Invalid("name", "one of "+strings.Join(others, ", "), name, others[0])
	}
	return i, nil
}

// arities lists the predicates that share the name of relation i, as name/arity.
func (m *module) arities(i int) []string {
	plain, _, _ := strings.Cut(m.program.Relations[i].Name, "/")
	var out []string
	for j, r := range m.program.Relations {
		if p, _, _ := strings.Cut(r.Name, "/"); p == plain && m.nameable(j) {
			out = append(out, fmt.Sprintf("%s/%d", shortName(plain), len(r.Columns)))
		}
	}
	return out
}

func (m *module) findNamed(name string) (int, error) {
	if i, ok := m.relations[name]; ok && m.nameable(i) {
		return i, nil
	}
	switch list := m.short[name]; len(list) {
	case 1:
		return list[0], nil
	case 0:
	default:
		var names []string
		for _, i := range list {
			names = append(names, m.program.Relations[i].Name)
		}
		sort.Strings(names)
		return 0, Invalid("name", "a qualified name: "+strings.Join(names, " or "), name, names[0])
	}
	if q, ok := m.passedOn(name); ok {
		if i, ok := m.relations[q]; ok && m.nameable(i) {
			return i, nil
		}
	}
	var names []string
	for i, r := range m.program.Relations {
		if m.nameable(i) {
			names = append(names, r.Name, shortName(r.Name))
		}
	}
	return 0, Invalid("name", "the name of a rule head, concept, relation or check", name, Nearest(name, names))
}

// passedOn returns the qualified name of what a name stands for that is none by
// itself: a path through a `pub use`, or an alias.
func (m *module) passedOn(name string) (qualified string, ok bool) {
	c, err := m.recompiled(context.Background())
	if err != nil {
		return "", false
	}
	qualified, ok = argon.Declared(c.Module, name)
	return qualified, ok && qualified != name
}

// named is the function of that name, which also follows paths through imports.
func (m *module) named(what, name string, items []string) (int, error) {
	i, err := named(what, name, items)
	if err == nil {
		return i, nil
	}
	if q, ok := m.passedOn(name); ok && slices.Contains(items, q) {
		return slices.Index(items, q), nil
	}
	return i, err
}

// named returns the index of the item of the given names that name means:
// qualified, or short where unambiguous.
func named(what, name string, items []string) (int, error) {
	found := -1
	for i, q := range items {
		if q == name {
			return i, nil
		}
		if shortName(q) == name {
			if found >= 0 {
				return 0, Invalid("name", "a qualified name: "+items[found]+" or "+q, name, items[found])
			}
			found = i
		}
	}
	if found < 0 {
		var candidates []string
		for _, q := range items {
			candidates = append(candidates, q, shortName(q))
		}
		return 0, Invalid("name", "the name of a "+what, name, Nearest(name, candidates))
	}
	return found, nil
}

// title prints the name of relation i as the source has it, short where that
// is unambiguous.
func (m *module) title(i int) string {
	n := strings.TrimRight(m.program.Relations[i].Name, "+-")
	if m.program.Relations[i].Origin == abi.OriginField {
		// "root::Ship.length" is shown as "Ship.length".
		if dot := strings.LastIndex(n, "."); dot >= 0 {
			return shortName(n[:dot]) + n[dot:]
		}
	}
	if plain, _, ok := strings.Cut(n, "/"); ok {
		return shortName(plain) // the arguments say the arity
	}
	if len(m.short[shortName(n)]) > 1 {
		return n
	}
	return shortName(n)
}

// public returns the derived relation whose "+" twin i is, or i.
func (m *module) public(i int) int {
	n := m.program.Relations[i].Name
	if strings.HasSuffix(n, "+") {
		if p, ok := m.relations[strings.TrimSuffix(n, "+")]; ok {
			return p
		}
	}
	return i
}
