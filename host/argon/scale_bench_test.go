package argon_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/argon"
	"github.com/ox-mcp/ox-mcp/host/argon/generated"
	"github.com/ox-mcp/ox-mcp/host/argon/load"
)

// BenchmarkCheck loads, parses and compiles packages of a growing number of
// lines in 200 modules.
func BenchmarkCheck(b *testing.B) {
	for _, lines := range []int{10_000, 100_000, 400_000} {
		b.Run(fmt.Sprintf("%dk", lines/1000), func(b *testing.B) {
			files := generated.Package(lines, 200)
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
	files := generated.Package(100_000, 200)
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
