package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/argon"
)

// base is what the snippets below speak of.
const base = `
pub type P { name: String?, mut age: Int = 3, tags: [String] }
pub type Q <: P;
pub rel R(a: P, b: P) { mut w: Int };
pub rel S(a: P, b: P);
pub enum E { A, B(Int), C { x: Int } }
pub struct T { a: Int, b: String }
fact P(p1);
fact P(p2) { age: 4 };
`

// constructs holds, for each row of the language tables, snippets that use
// nothing else that is new. Those of a construct that works compile; each of
// one that does not is refused.
var constructs = map[string][]string{
	"comments, nested, and doc comments":                           {"/* a /* b */ c */\n//! inner\n/// doc\npub type X; // end"},
	"Unicode and ASCII spellings":                                  {"pub type X ⊑ P;\nderive r(a) :- a: P, a.age ≥ 2;"},
	"string escapes and interpolation":                             {`pub fn f(n: Int) -> String = "n is {n + 1} {{x}} \u{2713}";`},
	"numbers, money, dates and date-times":                         {"pub fn f() -> Money = 12.50 EUR;", "pub fn f() -> DateTime = #2031-07-04T10:00:00Z#;", "pub fn f() -> Date = #2031-07-04#;"},
	"`std::core`, `rel`, `kripke`, `path`, `temporal`, `datetime`": {"use std::path::{Path, Edge, Weighted};\nuse std::temporal::Temporal;\nfn g(e: Edge<P, P>) -> P = e.to;\nimpl Weighted for P { fn weight(self) -> Real = self.age; }", "use std::kripke::{World, accessible};\nuse std::datetime::*;\nderive r(a: World) :- accessible(a, _);\nfn f(a: TimeInterval) -> Allen = allen(a, a);"},
	"files and inline modules":                                     {"mod m { pub type Y; }\npub type Z <: m::Y;"},
	"`use`, globs, aliases, `pub use`":                             {"mod m { pub type Y; pub type W; }\nuse self::m::*;\nuse self::m::{Y as V};\npub use self::m::W;\npub type Z <: V, W;"},
	"`pub`, `pub(pkg)`, private":                                   {"pub(pkg) type X;\ntype Y;\npub type Z;"},
	"attributes `#[label]`, `#[evaluator]`": {"#[label(l)] derive r(a) :- a: P;",
		`#[evaluator(x)] check c(a) :- a: P, a.age > 9 => Diagnostic { severity: Severity::Error, code: "X", message: "x", range: None };`},
	"defeat (`#[default]`, `#[defeats]`, `#[label]`)":   {"#[default] #[label(l)] derive r(a) :- a: P;\n#[defeats(r(a))] derive s(a) :- a: Q;\n#[defeats(r.l(a))] derive t(a) :- S(a, _);"},
	"attributes of relations (`#[transitive]`, …)":      {"use std::rel::{transitive, irreflexive, asymmetric, functional};\n#[transitive] #[irreflexive] #[asymmetric] pub rel X(a: P, b: P);\n#[functional] pub rel Y(a: P, b: P);"},
	"clauses of a relation (`derive` with its name)":    {"derive S(a, b) :- R(b, a);"},
	"tiers: `#[dec(tier: …, temporal: …)]`, `max_tier`": {"#[dec(tier: closure, temporal: none)] derive r(a, b) :- a.S+(b);\n#[dec(tier: modal)] mod m { derive r(a: super::P) :- box(super::Q(a)); }"},
	"macros":           {"macro m { ($p:expr) => { $p.age > 3, v = $p.age, v < 9 }; }\nmacro n { ($p:expr) => { let v = $p.age; update $p set { age = v + 1 }; }; }\nmacro o { ($p:expr) => { { let v = $p; v + v } }; }\nderive r(a) :- a: P, m!(a), not m!(a);\nmutate k(a: P) { n!(a); n!(a); }\nfn f(v: Int) -> Int = o!(v) * o!(2);", "pub macro m { ($v:expr) => { note($v); } }", "macro two { ($($n:ident),*; $e:expr) => { $( derive $n(a) :- a: P, a.age > $e; )* } }\ntwo!(r, s; 1 + 2);", "macro aged { (($n:expr) $v:vis type $c:ident $($rest:tt)*) => { derive ${concat_idents($c, _old)}(a) :- a: $c, a.age > $n; } }\n#[aged(3)] pub type X <: P;\nderive r(a) :- X_old(a);", "#[procmacro] pub fn get(item: Decl) -> Syntax = quote { $( for f in item.fields ) { derive ${concat_idents(item.name, _, f.name)}(a, v) :- a: ${item.name}, v = a.${f.name}; } };\n#[get] pub type X { n: Int }\nderive r(a, v) :- X_n(a, v);"},
	"traits and impls": {"pub trait X { derive f(Self) fn g(self) -> Int; fn h(self) -> Int = 2 * self.g(); mutate m(self); check c(v: Self) :- f(v), v.age > 90 => Diagnostic { severity: Severity::Error, code: \"X\", message: \"x\", range: None }; }\nimpl X for P { derive f(a) :- a.age > 3; fn g(self) -> Int = self.age; mutate m(self) { update self set { age += 1 }; } }\nderive r(a, n) :- f(a), a: Q, n = a.h();\nderive s(t) :- implements(t, X);\nmutate k(a: P) { m(a); }", "abstract metatype kind = {};\nkind K;\ntype L <: K;\ntype M <: K;\ntrait X { fn g(self) -> Int; }\nimpl X for L { fn g(self) -> Int = 1; }\nimpl X for M { fn g(self) -> Int = 2; }\nfn f(k: K) -> Int = g(k);\nderive r(k, n) :- k: K, n = k.g();", "trait X<T> { derive h(Self, T) fn g(self, t: T) -> T; }\nimpl X<Int> for P { derive h(p, n) :- n = p.age; fn g(self, t: Int) -> Int = t; }\nderive r(p, n) :- p: P, h(p, m), n = p.g(m);"},
	"`unsafe logic`":   {"unsafe logic { forall x. P(x) }"},

	"metatypes, `abstract`, `fixed`":                  {"pub abstract fixed metatype kind = {};\npub kind K;"},
	"metarels and their positions":                    {"pub metarel m(a: type, b: type);\npub m X(a: P, b: P);"},
	"meta axes, their values and overrides":           {"pub metaxis ax for metatype { a < b };\npub metaxis n for [metatype, metarel] = Nat where _ < 9;\npub metatype k = { ax: a, n::3 };\npub k X { ax::b, f: Int }\npub fn f() -> Bool = ax::a < ax::b;"},
	"concepts, fields, defaults, `mut`, `[T]` fields": {"pub type X { a: Int, mut b: String = \"x\", c: [P], d: Date? }"},
	"specialisation of concepts":                      {"pub type X <: P, Q;"},
	"covers":                                          {"pub type X { P, Q }"},
	"refinements `where`":                             {"pub type X <: P where { self.age >= 3 };"},
	"refinements `iff`":                               {"pub type X <: P iff { self.age >= 3 };"},
	"concepts that are instances, `derive iof(A, B)`": {"pub type H { n: Int, d: Int = 1 }\npub type X <: P : H { n = 3 }\nderive r(x) :- h: H, iof(x, h), h.n == 3;", "pub type H;\nderive iof(P, H);\nderive iof(H, H);\nfact H(Q);"},
	"open world":                                      {"#[world(open)] pub type X;"},
	"fields that are views (`from`)":                  {"pub type X <: P { rs: [P] from S.b, others: [P] from S.a }"},
	"relations of any arity, own fields":              {"pub rel X(a: P, b: P, c: P, n: Int) { d: Date };\nderive r(a, n) :- R(a, b), n = R(a, b).w;", "pub rel X(a: P, b: P) <: R;\nderive r(a, n) :- X(a, b), n = X(a, b).w;"},
	"specialisation of relations":                     {"pub rel X(a: P, b: P) <: S;"},
	"cardinalities":                                   {"pub rel X(a: P, b: P) [0..1] [1..*];"},
	"`disjoint`, `complete`, `partition`":             {"pub type W;\ndisjoint { P, W }", "complete P { Q }", "partition P { Q }"},
	"fields `[T; n..m]`":                              {"pub type X { ls: [P; 1..4] }"},
	"structs and enums":                               {"pub struct X { t: T, e: E }\npub enum Y { A, B(X) }"},
	"`Truth4`, `Truth4Of<T>`":                         {"struct X { t: Truth4 }\nfn f(x: Truth4Of<Int>) -> Int = x.value;\npub query q() -> [Truth4Of<P>] { select a from a: P }"},
	"type parameters":                                 {"pub struct G<A> { a: A }", "type Sh<T> { items: [T], best: T? }\ntype Q2 <: Sh<Int>;\nderive r(s, n) :- s: Q2, n = sum(x for x in s.items);", "trait W { fn w(self) -> Int; }\nimpl W for P { fn w(self) -> Int = self.age; }\nfn f<A: W, B>(a: A, b: B) -> Int where B: P = w(a) + b.age;\nfn g(p: P) -> Int = f(p, p);"},
	"`fact` and `not_fact`":                           {"fact S(p1, p2);\nnot_fact S(p2, p1);\nfact R(p1, p2) { w: 3 };"},
	"declared facts with a time":                      {"fact P(p9) at #2030-01-01#;"},
	"standpoints":                                     {"pub standpoint s;"},

	"recursive `derive`":                                                {"derive r(a, b) :- S(a, b);\nderive r(a, c) :- r(a, b), S(b, c);"},
	"`not`, stratified":                                                 {"derive r(a) :- a: P, not S(a, _);"},
	"recursion through `not` of an atom":                                {"derive r(a) :- a: P, not s(a);\nderive s(a) :- a: P, not r(a);", "derive r(a) :- S(a, b), not r(b);\nderive s(a) :- a: P, not r(a);"},
	"recursion through `not` of several atoms":                          {"derive r(a) :- a: P, not exists { S(a, b), r(b) };"},
	"recursion through `min` and `max`":                                 {"derive way(a, b, n) :- S(a, b), n = 1;\nderive way(a, c, n) :- near(a, b, m), S(b, c), n = m + 1;\nderive near(a, b, n) :- way(a, b, _), n = min(m for m in way(a, b));"},
	"aggregates over what may be unknown or undefined":                  {"derive r(a) :- S(a, b), not r(b);\nderive s(n) :- n = count { r(a) };"},
	"`count {}`, `exists {}`":                                           {"derive r(a) :- a: P, count { S(a, b) } >= 2, exists { S(b, a) };"},
	"`sum`, `count`, `min`, `max`, `avg` over rows":                     {"derive r(a, n) :- a: P, n = sum(b.age for b in S(a));\nderive s(n, m, k) :- n = avg(b.age for b in P), m = min(b.age for b in P), k = max(b.age for b in P);"},
	"flags, seeds, empty predicates":                                    {"derive r() :- exists { P(x) };\nderive s(p1, 3);\nderive t(a: P);"},
	"`is` patterns, `in`, `iof`":                                        {"derive r(a, n) :- a: P, a.name is Some(n), a.age in [1, 2], iof(a, Q);"},
	"arithmetic and bindings in bodies":                                 {"derive r(a, n) :- a: P, n = a.age * 2 + 1, n > 4;"},
	"functions in bodies":                                               {"fn g(a: P) -> Int = a.age + 1;\nderive r(a, n) :- a: P, n = g(a);"},
	"role steps and paths":                                              {"derive r(a, b) :- a.S+(b);", "derive r(a, b) :- a.S{1, 3}(b: P);", "pub query q(n: Int) -> [P] { select b from a: Q, a.S{1, n}(b).R*(b) }", "derive r(a, b) :- a: P, not a.S(b: P).S+(a), b: P;"},
	"modal operators `box`, `diamond`":                                  {"derive r(a) :- box(P(a), S(a, _)), not diamond(Q(a));"},
	"temporal operators":                                                {"derive r(a) :- box_plus[0, 1](P(a));", "derive r(a) :- P(a) since[0, 3] Q(a), not diamond_plus[1, *](S(a, _));", "pub query q(n: Int) -> [P] { select a from diamond_minus[0, 2](a: P, v = a.age) where v > n }"},
	"`forall`, `exists` over variables":                                 {"derive r() :- forall x: P(x) => Q(x);", "derive r() :- exists x: P (S(x, x));"},
	"reflection (`meta`, `iof`, `specializes`, `rel`, `arm`, `extent`)": {"derive r(t) :- t: TypeRef, meta(t) == type;", "derive r(x) :- rel(x, rel);", "derive r(x, t) :- arm(x, 0, t);", "derive r(t) :- specializes(t, P);", "derive r(x, t) :- t: TypeRef<P>, iof(x, t);", "derive r(x) :- x in extent(P);", "pub metaxis ax for metatype { a };\npub metatype k = { ax: a };\npub k X;\nderive r(t) :- t: TypeRef, meta(t).ax == ax::a;"},
	"checks over facts":                                                 {`check c(a) :- a: P, a.age > 9 => Diagnostic { severity: Severity::Error, code: "X", message: "{a} is {a.age}", range: None };`},
	"checks over the catalog":                                           {`check c(t: TypeRef) :- specializes(t, P) => Diagnostic { severity: Severity::Error, code: "X", message: "x", range: None };`},

	"queries, short and `select … from … where`":                                     {"pub query q() -> P;\npub query s(n: Int) -> [P] { select a from a: P where a.age > n }"},
	"`as_of` a stamp or a date":                                                      {"pub query q() -> P as_of 2;\npub query s() -> P as_of #2030-01-01#;"},
	"federation (`across`)":                                                          {"standpoint x;\npub query q() -> P across [x];"},
	"`group by`, `order by`, `limit`":                                                {"pub query q() -> [P] { select a from a: P group by a.age }", "pub query q() -> [P] { select a from a: P order by a.age }", "pub query q() -> [P] { select a from a: P limit 3 }"},
	"`with`, paths, `optional`, set operators":                                       {"pub query q() -> [P] { with t = select a from a: P; select a from a: P }", "pub query q() -> [P] { select path p from a: P }", "pub query q() -> [P] { select a from a: P optional from S(a, b) }", "pub query q() -> [P] { select a from a: P union select b from b: P }"},
	"`fn`, `match`, `if`, blocks, recursion":                                         {"pub fn f(e: E) -> Int = match e { E::A => 1, E::B(n) if n > 3 => n, E::C { x } => x, _ => 0 };\npub fn g(a: Int) -> Int { let b = a + 1; if b > 9 { b } else { g(b) } }"},
	"comprehensions, slices, struct spread":                                          {"pub fn f(a: [Int]) -> [Int] = [x * 2 for x in a[1..2] where x > 1];\npub fn g(t: T) -> T = T { ..t, a: 3 };"},
	"`Map`, `Result`, the operator `?`":                                              {"pub fn f(m: Map<String, Int>) -> Int = 1;", "pub fn f(m: Result<Int, String>) -> Int = 1;", "pub fn f(a: Option<Int>) -> Option<Int> = Some(a? + 1);"},
	"`Set`, `Range`, `Time`, numbers with bounds":                                    {"use std::math::primitive::u8;\npub fn f(n: Int) -> u8 = u8(n);\npub fn g(s: Set<Int>, r: Range<Int>) -> Bool = s.contains(3) && 4 in r;\npub fn h() -> Time = #10:30#;"},
	"closures and function types":                                                    {"pub fn f(a: [Int]) -> [Int] = a.map(|x| x + 1);", "pub fn f(g: fn(Int) -> Int) -> Int = 3;"},
	"references to types (`TypeRef`, `TypeRef<C>`, `Metatype`, `TraitRef`)":          {"pub fn f(g: TypeRef) -> Metatype = meta(g);\npub fn h() -> Bool = f(P) == type;\npub query q(t: TypeRef<P>) -> [TypeRef] { select u from specializes(u, t) }\nderive s(P, type);"},
	"dates, durations, rounding":                                                     {"pub fn f(d: Date) -> Bool = d + days(3) < today();\npub fn g(d: Decimal) -> Decimal = round_half_even(d, 2);"},
	"`insert`, `update`, `delete`, `for`, `if`, `match`, `require`, `return`, calls": {"mutate n(a: P) { match a.name { Some(s) if s == \"x\" => { return; } Some(s) => { update a set { age += 1 }; } None => { } } }", "pub mutate m(a: P, b: P) -> P { require a.age > 1; let c = insert P { name: \"x\" }; insert S(a, c); insert iof(c, Q); update a set { age += 1 }; insert \"t\" into a.tags; delete S(a, _); for x in a.tags { insert x into b.tags; } if a.age > 3 { n(c); } return c; }\nmutate n(a: P) { delete iof(a, Q); }"},
	"writes `at` a date":                                                             {"pub mutate m(a: P, d: Date) { insert iof(a, Q) at d; }"},
	"updates of a relation's own field":                                              {"pub mutate m(a: P, b: P) { update R(a, b) set { w = 3 }; }"},
	"`forget`, `#[allow_forget]`":                                                    {"#[allow_forget] pub mutate m(a: P) { forget a; }"},
	"tests, `assert`, `derivable`, `rejects`":                                        {"test \"x\" { let a = insert P { }; assert a.age == 3; assert derivable P(a); assert not derivable Q(a); assert rejects { require false; }; }"},
}

