package argon_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon"
)

// What is inside is looked at once, however deep it stands: twice at each level
// would not end.
func TestWhatIsNestedIsTypedOnce(t *testing.T) {
	const head = `pub type P { v: Int, mut o: Option<Int>, q: P }
pub trait T { fn next(self) -> P; mutate bump(self) -> P; }
impl T for P { fn next(self) -> P = self.q; mutate bump(self) -> P { update self set { o = Some(1) }; return self; } }
`
	const depth = 40
	nest := func(inner, wrap, outer string) string {
		for i := range depth {
			inner = strings.ReplaceAll(strings.ReplaceAll(wrap, "§", inner), "#", fmt.Sprint(i))
		}
		return head + strings.ReplaceAll(outer, "§", inner)
	}
	structs := head + "pub struct S0 { a: Int }\npub enum E0 { A(S0) }\n"
	for i := range depth {
		structs += fmt.Sprintf("pub struct S%[1]d { a: S%[2]d, b: S%[2]d }\npub enum E%[1]d { A(E%[2]d), B(E%[2]d, S%[1]d) }\n", i+1, i)
	}
	structs += fmt.Sprintf("pub type Holder { s: S%d, e: E%d }\n", depth, depth)
	for name, src := range map[string]string{
		"a comprehension":   nest("n", "[§ for x# in [n]].len", "pub fn t(n: Int) -> Int = §;"),
		"a closure":         nest("[n]", "[n].map(|x#| §.len)", "pub fn t(n: Int) -> [Int] = §;"),
		"a receiver":        nest("p", "§.next()", "pub fn t(p: P) -> P = §;"),
		"one that writes":   nest("p", "§.bump()", "pub mutate t(p: P) -> P { return §; }"),
		"structs and enums": structs,
	} {
		t.Run(name, func(t *testing.T) {
			if found := argon.Check(src); len(found) > 0 {
				t.Errorf("%s %s", found[0].Code, found[0].Message)
			}
		})
	}
}

// A call whose value a method is applied to is made once.
func TestReceiverThatWritesIsCalledOnce(t *testing.T) {
	m := compiled(t, `pub type P { mut v: Int }
pub mutate grow(p: P) -> Int { update p set { v += 1 }; return p.v; }
pub mutate far(p: P) -> Int { return grow(p).abs; }
`)
	calls := 0
	for i := range m.Program.Mutations {
		for _, st := range m.Program.Mutations[i].Body {
			if st.Op == abi.StmtCall {
				calls++
			}
		}
	}
	if calls != 1 {
		t.Errorf("%d calls", calls)
	}
}

// A type that doubles with each line is refused, once.
func TestTypeOfVeryManyPartsIsRefused(t *testing.T) {
	src := "pub struct Pair<A, B> { a: A, b: B }\npub fn t(n: Int) -> Bool = { let a0 = n; "
	for i := range 20 {
		src += fmt.Sprintf("let a%d = Pair { a: a%d, b: a%d }; ", i+1, i, i)
	}
	found := argon.Check(src + "a20 == a20 };\n")
	if len(found) != 1 || found[0].Code != "OE1350" {
		t.Errorf("%v", found)
	}
}
