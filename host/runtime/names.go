package runtime

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/store"
)

// names prints individuals: declared ones by short name where that is
// unambiguous, minted ones by their `name` field, else by concept and short
// id.
type names struct {
	m    *module
	past *annals // nil: nothing is known of what was written
	tt   int64   // of past

	minted   map[[16]byte]string // what the call learnt beside
	concepts map[[16]byte]string
}

// name is the `name` field of a minted individual, or "".
func (n *names) name(id [16]byte) string {
	if name := n.minted[id]; name != "" {
		return name
	}
	return n.past.name(id, n.tt)
}

// concept is the concept of a minted individual, or "".
func (n *names) concept(id [16]byte) string {
	if concept := n.past.concept(id, n.tt); concept != "" {
		return concept
	}
	return n.concepts[id]
}

func (n *names) display(v abi.Value) (text, name string) {
	if v.Kind == abi.KindNamed {
		short := shortName(v.Str)
		if n.m.declared[short] == v.Str || n.m.declared[short] == "" && !strings.Contains(v.Str, "::") {
			return short, short
		}
		return v.Str, v.Str
	}
	if name := n.name(v.ID); name != "" {
		return name, name
	}
	concept := n.concept(v.ID)
	if concept == "" {
		concept = "individual"
	}
	return concept + "#" + shortID(v.ID), ""
}

// speak gives the minted individuals of v their names in its message, where an
// evaluator, which knows no names, writes "#" and the end of an id.
func (n *names) speak(v *verdict) {
	for _, x := range v.tuple {
		if x.Kind == abi.KindMinted && (n.name(x.ID) != "" || n.concept(x.ID) != "") {
			text, _ := n.display(x)
			v.Message = strings.ReplaceAll(v.Message, fmt.Sprintf("#%x", x.ID[12:]), text)
		}
	}
}

// shortID is the part of a UUIDv7 that tells individuals of one call apart.
func shortID(id [16]byte) string {
	u := uuidText(id)
	return u[len(u)-6:]
}

// names returns the namer of the session's scope, from the log up to its read
// point; where the log cannot be read, minted individuals print by id.
func (ses *session) names(ctx context.Context) *names {
	n := &names{m: ses.m, tt: ses.point.tt, minted: map[[16]byte]string{}, concepts: map[[16]byte]string{}}
	n.past, _ = ses.s.annals.upTo(ctx, ses.s.cfg.Log, ses.scope, n.tt)
	return n
}

// learn takes note of a tuple that names or classifies a minted individual.
func (n *names) learn(relation string, tuple []abi.Value) {
	if len(tuple) == 0 || tuple[0].Kind != abi.KindMinted {
		return
	}
	id := tuple[0].ID
	if name, ok := nameGiven(relation, tuple); ok {
		n.minted[id] = name
	} else if concept := conceptGiven(relation, tuple); concept != "" && n.concepts[id] == "" {
		n.concepts[id] = concept
	}
}

// nameGiven is the name that a fact gives an individual.
func nameGiven(relation string, tuple []abi.Value) (name string, ok bool) {
	if len(tuple) == 2 && strings.HasSuffix(relation, ".name") && tuple[1].Kind == abi.KindString {
		return tuple[1].Str, true
	}
	return "", false
}

// conceptGiven is the short name of the concept that a fact puts an individual
// in, or "".
func conceptGiven(relation string, tuple []abi.Value) string {
	if concept, ok := strings.CutSuffix(relation, "+"); ok && len(tuple) == 1 {
		return shortName(concept)
	}
	return ""
}

func momentOfValue(v abi.Value) store.Moment { return store.MomentOf(v) }

// misspelt is the hint for a write that names individuals which no fact was
// about before, nor puts in a concept now, and which are spelt nearly as one that
// there is; or "". Names that differ in their digits alone are a series, and in
// a scope with very many no name is looked for.
func (n *names) misspelt(values []abi.Value, writes []abi.Write) string {
	if len(n.m.declared) > manyNames {
		return ""
	}
	for _, v := range values {
		if v.Kind != abi.KindNamed || n.past.about(v.Str, n.tt) || n.m.declared[v.Str] != "" {
			continue
		}
		made := slices.ContainsFunc(writes, func(w abi.Write) bool {
			return !w.Remove && conceptGiven(n.m.program.Relations[w.Relation].Name, w.Tuple) != "" && abi.Equal(w.Tuple[0], v)
		})
		if made {
			continue
		}
		if near := n.near(v.Str); near != "" && undigited(near) != undigited(v.Str) {
			return "no fact was about an individual called " + v.Str + " before; did you mean " + near + "?"
		}
	}
	return ""
}

// near is the individual that a name was most likely meant to be, or "".
func (n *names) near(name string) string {
	return Nearest(name, append(sortedKeys(n.m.declared), n.past.individuals(n.tt)...))
}

// manyNames bounds the individuals among which a write looks for a name.
const manyNames = 20_000

func undigited(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, name)
}

// unknown is the hint for a read that names individuals that no fact is about,
// or "".
func (n *names) unknown(values []*abi.Value) string {
	for _, v := range values {
		if v == nil || v.Kind != abi.KindNamed || n.past.about(v.Str, n.tt) {
			continue
		}
		if _, ok := n.m.declared[v.Str]; ok {
			continue
		}
		hint := "no fact is about an individual called " + v.Str
		if near := n.near(v.Str); near != "" {
			hint += "; did you mean " + near + "?"
		}
		return hint
	}
	return ""
}