// table reads the rows of every table under a heading, as their cells.
func table(t *testing.T, heading string) [][]string {
	t.Helper()
	text, err := os.ReadFile("status.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(text), "\n## "+heading+"\n")
	if !ok {
		t.Fatalf("status.md has no heading %s", heading)
	}
	rest, _, _ = strings.Cut(rest, "\n## ")
	var rows [][]string
	for line := range strings.Lines(rest) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") || strings.HasPrefix(line, "|---") || strings.Contains(line, "| state |") {
			continue
		}
		var cells []string
		for _, c := range strings.Split(strings.Trim(line, "|"), "|") {
			cells = append(cells, strings.TrimSpace(c))
		}
		rows = append(rows, cells)
	}
	return rows
}

func TestTheLanguageIsAsItsTablesSay(t *testing.T) {
	seen := map[string]bool{}
	for _, row := range table(t, "Language") {
		name, state := row[0], row[1]
		seen[name] = true
		snippets, ok := constructs[name]
		if !ok {
			t.Errorf("%s has no snippet in this test", name)
		}
		for _, snippet := range snippets {
			refused := ""
			for _, d := range argon.Check(base + snippet) {
				if strings.HasPrefix(d.Code, "OE") {
					refused = d.Code + " " + d.Message
				}
			}
			if (state == "works") != (refused == "") {
				t.Errorf("%s is said to be %q; the compiler says %q of\n%s", name, state, refused, snippet)
			}
		}
	}
	for name := range constructs {
		if !seen[name] {
			t.Errorf("status.md has no row for %s", name)
		}
	}
}

