package argon_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/argon"
	"github.com/ox-mcp/ox-mcp/host/argon/generated"
	"github.com/ox-mcp/ox-mcp/host/argon/load"
)

// BenchmarkCheckEditKinds checks a package of 100,000 lines in 200 modules in a
// session, after an edit of each kind that people make. "cold" is the share of
// the edits that were compiled from nothing.
func BenchmarkCheckEditKinds(b *testing.B) {
	files := generated.Package(100_000, 200)
	text := files["m100.ar"]
	var s argon.Session
	check := func(text string) *argon.Result {
		files["m100.ar"] = text
		r, err := s.Check(context.Background(), load.Options{Root: "root.ar", Files: load.Memory(files), SourceLimit: 64 << 20})
		if err != nil || len(r.Diagnostics) > 0 {
			b.Fatal(err, r.Diagnostics)
		}
		return r
	}
	check(text)
	for _, edit := range generated.Edits() {
		b.Run(edit.Name, func(b *testing.B) {
			cold, n := 0, 0
			for ; b.Loop(); n++ {
				if !strings.Contains(text, edit.Old) {
					b.Fatal("nothing to edit")
				}
				if r := check(strings.Replace(text, edit.Old, strings.ReplaceAll(edit.New, "$", fmt.Sprint(n)), 1)); r.Edit == nil {
					cold++
				}
			}
			b.ReportMetric(float64(cold)/float64(n), "cold")
			if cold > 0 {
				check(text) // the next kind begins with the text as it was
			}
		})
	}
	files["m100.ar"] = text
}
