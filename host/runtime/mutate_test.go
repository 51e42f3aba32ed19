package runtime

import (
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/store"
)

func TestAResultHashCoversAllThatAnEventSays(t *testing.T) {
	event := func(change func(*store.Event)) string {
		e := store.Event{ID: [16]byte{1}, Relation: "root::Road", Tuple: []abi.Value{abi.NamedValue("mill")}, ValidFrom: store.Moment{Seconds: 5}}
		change(&e)
		return resultHash([]store.Event{e})
	}
	seen := map[string]string{}
	for _, tc := range []struct {
		name   string
		change func(*store.Event)
	}{
		{"as it is", func(*store.Event) {}},
		{"relation", func(e *store.Event) { e.Relation = "root::Path" }},
		{"retraction", func(e *store.Event) { e.Remove = true }},
		{"tuple", func(e *store.Event) { e.Tuple = []abi.Value{abi.NamedValue("summit")} }},
		{"beginning", func(e *store.Event) { e.ValidFrom.Nanos = 1 }},
		{"an end", func(e *store.Event) { e.ValidTo = &store.Moment{Seconds: 9} }},
		{"another end", func(e *store.Event) { e.ValidTo = &store.Moment{Seconds: 10} }},
	} {
		h := event(tc.change)
		if other, ok := seen[h]; ok {
			t.Errorf("%s: the same hash as %s", tc.name, other)
		}
		seen[h] = tc.name
	}
	if event(func(e *store.Event) { e.ID = [16]byte{2} }) != event(func(*store.Event) {}) {
		t.Error("the id of an event is in the hash")
	}
}
