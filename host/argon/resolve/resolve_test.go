package resolve

import (
	"context"
	"slices"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/load"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

func world(t *testing.T, files map[string]string) (*World, *diag.List) {
	t.Helper()
	ws, err := load.Load(context.Background(), load.Options{Root: "root.ar", Files: load.Memory(files)})
	if err != nil {
		t.Fatal(err)
	}
	diags := &diag.List{Items: ws.Diagnostics}
	return Names(ws, diags), diags
}

func path(parts ...string) syntax.Path {
	var p syntax.Path
	for _, s := range parts {
		p.Parts = append(p.Parts, syntax.Ident{Name: s})
	}
	return p
}

func TestLookup(t *testing.T) {
	w, diags := world(t, map[string]string{
		"root.ar": "mod a;\nuse a::Thing as Item;\npub use a::deep::*;\npub type Ship;\npub fact Ship(rosa);\nfact Ship(rosa);\npub enum Hue { Red }\nuse Hue::*;\n",
		"a.ar":    "use super::Ship;\npub type Thing;\npub mod deep { pub fn one() -> Int = 1; pub use super::super::deeper::*; }\n",
	})
	if len(diags.Items) != 1 || diags.Items[0].Code != "OE0101" {
		t.Fatalf("%+v", diags.Items)
	}
	root := w.Entry.Root()
	a := root.Children[0]
	for _, tt := range []struct {
		from *Module
		path []string
		want string
	}{
		{root, []string{"Item"}, "a::Thing"},
		{root, []string{"Thing"}, ""},
		{root, []string{"a", "Thing"}, "a::Thing"},
		{root, []string{"one"}, "a::deep::one"},
		{root, []string{"Red"}, "root::Hue::Red"},
		{root, []string{"Hue", "Red"}, "root::Hue::Red"},
		{root, []string{"rosa"}, "root::rosa"},
		{root, []string{"root", "Ship"}, "root::Ship"},
		{root, []string{"std", "core", "type"}, "std::core::type"},
		{root, []string{"type"}, ""},
		{root, []string{"Severity"}, "std::core::Severity"},
		{a, []string{"Ship"}, "root::Ship"},
		{a, []string{"super", "rosa"}, "root::rosa"},
		{a, []string{"pkg", "Ship"}, "root::Ship"},
		{a, []string{"self", "deep", "one"}, "a::deep::one"},
		{a, []string{"a", "deep", "one"}, "a::deep::one"},
		{a.Children[0], []string{"super", "super", "Ship"}, "root::Ship"},
		{a, []string{"super", "super", "Ship"}, ""},
	} {
		got := ""
		if s := w.Lookup(tt.from, path(tt.path...), anyKind); s != nil {
			got = s.Qualified
		}
		if got != tt.want {
			t.Errorf("%v from %s: %q, want %q", tt.path, tt.from.Path, got, tt.want)
		}
	}
	if got := w.Individuals("rosa"); len(got) != 1 || len(got[0].Items) != 2 || got[0].Vis != syntax.Public {
		t.Errorf("individuals %+v", got)
	}
}

func TestAmbiguousGlobs(t *testing.T) {
	w, diags := world(t, map[string]string{
		"root.ar": "mod a { pub type Thing; pub type Only; }\nmod b { pub type Thing; }\nuse a::*;\nuse b::*;\n",
	})
	if len(diags.Items) > 0 {
		t.Fatalf("%+v", diags.Items)
	}
	root := w.Entry.Root()
	if s := w.Resolve(root, path("Thing"), anyKind); s != nil || len(diags.Items) != 1 || diags.Items[0].Code != "OE0102" {
		t.Errorf("%+v %+v", s, diags.Items)
	}
	if s := w.Lookup(root, path("Only"), anyKind); s == nil || s.Qualified != "a::Only" {
		t.Errorf("%+v", s)
	}
}

func TestCyclicImportsAreFine(t *testing.T) {
	w, diags := world(t, map[string]string{
		"root.ar": "mod a { pub use super::b::*; pub type A; }\nmod b { pub use super::a::*; pub type B; }\nuse a::B;\nuse b::A;\n",
	})
	if len(diags.Items) > 0 {
		t.Fatalf("%+v", diags.Items)
	}
	root := w.Entry.Root()
	var got []string
	for _, name := range []string{"A", "B"} {
		if s := w.Lookup(root, path(name), anyKind); s != nil {
			got = append(got, s.Qualified)
		}
	}
	if !slices.Equal(got, []string{"a::A", "b::B"}) {
		t.Error(got)
	}
}
