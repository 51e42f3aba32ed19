package lower

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// Looks is what an operator over time looks at from a day. To is less than 0
// where the distance has no end.
type Looks struct {
	Word     string // box_minus, …, since, until
	From, To int64  // in days
	At       Operand
	Held     *Operand // of since and until: what holds meanwhile; nil where the distance leaves no day for it
}

// Operand is the relation of the days on which an operand holds. Columns has, for
// each of its columns before the days, the place in the operator's.
type Operand struct {
	Rel     int
	Columns []int
}

// Back reports whether the days that the operator looks at are in the past.
func (l *Looks) Back() bool { return strings.HasSuffix(l.Word, "_minus") || l.Word == "since" }

// Window is the days that the operator looks at from a day: from the first up to
// the last, which is not among them.
func (l *Looks) Window(day int64) (from, to int64) {
	most := l.To
	if most < 0 {
		most = 2 * Always
	}
	if l.Back() {
		from, to = day-most, day-l.From+1
	} else {
		from, to = day+l.From, day+most+1
	}
	return max(from, -Always), min(to, Always)
}

// LooksOf returns what the operator looks at whose days a relation has, or its
// word of today. ok is false for other relations.
func LooksOf(p *abi.Program, rel int) (l Looks, days int, ok bool) {
	r := &p.Relations[rel]
	word, rest, _ := strings.Cut(r.Name, "[")
	if !Operator(r) || !syntax.Metric(word) {
		return l, -1, false
	}
	days = rel
	if _, twin := Twin(r); !twin {
		days = slices.IndexFunc(p.Relations, func(x abi.Relation) bool { return x.Origin == abi.OriginAux && x.Name == r.Name+TwinMark })
		if days < 0 {
			return l, -1, false
		}
	}
	l.Word, l.To = word, -1
	distance, _, _ := strings.Cut(rest, "]")
	near, far, _ := strings.Cut(distance, ", ")
	if n, _ := fmt.Sscan(near, &l.From); n != 1 {
		return l, -1, false
	}
	if far != "*" {
		if n, _ := fmt.Sscan(far, &l.To); n != 1 {
			return l, -1, false
		}
	}
	for i := range p.Rules {
		if rule := &p.Rules[i]; rule.Head == days {
			l.operands(p, rule)
		}
	}
	return l, days, len(l.At.Columns)+2 == len(p.Relations[days].Columns)
}

// operands notes the operands that a rule of an operator reads: what holds
// meanwhile before the other one.
func (l *Looks) operands(p *abi.Program, rule *abi.Rule) {
	var found []Operand
	for i := range rule.Body {
		a := &rule.Body[i]
		if a.Op != abi.AtomScan {
			continue
		}
		x := Operand{Rel: a.Rel}
		// The joined intervals are those of the days themselves.
		if name, joined := strings.CutSuffix(p.Relations[a.Rel].Name, "="+TwinMark); joined {
			x.Rel = slices.IndexFunc(p.Relations, func(r abi.Relation) bool { return r.Origin == abi.OriginAux && r.Name == name+TwinMark })
		}
		for _, arg := range a.Args[:len(a.Args)-2] {
			x.Columns = append(x.Columns, slices.Index(rule.Args, arg))
		}
		if x.Rel < 0 || slices.Contains(x.Columns, -1) {
			return
		}
		found = append(found, x)
	}
	switch len(found) {
	case 1:
		l.At = found[0]
	case 2:
		l.Held, l.At = &found[0], found[1]
	}
}
