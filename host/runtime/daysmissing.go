package runtime

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/lower"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
)

// The bounds of what a why-not answer tells of an operator over time.
const (
	maxStretches = 4  // runs of days that are listed
	maxNested    = 3  // operators inside of each other that are told of
	maxDayKeys   = 50 // values of open places that are compared
)

// missingDays says of the operators that fail in a why-not answer on which of
// their days what they ask for does not hold: by the key of the fact that stands
// for the operator.
func (ses *session) missingDays(ctx context.Context, in *sandbox.Instance, call abi.Call, nodes []abi.WhyNotNode) (map[string]string, error) {
	if len(ses.m.twins) == 0 {
		return nil, nil
	}
	out := map[string]string{}
	var reader *keyedReader
	for i := range nodes {
		for j := range nodes[i].Attempts {
			a := &nodes[i].Attempts[j]
			rule := ses.m.rule(a.Rule)
			if rule == nil {
				continue
			}
			for at := range rule.Body {
				tuple, ok := ses.m.operatorFails(rule, a, at)
				if !ok {
					continue
				}
				rel := rule.Body[at].Rel
				key := dayKey(rel, tuple)
				if _, told := out[key]; told {
					continue
				}
				if reader == nil {
					clone, err := in.Clone(ctx)
					if err != nil {
						return out, ctx.Err()
					}
					defer drop(ctx, &clone)
					reader = &keyedReader{ses: ses, in: clone, call: call}
				}
				lacks, err := reader.lacking(ctx, rel, tuple, reader.today(), 1)
				if dead(err) {
					return out, ctx.Err() // it was the clone that ended
				}
				if err == nil { // else nothing is said of the days: the answer is good without
					out[key] = lacks.text
				}
			}
		}
	}
	return out, nil
}

func dayKey(rel int, tuple []*abi.Value) string {
	key := fmt.Appendf(nil, "%d ", rel)
	for _, v := range tuple {
		if v == nil {
			v = &abi.Value{}
		}
		key = abi.AppendValue(key, *v)
	}
	return string(key)
}

// operatorFails returns what is known of the operator over time that an atom of
// an attempt is. ok is false where it is none, or does not fail.
func (m *module) operatorFails(rule *abi.Rule, a *abi.Attempt, at int) ([]*abi.Value, bool) {
	atom := &rule.Body[at]
	if at != a.Failed && (at >= len(a.States) || a.States[at] != abi.AtomFails) || atom.Op != abi.AtomScan || atom.Neg || !m.ofOperator(atom.Rel) || m.ofOperator(rule.Head) {
		return nil, false
	}
	return m.scanned(atom, a.Bindings), true
}

// scanned is what an atom looks for under bindings; nil is anything.
func (m *module) scanned(atom *abi.Atom, bindings []*abi.Value) []*abi.Value {
	tuple := make([]*abi.Value, len(atom.Args))
	for i, x := range atom.Args {
		switch {
		case x.Op == abi.ArgConst:
			tuple[i] = &m.program.Constants[x.Index]
		case x.Op == abi.ArgSlot && x.Index < len(bindings):
			tuple[i] = bindings[x.Index]
		}
	}
	return tuple
}

// dayLack says what an operator over time lacks on a day, and of how many days.
type dayLack struct {
	text string
	days int64
}

