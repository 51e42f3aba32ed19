package types

import (
	"context"
	"sync/atomic"

	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
	"github.com/ox-mcp/ox-mcp/host/argon/workers"
)

// Bodies are typed several at a time: what they say of each other is in their
// heads, and those are known. A goroutine types a run of items on trial, in an
// extension of the environment. What came of it is taken over in the order of
// the items, so that it is what one goroutine makes of all of them.

// manyBodies is from how many items on that pays.
const manyBodies = 400

// longestRun bounds the items that one goroutine takes at a time.
const longestRun = 128

// bodies types the bodies of all items.
func (e *Env) bodies(ctx context.Context) error {
	e.readUnread()
	pass := noted[BodyOf](e, e.body)
	count := workers.Count(e.workers)
	if count < 2 {
		return e.items(ctx, pass)
	}
	list := e.list
	if e.workers <= 0 && len(list) < manyBodies {
		return e.items(ctx, pass)
	}
	run := min(longestRun, len(list)/(4*count)+1)
	var spoilt atomic.Int64
	runs := make([][]stretch, (len(list)+run-1)/run)
	workers.Each(count, len(runs), func(i int) {
		if ctx.Err() == nil {
			runs[i] = e.try(list[i*run:min((i+1)*run, len(list))], &spoilt, len(list)/manySpoilt)
		}
	})
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, stretches := range runs {
		for _, s := range stretches {
			again := s.apart
			if !e.adopt(s.x) {
				again = s.items
			}
			for _, b := range again {
				pass(b.module, b.symbol, b.item)
			}
		}
	}
	return nil
}

// stretch is items that were typed together on trial, apart from the last of
// them, which have to be typed in their turn: the first of these leaves behind
// what others share.
type stretch struct {
	x     *Env
	items []declared
	apart []declared // the last, or none
}

// manySpoilt is how many items of a run are typed on trial in vain before the
// rest of the run is left for later.
const manySpoilt = 8

// try types items on trial. It stops doing so where spoilt, which counts those
// of all runs that were in vain, passes most.
func (e *Env) try(items []declared, spoilt *atomic.Int64, most int) []stretch {
	var list []stretch
	if spoilt.Load() > int64(most) {
		return []stretch{{e.onTrial(), items, items}}
	}
	x, from := e.onTrial(), 0
	pass := noted[BodyOf](x, x.body)
	for i, b := range items {
		before := x.mark()
		if !shares(b.item) {
			if Attempt(func() { pass(b.module, b.symbol, b.item) }, x.Spoilt) {
				continue
			}
			x.back(before)
			if spoilt.Add(1); len(list) >= manySpoilt {
				return append(list, stretch{x, items[from:], items[i:]})
			}
		}
		list = append(list, stretch{x, items[from : i+1], items[i : i+1]})
		x, from = e.onTrial(), i+1
		pass = noted[BodyOf](x, x.body)
	}
	return append(list, stretch{x: x, items: items[from:]})
}

// shares reports whether the body of an item always leaves something behind.
func shares(item syntax.Item) bool {
	switch it := item.(type) {
	case *syntax.Test:
		return true
	case *syntax.Concept:
		return it.Refinement != nil
	}
	return false
}
