package runtime_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/argon"
	"github.com/ox-mcp/ox-mcp/host/argon/generated"
	"github.com/ox-mcp/ox-mcp/host/runtime"
)

// BenchmarkCheckAfterEdit writes a file of a package of 100,000 lines in 200
// files and checks the package, as a server does.
func BenchmarkCheckAfterEdit(b *testing.B) {
	files := generated.Package(100_000, 200)
	files["ox.toml"] = "[package]\nname = \"fleet\"\n"
	p := open(b, files, map[string]string{"limits.sourceBytes": "64000000"})
	p.session = &argon.Session{}
	s := p.another(map[string]string{"limits.sourceBytes": "64000000"})
	check := func() {
		res, err := s.Check(context.Background(), runtime.CheckRequest{})
		if err != nil || res.Summary.Errors > 0 {
			b.Fatal(err, res.Findings)
		}
	}
	check()
	text := files["m100.ar"]
	for _, edit := range []struct{ name, old, new string }{
		{"body of a check", "s.load > 100.0", "s.load > %d.0"},
		{"body of a rule", "reach0(m, b)", "reach0(m, b), b.size > %d"},
		{"body of a fn", "2.0 * 1.5", "%d.5 * 1.5"},
		{"body of a query", "s.size >= least where", "s.size > least + %d where"},
		{"comment", "/// A vessel", "/// A vessel %d\n/// A vessel"},
		{"signature", "pub fn fee0(s: State0, base: Decimal)", "pub fn fee0(s: State0, base: Decimal, more%d: Int)"},
	} {
		b.Run(edit.name, func(b *testing.B) {
			for n := 0; b.Loop(); n++ {
				p.write("m100.ar", strings.Replace(text, edit.old, fmt.Sprintf(edit.new, n), 1))
				check()
			}
		})
	}
}
