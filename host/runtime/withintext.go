package runtime

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/lower"
)

// ranges returns, of the slots whose values an atom compares for how far they may
// go, the interval in words: "from 3 to 8". The value itself is only what is known
// to be there.
func (p *prover) ranges(rule *abi.Rule, a *abi.Atom, values []*abi.Value) map[int]string {
	var compared [][2]int
	for i := range rule.Body {
		// What the ends are computed by has the place of the comparison.
		if rule.Body[i].Span == a.Span {
			compared = append(compared, lower.Compared(&rule.Body[i])...)
		}
	}
	if compared == nil {
		return nil
	}
	out := map[int]string{}
	tell := func(slot, least, most int) {
		if least >= len(values) || most >= len(values) || values[least] == nil || values[most] == nil || abi.Equal(*values[least], *values[most]) {
			return
		}
		end := func(v *abi.Value) *Cell {
			if v.Kind == abi.KindNone {
				return nil
			}
			c := cell(*v, rule.Slots[slot].Type, p.names)
			return &c
		}
		out[slot] = rangeText(end(values[least]), end(values[most]))
	}
	for i := range rule.Body {
		if slot, least, most := p.m.measuredScan(&rule.Body[i]); slot >= 0 {
			tell(slot, least, most)
		}
	}
	for _, ends := range compared {
		if slot := measuredBy(rule, ends[0]); slot >= 0 {
			tell(slot, ends[0], ends[1])
		}
	}
	return out
}

// measuredScan returns the slots of a value that an atom reads for how far it may
// go, and of its ends; slot is -1 where it reads none.
func (m *module) measuredScan(a *abi.Atom) (slot, least, most int) {
	n := len(a.Args) - withinColumns
	if a.Op != abi.AtomScan || a.Neg || n <= 0 {
		return -1, 0, 0
	}
	_, column := lower.MeasuredOf(&m.program.Relations[a.Rel])
	if column < 0 || a.Args[column].Op != abi.ArgSlot || a.Args[n].Op != abi.ArgSlot || a.Args[n+1].Op != abi.ArgSlot {
		return -1, 0, 0
	}
	return a.Args[column].Index, a.Args[n].Index, a.Args[n+1].Index
}

// measuredBy returns the slot of what a rule computes whose interval begins with
// what the slot least has, or -1.
func measuredBy(rule *abi.Rule, least int) int {
	at := slices.IndexFunc(rule.Body, func(a abi.Atom) bool { return a.Op == abi.AtomLet && a.Slot == least })
	if at < 0 || rule.Body[at].Span == (abi.Span{}) {
		return -1
	}
	computed := -1
	for i := range rule.Body {
		a := &rule.Body[i]
		switch {
		case a.Span != rule.Body[at].Span:
		case a.Op == abi.AtomFold:
			return a.Slot // the others of its place serve it
		case a.Op == abi.AtomLet && rule.Slots[a.Slot].Name != "":
			computed = a.Slot
		}
	}
	return computed
}

// rangeText says in words where a value lies.
func rangeText(least, most *Cell) string {
	switch {
	case least != nil && most != nil && least.Text == most.Text:
		return "is " + least.Text
	case least != nil && most != nil:
		return "from " + least.Text + " to " + most.Text
	case least != nil:
		return "from " + least.Text + " on"
	case most != nil:
		return "up to " + most.Text
	}
	return "open"
}
