package argon_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon"
	"github.com/ox-mcp/ox-mcp/host/argon/load"
	"github.com/ox-mcp/ox-mcp/host/argon/lower"
)

// quays is a package whose berths only its facts files declare, but for north,
// of which a private fact of another module says something.
const quays = manifest + `
[facts]
"root::Berth" = "berths.csv"
"root::Next" = "next.csv"
"root::Ship" = "ships.csv"
-- root.ar --
mod watch;
pub type Berth { length: Int }
pub type Ship { home: Berth? }
pub rel Next(a: Berth, b: Berth);
pub rel LiesAt(ship: Ship, berth: Berth);
pub fact Ship(aurora);
pub fact LiesAt(aurora, quay);
pub derive from_south(b: Berth) :- Next(south, b);
pub derive beside(quay: Berth, b: Berth) :- Next(quay, b);
pub derive two_on(a: Berth, c: Berth) :- Next(a, between), Next(between, c);
pub derive home_at_pier(s: Ship) :- s: Ship, s.home == pier;
pub derive short(b: Berth) :- b == south, b.length < 100;
pub derive seen(south);
pub check Long(b: Berth) :- b == south, b.length > 10 => Diagnostic { severity: Severity::Info, code: "Q-1", message: "{b} beside {north}" };
pub fn length_of() -> Int = if south == north { 1 } else { 2 };
pub mutate shift(s: Ship) { insert LiesAt(s, south); }
test "the south" { assert derivable from_south(quay); insert LiesAt(aurora, south); }
-- watch.ar --
use super::{Berth, Next};
fact Berth(north) { length: 120 };
pub derive watched(b: Berth) :- Next(north, b);
-- berths.csv --
id,length
north,120
south,80
12 west,9
None,1
-- next.csv --
a,b
north,south
south,quay
-- ships.csv --
id,home
borealis,pier
`

func TestFactsFilesNameIndividuals(t *testing.T) {
	r := compile(t, quays)
	if len(r.Diagnostics) > 0 {
		t.Fatal(found(r), r.Diagnostics[0].Message)
	}
	m := r.Module
	var out bytes.Buffer
	if err := lower.Print(&out, &m.Program); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"root::from_south(b) :- root::Next(south, b)",
		"root::beside(quay, b) :- root::Next(quay, b), root::Berth(quay)",
		"root::two_on(a, c) :- root::Next(a, between), root::Next(between, c)",
		"== pier",
		"root::seen(south)",
		"assert root::LiesAt+(s, south)",
		"(south == watch::north)",
		"watch::watched(b) :- root::Next(watch::north, b)",
		"derivable root::from_south(root::quay)",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %s in\n%s", want, out.String())
		}
	}
	named := map[string]bool{}
	for _, f := range m.Facts {
		for _, v := range f.Frame.Dict {
			if v.Kind == abi.KindNamed {
				named[v.Str] = true
			}
		}
	}
	for _, name := range []string{"south", "watch::north", "root::quay", "pier", "12 west", "None"} {
		if !named[name] {
			t.Errorf("no fact names %s: %v", name, named)
		}
	}
	for _, name := range []string{"north", "quay", "root::south", "root::north"} {
		if named[name] {
			t.Errorf("a fact names %s", name)
		}
	}
}

func TestAdHocBodiesNameIndividualsOfFactsFiles(t *testing.T) {
	m := compile(t, quays).Module
	if m == nil {
		t.Fatal("no module")
	}
	for _, tt := range []struct{ body, want string }{
		{"Next(a, south)", "(a) :- root::Next(a, south)"},
		{"Next(north, b)", "(b) :- root::Next(watch::north, b)"},
		{"Next(a, quay)", "(a) :- root::Next(a, root::quay)"},
		{`Next(a, "south")`, "(a) :- root::Next(a, south)"},
		{`Next(a, "12 west")`, "(a) :- root::Next(a, 12 west)"},
		{`Next(a, b), b == "south"`, `b == south`},
		{`Next(a, b), "12 west" != b`, `12 west != b`},
		{`Next(a, nowhere)`, "(a, nowhere) :- root::Next(a, nowhere)"},
	} {
		ext, diags := argon.CompileQuery(m, tt.body)
		if len(diags) > 0 {
			t.Errorf("%s: %s %s", tt.body, diags[0].Code, diags[0].Message)
			continue
		}
		if got := extended(m, ext); !strings.Contains(got, tt.want) {
			t.Errorf("%s\ngot  %s\nwant %s", tt.body, got, tt.want)
		}
	}
	ext, diags := argon.CompileMutate(m, "insert LiesAt(s, south);")
	if len(diags) > 0 || len(ext.Mutations[0].Params) != 1 || ext.Mutations[0].Params[0].Name != "s" {
		t.Errorf("the mutate takes %+v, %v", ext, diags)
	}
	for _, tt := range []struct{ fact, want string }{
		{"Next(north, south)", "watch::north south"}, {`Next("12 west", pier)`, "12 west pier"}, {"Next(quay, atlantis)", "root::quay atlantis"},
	} {
		_, tuple, err := argon.ParseFact(m, tt.fact)
		if err != nil || tuple[0].Str+" "+tuple[1].Str != tt.want {
			t.Errorf("%s: %v, %v", tt.fact, tuple, err)
		}
	}
}

