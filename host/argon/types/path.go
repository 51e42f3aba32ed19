package types

import (
	"fmt"
	"maps"

	"github.com/ox-mcp/ox-mcp/abi"
)

// maxSteps bounds the counts of a quantifier: each count up to it is a relation.
const maxSteps = 64

// PathKind says what a relation of a Path holds.
type PathKind uint8

// The kinds of paths.
const (
	PathRepeated PathKind = iota // (from, to): Min to Max steps lead from one to the other
	PathCounted                  // (from, to, n): so do n steps, for each n from Min on that may matter
	PathBound                    // (n): the largest n of the PathCounted relation of the same Base and Min
)

// Path is a relation that a quantifier makes of another, once for all places
// that use it.
type Path struct {
	Rel  int
	Base int // the relation that is repeated
	Kind PathKind
	Min  int
	Max  int // -1: no bound
}

type pathKey struct {
	base     int
	kind     PathKind
	min, max int
}

// path returns the relation of such a Path. What a relation needs is made
// before it.
func (e *Env) path(base int, kind PathKind, least, most int) int {
	if kind == PathRepeated && least == 1 && most == 1 {
		return base
	}
	key := pathKey{base, kind, least, most}
	if rel, ok := e.paths[key]; ok {
		return rel
	}
	if e.spoils() {
		return base
	}
	switch {
	case kind == PathBound:
	case kind == PathCounted:
		e.path(base, PathBound, least, most)
		e.path(base, PathRepeated, least, least)
	case most < 0 && least == 0:
		e.path(base, PathRepeated, 1, -1)
	case least == most && least > 1:
		e.path(base, PathRepeated, least-1, least-1)
	case least < most:
		for n := least; n <= most; n++ {
			e.path(base, PathRepeated, n, n)
		}
	}
	p := Path{Base: base, Kind: kind, Min: least, Max: most}
	p.Rel = e.relation(abi.Relation{
		Name: e.pathName(p), Role: abi.Derived, Origin: abi.OriginAux, Asserted: -1, Columns: e.PathColumns(p), Span: e.Relations[base].Span,
	})
	if e.paths == nil {
		e.paths = map[pathKey]int{}
	}
	e.paths[key] = p.Rel
	e.Paths = append(e.Paths, p)
	return p.Rel
}

// PathColumns returns the columns of a Path's relation.
func (e *Env) PathColumns(p Path) []abi.Column {
	n := abi.Column{Name: "steps", Type: Nat}
	base := e.Relations[p.Base].Columns
	switch p.Kind {
	case PathBound:
		return []abi.Column{n}
	case PathCounted:
		return []abi.Column{base[0], base[1], n}
	}
	return []abi.Column{base[0], base[1]}
}

func (e *Env) pathName(p Path) string {
	name := e.Relations[p.Base].Name
	switch {
	case p.Kind == PathBound:
		return fmt.Sprintf("%s{%d..}#", name, p.Min)
	case p.Kind == PathCounted:
		return fmt.Sprintf("%s{%d, n}", name, p.Min)
	case p.Max < 0:
		return fmt.Sprintf("%s{%d, }", name, p.Min)
	case p.Min == p.Max:
		return fmt.Sprintf("%s{%d}", name, p.Min)
	}
	return fmt.Sprintf("%s{%d, %d}", name, p.Min, p.Max)
}

// extendPaths lets x add paths of its own to those of the environment that it
// extends.
func (e *Env) extendPaths(x *Env) {
	x.Paths = e.Paths[:len(e.Paths):len(e.Paths)]
	x.paths = maps.Clone(e.paths)
}
