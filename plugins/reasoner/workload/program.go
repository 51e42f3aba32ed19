package workload

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/ox-mcp/ox-mcp/abi"
)

// atom is a condition or a head: a predicate with variables, or X != Y.
type atom struct {
	pred string
	args []string
	neg  bool
}

type rule struct {
	head atom
	body []atom
}

// parse reads rules of the form `h(X, Y) :- p(X, Z), not q(Z), X != Y.`, one a
// line. It panics on anything else: the texts are this package's own.
func parse(text string) (out []rule) {
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(strings.TrimSpace(line), ".")
		if line == "" {
			continue
		}
		head, body, ok := strings.Cut(line, ":-")
		if !ok {
			panic("workload: no body in " + line)
		}
		r := rule{head: parseAtom(head)}
		for _, part := range splitAtoms(body) {
			r.body = append(r.body, parseAtom(part))
		}
		out = append(out, r)
	}
	return out
}

// splitAtoms splits at the commas outside of parentheses.
func splitAtoms(s string) []string {
	depth := 0
	return strings.FieldsFunc(s, func(c rune) bool {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		}
		return c == ',' && depth == 0
	})
}

func parseAtom(s string) atom {
	s = strings.TrimSpace(s)
	if x, y, ok := strings.Cut(s, "!="); ok {
		return atom{pred: "!=", args: []string{strings.TrimSpace(x), strings.TrimSpace(y)}}
	}
	rest, neg := strings.CutPrefix(s, "not ")
	pred, args, ok := strings.Cut(strings.TrimSuffix(rest, ")"), "(")
	if !ok {
		panic("workload: no atom: " + s)
	}
	a := atom{pred: pred, neg: neg}
	for v := range strings.SplitSeq(args, ",") {
		v = strings.TrimSpace(v)
		if v == "" || !unicode.IsUpper(rune(v[0])) {
			panic("workload: no variable: " + s)
		}
		a.args = append(a.args, v)
	}
	return a
}

// Program is the workload's program in the reasoner's form. Its base relations
// come first, by name; relations gives the index of each.
func (w *Workload) Program() (p abi.Program, relations map[string]int) {
	t := abi.Type{Op: abi.TypeInt}
	rules := parse(w.Rules)
	arity, derived := map[string]int{}, map[string]bool{}
	for _, r := range rules {
		derived[r.head.pred] = true
		for _, a := range append([]atom{r.head}, r.body...) {
			if a.pred != "!=" {
				arity[a.pred] = len(a.args)
			}
		}
	}
	names := make([]string, 0, len(arity))
	for name := range arity {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if derived[a] != derived[b] {
			if derived[a] {
				return 1
			}
			return -1
		}
		return strings.Compare(a, b)
	})
	p = abi.Program{ABI: abi.Version, Module: w.Name}
	relations = map[string]int{}
	for i, name := range names {
		relations[name] = i
		rel := abi.Relation{Name: name, Role: abi.Base, Origin: abi.OriginRelation, Asserted: -1, Refuted: -1}
		if derived[name] {
			rel.Role, rel.Origin = abi.Derived, abi.OriginDerive
		}
		for c := range arity[name] {
			rel.Columns = append(rel.Columns, abi.Column{Name: fmt.Sprintf("a%d", c+1), Type: t})
		}
		p.Relations = append(p.Relations, rel)
	}
	for _, r := range rules {
		p.Rules = append(p.Rules, lowered(r, relations, t))
	}
	p.Components = components(rules, names, relations, derived)
	return p, relations
}

func lowered(r rule, relations map[string]int, t abi.Type) abi.Rule {
	out := abi.Rule{Name: r.head.pred, Head: relations[r.head.pred]}
	slots := map[string]int{}
	args := func(vars []string) (list []abi.Arg) {
		for _, v := range vars {
			i, seen := slots[v]
			if !seen {
				i = len(out.Slots)
				slots[v] = i
				out.Slots = append(out.Slots, abi.Slot{Name: v, Type: t})
			}
			list = append(list, abi.Arg{Op: abi.ArgSlot, Index: i})
		}
		return list
	}
	for _, a := range r.body {
		if a.pred == "!=" {
			out.Body = append(out.Body, abi.Atom{Op: abi.AtomCmp, Cmp: abi.CmpNe, Args: args(a.args)})
			continue
		}
		out.Body = append(out.Body, abi.Atom{Op: abi.AtomScan, Rel: relations[a.pred], Args: args(a.args), Neg: a.neg})
	}
	out.Args = args(r.head.args)
	return out
}

// components groups the derived relations by mutual reading, in evaluation
// order.
func components(rules []rule, names []string, relations map[string]int, derived map[string]bool) (out []abi.Component) {
	reads := map[string]map[string]bool{} // transitively
	for _, name := range names {
		reads[name] = map[string]bool{}
	}
	for _, r := range rules {
		for _, a := range r.body {
			if derived[a.pred] {
				reads[r.head.pred][a.pred] = true
			}
		}
	}
	for _, via := range names {
		for _, from := range names {
			if reads[from][via] {
				for to := range reads[via] {
					reads[from][to] = true
				}
			}
		}
	}
	done := map[string]bool{}
	for len(out) < len(names) {
		before := len(done)
		for _, name := range names {
			if !derived[name] || done[name] {
				continue
			}
			ready := true
			for other := range reads[name] {
				ready = ready && (done[other] || reads[other][name])
			}
			if !ready {
				continue
			}
			c := abi.Component{Stratum: len(out), Recursive: reads[name][name]}
			for _, other := range names {
				if other == name || reads[name][other] && reads[other][name] {
					done[other] = true
					c.Relations = append(c.Relations, relations[other])
				}
			}
			for i, r := range rules {
				if slices.Contains(c.Relations, relations[r.head.pred]) {
					c.Rules = append(c.Rules, i)
					for _, a := range r.body {
						c.WellFounded = c.WellFounded || a.neg && slices.Contains(c.Relations, relations[a.pred])
					}
				}
			}
			out = append(out, c)
		}
		if len(done) == before {
			break
		}
	}
	return out
}

// Frames gives the facts as deltas for the relations of Program.
func (w *Workload) Frames(relations map[string]int) (out []abi.Delta) {
	for _, f := range w.Facts {
		b := abi.FrameBuilder{Arity: f.Arity}
		values := make([]abi.Value, f.Arity)
		for i := 0; i < len(f.Rows); i += f.Arity {
			for c := range f.Arity {
				values[c] = abi.IntValue(f.Rows[i+c])
			}
			b.Add(values)
		}
		out = append(out, abi.Delta{Relation: relations[f.Relation], Frame: b.Frame()})
	}
	return out
}
