// Package generated writes packages of any size and edits texts at random, for
// tests and figures.
package generated

import (
	"fmt"
	"strings"
)

// Package makes a package of about lines lines in files modules, each with
// concepts, relations, rules, checks, functions, queries and facts, and each
// but the first reading the one before it: its texts, by path. Its entry is
// root.ar.
func Package(lines, files int) map[string]string {
	const perGroup = 25
	groups := lines / files / perGroup
	out := map[string]string{}
	var root strings.Builder
	for f := range files {
		fmt.Fprintf(&root, "pub mod m%d;\n", f)
		var b strings.Builder
		b.WriteString("use std::core::{type, rel};\n")
		if f > 0 {
			fmt.Fprintf(&b, "use pkg::m%d::Ship0 as Earlier;\n", f-1)
		} else {
			b.WriteString("pub type Earlier { size: Int }\n")
		}
		for g := range groups {
			fmt.Fprintf(&b, `/// A vessel of group %[1]d.
pub type Ship%[1]d { name: String, size: Int, mut load: Decimal = 0.0 }
pub type Tug%[1]d <: Ship%[1]d { pull: Int }
pub rel Tows%[1]d(tug: Tug%[1]d, ship: Ship%[1]d) [0..*] [0..1];
pub enum State%[1]d { Idle, Busy(Int) }
pub derive towed%[1]d(s: Ship%[1]d) :- Tows%[1]d(_, s);
pub derive reach%[1]d(a: Ship%[1]d, b: Ship%[1]d) :- Tows%[1]d(a, b);
pub derive reach%[1]d(a: Ship%[1]d, b: Ship%[1]d) :-
    Tows%[1]d(a, m),
    reach%[1]d(m, b);
pub derive idle%[1]d(s: Ship%[1]d) :- s: Ship%[1]d, not towed%[1]d(s), s.size > %[1]d;
pub derive old%[1]d(e: Earlier) :- e: Earlier, e.size > %[1]d;
pub check heavy%[1]d(s: Ship%[1]d) :- s: Ship%[1]d, s.load > 100.0
    => Diagnostic { severity: Severity::Warning, code: "HEAVY-%[1]d", message: "{s} is heavy", range: None };
pub fn fee%[1]d(s: State%[1]d, base: Decimal) -> Decimal = match s {
    State%[1]d::Idle => base,
    State%[1]d::Busy(n) => base + 2.0 * 1.5,
};
pub query big%[1]d(least: Int) -> [Ship%[1]d] {
    select s from s: Ship%[1]d, s.size >= least where not towed%[1]d(s)
}
pub mutate load%[1]d(s: Ship%[1]d, d: Decimal) {
    update s set { load += d };
}
pub fact Ship%[1]d(ship_%[1]d);
`, g)
		}
		out[fmt.Sprintf("m%d.ar", f)] = b.String()
	}
	out["root.ar"] = root.String()
	return out
}
