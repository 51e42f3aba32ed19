package overtime

import (
	"context"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/lower"
)

// within returns the ways of an operator with one operand. Where any day of a
// window does it is the nearest, or if something else forbids that one the next or
// the last.
func (d *Search) within(ctx context.Context, looks *lower.Looks, pattern []*abi.Value, when Days, depth int) (out []Way, err error) {
	first, last := windowOf(looks, when.From), windowOf(looks, when.To-1)
	days := []Days{{first.From, last.To}}
	if strings.HasPrefix(looks.Word, "diamond") {
		common := Days{last.From, first.To}
		days = []Days{nearestOf(looks, common)}
		if days[0].From >= days[0].To {
			days[0] = nearestOf(looks, first) // each day has one of its own, as near
			days[0].To += when.To - when.From - 1
		} else if common.To-common.From > 1 {
			if looks.Back() {
				common.To--
			} else {
				common.From++
			}
			days = append(days, nearestOf(looks, common))
			// Farther ones are alike, so the last stands for them.
			if last := farthestOf(looks, common); last != days[1] {
				days = append(days, last)
			}
		}
	}
	for far, r := range days {
		ways, err := d.want(ctx, looks.At.Rel, operandOf(&looks.At, pattern), r, depth+1)
		if err != nil {
			return nil, err
		}
		for _, w := range ways {
			w.tuple, w.far = withOperand(pattern, &looks.At, w.tuple), w.far+far
			out = append(out, w)
		}
	}
	return out, nil
}

// meanwhile returns the ways of since and until: from a day on which the other
// operand holds, or from the nearest one on which it could, what must hold
// meanwhile does.
func (d *Search) meanwhile(ctx context.Context, looks *lower.Looks, pattern []*abi.Value, when Days, depth int) (out []Way, err error) {
	window := Days{windowOf(looks, when.To-1).From, windowOf(looks, when.From).To}
	if window.From >= window.To {
		return nil, nil
	}
	rows, whole, err := d.rows(ctx, looks.At.Rel, operandOf(&looks.At, pattern))
	if err != nil || !whole {
		return nil, err
	}
	type start struct {
		way Way
		day int64
	}
	var starts []start
	for _, tuple := range tuplesOf(rows) {
		for _, r := range held(rows, tuple) {
			if day := nearestOf(looks, Days{max(r.From, window.From), min(r.To, window.To)}); day.From < day.To {
				starts = append(starts, start{Way{tuple: tuple}, day.From})
			}
		}
	}
	nearest := nearestOf(looks, window)
	ways, err := d.want(ctx, looks.At.Rel, operandOf(&looks.At, pattern), nearest, depth+1)
	if err != nil {
		return nil, err
	}
	for _, w := range ways {
		starts = append(starts, start{w, nearest.From})
	}
	for _, s := range starts {
		s.way.tuple = withOperand(pattern, &looks.At, s.way.tuple)
		if looks.Held == nil {
			out = append(out, s.way)
			continue
		}
		between := Days{s.day + 1, when.To - 1}
		if !looks.Back() {
			between = Days{when.From + 1, s.day}
		}
		held, err := d.want(ctx, looks.Held.Rel, operandOf(looks.Held, s.way.tuple), between, depth+1)
		if err != nil {
			return nil, err
		}
		for _, h := range held {
			if both, ok := s.way.and(h, d.Most); ok {
				out = append(out, both)
			}
		}
	}
	return out, nil
}