// lacking says what the operator that rel stands for lacks on a day, for the
// values that come nearest.
func (d *keyedReader) lacking(ctx context.Context, rel int, tuple []*abi.Value, day int64, depth int) (best dayLack, err error) {
	looks, _, ok := lower.LooksOf(d.ses.m.program, rel)
	if !ok {
		return best, nil
	}
	at, whole, err := d.rows(ctx, looks.At.Rel, operandOf(&looks.At, tuple))
	if err != nil || !whole {
		return best, err
	}
	var held [][]abi.Value
	if looks.Held != nil {
		if held, whole, err = d.rows(ctx, looks.Held.Rel, operandOf(looks.Held, tuple)); err != nil || !whole {
			return best, err
		}
	}
	inner := run{}
	for i, key := range keysOf(&looks, at, tuple) {
		var found dayLack
		var first run
		if looks.Word == "since" || looks.Word == "until" {
			found, first = d.meanwhile(&looks, key, at, held, day)
		} else {
			found, first = d.within(&looks, key, at, day)
		}
		if i > 0 && found.days >= best.days {
			continue
		}
		best, inner = found, first
		if with := d.ses.m.withText(rel, tuple, key, d.ses.names(ctx)); with != "" {
			best.text = with + best.text
		}
	}
	if best.text == "" || depth >= maxNested || slices.Contains(tuple, nil) {
		return best, nil
	}
	missed := &looks.At
	if looks.Held != nil && len(heldDays(at, operandOf(&looks.At, tuple))) > 0 && inner.from < inner.to {
		missed = looks.Held
	}
	return best, d.nested(ctx, &best, missed, tuple, inner, depth)
}

// operandText is the source of an operand, which is part of that of its operator.
func (m *module) operandText(rel int) string {
	whole := m.program.Relations[rel].Span
	part := abi.Span{}
	for i := range m.program.Rules {
		rule := &m.program.Rules[i]
		if rule.Head != rel {
			continue
		}
		for k := range rule.Body {
			at := rule.Body[k].Span
			switch {
			case at == (abi.Span{}) || at.File != whole.File || at.Start < whole.Start || at.End > whole.End || at.Start == whole.Start && at.End == whole.End:
			case part == (abi.Span{}):
				part = at
			default:
				part.Start, part.End = min(part.Start, at.Start), max(part.End, at.End)
			}
		}
	}
	if part == (abi.Span{}) {
		part = whole
	}
	return m.sourceText(part)
}

// nested adds why an operand that is an operator itself fails on the first of the
// days.
func (d *keyedReader) nested(ctx context.Context, lack *dayLack, of *lower.Operand, tuple []*abi.Value, days run, depth int) error {
	if days.from >= days.to || days.from <= -lower.Always {
		return nil
	}
	operator, columns, ok := d.ses.m.onlyOperator(of.Rel)
	if !ok {
		return nil
	}
	known := operandOf(of, tuple)
	inside := make([]*abi.Value, len(columns))
	for i, c := range columns {
		if c >= 0 {
			inside[i] = known[c]
		}
	}
	why, err := d.lacking(ctx, operator, inside, days.from, depth+1)
	if err == nil && why.text != "" {
		lack.text += fmt.Sprintf("; %s %s: %s", d.ses.m.sourceText(d.ses.m.program.Relations[operator].Span), stretchText(days.from, days.from+1), why.text)
	}
	return err
}

// onlyOperator returns the operator over time that an operand consists of, and of
// each of its columns the place in the operand's, or -1.
func (m *module) onlyOperator(operand int) (operator int, columns []int, ok bool) {
	for i := range m.program.Rules {
		rule := &m.program.Rules[i]
		if rule.Head != operand {
			continue
		}
		scans := 0
		for k := range rule.Body {
			a := &rule.Body[k]
			if a.Op != abi.AtomScan {
				continue
			}
			if scans++; scans > 1 || !m.ofOperator(a.Rel) {
				return 0, nil, false
			}
			operator = a.Rel
			for _, arg := range a.Args[:len(a.Args)-2] {
				columns = append(columns, slices.Index(rule.Args, arg))
			}
		}
		return operator, columns, scans == 1
	}
	return 0, nil, false
}

