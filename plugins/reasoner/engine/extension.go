package engine

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/internal/eval"
)

// attached is how much of a program there was before an extension.
type attached struct {
	e       *Engine
	program abi.Program
	comps   int
	code    eval.Mark
}

// attach adds an extension to the program, until what it returns is detached.
// After a failure the instance is to be dropped.
func (e *Engine) attach(x *abi.Extension) (*attached, *abi.Failure) {
	if x == nil {
		return nil, nil
	}
	if err := x.Validate(&e.prog); err != nil {
		return nil, badRequest("the extension does not fit the program: %s", err)
	}
	a := &attached{e: e, program: e.prog, comps: len(e.comps), code: e.vm.Mark()}
	p := &e.prog
	p.Constants = append(p.Constants, x.Constants...)
	p.Relations = append(p.Relations, x.Relations...)
	p.Rules = append(p.Rules, x.Rules...)
	p.Components = append(p.Components, x.Components...)
	p.Functions = append(p.Functions, x.Functions...)
	p.Queries = append(p.Queries, x.Queries...)
	p.Mutations = append(p.Mutations, x.Mutations...)
	return a, e.extend(x)
}

// detach takes the extension away again. What the program's own relations came to
// because of it stays: it is theirs.
func (a *attached) detach() {
	if a == nil {
		return
	}
	e, was := a.e, &a.program
	rels := len(was.Relations)
	if len(e.comps) > a.comps {
		for _, r := range e.rels[:rels] {
			for n := len(r.readers); n > 0 && r.readers[n-1] >= a.comps; n-- {
				r.readers = r.readers[:n-1]
			}
		}
	}
	e.holey = slices.DeleteFunc(e.holey, func(rel int) bool { return rel >= rels })
	cut(&e.consts, len(was.Constants))
	cut(&e.rels, rels)
	cut(&e.rules, len(was.Rules))
	cut(&e.comps, a.comps)
	e.vm.Back(a.code)
	// The room stays for the next extension.
	p := &e.prog
	cut(&p.Constants, len(was.Constants))
	cut(&p.Relations, rels)
	cut(&p.Rules, len(was.Rules))
	cut(&p.Components, len(was.Components))
	cut(&p.Functions, len(was.Functions))
	cut(&p.Queries, len(was.Queries))
	cut(&p.Mutations, len(was.Mutations))
}

// cut takes away all but the first n of a list, and what they hold.
func cut[T any](list *[]T, n int) {
	clear((*list)[n:])
	*list = (*list)[:n]
}
