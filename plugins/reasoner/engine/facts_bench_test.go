package engine

import (
	"fmt"
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
)

// BenchmarkAssertField loads a field of 100,000 individuals, as a facts file
// does.
func BenchmarkAssertField(b *testing.B) {
	w := newBuilder()
	field := w.base("field", 2, 0)
	f := abi.FrameBuilder{Arity: 2}
	for i := range 100_000 {
		f.Add([]abi.Value{abi.NamedValue(fmt.Sprint("root::thing", i)), abi.StringValue(fmt.Sprint("name ", i))})
	}
	request := abi.AssertRequest{Deltas: []abi.Delta{{Relation: field, Frame: f.Frame()}}}
	for b.Loop() {
		if _, f := load(b, w.p).Assert(&request); f != nil {
			b.Fatal(f)
		}
	}
	b.ReportMetric(float64(b.N)*100_000/b.Elapsed().Seconds(), "rows/s")
}
