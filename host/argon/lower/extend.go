package lower

import (
	"maps"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/types"
)

// ExtendQuery makes an extension of m's program that holds q alone, which was
// typed in env, an extension of m.Env. What cannot run is reported to diags.
func ExtendQuery(m *Module, env *types.Env, q *types.Query, diags *diag.List) *abi.Extension {
	b := extending(m, env, diags)
	ext := &abi.Extension{Queries: []abi.Query{b.query(q)}}
	return b.extension(m, ext)
}

// ExtendMutate makes an extension that holds mu alone.
func ExtendMutate(m *Module, env *types.Env, mu *types.Mutation, diags *diag.List) *abi.Extension {
	b := extending(m, env, diags)
	ext := &abi.Extension{Mutations: []abi.Mutation{b.mutation(mu)}}
	return b.extension(m, ext)
}

func extending(m *Module, env *types.Env, diags *diag.List) *builder {
	b := &builder{env: env, diags: diags, views: maps.Clone(m.views), readers: m.readers, extends: true, open: m.open, program: m.Program.Rules, metrics: m.metrics.extended(), written: map[int]bool{}, writtenQ: map[int]bool{}}
	return b
}

// extension takes what was added beyond m's program.
func (b *builder) extension(m *Module, ext *abi.Extension) *abi.Extension {
	p := &m.Program
	b.catalogRules(len(p.Relations))
	b.paths(len(m.Env.Paths))
	b.twinRules()
	b.openedAll(ext.Queries)
	b.measureAll(m.undefinable, maps.Clone(m.Measures), ext.Queries, nil)
	ext.Relations = b.env.Relations[len(p.Relations):]
	ext.Rules = b.rules
	ext.Components = b.components(len(p.Relations), len(p.Rules))
	ext.Constants = b.env.Constants.Values[len(p.Constants):]
	b.tooLarge(&abi.Program{Rules: ext.Rules, Queries: ext.Queries, Mutations: ext.Mutations})
	return ext
}
