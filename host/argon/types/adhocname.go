package types

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// shortestMisspelt is how many letters a variable has at least to be taken for
// an individual: those of one or two are near to too much.
const shortestMisspelt = 3

// strangers warns of the variables of an ad-hoc body that occur once and are
// spelled nearly like an individual which might stand in their place: taken for
// a variable, a misspelt name matches everything.
func (s *scope) strangers(text string) {
	var found []int
	for i := range s.frame.free {
		if name := s.frame.slots[i].Name; len([]rune(name)) >= shortestMisspelt && occursOnce(text, name) {
			found = append(found, i)
		}
	}
	slices.Sort(found)
	for _, i := range found {
		t := strip(s.typeOf(i))
		if !unknown(t) && !IsIndividual(t) {
			continue
		}
		name, at := s.frame.slots[i].Name, s.frame.free[i]
		var candidates []string
		for _, c := range s.e.World.Names(s.m, nil, resolve.Kinds(resolve.IndividualKind)) {
			if s.mayStand(syntax.Ident{Span: at, Name: c}, t) {
				candidates = append(candidates, c)
			}
		}
		if near := s.e.nearest(name, candidates); near != "" {
			s.e.diags.Add(diag.Diagnostic{
				Code: "OW0159", Severity: diag.Warning, Place: place(s.m, at), Help: near,
				Message: fmt.Sprintf("%s is no individual, and stands here for any", name),
			})
		}
	}
}

// mayStand reports whether the individual of that name may be where a value of
// type t is wanted, as far as declared facts say.
func (s *scope) mayStand(id syntax.Ident, t abi.Type) bool {
	sym := s.e.World.Lookup(s.m, syntax.Path{Span: id.Span, Parts: []syntax.Ident{id}}, resolve.Kinds(resolve.IndividualKind))
	wanted := s.e.Concepts[t.Name]
	if sym == nil || wanted == nil {
		return true
	}
	own := s.e.Concepts[s.e.individualType(sym).Name]
	return own == nil || own.Is(wanted) || wanted.Is(own)
}

// occursOnce reports whether text has the identifier name in one place only.
func occursOnce(text, name string) bool {
	n := 0
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if word == name {
			n++
		}
	}
	return n == 1
}
