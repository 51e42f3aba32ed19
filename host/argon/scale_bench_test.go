package argon_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/argon"
	"github.com/ox-mcp/ox-mcp/host/argon/load"
)

// bigPackage makes a package of about lines lines in files modules, each with
// concepts, relations, rules, checks, functions, queries and facts, and each
// but the first reading the one before it.
func bigPackage(lines, files int) map[string]string {
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

// BenchmarkCheck loads, parses and compiles packages of a growing number of
// lines in 200 modules.
func BenchmarkCheck(b *testing.B) {
	for _, lines := range []int{10_000, 100_000, 400_000} {
		b.Run(fmt.Sprintf("%dk", lines/1000), func(b *testing.B) {
			files := bigPackage(lines, 200)
			n := 0
			for _, text := range files {
				n += strings.Count(text, "\n")
			}
			ctx := context.Background()
			var peak uint64
			for b.Loop() {
				ws, err := load.Load(ctx, load.Options{Root: "root.ar", Files: load.Memory(files), SourceLimit: 64 << 20})
				if err != nil {
					b.Fatal(err)
				}
				r := argon.Compile(ctx, ws, argon.Options{})
				if r.Module == nil {
					b.Fatal(r.Diagnostics[0])
				}
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				peak = max(peak, m.HeapAlloc)
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "lines/s")
			b.ReportMetric(float64(peak)/1e6, "MB")
		})
	}
}

// BenchmarkCheckEdit checks a package of 100,000 lines in 200 modules in a
// session, after an edit of one line: in the bodies of items of each kind, in a
// comment, in a signature, and in nothing at all; and compiles it after the
// first of these.
func BenchmarkCheckEdit(b *testing.B) {
	files := bigPackage(100_000, 200)
	text := files["m100.ar"]
	for _, edit := range []struct{ name, old, new string }{
		{"body of a check", "s.load > 100.0", "s.load > 120.0"},
		{"body of a recursive rule", "reach0(m, b)", "reach0(m, b), b.size > 1"},
		{"body of a fn", "2.0 * 1.5", "2.5 * 1.5"},
		{"body of a query", "s.size >= least where", "s.size > least where"},
		{"a mistake", "s.load > 100.0", "s.lod > 100.0"},
		{"comment", "/// A vessel", "/// A big vessel"},
		{"signature", "pub fn fee0(s: State0, base: Decimal)", "pub fn fee0(s: State0, base: Decimal, more: Int)"},
		{"none", "", ""},
	} {
		b.Run(edit.name, func(b *testing.B) {
			var s argon.Session
			was, edited := text, strings.Replace(text, edit.old, edit.new, 1)
			check := func(text string) {
				files["m100.ar"] = text
				r, err := s.Check(context.Background(), load.Options{Root: "root.ar", Files: load.Memory(files), SourceLimit: 64 << 20})
				if err != nil || (len(r.Diagnostics) > 0) != strings.Contains(text, "s.lod") {
					b.Fatal(err, r.Diagnostics)
				}
			}
			check(was)
			for n := 0; b.Loop(); n++ {
				// Each text is another than all before.
				check(edited + strings.Repeat("\n", n%1000))
			}
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			b.ReportMetric(float64(m.HeapAlloc)/1e6, "MB")
			runtime.KeepAlive(&s)
		})
	}
	files["m100.ar"] = text
}
