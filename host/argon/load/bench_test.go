package load_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/argon/load"
)

// BenchmarkFacts reads one facts file of 50,000 rows.
func BenchmarkFacts(b *testing.B) {
	var csv, jsonl strings.Builder
	csv.WriteString("from,to\n")
	for i := range 50_000 {
		fmt.Fprintf(&csv, "module-%d,module-%d\n", i, i*7%50_000)
		fmt.Fprintf(&jsonl, "{\"from\": \"module-%d\", \"to\": %d}\n", i, i*7%50_000)
	}
	for name, text := range map[string]string{"csv": csv.String(), "jsonl": jsonl.String()} {
		b.Run(name, func(b *testing.B) {
			files := load.Memory(map[string]string{
				"ox.toml": "[facts]\n\"root::Needs\" = \"needs." + name + "\"\n", "root.ar": "", "needs." + name: text,
			})
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				w, err := load.Load(context.Background(), load.Options{Files: files})
				if err != nil || len(w.Main.Facts[0].Rows) != 50_000 {
					b.Fatal(err, w.Diagnostics)
				}
			}
		})
	}
}

// BenchmarkReadInputs is what the check for changed sources costs before it
// hashes: a package of 200 modules on the machine's disk.
func BenchmarkReadInputs(b *testing.B) {
	dir := b.TempDir()
	var archive, root strings.Builder
	for i := range 200 {
		fmt.Fprintf(&root, "mod m%d;\n", i)
		fmt.Fprintf(&archive, "-- m%d.ar --\n%s", i, strings.Repeat("// a line of a module's text\n", 100))
	}
	write(b, dir, "-- ox.toml --\n-- root.ar --\n"+root.String()+archive.String())
	for b.Loop() {
		inputs, err := load.ReadInputs(context.Background(), load.Options{Root: dir})
		if err != nil || len(inputs) != 202 {
			b.Fatal(err, len(inputs))
		}
	}
}