func TestToolsAndVerbsAreAsTheTableSays(t *testing.T) {
	tools := found(t, filepath.Join("..", "host", "mcp", "tool_*.go"), `name: "(argon_[a-z_]+)"`)
	verbs := found(t, filepath.Join("..", "host", "cli", "*.go"), `Use: +"([a-z-]+)[ "]`)
	delete(verbs, "ox-mcp")
	said := map[string]bool{}
	for _, row := range table(t, "Operations") {
		name, state := row[0], row[3]
		if state != "works" && state != "partly" && state != "not yet" {
			t.Errorf("%s has the state %q", name, state)
		}
		if (state == "partly") != (row[4] != "") && state != "not yet" {
			t.Errorf("%s is %s, and what is missing is %q", name, state, row[4])
		}
		for i, have := range []map[string]bool{tools, verbs} {
			for _, cell := range strings.Split(row[i+1], ",") {
				for _, what := range strings.Fields(strings.Trim(cell, "` ")) {
					if strings.HasPrefix(what, "--") || strings.Contains(what, "://") {
						continue
					}
					said[what] = true
					if have[what] != (state != "not yet") {
						t.Errorf("%s: %s is said to be %q, and is there: %v", name, what, state, have[what])
					}
				}
			}
		}
	}
	for _, have := range []map[string]bool{tools, verbs} {
		for what := range have {
			if !said[what] {
				t.Errorf("status.md does not speak of %s", what)
			}
		}
	}
}

// found collects what a pattern captures in files.
func found(t *testing.T, files, pattern string) map[string]bool {
	t.Helper()
	names, err := filepath.Glob(files)
	if err != nil || len(names) == 0 {
		t.Fatalf("no files %s: %v", files, err)
	}
	out := map[string]bool{}
	expression := regexp.MustCompile(pattern)
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range expression.FindAllStringSubmatch(string(text), -1) {
			out[m[1]] = true
		}
	}
	if len(out) == 0 {
		t.Fatalf("nothing in %s fits %s", files, pattern)
	}
	return out
}
