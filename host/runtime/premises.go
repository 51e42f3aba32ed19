package runtime

import (
	"slices"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
)

// premise is a condition of a rule's body as its author wrote it. Lowering makes
// several atoms of one: l.weight > b.limit reads two fields and compares.
type premise struct {
	atoms []int // in the order of the body
	main  int   // the one whose source is all of it
	head  bool  // it tests the type of a head parameter, and is in no body
}

// premises groups the atoms of a rule's body by what was written: those whose
// source lies inside that of another belong to it.
func (m *module) premises(rule *abi.Rule) []premise {
	main := make([]int, len(rule.Body))
	for i := range rule.Body {
		main[i] = i
		for j := range rule.Body {
			if m.wider(rule, j, main[i]) {
				main[i] = j
			}
		}
		if m.fromOpen(rule.Body, i) {
			main[i] = main[i-1]
		}
		if m.measuresIn(rule, i) {
			first := slices.IndexFunc(rule.Body, func(a abi.Atom) bool { return a.Span == rule.Body[i].Span })
			main[i] = main[first]
		}
	}
	var out []premise
	at := map[int]int{}
	for i, j := range main {
		k, known := at[j]
		if !known {
			k = len(out)
			at[j] = k
			out = append(out, premise{main: j, head: m.ofHead(rule, &rule.Body[j])})
		}
		out[k].atoms = append(out[k].atoms, i)
	}
	return out
}

// wider reports whether the source of atom j is more than that of atom i, and
// holds it. What the compiler made has the place of what it made it for, so that
// an atom whose place is the whole rule is none that was written.
func (m *module) wider(rule *abi.Rule, j, i int) bool {
	a, b := rule.Body[j].Span, rule.Body[i].Span
	if a == (abi.Span{}) || b == (abi.Span{}) || a.File != b.File || a.Start <= rule.Span.Start && a.End >= rule.Span.End {
		return false
	}
	if a.Start == b.Start && a.End == b.End {
		return j > i && !m.ofHead(rule, &rule.Body[i])
	}
	return a.Start <= b.Start && a.End >= b.End
}

// states says of each premise whether all of it holds, some of it fails, or else
// is undefined or not known. nil: the build says nothing of single atoms.
func states(premises []premise, of []abi.AtomState) []abi.AtomState {
	if of == nil {
		return nil
	}
	out := make([]abi.AtomState, len(premises))
	for i, p := range premises {
		out[i] = abi.AtomHolds
		for _, at := range p.atoms {
			switch {
			case at >= len(of):
			case of[at] == abi.AtomFails:
				out[i] = abi.AtomFails
			case out[i] == abi.AtomHolds, of[at] == abi.AtomUnknown && out[i] == abi.AtomUndefined:
				out[i] = of[at]
			}
		}
	}
	return out
}

// computed lists what the parts of an atom came to that have no name in the
// source: "count { iof(c, s) } = 2". A part that came to several values, as a
// count does of which some rows are undefined, is left out.
func (p *prover) computed(rule *abi.Rule, atom int, values []*abi.Value) []string {
	var parts []string
	came := map[string][]string{}
	whole := rule.Body[atom].Span
	ranges := p.ranges(rule, &rule.Body[atom], values)
	for i := range rule.Body {
		a := &rule.Body[i]
		slot := boundBy(a)
		if slot < 0 || rule.Slots[slot].Name != "" || slot >= len(values) || values[slot] == nil || a.Span == whole || !p.m.wider(rule, atom, i) || p.m.measuresIn(rule, i) {
			continue
		}
		part := p.m.sourceText(a.Span)
		if part == "" {
			continue
		}
		if came[part] == nil {
			parts = append(parts, part)
		}
		text := "= " + displayText(*values[slot], rule.Slots[slot].Type, p.names)
		if ranges[slot] != "" {
			text = ranges[slot]
		}
		if !slices.Contains(came[part], text) {
			came[part] = append(came[part], text)
		}
	}
	var out []string
	for _, part := range parts {
		if len(came[part]) == 1 {
			out = append(out, brief(part)+" "+came[part][0])
		}
	}
	return out
}

// brief leaves out what stands in the braces of a long text.
func brief(text string) string {
	const long = 32
	if at := strings.IndexByte(text, '{'); at > 0 && len(text) > long {
		return text[:at] + "{ … }"
	}
	return text
}

// boundBy returns the slot that has the value of the atom's source, or -1.
func boundBy(a *abi.Atom) int {
	switch a.Op {
	case abi.AtomFold, abi.AtomLet:
		return a.Slot
	case abi.AtomScan:
		if n := len(a.Args); n > 1 && !a.Neg && a.Args[n-1].Op == abi.ArgSlot {
			return a.Args[n-1].Index
		}
	}
	return -1
}
