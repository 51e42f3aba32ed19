package argon_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
)

// A program grows with the folds over money of a body, and not with their square.
func TestFoldsOverMoneyAreGuardedEachForItself(t *testing.T) {
	atoms := func(folds int) int {
		var src strings.Builder
		src.WriteString("pub type Guest;\npub type Bill { amount: Money, guest: Guest }\npub derive listed(g) :- g: Guest")
		for i := range folds {
			fmt.Fprintf(&src, ", sum(b.amount * %d for b in Bill, b.guest == g) > 3 EUR", i+2)
		}
		src.WriteString(";\n")
		p := compiled(t, src.String()).Program
		if len(p.Checks) < folds {
			t.Fatalf("%d checks for %d folds", len(p.Checks), folds)
		}
		count := 0
		var walk func([]abi.Atom)
		walk = func(body []abi.Atom) {
			count += len(body)
			for i := range body {
				walk(body[i].Body)
			}
		}
		for i := range p.Rules {
			walk(p.Rules[i].Body)
		}
		return count
	}
	if few, many := atoms(10), atoms(40); many > 5*few {
		t.Errorf("10 folds make %d atoms, 40 make %d", few, many)
	}
}
