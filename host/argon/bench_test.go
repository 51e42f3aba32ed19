package argon_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/argon"
	"github.com/ox-mcp/ox-mcp/host/argon/load"
)

// BenchmarkCompile compiles packages of one kind of declaration each, without
// loading and parsing them.
func BenchmarkCompile(b *testing.B) {
	const n = 10_000
	head := "use std::core::{type, rel};\npub type Node { size: Int }\npub rel Edge(a: Node, b: Node);\n"
	for _, bb := range []struct {
		name string
		line func(i int) string
	}{
		{"facts", func(i int) string { return fmt.Sprintf("pub fact Edge(hub, n%d);", i) }},
		{"rules", func(i int) string { return fmt.Sprintf("pub derive p%d(x) :- Edge(x, y), y.size > %d;", i, i) }},
		{"functions", func(i int) string { return fmt.Sprintf("pub fn f%d(n: Node) -> Int = n.size * %d + 1;", i, i) }},
	} {
		b.Run(bb.name, func(b *testing.B) {
			var src strings.Builder
			src.WriteString(head)
			for i := range n {
				src.WriteString(bb.line(i) + "\n")
			}
			ctx := context.Background()
			ws, err := load.Load(ctx, load.Options{Root: "root.ar", Files: load.Memory(map[string]string{"root.ar": src.String()})})
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if r := argon.Compile(ctx, ws, argon.Options{}); r.Module == nil {
					b.Fatal(r.Diagnostics[0])
				}
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "declarations/s")
		})
	}
}

// BenchmarkAdHocQuery compiles one ad-hoc body against a loaded package.
func BenchmarkAdHocQuery(b *testing.B) {
	r, err := argon.Snippet(context.Background(), harbour, argon.Options{})
	if err != nil || r.Module == nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if ext, diags := argon.CompileQuery(r.Module, "MooredAt(s, b), s.crew > least"); ext == nil {
			b.Fatal(diags)
		}
	}
}
