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
// files, with an edit of each kind, and checks the package, as a server does.
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
	for _, edit := range generated.Edits() {
		b.Run(edit.Name, func(b *testing.B) {
			for n := 0; b.Loop(); n++ {
				p.write("m100.ar", strings.Replace(text, edit.Old, strings.ReplaceAll(edit.New, "$", fmt.Sprint(n)), 1))
				check()
			}
		})
	}
}
