package argon_test

import (
	"slices"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/argon"
)

// TestParameterThatOnlyANestedBodyMentions has queries of which a nested
// condition alone reads a parameter: it has its value there.
func TestParameterThatOnlyANestedBodyMentions(t *testing.T) {
	const types = "pub type P { v: Int }\npub rel Won(p: P, n: Int);\n#[world(open)]\npub type M;\npub derive known(p: P, n: Nat) :- p: P, n = count { q: P, M(q) };\n"
	for query, want := range map[string][]string{
		"pub query q(k: Int) -> [P] { select p from p: P where exists { Won(p, n), n > k } }":                        nil,
		"pub query q(k: Int) -> [P] { select p from p: P where not exists { Won(p, n), n > k } }":                    nil,
		"pub query q(k: Int) -> [P] { select p from p: P where not exists { Won(p, _), not exists { Won(_, k) } } }": nil,
		"pub query q(k: Int) -> [P] { select p from p: P where (exists { Won(p, n), n > k } || p.v > 2) }":           nil,
		"pub query q(k: Int) -> [Int] { select c from p: P where c = count { Won(p, n), n > k } }":                   nil,
		"pub query q(k: Int) -> [P] { select p from p: P where exists { m > k } }":                                   {"OE1303"},
		"pub query q(k: Nat) -> [P] { select p from p: P where not exists { known(p, n), n > k } }":                  {"OE1350"},
	} {
		var got []string
		for _, d := range argon.Check(types + query + "\n") {
			if d.Code[:2] == "OE" {
				got = append(got, d.Code)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s gives %q, want %q", query, got, want)
		}
	}
}
