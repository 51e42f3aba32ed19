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
