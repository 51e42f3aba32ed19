package store

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
	"pgregory.net/rapid"
)

var main_ = Scope{Tenant: "default", Fork: "main"}

func at(s int64) Moment { return Moment{Seconds: s} }

func assert(name string, from int64) Event {
	return Event{Relation: "R", Tuple: []abi.Value{abi.StringValue(name)}, ValidFrom: at(from)}
}

func TestAppendStampsEvenNumbersAndRefusesAConflict(t *testing.T) {
	ctx := context.Background()
	log := NewMemory()
	c, err := log.Append(ctx, main_, Transaction{Events: []Event{assert("a", 1)}})
	if err != nil || c.TT != 2 || c.Events[0].TT != 2 {
		t.Fatalf("first commit: %+v, %v", c, err)
	}
	if _, err := log.Append(ctx, main_, Transaction{After: 0}); !errors.Is(err, ErrConflict) {
		t.Fatalf("append after a stale stamp: %v, want ErrConflict", err)
	}
	if c, err = log.Append(ctx, main_, Transaction{After: 2, Key: "k"}); err != nil || c.TT != 4 {
		t.Fatalf("second commit: %+v, %v", c, err)
	}
	if got, ok, _ := log.Find(ctx, main_, "k"); !ok || got.TT != 4 {
		t.Fatalf("find by idempotency key: %+v %v", got, ok)
	}
	if stamp, _ := log.Stamp(ctx, Scope{Tenant: "other", Fork: "main"}); stamp != 0 {
		t.Fatalf("a scope nobody wrote to has stamp %d", stamp)
	}
}

func TestEventsReadsUpToAStamp(t *testing.T) {
	ctx := context.Background()
	log := NewMemory()
	for i := int64(0); i < 3; i++ {
		if _, err := log.Append(ctx, main_, Transaction{After: 2 * i, Events: []Event{assert(fmt.Sprint(i), 0)}}); err != nil {
			t.Fatal(err)
		}
	}
	for tt, want := range map[int64]int{0: 0, 1: 0, 2: 1, 3: 1, 4: 2, 100: 3} {
		events, err := log.Events(ctx, main_, 0, tt)
		if err != nil || len(events) != want {
			t.Errorf("as of %d: %d events (%v), want %d", tt, len(events), err, want)
		}
	}
	for _, c := range []struct{ after, tt, first, want int64 }{
		{1, 100, 0, 3}, {2, 100, 1, 2}, {2, 4, 1, 1}, {3, 5, 1, 1}, {4, 4, 0, 0}, {4, 2, 0, 0}, {6, 100, 0, 0}, {100, 200, 0, 0},
	} {
		events, err := log.Events(ctx, main_, c.after, c.tt)
		if err != nil || int64(len(events)) != c.want || c.want > 0 && events[0].TT != 2*c.first+2 {
			t.Errorf("after %d as of %d: %v (%v), want %d", c.after, c.tt, events, err, c.want)
		}
		if cap(events) > len(events) {
			t.Errorf("after %d as of %d: there is room behind the events", c.after, c.tt)
		}
	}
}

func TestARetroactiveRetractionLeavesTheOldBelief(t *testing.T) {
	first := assert("a", 10)
	first.TT = 2
	second := assert("a", 20)
	second.Remove, second.TT = true, 4
	present := func(events []Event, vt int64) bool {
		visible, _ := VisibleAt(events, at(vt))
		return len(visible) > 0 && !visible[len(visible)-1].Remove
	}
	both := []Event{first, second}
	for _, c := range []struct {
		events []Event
		vt     int64
		want   bool
	}{{both, 5, false}, {both, 10, true}, {both, 19, true}, {both, 20, false}, {both[:1], 25, true}} {
		if got := present(c.events, c.vt); got != c.want {
			t.Errorf("%d events at vt %d: present %v, want %v", len(c.events), c.vt, got, c.want)
		}
	}
}

// The state at a read point must be what a model that keeps one set an instant
// says, and must not change before `until`.
func TestVisibleAtAgreesWithAPointwiseModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const horizon = 12
		var events []Event
		var model [horizon]map[string]bool
		for i := range model {
			model[i] = map[string]bool{}
		}
		for i := 0; i < rapid.IntRange(0, 12).Draw(t, "n"); i++ {
			e := assert(rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "name"), rapid.Int64Range(0, horizon-1).Draw(t, "from"))
			e.Remove = rapid.Bool().Draw(t, "remove")
			to := int64(horizon)
			if rapid.Bool().Draw(t, "bounded") {
				to = rapid.Int64Range(e.ValidFrom.Seconds, horizon).Draw(t, "to")
				end := at(to)
				e.ValidTo = &end
			}
			events = append(events, e)
			for vt := e.ValidFrom.Seconds; vt < to; vt++ {
				model[vt][e.Tuple[0].Str] = !e.Remove
			}
		}
		fold := func(vt int64) (string, *Moment) {
			visible, until := VisibleAt(events, at(vt))
			state := map[string]bool{}
			for _, e := range visible {
				state[e.Tuple[0].Str] = !e.Remove
			}
			return names(state), until
		}
		for vt := int64(0); vt < horizon; vt++ {
			got, until := fold(vt)
			if want := names(model[vt]); got != want {
				t.Fatalf("state at %d is %q, want %q", vt, got, want)
			}
			for later := vt + 1; later < horizon && (until == nil || later < until.Seconds); later++ {
				if s, _ := fold(later); s != got {
					t.Fatalf("state at %d was said to last until %v, but at %d it is %q, not %q", vt, until, later, s, got)
				}
			}
		}
	})
}

func names(state map[string]bool) string {
	var out []string
	for n, in := range state {
		if in {
			out = append(out, n)
		}
	}
	sort.Strings(out)
	return strings.Join(out, " ")
}
