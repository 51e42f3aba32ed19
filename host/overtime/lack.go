package overtime

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/lower"
)

// The bounds of what a why-not answer tells of an operator over time.
const (
	maxStretches = 4  // runs of days that are listed
	maxNested    = 3  // operators inside of each other that are told of
	maxKeys      = 50 // values of open places that are compared
)

// Teller says what operators over time lack.
type Teller struct {
	Reader
	Source func(abi.Span) string                // text of a part of the source
	Show   func(v abi.Value, t abi.Type) string // a value as a person reads it
}

// Lacking says on which of the days that the operator which rel stands for looks
// at from today what it asks for is missing, or "" where nothing can be said. Of
// tuple nil is any value.
func (d *Teller) Lacking(ctx context.Context, rel int, tuple []*abi.Value) (string, error) {
	found, err := d.lacking(ctx, rel, tuple, d.today(), 1)
	return found.text, err
}

// dayLack says what an operator over time lacks on a day, and of how many days.
type dayLack struct {
	text string
	days int64
}

// lacking says what the operator that rel stands for lacks on a day, for the
// values that come nearest.
func (d *Teller) lacking(ctx context.Context, rel int, tuple []*abi.Value, day int64, depth int) (best dayLack, err error) {
	looks, _, ok := lower.LooksOf(d.Program, rel)
	if !ok {
		return best, nil
	}
	at, whole, err := d.Rows(ctx, looks.At.Rel, operandOf(&looks.At, tuple))
	if err != nil || !whole {
		return best, err
	}
	var meanwhile [][]abi.Value
	if looks.Held != nil {
		if meanwhile, whole, err = d.Rows(ctx, looks.Held.Rel, operandOf(looks.Held, tuple)); err != nil || !whole {
			return best, err
		}
	}
	inner := Days{}
	for i, key := range keysOf(&looks, at, tuple) {
		var found dayLack
		var first Days
		if looks.Word == "since" || looks.Word == "until" {
			found, first = d.meanwhile(&looks, key, at, meanwhile, day)
		} else {
			found, first = d.within(&looks, key, at, day)
		}
		if i > 0 && found.days >= best.days {
			continue
		}
		best, inner = found, first
		if with := d.withText(rel, tuple, key); with != "" {
			best.text = with + best.text
		}
	}
	if best.text == "" || depth >= maxNested || slices.Contains(tuple, nil) {
		return best, nil
	}
	missed := &looks.At
	if looks.Held != nil && len(held(at, operandOf(&looks.At, tuple))) > 0 && inner.From < inner.To {
		missed = looks.Held
	}
	return best, d.nested(ctx, &best, missed, tuple, inner, depth)
}

// nested adds why an operand that is an operator itself fails on the first of the
// days.
func (d *Teller) nested(ctx context.Context, lack *dayLack, of *lower.Operand, tuple []*abi.Value, days Days, depth int) error {
	if days.From >= days.To || days.From <= -lower.Always {
		return nil
	}
	operator, columns, ok := d.onlyOperator(of.Rel)
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
	why, err := d.lacking(ctx, operator, inside, days.From, depth+1)
	if err == nil && why.text != "" {
		lack.text += fmt.Sprintf("; %s %s: %s", d.Source(d.Program.Relations[operator].Span), Days{days.From, days.From + 1}.Text(), why.text)
	}
	return err
}

// within says what an operator with one operand lacks, and the first of the days.
func (d *Teller) within(looks *lower.Looks, key []*abi.Value, rows [][]abi.Value, day int64) (dayLack, Days) {
	window := windowOf(looks, day)
	if window.From >= window.To {
		return dayLack{}, Days{}
	}
	if strings.HasPrefix(looks.Word, "diamond") {
		return dayLack{"on no day " + window.Text(), 1}, window
	}
	missing := window.without(held(rows, operandOf(&looks.At, key)))
	if missing == nil {
		return dayLack{}, Days{}
	}
	text := "missing " + runsText(missing)
	if countDays(missing) < window.To-window.From {
		text += "; it looks at the days " + window.Text()
	}
	return dayLack{text, countDays(missing)}, missing[0]
}

// meanwhile says what since or until lacks: a day of the other operand in the
// window, or where there is one what holds from then on. Of several such days it
// is the one that leaves the fewest days open, and of these the nearest.
func (d *Teller) meanwhile(looks *lower.Looks, key []*abi.Value, at, meanwhile [][]abi.Value, day int64) (best dayLack, first Days) {
	window := windowOf(looks, day)
	text := func(x *lower.Operand) string { return d.operandText(x.Rel) }
	for _, r := range held(at, operandOf(&looks.At, key)) {
		from, to := max(r.From, window.From), min(r.To, window.To)
		if from >= to || looks.Held == nil {
			continue
		}
		// The nearest day of a run asks for the fewest between.
		between, when, word := Days{to, day}, to-1, "after"
		if !looks.Back() {
			between, when, word = Days{day + 1, from}, from, "before"
		}
		missing := between.without(held(meanwhile, operandOf(looks.Held, key)))
		if missing == nil || best.text != "" && (countDays(missing) > best.days || countDays(missing) == best.days && !looks.Back()) {
			continue
		}
		best = dayLack{fmt.Sprintf("%s missing %s; it must hold %s, %s %s %s", text(looks.Held), runsText(missing),
			between.Text(), word, text(&looks.At), Days{when, when + 1}.Text()), countDays(missing)}
		first = missing[0]
	}
	if best.text == "" && window.From < window.To {
		best = dayLack{text(&looks.At) + " on no day " + window.Text(), window.To - window.From}
		first = Days{}
	}
	return best, first
}
