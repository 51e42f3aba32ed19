package runtime

import (
	"context"
	"fmt"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/store"
)

// names prints individuals: declared ones by short name where that is
// unambiguous, minted ones by their `name` field, else by concept and short
// id.
type names struct {
	m        *module
	minted   map[[16]byte]string
	concepts map[[16]byte]string
	written  map[string]bool // named individuals that stored facts are about
}

func (n *names) display(v abi.Value) (text, name string) {
	if v.Kind == abi.KindNamed {
		short := shortName(v.Str)
		if n.m.declared[short] == v.Str || n.m.declared[short] == "" && !strings.Contains(v.Str, "::") {
			return short, short
		}
		return v.Str, v.Str
	}
	if name := n.minted[v.ID]; name != "" {
		return name, name
	}
	concept := n.concepts[v.ID]
	if concept == "" {
		concept = "individual"
	}
	return concept + "#" + shortID(v.ID), ""
}

// speak gives the minted individuals of v their names in its message, where an
// evaluator, which knows no names, writes "#" and the end of an id.
func (n *names) speak(v *verdict) {
	for _, x := range v.tuple {
		if x.Kind == abi.KindMinted && (n.minted[x.ID] != "" || n.concepts[x.ID] != "") {
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
	n := &names{m: ses.m, minted: map[[16]byte]string{}, concepts: map[[16]byte]string{}, written: map[string]bool{}}
	events, err := ses.s.cfg.Log.Events(ctx, ses.scope, ses.point.tt)
	if err != nil {
		return n
	}
	for _, e := range events {
		n.learn(e.Relation, e.Tuple)
	}
	return n
}

// learn takes note of a tuple that names or classifies a minted individual.
func (n *names) learn(relation string, tuple []abi.Value) {
	for _, v := range tuple {
		if v.Kind == abi.KindNamed && n.written != nil {
			n.written[v.Str] = true
		}
	}
	if len(tuple) == 0 || tuple[0].Kind != abi.KindMinted {
		return
	}
	switch {
	case len(tuple) == 2 && strings.HasSuffix(relation, ".name") && tuple[1].Kind == abi.KindString:
		n.minted[tuple[0].ID] = tuple[1].Str
	case len(tuple) == 1 && strings.HasSuffix(relation, "+") && n.concepts[tuple[0].ID] == "":
		n.concepts[tuple[0].ID] = shortName(strings.TrimSuffix(relation, "+"))
	}
}

func momentOfValue(v abi.Value) store.Moment { return store.MomentOf(v) }

// unknown is the hint for a read that names individuals that no fact is about,
// or "".
func (n *names) unknown(values []*abi.Value) string {
	for _, v := range values {
		if v == nil || v.Kind != abi.KindNamed || n.written[v.Str] {
			continue
		}
		if _, ok := n.m.declared[v.Str]; ok {
			continue
		}
		candidates := sortedKeys(n.m.declared)
		for name := range n.written {
			candidates = append(candidates, name)
		}
		hint := "no fact is about an individual called " + v.Str
		if near := Nearest(v.Str, candidates); near != "" {
			hint += "; did you mean " + near + "?"
		}
		return hint
	}
	return ""
}
