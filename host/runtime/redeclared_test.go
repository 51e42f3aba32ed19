package runtime

import (
	"maps"
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/coherence"
)

// The names after an edit are those that the whole package would have, whatever
// came and went, or it is said that they are not.
func TestNamesAfterAnEditAreThoseOfThePackage(t *testing.T) {
	all := []string{"a::eva", "b::eva", "c::eva", "a::tim", "b::tim", "a::ida"}
	index := func(set int) map[string]string {
		var f abi.Frame
		for i, name := range all {
			if set>>i&1 == 1 {
				f.Dict = append(f.Dict, abi.Value{Kind: abi.KindNamed, Str: name})
			}
		}
		m := &module{declared: map[string]string{}, facts: []coherence.Facts{{Frame: f}}}
		m.indexIndividuals()
		return m.declared
	}
	told := 0
	for before := range 1 << len(all) {
		for after := range 1 << len(all) {
			var changed []string
			for i, name := range all {
				if (before^after)>>i&1 == 1 {
					changed = append(changed, name)
				}
			}
			got, ok := redeclared(index(before), index(after&(before^after)), changed)
			if !ok {
				continue
			}
			told++
			if want := index(after); !maps.Equal(got, want) {
				t.Fatalf("%v became %v, without %v", index(before), got, want)
			}
		}
	}
	if told < 1<<(2*len(all))/8 {
		t.Errorf("only %d edits were told", told)
	}
}
