package lower

import (
	"sort"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/types"
)

// facts gathers the declared facts a relation, without repetitions, and
// reports those that exclude each other.
func (b *builder) facts() []FactSet {
	type set struct {
		rows  []types.Fact
		index map[string]int // by tuple, or by key for a relation with one
	}
	sets := map[int]*set{}
	text := map[string]*lineIndex{}
	for _, f := range b.env.Facts {
		s := sets[f.Relation]
		if s == nil {
			s = &set{index: map[string]int{}}
			sets[f.Relation] = s
		}
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
	var out []FactSet
	for rel, r := range b.env.Relations {
		if r.Role == abi.Derived && r.Refuted >= 0 {
			minus, plus := sets[r.Refuted], sets[r.Asserted]
			if minus != nil && plus != nil {
				for key, at := range minus.index {
					if i, both := plus.index[key]; both {
						b.diags.Add(diag.Diagnostic{
							Code: "OE0255", Place: minus.rows[at].Place, Help: "keep one of the two",
							Message: r.Name + " of " + keyText(minus.rows[at].Tuple, nil) + " is asserted and refuted",
							Related: []diag.Related{{Place: plus.rows[i].Place, Message: "asserted here"}},
						})
					}
				}
			}
		}
		s := sets[rel]
		if s == nil {
			continue
		}
		fs := FactSet{Relation: rel}
		fb := abi.FrameBuilder{Arity: len(r.Columns)}
		for _, f := range s.rows {
			fb.Add(f.Tuple)
			fs.Places = append(fs.Places, b.linePlace(text, f.Place))
		}
		fs.Frame = fb.Frame()
		out = append(out, fs)
	}
	return out
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
