package runtime

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/store"
)

// TestDaysAreThoseOfTheStates writes random events and compares what the twin
// of a relation says of each day with the state at that day's last instant.
func TestDaysAreThoseOfTheStates(t *testing.T) {
	relation := func(name string, aux bool, columns int, key ...int) abi.Relation {
		r := abi.Relation{Name: name, Columns: make([]abi.Column, columns), Key: key, Origin: abi.OriginRelation}
		if aux {
			r.Origin = abi.OriginAux
		}
		return r
	}
	m := &module{program: &abi.Program{Relations: []abi.Relation{
		relation("r::R+", false, 1), relation("r::R+@", true, 3),
		relation("r::C.f", false, 2, 0), relation("r::C.f@", true, 4),
		relation("r::S+", false, 1),
	}}, relations: map[string]int{"r::R+": 0, "r::R+@": 1, "r::C.f": 2, "r::C.f@": 3, "r::S+": 4}}
	m.twins = twins(m.program)
	if fmt.Sprint(m.twins) != "map[0:1 2:3]" {
		t.Fatal(m.twins)
	}
	const first, last = 20_000, 20_012
	for seed := range int64(200) {
		r := rand.New(rand.NewSource(seed))
		moment := func() store.Moment {
			return store.Moment{Seconds: (first+r.Int63n(last-first))*abi.SecondsPerDay + r.Int63n(3)*40_000}
		}
		var events []store.Event
		for range 1 + r.Intn(6) {
			e := store.Event{Relation: "r::R+", Tuple: []abi.Value{abi.IntValue(r.Int63n(2))}, Remove: r.Intn(3) == 0, ValidFrom: moment()}
			if r.Intn(2) == 0 {
				e.Relation = "r::C.f"
				e.Tuple = append(e.Tuple, abi.IntValue(10+r.Int63n(3)))
			}
			if r.Intn(3) == 0 {
				if end := moment(); e.ValidFrom.Before(end) {
					e.ValidTo = &end
				}
			}
			events = append(events, e)
		}
		told := map[string][][2]int64{}
		for _, d := range m.days("", events) {
			if d.Remove {
				t.Fatal("nothing is declared that could be removed")
			}
			for i := range d.Frame.Rows {
				row := d.Frame.Row(nil, i)
				n := len(row) - 2
				k := fmt.Sprint(d.Relation-1, ints(row[:n]))
				told[k] = append(told[k], [2]int64{row[n].Int, row[n+1].Int})
			}
		}
		for day := int64(first - 1); day <= last; day++ {
			visible, _ := store.VisibleAt(events, endOfDay(day))
			state := map[string]string{} // by relation and key: the tuple
			for _, e := range visible {
				rel := m.relations[e.Relation]
				key, tuple := fmt.Sprint(rel, ints(e.Tuple[:1])), fmt.Sprint(rel, ints(e.Tuple))
				switch {
				case !e.Remove:
					state[key] = tuple
				case state[key] == tuple:
					delete(state, key)
				}
			}
			holds := map[string]bool{}
			for _, tuple := range state {
				holds[tuple] = true
			}
			for tuple, list := range told {
				in := false
				for _, s := range list {
					in = in || s[0] <= day && day < s[1]
				}
				if in != holds[tuple] {
					t.Errorf("seed %d, day %d: %s holds %v in the twin, and %v in the state", seed, day, tuple, in, holds[tuple])
				}
			}
			for tuple := range holds {
				if _, ok := told[tuple]; !ok {
					t.Errorf("seed %d, day %d: the twin has nothing of %s", seed, day, tuple)
				}
			}
		}
	}
}

func ints(row []abi.Value) []int64 {
	var out []int64
	for _, v := range row {
		out = append(out, v.Int)
	}
	return out
}
