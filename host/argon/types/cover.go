package types

import (
	"slices"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// Whether the arms of a match take every value, and whether each arm takes
// one: by taking the rows of patterns apart, constructor by constructor
// (Maranget, Warnings for pattern matching, 2007).

// maxCover bounds the steps of one match. A match that takes more is taken as
// it stands.
const maxCover = 20_000

// maxCoverRows bounds the rows that the steps of one match look at together: a
// match on numbers looks, for each arm, at all arms before it.
const maxCoverRows = 10_000_000

// cover takes matches apart.
type cover struct {
	e     *Env
	steps int
	rows  int            // that they looked at
	names map[int]string // by constant: what headed says of it
}

// step counts a step that looks at rows, and reports whether it may be taken.
func (c *cover) step(rows []row) bool {
	c.steps++
	c.rows += len(rows)
	return c.steps <= maxCover && c.rows <= maxCoverRows && !c.e.ended()
}

// constructor is a way to make a value of a type, with the types of its parts.
type constructor struct {
	name  string
	parts []abi.Type
}

// constructors lists those of t; ok is false where there is no end of them.
func (c *cover) constructors(t abi.Type) (list []constructor, ok bool) {
	switch t.Op {
	case abi.TypeBool:
		return []constructor{{name: "true"}, {name: "false"}}, true
	case abi.TypeOption:
		return []constructor{{name: "None"}, {"Some", t.Args[:1]}}, true
	case abi.TypeStruct:
		if s := c.e.Structs[t.Name]; s != nil {
			return []constructor{{s.Name, partTypes(s.Fields, s.Params, t)}}, true
		}
	case abi.TypeEnum:
		if n := c.e.Enums[t.Name]; n != nil {
			for _, v := range n.Variants {
				list = append(list, constructor{v.Name, partTypes(v.Fields, n.Params, t)})
			}
			return list, true
		}
	}
	return nil, false
}

func partTypes(fields []*Field, params []abi.Type, t abi.Type) []abi.Type {
	var list []abi.Type
	for _, f := range fields {
		list = append(list, payload(f.Type, params, t))
	}
	return list
}

// headed says what p asks of a value of type t: a constructor and its parts, or
// nothing (name ""). An alternative is taken apart before.
func (c *cover) headed(p *abi.Pattern, t abi.Type) (name string, parts []abi.Pattern) {
	if t.Op == abi.TypeOption {
		switch p.Op {
		case abi.PatWild, abi.PatBind:
			return "", nil
		case abi.PatNone:
			return "None", nil
		case abi.PatSome:
			return "Some", p.Items
		}
		return "Some", []abi.Pattern{*p} // of the value itself
	}
	switch p.Op {
	case abi.PatConst:
		if name, known := c.names[p.Const]; known {
			return name, nil
		}
		defer func() { c.names[p.Const] = name }()
		v, ok := c.e.constant(&abi.Expr{Op: abi.ExprConst, Index: p.Const})
		switch {
		case ok && v.Kind == abi.KindSymbol:
			return v.Str, nil
		case ok && v.Kind == abi.KindBool:
			return map[bool]string{true: "true", false: "false"}[v.Int != 0], nil
		}
		return "=" + string(abi.AppendValue(nil, v)), nil
	case abi.PatVariant, abi.PatStruct:
		return p.Name, p.Items
	case abi.PatNone:
		return "None", nil
	case abi.PatSome:
		return "", nil // of a value that is no Option
	}
	return "", nil
}

// row is the patterns for some values, one each.
type row []abi.Pattern

// alternatives splits the row at the alternatives of its first pattern.
func (r row) alternatives() []row {
	if r[0].Op != abi.PatOr {
		return []row{r}
	}
	var list []row
	for _, item := range r[0].Items {
		list = append(list, append(row{item}, r[1:]...).alternatives()...)
	}
	return list
}

func flat(rows []row) []row {
	if !slices.ContainsFunc(rows, func(r row) bool { return r[0].Op == abi.PatOr }) {
		return rows
	}
	var list []row
	for _, r := range rows {
		list = append(list, r.alternatives()...)
	}
	return list
}

// under keeps of rows, whose first patterns are no alternatives, what may take
// a value that k makes, with the parts in the place of the value.
func (c *cover) under(rows []row, t abi.Type, k constructor) []row {
	var list []row
	for _, r := range rows {
		name, parts := c.headed(&r[0], t)
		if name != "" && name != k.name {
			continue
		}
		next := make(row, len(k.parts), len(k.parts)+len(r)-1)
		copy(next, parts)
		list = append(list, append(next, r[1:]...))
	}
	return list
}

// others keeps of rows what takes any first value.
func (c *cover) others(rows []row, t abi.Type) []row {
	var list []row
	for _, r := range rows {
		if name, _ := c.headed(&r[0], t); name == "" {
			list = append(list, r[1:])
		}
	}
	return list
}

// asked returns the constructors of t that rows ask for, and whether they are
// all that there are.
func (c *cover) asked(rows []row, t abi.Type) (all []constructor, used map[string]bool, complete bool) {
	used = map[string]bool{}
	for i := range rows {
		if name, _ := c.headed(&rows[i][0], t); name != "" {
			used[name] = true
		}
	}
	all, finite := c.constructors(t)
	complete = finite
	for _, k := range all {
		complete = complete && used[k.name]
	}
	return all, used, complete
}

// missing returns values that no row takes, one for each way in which the
// first value can be made at most; nil if there is none.
func (c *cover) missing(rows []row, ts []abi.Type, most int) [][]string {
	if !c.step(rows) {
		return nil
	}
	if len(ts) == 0 {
		if len(rows) == 0 {
			return [][]string{nil}
		}
		return nil
	}
	t, rest := ts[0], ts[1:]
	if unknown(t) || t.Op == abi.TypeBot {
		var found [][]string
		for _, w := range c.missing(c.others(flat(rows), t), rest, most) {
			found = append(found, append([]string{"_"}, w...))
		}
		return found
	}
	rows = flat(rows)
	all, used, complete := c.asked(rows, t)
	var found [][]string
	if !complete {
		for _, w := range c.missing(c.others(rows, t), rest, 1) {
			if len(all) == 0 {
				found = append(found, append([]string{"_"}, w...))
			}
			for _, k := range all {
				if !used[k.name] && len(found) < most {
					found = append(found, append([]string{shown(k, nil)}, w...))
				}
			}
		}
	}
	for _, k := range all {
		if !used[k.name] {
			continue
		}
		for _, w := range c.missing(c.under(rows, t, k), append(append([]abi.Type(nil), k.parts...), rest...), 1) {
			if len(found) < most {
				n := len(k.parts)
				found = append(found, append([]string{shown(k, w[:n])}, w[n:]...))
			}
		}
	}
	if len(found) > most {
		found = found[:most]
	}
	return found
}

// shown writes the values that k makes of parts; without parts, all of them.
func shown(k constructor, parts []string) string {
	if len(k.parts) == 0 {
		return k.name
	}
	if parts == nil {
		for range k.parts {
			parts = append(parts, "_")
		}
	}
	return k.name + "(" + strings.Join(parts, ", ") + ")"
}

// useful reports whether q takes values that no row takes.
func (c *cover) useful(rows []row, q row, ts []abi.Type) bool {
	if !c.step(rows) {
		return true
	}
	if len(ts) == 0 {
		return len(rows) == 0
	}
	t, rest := ts[0], ts[1:]
	if unknown(t) {
		return true
	}
	if q[0].Op == abi.PatOr {
		for _, one := range q.alternatives() {
			if c.useful(rows, one, ts) {
				return true
			}
		}
		return false
	}
	rows = flat(rows)
	name, parts := c.headed(&q[0], t)
	if name != "" {
		k := constructor{name: name, parts: make([]abi.Type, len(parts))}
		all, _ := c.constructors(t)
		for _, known := range all {
			if known.name == name {
				k = known
			}
		}
		next := make(row, len(k.parts))
		copy(next, parts)
		return c.useful(c.under(rows, t, k), append(next, q[1:]...), append(append([]abi.Type(nil), k.parts...), rest...))
	}
	all, _, complete := c.asked(rows, t)
	if !complete {
		return c.useful(c.others(rows, t), q[1:], rest)
	}
	for _, k := range all {
		next := append(make(row, len(k.parts)), q[1:]...)
		if c.useful(c.under(rows, t, k), next, append(append([]abi.Type(nil), k.parts...), rest...)) {
			return true
		}
	}
	return false
}

// covers reports the values of type t that the arms of x leave out, and the
// arms that no value comes to.
func (s *scope) covers(x *syntax.Match, t abi.Type, arms []abi.Arm) {
	if unknown(t) {
		return
	}
	c := &cover{e: s.e, names: map[int]string{}}
	var rows []row
	for i, a := range arms {
		if !c.useful(rows, row{a.Pattern}, []abi.Type{t}) {
			s.e.diags.Add(diag.Diagnostic{
				Code: "OW0290", Severity: diag.Warning, Place: place(s.m, x.Arms[i].Pattern.Range()),
				Message: "no value comes to this arm: the arms before it take them all",
				Help:    "take the arm out, or move it up",
			})
		}
		if a.Guard == nil {
			rows = append(rows, row{a.Pattern})
		}
	}
	var left []string
	c.steps, c.rows = 0, 0
	for _, w := range c.missing(rows, []abi.Type{t}, maxLeftOut) {
		if w[0] == "_" {
			w[0] = "every other value"
		}
		left = append(left, w[0])
	}
	if len(left) > 0 {
		s.report("OE0260", x, "add an arm for each, or _ => …", "the match leaves out %s", strings.Join(left, ", "))
	}
}

// maxLeftOut bounds how many of the values left out a message names.
const maxLeftOut = 8
