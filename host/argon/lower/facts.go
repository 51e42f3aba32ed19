package lower

import (
	"cmp"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/types"
)

// factRows are the facts that one layer declares of one relation.
type factRows struct {
	rows  []types.Fact
	index map[string]int // by tuple, or by key for a relation with one
}

// layered names a base relation in a layer.
type layered struct {
	relation int
	layer    string
}

// facts gathers the declared facts a layer and relation, without repetitions,
// and reports those of one layer that exclude each other.
// Those with a period come apart.
func (b *builder) facts() (always, periods []FactSet) {
	sets := map[layered]*factRows{}
	text := map[string]*lineIndex{}
	var timed []types.Fact
	for _, f := range b.env.Facts {
		if f.Period != nil {
			timed = append(timed, f)
			continue
		}
		at := layered{f.Relation, f.Layer}
		if sets[at] == nil {
			sets[at] = &factRows{index: map[string]int{}}
		}
		b.addFact(sets[at], f)
	}
	refutes := map[int]*abi.Relation{} // by the relation of what is refuted
	for i := range b.env.Relations {
		if r := &b.env.Relations[i]; r.Role == abi.Derived && r.Refuted >= 0 {
			refutes[r.Refuted] = r
		}
	}
	layers := b.layers()
	lattice := Lattice(layers)
	byKey := b.timedByKey(timed)
	for _, at := range inOrder(sets, layers) {
		s, r := sets[at], &b.env.Relations[at.relation]
		if of := refutes[at.relation]; of != nil {
			b.contradictions(of, s, sets[layered{of.Asserted, at.layer}])
		}
		above := aboveOf(at.layer, lattice)
		fs := FactSet{Relation: at.relation, Layer: at.layer}
		fb := abi.FrameBuilder{Arity: len(r.Columns)}
		for _, f := range s.rows {
			if f.Default && at.layer != "" {
				// A default must not displace what the layers above say.
				key := tupleKey(f.Tuple, r.Key)
				if said(sets, above, f.Relation, key) {
					continue
				}
				if slices.ContainsFunc(above, func(l string) bool { return len(byKey[layered{f.Relation, l}][key]) > 0 }) {
					f.Period = &types.Period{}
					timed = append(timed, f)
					continue
				}
			}
			fb.Add(f.Tuple)
			fs.Places = append(fs.Places, b.linePlace(text, f.Place))
		}
		if fs.Frame = fb.Frame(); fs.Frame.Rows > 0 {
			always = append(always, fs)
		}
	}
	return always, b.periods(timed, byKey, sets, refutes, layers, text)
}

// inOrder lists the sets by layer, then relation.
func inOrder(sets map[layered]*factRows, layers []Standpoint) []layered {
	at := map[string]int{}
	for i, l := range layers {
		at[l.Name] = i
	}
	return slices.SortedFunc(maps.Keys(sets), func(a, b layered) int {
		return cmp.Or(cmp.Compare(at[a.layer], at[b.layer]), cmp.Compare(a.relation, b.relation))
	})
}

// addFact enters f, or reports that it contradicts another of its layer.
func (b *builder) addFact(s *factRows, f types.Fact) {
	r := &b.env.Relations[f.Relation]
	key := tupleKey(f.Tuple, r.Key)
	at, seen := s.index[key]
	switch {
	case !seen:
		s.index[key] = len(s.rows)
		s.rows = append(s.rows, f)
	case s.rows[at].Default && !f.Default:
		s.rows[at] = f
	case f.Default || len(r.Key) == 0:
	case tupleKey(s.rows[at].Tuple, nil) != tupleKey(f.Tuple, nil):
		b.diags.Add(diag.Diagnostic{
			Code: "OE0271", Place: f.Place, Help: "keep one of the two",
			Message: r.Name + " of " + keyText(f.Tuple, r.Key) + " has two values",
			Related: []diag.Related{{Place: s.rows[at].Place, Message: "the other value"}},
		})
	}
}

// contradictions reports what one layer asserts and refutes.
func (b *builder) contradictions(r *abi.Relation, minus, plus *factRows) {
	if minus == nil || plus == nil {
		return
	}
	for _, f := range minus.rows {
		if i, both := plus.index[tupleKey(f.Tuple, nil)]; both {
			b.diags.Add(diag.Diagnostic{
				Code: "OE0255", Place: f.Place, Help: "keep one of the two, or give each a standpoint of its own",
				Message: r.Name + " of " + keyText(f.Tuple, nil) + " is asserted and refuted",
				Related: []diag.Related{{Place: plus.rows[i].Place, Message: "asserted here"}},
			})
		}
	}
}

// said reports whether one of the layers gives the key of a relation a value
// for all of time.
func said(sets map[layered]*factRows, layers []string, relation int, key string) bool {
	for _, layer := range layers {
		if s := sets[layered{relation, layer}]; s != nil {
			if _, ok := s.index[key]; ok {
				return true
			}
		}
	}
	return false
}

// aboveOf lists the layers that the views of a layer have beside it.
func aboveOf(layer string, lattice map[string][]string) []string {
	if layer == "" {
		return nil
	}
	list := Above(layer, lattice)
	return append([]string{""}, list[:len(list)-1]...)
}

func tupleKey(tuple []abi.Value, key []int) string {
	var buf []byte
	if len(key) == 0 {
		for _, v := range tuple {
			buf = abi.AppendValue(buf, v)
		}
		return string(buf)
	}
	for _, i := range key {
		buf = abi.AppendValue(buf, tuple[i])
	}
	return string(buf)
}

func keyText(tuple []abi.Value, key []int) string {
	var parts []string
	for i, v := range tuple {
		if len(key) > 0 && i >= len(key) {
			break
		}
		parts = append(parts, ValueText(v))
	}
	return strings.Join(parts, ", ")
}

// lineIndex holds the offsets at which the lines of a file begin.
type lineIndex struct{ starts []int }

func (l *lineIndex) line(offset int) int { return sort.SearchInts(l.starts, offset+1) }

func (b *builder) linePlace(index map[string]*lineIndex, p diag.Place) Place {
	l := index[p.Path]
	if l == nil {
		l = &lineIndex{starts: []int{0}}
		text, _ := b.env.Text(p.Path)
		for i := 0; i < len(text); i++ {
			if text[i] == '\n' {
				l.starts = append(l.starts, i+1)
			}
		}
		index[p.Path] = l
	}
	return Place{Path: p.Path, Line: l.line(p.Start), Start: p.Start, End: p.End}
}
