package generated

// Kind is an edit of a module of Package: Old, which is there, gives way to
// New, in which $ stands for a number that makes each such edit another.
type Kind struct{ Name, Old, New string }

// Edits are the kinds of edits that people make of a package all day. None
// makes a mistake.
func Edits() []Kind {
	const check = "pub check heavy3(s: Ship3)"
	add := func(name, item string) Kind { return Kind{name, check, item + "\n" + check} }
	return []Kind{
		{"comment before an item", check, "// A remark $.\n" + check},
		{"comment in a body", "    Tows3(a, m),", "    Tows3(a, m), // a remark $"},
		{"doc comment", "/// A vessel of group 3.", "/// A vessel $ of group 3."},
		{"body of a check", "Ship3, s.load > 100.0", "Ship3, s.load > $.0"},
		{"fact, added", "pub fact Ship3(ship_3);", "pub fact Ship3(ship_3);\npub fact Ship3(other_$);"},
		{"fact, changed", "pub fact Ship3(ship_3);", "pub fact Ship3(ship_3) { name: \"$\" };"},
		{"fact, removed", "pub fact Ship3(ship_3);", "// $"},
		{"individual, renamed", "pub fact Ship3(ship_3);", "pub fact Ship3(ship_x$);"},
		add("clause, added", "pub derive towed3(s: Ship3) :- s: Ship3, s.size > $;"),
		{"clause, removed", "pub derive reach3(a: Ship3, b: Ship3) :- Tows3(a, b);", "// $"},
		add("check, added", "pub check light3(s: Ship3) :- s: Ship3, s.load < 0.$\n    => Diagnostic { severity: Severity::Warning, code: \"LIGHT\", message: \"{s} is light\", range: None };"),
		{"check, removed", "pub check heavy3(s: Ship3) :- s: Ship3, s.load > 100.0\n    => Diagnostic { severity: Severity::Warning, code: \"HEAVY-3\", message: \"{s} is heavy\", range: None };\n", "// $\n"},
		add("query, added", "pub query idle_of3() -> [Ship3] { select s from s: Ship3, s.size > $ where idle3(s) }"),
		add("test, added", "test \"a $\" { assert 1 + 1 == 2; }"),
		add("mutate, added", "pub mutate unload3(s: Ship3, d: Decimal) { update s set { load -= d }; require d > $.0; }"),
		add("fn, added", "pub fn double3(n: Int) -> Int = n * $;"),
		add("derive, added", "pub derive calm3(s: Ship3) :- idle3(s), s.size > $;"),
		add("derive and its check, added", "derive calm3(s: Ship3) :- idle3(s), s.size > $;\npub check quiet3(s: Ship3) :- calm3(s)\n    => Diagnostic { severity: Severity::Warning, code: \"QUIET\", message: \"{s} is calm\", range: None };"),
		{"head of a rule", "pub derive idle3(s: Ship3) :-", "pub derive idle3(s: Ship3, n: Int) :- n = $,"},
		{"signature of a fn", "pub fn fee3(s: State3, base: Decimal)", "pub fn fee3(s: State3, base: Decimal, more$: Int)"},
		{"attribute", "pub derive idle3(", "#[dec(tier: expressive)] /* $ */\npub derive idle3("},
		add("concept, added", "pub type Barge3_$ { name: String }"),
		add("concept with a supertype, added", "pub type Barge3_$ <: Ship3 { deep: Int }"),
		{"field, added", "pub type Tug3 <: Ship3 { pull: Int }", "pub type Tug3 <: Ship3 { pull: Int, mut fuel$: Int? }"},
		{"field of the first concept, added", "pub type Ship0 { name: String,", "pub type Ship0 { name: String, mut note$: String?,"},
		{"import, added", "use std::core::{type, rel};", "use std::core::{type, rel};\nuse pkg::m7::Ship1 as Seventh$;"},
		{"import and its use, added", "use std::core::{type, rel};", "use std::core::{type, rel};\nuse pkg::m7::Ship1 as Seventh;\npub derive of_seventh(s: Seventh) :- s: Seventh, s.size > $;"},
	}
}
