package argon_test

import (
	"context"
	"reflect"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/argon"
	"github.com/ox-mcp/ox-mcp/host/argon/load"
)

// Some mistakes are told at the first of the places that make them. An edit of
// that place has the next one told.
func TestMistakesThatAreToldOnceMoveOn(t *testing.T) {
	const rest = "pub type Thing { size: Int }\npub fn twice(n: Int) -> Int = n * 2;\npub derive large(t: Thing) :- t: Thing, t.size > twice(2);\n"
	for _, of := range []struct{ code, first, mended, second string }{
		{"OE0605", "pub kidn First;\n", "pub type First;\n", "pub kidn Second;\n"},
		{"OE0606", "pub rle First(a: Thing);\n", "pub rel First(a: Thing);\n", "pub rle Second(a: Thing);\n"},
		{"OE1350", "pub fn first(n: f64) -> Int = 1;\n", "pub fn first(n: Real) -> Int = 1;\n", "pub fn second(n: f64) -> Int = 2;\n"},
		{"OE1354", "pub unsafe logic first(t: Thing) :- large(t);\n", "pub derive first(t: Thing) :- large(t);\n", "pub unsafe logic second(t: Thing) :- large(t);\n"},
	} {
		t.Run(of.code, func(t *testing.T) {
			var s argon.Session
			check := func(text string) (*argon.Result, *load.Workspace) {
				from := load.Options{Root: ".", Files: load.Memory(map[string]string{
					"ox.toml": "[package]\nname = \"yard\"\nprelude = [\"std::core::type\", \"std::core::rel\"]\n",
					"root.ar": text,
				})}
				r, err := s.Check(context.Background(), from)
				if err != nil {
					t.Fatal(err)
				}
				ws, err := load.Load(context.Background(), from)
				if err != nil {
					t.Fatal(err)
				}
				return r, ws
			}
			if r, _ := check(rest + of.first + of.second); len(r.Diagnostics) == 0 || r.Diagnostics[0].Code != of.code {
				t.Fatalf("%v", r.Diagnostics)
			}
			for _, text := range []string{rest + of.mended + of.second, rest + of.second, rest + of.first + of.mended, rest + of.first + of.second} {
				r, ws := check(text)
				if want := argon.Compile(context.Background(), ws, argon.Options{}); !reflect.DeepEqual(r.Diagnostics, want.Diagnostics) {
					t.Errorf("%s\na session says\n%+v\nand a compilation from nothing\n%+v", text, r.Diagnostics, want.Diagnostics)
				}
			}
		})
	}
}
