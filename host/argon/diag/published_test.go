package diag

import (
	"strings"
	"testing"
)

// published are the codes whose meaning is fixed by the language's own list.
const published = `OE0001 OE0007 OE0009 OE0011 OE0012 OE0101 OE0211 OE0212 OE0240 OE0241 OE0242 OE0243
	OE0605 OE0606 OE0631 OE0668 OE0705 OE0712 OE0729 OE1303 OE1312 OE1313 OE1315 OE1327 OE1342 OE1344 OE1345 OE1346 OE1347
	OE1211 OE1240 OE1317`

// TestPublishedCodesHaveAnEntry: each fires, with an example that a test
// compiles, or is reserved with the reason.
func TestPublishedCodesHaveAnEntry(t *testing.T) {
	for _, code := range strings.Fields(published) {
		e, ok := Lookup(code)
		switch {
		case !ok:
			t.Errorf("%s has no entry", code)
		case e.Reserved == "" && e.Stage == StageCheck && (e.Failing == "" || e.Repaired == ""):
			t.Errorf("%s is reported by check and has no example", code)
		}
	}
	for _, e := range All() {
		// What was refused for want of the feature must not say so still.
		if strings.Contains(e.Reserved, "OE1350") || e.Code != "OE1350" && strings.Contains(e.Explanation+e.Remediation.Text, "OE1350") {
			t.Errorf("%s speaks of OE1350: %s %s", e.Code, e.Reserved, e.Explanation)
		}
	}
}
