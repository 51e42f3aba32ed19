package argon_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/argon"
	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/load"
	"github.com/ox-mcp/ox-mcp/host/argon/lower"
)

// compile compiles the files of an archive: "-- name --" before each.
func compile(t *testing.T, archive string) *argon.Result {
	t.Helper()
	ctx := context.Background()
	ws, err := load.Load(ctx, load.Options{Root: ".", Files: load.Memory(diag.Files(archive))})
	if err != nil {
		t.Fatal(err)
	}
	return argon.Compile(ctx, ws, argon.Options{TestMode: true})
}

func found(r *argon.Result) []string {
	var list []string
	for _, d := range r.Diagnostics {
		text, _ := r.Workspace.Text(d.Place.Path)
		list = append(list, fmt.Sprintf("%s %s:%d", d.Code, d.Place.Path, lineOf(text, d.Place.Start)))
	}
	return list
}

const manifest = `-- ox.toml --
[package]
name = "port"
prelude = ["std::core::type", "std::core::rel"]
`

func TestModulesAndDependencies(t *testing.T) {
	r := compile(t, manifest+`
[dependencies]
craft = { path = "../craft" }
-- root.ar --
mod quay;
use craft::{Ship, hull::Hull as Shell};
pub use quay::Berth;
pub rel MooredAt(ship: Ship, berth: quay::Berth);
pub derive steel(s) :- s: Ship, s.hull == Shell::Steel;
-- quay.ar --
//! The quay.
use super::MooredAt;
use craft;
pub type Berth;
pub fact Berth(b1);
pub derive taken(b) :- MooredAt(_, b);
pub derive by(b, s) :- MooredAt(s, b), s: craft::Ship;
-- ../craft/ox.toml --
[package]
name = "craft"
prelude = ["std::core::type"]
-- ../craft/root.ar --
pub mod hull;
pub type Ship { hull: hull::Hull }
pub fact Ship(rosa) { hull: hull::Hull::Steel };
-- ../craft/hull.ar --
pub enum Hull { Wood, Steel }
`)
	if len(r.Diagnostics) > 0 {
		t.Fatal(found(r), r.Diagnostics[0].Message)
	}
	var names []string
	for _, c := range r.Module.Schema.Constructs {
		names = append(names, c.Kind+" "+c.Name)
	}
	want := "concept craft::Ship, enum craft::hull::Hull, concept quay::Berth, derive quay::by, derive quay::taken, relation root::MooredAt, derive root::steel"
	if got := strings.Join(names, ", "); got != want {
		t.Errorf("constructs %s", got)
	}
	rel, tuple, err := argon.ParseFact(r.Module, "MooredAt(craft::rosa, b1)")
	if err != nil || r.Module.Program.Relations[rel].Name != "root::MooredAt" || tuple[0].Str != "craft::rosa" || tuple[1].Str != "quay::b1" {
		t.Error(rel, tuple, err)
	}
}

