package workload

import (
	"fmt"
	"testing"
)

func TestAFamilyHasNearlyTheFactsOfItsName(t *testing.T) {
	for _, f := range Families() {
		for _, thousands := range []int{1, 10, 100} {
			w, ok := Named(fmt.Sprint(f, "@", thousands))
			if !ok {
				t.Fatalf("no %s@%d", f, thousands)
			}
			if n, want := w.Count(), 1000*thousands; n < want*9/10 || n > want*11/10 {
				t.Errorf("%s has %d facts", w.Name, n)
			}
		}
	}
	for _, name := range []string{"thin", "thin@", "thin@0", "thin@-1", "thin@99999999", "thin@1e3", "other@1", "@1"} {
		if _, ok := Named(name); ok {
			t.Errorf("there is a workload %q", name)
		}
	}
}