// keysOf returns the values of an operator's columns that there are for what is
// known of them, or what is known where there are none.
func keysOf(looks *lower.Looks, rows [][]abi.Value, tuple []*abi.Value) [][]*abi.Value {
	if !slices.Contains(tuple, nil) || strings.HasPrefix(looks.Word, "diamond") {
		return [][]*abi.Value{tuple}
	}
	var out [][]*abi.Value
	for _, row := range rows {
		key := slices.Clone(tuple)
		for i, c := range looks.At.Columns {
			key[c] = &row[i]
		}
		same := func(k []*abi.Value) bool {
			return slices.EqualFunc(k, key, func(a, b *abi.Value) bool { return a != nil && b != nil && abi.Equal(*a, *b) })
		}
		if len(out) < maxDayKeys && !slices.ContainsFunc(out, same) {
			out = append(out, key)
		}
	}
	if out == nil {
		return [][]*abi.Value{tuple}
	}
	return out
}

// withText names the values of the places that are open: "with d = \"wet\": ".
func (m *module) withText(rel int, tuple, key []*abi.Value, names *names) string {
	var parts []string
	for i, c := range m.program.Relations[rel].Columns[:len(tuple)] {
		if tuple[i] != nil || key[i] == nil || c.Name == "" {
			continue
		}
		text := displayText(*key[i], c.Type, names)
		if key[i].Kind == abi.KindString {
			text = quote(text)
		}
		parts = append(parts, c.Name+" = "+text)
	}
	if parts == nil {
		return ""
	}
	return "with " + strings.Join(parts, ", ") + ": "
}

// within says what an operator with one operand lacks, and the first of the days.
func (d *keyedReader) within(looks *lower.Looks, key []*abi.Value, rows [][]abi.Value, day int64) (dayLack, run) {
	var window run
	window.from, window.to = looks.Window(day)
	if window.from >= window.to {
		return dayLack{}, run{}
	}
	if strings.HasPrefix(looks.Word, "diamond") {
		return dayLack{"on no day " + stretchText(window.from, window.to), 1}, window
	}
	missing := window.without(heldDays(rows, operandOf(&looks.At, key)))
	if missing == nil {
		return dayLack{}, run{}
	}
	text := "missing " + runsText(missing)
	if countDays(missing) < window.to-window.from {
		text += "; it looks at the days " + stretchText(window.from, window.to)
	}
	return dayLack{text, countDays(missing)}, missing[0]
}

// meanwhile says what since or until lacks: a day of the other operand in the
// window, or where there is one what holds from then on. Of several such days it
// is the one that leaves the fewest days open, and of these the nearest.
func (d *keyedReader) meanwhile(looks *lower.Looks, key []*abi.Value, at, held [][]abi.Value, day int64) (best dayLack, first run) {
	var window run
	window.from, window.to = looks.Window(day)
	text := func(x *lower.Operand) string { return d.ses.m.operandText(x.Rel) }
	for _, r := range heldDays(at, operandOf(&looks.At, key)) {
		from, to := max(r.from, window.from), min(r.to, window.to)
		if from >= to || looks.Held == nil {
			continue
		}
		// The nearest day of a run asks for the fewest between.
		between, when, word := run{to, day}, to-1, "after"
		if !looks.Back() {
			between, when, word = run{day + 1, from}, from, "before"
		}
		missing := between.without(heldDays(held, operandOf(looks.Held, key)))
		if missing == nil || best.text != "" && (countDays(missing) > best.days || countDays(missing) == best.days && !looks.Back()) {
			continue
		}
		best = dayLack{fmt.Sprintf("%s missing %s; it must hold %s, %s %s %s", text(looks.Held), runsText(missing),
			stretchText(between.from, between.to), word, text(&looks.At), stretchText(when, when+1)), countDays(missing)}
		first = missing[0]
	}
	if best.text == "" && window.from < window.to {
		best = dayLack{text(&looks.At) + " on no day " + stretchText(window.from, window.to), window.to - window.from}
		first = run{}
	}
	return best, first
}

func runsText(runs []run) string {
	var parts []string
	for _, r := range runs {
		parts = append(parts, stretchText(r.from, r.to))
	}
	if len(parts) > maxStretches {
		parts = append(parts[:maxStretches], fmt.Sprintf("%d times more", len(parts)-maxStretches))
	}
	return strings.Join(parts, ", ")
}