func TestWhatAModuleMayNotSee(t *testing.T) {
	r := compile(t, manifest+`
[dependencies]
craft = { path = "../craft" }
-- root.ar --
mod quay;
use craft::Keel;
use craft::{plank, Inner};
use quay::*;
use nowhere::Thing;
pub derive a(b) :- b: Berth;
pub derive c(b) :- b: Crane;
pub derive d(p) :- p: plank;
-- quay.ar --
pub type Berth;
type Crane;
pub type Bollard;
-- ../craft/ox.toml --
[package]
name = "craft"
prelude = ["std::core::type"]
-- ../craft/root.ar --
type Keel;
pub(pkg) type plank;
pub type Inner;
`)
	want := []string{"OE0153 root.ar:2", "OE0153 root.ar:3", "OE0101 root.ar:5", "OE0101 root.ar:7"}
	if got := found(r); !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

func TestFactsFiles(t *testing.T) {
	r := compile(t, manifest+`
[facts]
"root::Ship" = "ships.csv"
"root::MooredAt" = { path = "moored.jsonl", columns = { ship = "vessel", since = "from" } }
-- root.ar --
pub enum Flag { Green, White }
pub type Ship { name: String, crew: Nat = 5, length: Decimal?, flag: Flag? }
pub type Berth;
pub rel MooredAt(ship: Ship, berth: Berth) { since: Date }
pub fact Berth(b1);
-- ships.csv --
id,name,crew,length,flag
rosa,Rosa,,12.50,Green
imo/7,"Lena, the old",9,,
-- moored.jsonl --
{"vessel": "imo/7", "berth": "b1", "from": "2031-07-04"}
`)
	if len(r.Diagnostics) > 0 {
		t.Fatal(found(r), r.Diagnostics[0].Message)
	}
	var got []string
	for _, f := range r.Module.Facts {
		for i := range f.Frame.Rows {
			line := strings.TrimPrefix(r.Module.Program.Relations[f.Relation].Name, "root::")
			for _, v := range f.Frame.Row(nil, i) {
				line += " " + lower.ValueText(v)
			}
			got = append(got, fmt.Sprintf("%s @%s:%d", line, f.Places[i].Path, f.Places[i].Line))
		}
	}
	want := []string{
		"Ship+ rosa @ships.csv:2", "Ship+ imo/7 @ships.csv:3", "Berth+ root::b1 @root.ar:5",
		`Ship.name rosa "Rosa" @ships.csv:2`, `Ship.name imo/7 "Lena, the old" @ships.csv:3`,
		"Ship.crew rosa 5 @ships.csv:2", "Ship.crew imo/7 9 @ships.csv:3", "Ship.length rosa 12.5 @ships.csv:2",
		"Ship.flag rosa root::Flag::Green @ships.csv:2", "MooredAt+ imo/7 root::b1 @moored.jsonl:1", "MooredAt.since imo/7 root::b1 #2031-07-04# @moored.jsonl:1",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestFactsFilesThatDoNotFit(t *testing.T) {
	r := compile(t, manifest+`
[facts]
"root::Ship" = "ships.csv"
"root::Shipp" = "ships.csv"
"root::idle" = "ships.csv"
"root::MooredAt" = "moored.csv"
-- root.ar --
pub enum Flag { Green, White }
pub type Ship { name: String, crew: Nat, flag: Flag }
pub rel MooredAt(ship: Ship, berth: String);
pub derive idle(s: Ship) :- s: Ship;
-- ships.csv --
id,name,crew,flag
rosa,Rosa,-3,Green
lena,Lena,4,Blue
,Otto,4,White
uwe,Uwe,,White
-- moored.csv --
ship,berht
rosa,b1
`)
	want := []string{
		"OE0101 ox.toml:7", "OE0270 ox.toml:8", "OE0263 ox.toml:9",
		"OE0263 ships.csv:2", "OE0263 ships.csv:3", "OE0263 ships.csv:4", "OE0263 ships.csv:5",
	}
	if got := found(r); !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

func TestAMissingIntroducerCanBeRepaired(t *testing.T) {
	src := "//! Ships.\npub type Ship;\n"
	ws, err := load.Load(context.Background(), load.Options{Root: "root.ar", Files: load.Memory(map[string]string{"root.ar": src})})
	if err != nil {
		t.Fatal(err)
	}
	r := argon.Compile(context.Background(), ws, argon.Options{})
	if len(r.Diagnostics) != 1 || r.Diagnostics[0].Code != "OE0605" || r.Diagnostics[0].Fix == nil {
		t.Fatalf("%+v", r.Diagnostics)
	}
	edit := r.Diagnostics[0].Fix.Edits[0]
	repaired := src[:edit.Place.Start] + edit.Text + src[edit.Place.End:]
	ws, err = load.Load(context.Background(), load.Options{Root: "root.ar", Files: load.Memory(map[string]string{"root.ar": repaired})})
	if err != nil {
		t.Fatal(err)
	}
	if r := argon.Compile(context.Background(), ws, argon.Options{}); r.Module == nil {
		t.Errorf("%q: %+v", repaired, r.Diagnostics)
	}
}

func TestCompileEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	ws, err := load.Load(context.Background(), load.Options{Root: "root.ar", Files: load.Memory(map[string]string{"root.ar": "pub fn one() -> Int = 1;\n"})})
	if err != nil {
		t.Fatal(err)
	}
	if r := argon.Compile(ctx, ws, argon.Options{}); r.Module != nil || len(r.Diagnostics) != 1 {
		t.Errorf("%+v", r)
	}
}

// TestEqualSourcesGiveEqualPrograms compiles a package over and over: nothing
// may depend on the order of a map.
func TestEqualSourcesGiveEqualPrograms(t *testing.T) {
	first := ""
	for range 10 {
		m := compiled(t, harbour)
		var out strings.Builder
		if err := lower.Print(&out, &m.Program); err != nil {
			t.Fatal(err)
		}
		text := fmt.Sprintf("%s%v%v", out.String(), m.Schema, m.Facts)
		if first == "" {
			first = text
		}
		if text != first {
			t.Fatal("two compilations differ")
		}
	}
}

func TestFactsFilesWithLists(t *testing.T) {
	source := manifest + `
[facts]
"root::Ship" = "ships.jsonl"
-- root.ar --
pub type Ship { name: String, flags: [String], escorts: [Ship], lengths: [Int] }
pub derive led(s) :- s: Ship, mina in s.escorts;
-- ships.jsonl --
`
	r := compile(t, source+`{"id": "rosa", "name": "Rosa", "flags": ["red", "blue"], "escorts": ["mina"], "lengths": [1, 2, 2]}
{"id": "lena", "name": "Lena", "flags": [], "escorts": ["mina", "rosa"], "lengths": null}
`)
	if len(r.Diagnostics) > 0 {
		t.Fatal(found(r), r.Diagnostics[0].Message)
	}
	var got []string
	for _, f := range r.Module.Facts {
		for i := range f.Frame.Rows {
			line := strings.TrimPrefix(r.Module.Program.Relations[f.Relation].Name, "root::Ship")
			for _, v := range f.Frame.Row(nil, i) {
				line += " " + lower.ValueText(v)
			}
			got = append(got, line)
		}
	}
	want := `+ rosa|+ lena|.name rosa "Rosa"|.name lena "Lena"|.flags rosa "red"|.flags rosa "blue"|` +
		`.escorts rosa mina|.escorts lena mina|.escorts lena rosa|.lengths rosa 1|.lengths rosa 2`
	if text := strings.Join(got, "|"); text != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
	r = compile(t, source+`{"id": "rosa", "name": ["Rosa"], "flags": [1], "escorts": [], "lengths": ["x", 2]}`)
	if text := fmt.Sprint(found(r)); strings.Count(text, "OE0263") != 3 {
		t.Error(text)
	}
}
