package argon_test

import (
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/argon"
)

// A comparison of what introduced an individual inside another, and so on, is
// not typed twice at each: this does not end where it is.
func TestComparisonsOfMetaInEachOther(t *testing.T) {
	x := "true"
	for range 40 {
		x = "meta([x].fold(x, |a, b| if " + x + " { a } else { b })) == kind"
	}
	found := argon.Check("pub metatype kind = {};\npub kind V;\npub fn q(x: V) -> Bool = " + x + ";\n")
	if len(found) == 0 || !strings.Contains(found[0].Message, "not supported yet") {
		t.Errorf("%v", found)
	}
}

// What a method makes of arguments has to have a name before it is compared, and
// the help says so.
func TestMetaOfWhatAMethodGivesIsHelped(t *testing.T) {
	const head = "pub metatype kind = {};\npub kind V { w: V }\npub trait L { fn next(self, o: V) -> V; }\nimpl L for V { fn next(self, o: V) -> V = o.w; }\n"
	if found := argon.Check(head + "pub derive q(x: V) :- x: V, y = x.next(x), meta(y) == kind;\n"); len(found) > 0 {
		t.Errorf("%v", found)
	}
	found := argon.Check(head + "pub derive q(x: V) :- x: V, meta(x.next(x)) == kind;\n")
	if len(found) != 1 || !strings.Contains(found[0].Help, "name the individual first") {
		t.Errorf("%v", found)
	}
}
