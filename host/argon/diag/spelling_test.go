package diag

import (
	"strings"
	"testing"
)

func TestDidYouMean(t *testing.T) {
	for _, tt := range []struct {
		name, want string
		candidates []string
	}{
		{"Shp", "did you mean Ship?", []string{"Ship", "Berth"}},
		{"bar", "did you mean bat or baz?", []string{"baz", "quux", "bat"}},
		{"Whale", "", []string{"Ship", "Berth"}},
	} {
		if got := DidYouMean(tt.name, tt.candidates); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestAHelpOfOneNameIsAFix(t *testing.T) {
	const text = "pub derive f(s: Ship) :- s: harbour::Shp, #[transitve] Shp == Shp;"
	for _, tt := range []struct{ place, help, want string }{
		{"Shp, #", "did you mean Ship?", "Ship, #"},
		{"harbour::Shp", "did you mean Ship?", "harbour::Ship"},
		{"#[transitve]", "did you mean transitive?", "#[transitive]"},
		{"Shp == Shp", "did you mean Ship?", ""},
		{"Shp, #", "did you mean Ship or Shop?", ""},
		{"Shp, #", "write Ship", ""},
		{"derive", "did you mean Ship?", ""},
	} {
		at := strings.Index(text, tt.place)
		d := Diagnostic{Help: tt.help, Place: Place{"x.ar", at, at + len(tt.place)}}
		Respell(&d, text)
		got := ""
		if d.Fix != nil {
			e := d.Fix.Edits[0]
			got = text[at:e.Place.Start] + e.Text + text[e.Place.End:at+len(tt.place)]
		}
		if got != tt.want {
			t.Errorf("%q with %q: got %q, want %q", tt.place, tt.help, got, tt.want)
		}
	}
	for _, at := range []Place{{"x.ar", -1, 3}, {"x.ar", 5, 5}, {"x.ar", 60, 600}} {
		d := Diagnostic{Help: "did you mean Ship?", Place: at}
		Respell(&d, text)
		if d.Fix != nil {
			t.Errorf("%v has a fix", at)
		}
	}
}