func TestAnIndividualComparedWithTextInSource(t *testing.T) {
	r := compile(t, manifest+`
-- root.ar --
pub type Berth;
pub derive a(b: Berth) :- b: Berth, b == "quay";
pub derive c(b: Berth) :- b: Berth, "12 west" != b;
`)
	if len(r.Diagnostics) != 2 || r.Diagnostics[0].Code != "OE0257" ||
		!strings.Contains(r.Diagnostics[0].Help, "quay") || r.Diagnostics[1].Help == "" {
		t.Errorf("%+v", r.Diagnostics)
	}
}

func TestACellThatMayBeTwoIndividuals(t *testing.T) {
	r := compile(t, manifest+`
[facts]
"root::Berth" = "berths.csv"
-- root.ar --
mod a { use super::Berth; pub fact Berth(north); }
mod b { use super::Berth; pub fact Berth(north); }
pub type Berth;
-- berths.csv --
id
a::north
north
`)
	if got := found(r); len(got) != 1 || got[0] != "OE0263 berths.csv:3" || !strings.Contains(r.Diagnostics[0].Message, "a::north or b::north") {
		t.Errorf("%v %+v", got, r.Diagnostics)
	}
}

func TestANameNearOneOfAFactsFile(t *testing.T) {
	r := compile(t, strings.Replace(quays, "from_south(quay)", "from_south(souht)", 1))
	if len(r.Diagnostics) != 1 || r.Diagnostics[0].Code != "OE0101" || !strings.Contains(r.Diagnostics[0].Help, "south") {
		t.Errorf("%+v", r.Diagnostics)
	}
}

func TestARowThatTakesAVariableAway(t *testing.T) {
	const rules = `
-- root.ar --
pub type Berth;
pub rel Next(a: Berth, b: Berth);
pub derive over(a, c) :- Next(a, m), Next(m, c);
pub derive once(a) :- Next(a, m);
pub derive meant(a) :- Next(a, x), Next(x, _), x == m;
pub derive its_own(m, c) :- Next(m, b2), Next(m, c), Next(b2, m);
pub query asked() -> [Berth] { select a from Next(a, m), not Next(m, a) }
`
	r := compile(t, manifest+"\n[facts]\n\"root::Next\" = \"next.csv\""+rules+"-- next.csv --\na,b\nm,n\n")
	if got := found(r); len(got) != 2 || got[0] != "OW0155 root.ar:3" || got[1] != "OW0155 root.ar:7" || r.Module == nil {
		t.Errorf("%v", got)
	}
	rows := strings.Replace(rules, ", x == m", "", 1) + "-- next.csv --\na,b\nk,n\n"
	if r = compile(t, manifest+"\n[facts]\n\"root::Next\" = \"next.csv\""+rows); len(r.Diagnostics) > 0 {
		t.Errorf("without the row: %v", found(r))
	}
}

// BenchmarkFactsFile compiles a package with 100,000 rows of facts, whose
// individuals can be named.
func BenchmarkFactsFile(b *testing.B) {
	const n = 100_000
	for _, bb := range []struct{ name, spelling string }{{"identifiers", "berth_%d"}, {"texts", "berth/%d"}} {
		b.Run(bb.name, func(b *testing.B) {
			var rows strings.Builder
			rows.WriteString("a,b\n")
			for i := range n {
				fmt.Fprintf(&rows, bb.spelling+","+bb.spelling+"\n", i, i+1)
			}
			ctx := context.Background()
			ws, err := load.Load(ctx, load.Options{Root: ".", Files: load.Memory(map[string]string{
				"ox.toml":  "[package]\nname = \"port\"\nprelude = [\"std::core::type\", \"std::core::rel\"]\n[facts]\n\"root::Next\" = \"next.csv\"\n",
				"root.ar":  "pub type Berth;\npub rel Next(a: Berth, b: Berth);\npub derive d(x, z) :- Next(x, y), Next(y, z);\n",
				"next.csv": rows.String(),
			})})
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if r := argon.Compile(ctx, ws, argon.Options{}); r.Module == nil {
					b.Fatal(r.Diagnostics[0])
				}
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
