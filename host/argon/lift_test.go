package argon_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// lifts are negated bodies in a circle, beside what a person writes who gives
// the body a derive of its own. In both, P is the predicate that is in the
// circle.
var lifts = []struct{ nested, apart string }{
	{
		"derive P(x) :- x: N, not exists { E(x, y), P(y), y != x };",
		"derive b(x) :- E(x, y), P(y), y != x;\nderive P(x) :- x: N, not b(x);",
	},
	{
		"derive P(x) :- E(x, z), not exists { E(x, y), E(y, z), P(y) };",
		"derive b(x, z) :- E(x, y), E(y, z), P(y);\nderive P(x) :- E(x, z), not b(x, z);",
	},
	{
		"derive P(x) :- x: N, not exists { E(x, y), not exists { E(y, z), P(z) }, not P(y) };",
		"derive c(y) :- E(y, z), P(z);\nderive b(x) :- E(x, y), not c(y), not P(y);\nderive P(x) :- x: N, not b(x);",
	},
	{
		"derive P(x) :- x: N, exists { E(x, y), not exists { P(y), E(y, z), z != x } };",
		"derive b(x, y) :- E(x, y), P(y), E(y, z), z != x;\nderive P(x) :- E(x, y), not b(x, y);",
	},
	{
		"derive P(x) :- E(x, y), !P(y) || y == a0;",
		"derive b(x, y) :- E(x, y), P(y), y != a0;\nderive P(x) :- E(x, y), not b(x, y);",
	},
	{ // what binds the shared variable may itself be undefined
		"derive P(x) :- w(x), not exists { E(y, x), P(y), w(y) };",
		"derive b(x) :- E(y, x), P(y), w(y);\nderive P(x) :- w(x), not b(x);",
	},
}

// TestNegatedBodiesInACircle holds a negated body that is written in its place
// to the same one behind a name, over random graphs.
func TestNegatedBodiesInACircle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5).Draw(t, "nodes")
		var b strings.Builder
		b.WriteString("type N;\nrel E(a: N, b: N);\nderive w(x) :- E(x, y), not w(y);\n")
		for i := range n {
			fmt.Fprintf(&b, "fact N(a%d);\n", i)
		}
		for range rapid.IntRange(0, 8).Draw(t, "edges") {
			fmt.Fprintf(&b, "fact E(a%d, a%d);\n", rapid.IntRange(0, n-1).Draw(t, "from"), rapid.IntRange(0, n-1).Draw(t, "to"))
		}
		for i, form := range lifts {
			b.WriteString(renamed(form.nested, fmt.Sprintf("p%d", i), i) + renamed(form.apart, fmt.Sprintf("q%d", i), i))
		}
		m := compiled(t, b.String())
		e := loaded(t, m)
		for i, form := range lifts {
			nested, apart := extent(t, m, e, fmt.Sprintf("root::p%d", i)), extent(t, m, e, fmt.Sprintf("root::q%d", i))
			if nested != apart {
				t.Fatalf("%s\ngives%s\nand apart%s\nover\n%s", form.nested, nested, apart, b.String())
			}
		}
	})
}

// renamed returns clauses with names of their own.
func renamed(clauses, p string, i int) string {
	return strings.NewReplacer("P(", p+"(", "b(", fmt.Sprintf("b%d(", i), "c(", fmt.Sprintf("c%d(", i)).Replace(clauses) + "\n"
}
