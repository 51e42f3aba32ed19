package runtime

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/store"
)

// What annals that were read on bit by bit say of a stamp is what reading the
// log from its beginning up to it says.
func TestAnnalsSayOfEachStampWhatTheLogSays(t *testing.T) {
	rnd := rand.New(rand.NewSource(1))
	ctx, scope, log := t.Context(), store.Scope{Tenant: "t", Fork: "f"}, store.NewMemory()
	id := func(i int) abi.Value { return abi.MintedValue([16]byte{byte(i)}) }
	named := func(i int) abi.Value { return abi.NamedValue(fmt.Sprint("n", i)) }
	var a archive
	for tx := range 40 {
		var events []store.Event
		for range rnd.Intn(4) {
			e := store.Event{Remove: rnd.Intn(4) == 0}
			if rnd.Intn(2) == 0 {
				e.Layer = "press"
			}
			switch i := rnd.Intn(6); rnd.Intn(4) {
			case 0:
				e.Relation, e.Tuple = "root::Ship.name", []abi.Value{id(i), abi.StringValue(fmt.Sprint("s", rnd.Intn(4)))}
			case 1:
				e.Relation, e.Tuple = []string{"root::Ship+", "root::Barge+"}[rnd.Intn(2)], []abi.Value{id(i)}
			case 2:
				e.Relation, e.Tuple = "root::Calls+", []abi.Value{id(i), named(rnd.Intn(9))}
			default:
				e.Relation, e.Tuple = fmt.Sprint("root::Flag", i, "+"), []abi.Value{}
			}
			events = append(events, e)
		}
		if _, err := log.Append(ctx, scope, store.Transaction{After: int64(2 * tx), Events: events}); err != nil {
			t.Fatal(err)
		}
		if tx%3 > 0 {
			continue
		}
		past, err := a.upTo(ctx, log, scope, int64(2*tx+2))
		if err != nil {
			t.Fatal(err)
		}
		for tt := range int64(2*tx + 3) {
			all, _ := log.Events(ctx, scope, 0, tt)
			want := &names{minted: map[[16]byte]string{}, concepts: map[[16]byte]string{}}
			written, spokenOf := map[string]bool{}, map[string]bool{}
			for _, e := range all {
				want.learn(e.Relation, e.Tuple)
				spokenOf[fmt.Sprint(e.Relation, e.Layer != "")] = true
				for _, v := range e.Tuple {
					if v.Kind == abi.KindNamed {
						written[v.Str] = true
					}
				}
			}
			got := &names{past: past, tt: tt}
			called := map[string]int{}
			for i := range 6 {
				x := id(i).ID
				called[want.name(x)]++
				if got.name(x) != want.name(x) || got.concept(x) != want.concept(x) {
					t.Fatalf("%d of %d, individual %d: %q %q, want %q %q", tt, past.tt, i, got.name(x), got.concept(x), want.name(x), want.concept(x))
				}
			}
			for i := range 4 {
				name := fmt.Sprint("s", i)
				if n := len(past.called(name, tt)); n != called[name] {
					t.Fatalf("%d of %d: %d are called %s, want %d", tt, past.tt, n, name, called[name])
				}
			}
			for i := range 9 {
				if name := named(i).Str; past.about(name, tt) != written[name] {
					t.Fatalf("%d of %d: about %s %v, want %v", tt, past.tt, name, past.about(name, tt), written[name])
				}
			}
			if n := len(past.individuals(tt)); n != len(written) {
				t.Fatalf("%d of %d: %d individuals, want %d", tt, past.tt, n, len(written))
			}
			past.spokenOf(tt, func(relation string, inLayer bool) {
				if key := fmt.Sprint(relation, inLayer); !spokenOf[key] {
					t.Fatalf("%d of %d: %s is not spoken of yet", tt, past.tt, key)
				}
				delete(spokenOf, fmt.Sprint(relation, inLayer))
			})
			if len(spokenOf) > 0 {
				t.Fatalf("%d of %d: not told of %v", tt, past.tt, spokenOf)
			}
		}
	}
	// Who asks for a stamp that is not there yet does not keep what will have it
	// from those who come later.
	if _, err := a.upTo(ctx, log, scope, 1000); err != nil {
		t.Fatal(err)
	}
	late := store.Event{Relation: "root::Late+", Tuple: []abi.Value{named(9)}}
	if _, err := log.Append(ctx, scope, store.Transaction{After: 80, Events: []store.Event{late}}); err != nil {
		t.Fatal(err)
	}
	if past, err := a.upTo(ctx, log, scope, 82); err != nil || !past.about(named(9).Str, 82) || past.about(named(9).Str, 80) {
		t.Fatalf("what was written after a look ahead: %v", err)
	}
	if err := log.Purge(ctx, scope, map[string]bool{"root::Ship.name": true}); err != nil {
		t.Fatal(err)
	}
	a.drop(scope)
	past, err := a.upTo(ctx, log, scope, 80)
	if err != nil || len(past.names) > 0 || len(past.concepts) == 0 {
		t.Fatalf("after an erasure: %v, names %v", err, past.names)
	}
}
