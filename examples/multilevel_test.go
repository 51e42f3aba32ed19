package examples

import (
	"strings"
	"testing"
)

func TestTypesOfTypes(t *testing.T) {
	cases := []struct {
		name, folder string
		args         []string
		status       int
		prints       []string
	}{
		{"the species hold together", "fisheries", []string{"check"}, 0, []string{"0 errors"}},
		{"the tests pass", "fisheries", []string{"test"}, 0, []string{"3 passed, 0 failed"}},
		{"both levels answer", "fisheries", []string{"query", "quotas"}, 0, []string{"(Cod,cod,1)\n(Hake,hake,99)\n(Skate,skate,0)"}},
		{"a type is an argument", "fisheries", []string{"query", "catches", "--arg", "t=Cod"}, 0, []string{"cod_1\ncod_2"}},
		{"the theory is read through its package", "fisheries", []string{"derive", "mlt::instance"}, 0, []string{"(Skate,Protection)"}},
		{"a vocabulary's checks refuse its consumer", "fisheries_bad", []string{"check", "--codes"}, 1, []string{"MLT-01\nMLT-06\nMLT-08\n"}},
		{"each at the declaration it is about", "fisheries_bad", []string{"check"}, 1, []string{"--> root.ar:12:11", "packages/mlt/root.ar"}},
		{"with the reason", "fisheries_bad", []string{"why", "--of", "source", "outside_base"}, 0, []string{"rel(by_species, categorizes)", "Species(Trawler)", "not specializes(Trawler, Catch)"}},
		{"and nothing is built", "fisheries_bad", []string{"build"}, 1, []string{"GATE_FAILED"}},
	}
	for _, c := range cases {
		t.Run(c.folder+"/"+c.name, func(t *testing.T) {
			out, status := verb(t, c.folder, c.args...)
			if status != c.status {
				t.Errorf("the status is %d, expected %d", status, c.status)
			}
			for _, want := range c.prints {
				if !strings.Contains(out, want) {
					t.Errorf("%q was not printed", want)
				}
			}
			if t.Failed() {
				t.Log(out)
			}
		})
	}
}
