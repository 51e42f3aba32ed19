package argon_test

import (
	"slices"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/argon"
)

// TestTypeOfWhatMayBeAnInterval has heads that say of what type a value is which
// may be an interval: what all that it may be is of is taken.
func TestTypeOfWhatMayBeAnInterval(t *testing.T) {
	const types = "pub type P { v: Int, n: Nat, x: Int? }\n#[world(open)]\npub type M;\npub fn twice(n: Nat) -> Nat = n * 2;\n"
	for head, want := range map[string][]string{
		"n: Nat) :- n = count { p: P, M(p) };":                                           nil,
		"n: Int) :- n = count { p: P, M(p) };":                                           nil,
		"n: Nat) :- n = sum(p.n for p in P where true, p: M);":                           nil,
		"n: Nat) :- n = sum(twice(p.n) + 1 for p in P where true, p: M);":                nil,
		"n: Int) :- n = sum(p.v for p in P where true, p: M);":                           nil,
		"n: Int) :- n = max(p.x for p in P where true, p: M);":                           nil,
		"n: Int) :- n = min(p.v - p.n for p in P where true, p: M);":                     nil,
		"n: Real) :- n = avg(p.v for p in P where true, p: M);":                          nil,
		"n: Nat) :- n = sum(p.v for p in P where true, p: M);":                           {"OE1350"}, // 3 of what is known, and it may be -1
		"n: Nat) :- n = max(p.v for p in P where true, p: M);":                           {"OE1350"},
		"n: Int) :- n = avg(p.v for p in P where true, p: M);":                           {"OE1350"},
		"n) :- n = sum(p.v for p in P where true, p: M), n: Nat;":                        {"OE1350"},
		"n: Nat) :- d(n);\npub derive d(n) :- n = count { p: P, M(p) };":                 nil,
		"n: Nat) :- d(n);\npub derive d(n) :- n = sum(p.v for p in P where true, p: M);": {"OE1350"},
		// What is not known to be positive is nothing to divide by.
		"k) :- k in [1], d(n), 12 / (n + 1) > k;\npub derive d(n) :- n = count { p: P, M(p) };":                 nil,
		"k) :- k in [1], d(n), 12 / (n + 1) > k;\npub derive d(n) :- n = sum(p.v for p in P where true, p: M);": {"OE1350"},
		"k) :- k in [1], n = sum(p.v for p in P where true, p: M), 12 / (n + 1) > k;":                           {"OE1350"},
	} {
		var got []string
		for _, d := range argon.Check(types + "pub derive h(" + head + "\n") {
			if d.Code[:2] == "OE" {
				got = append(got, d.Code)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s gives %q, want %q", head, got, want)
		}
	}
}
