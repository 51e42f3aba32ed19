package runtime_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/runtime"
)

// A frozen call has an instance of its own, and the pages of one answer are one
// call: a long answer was evaluated anew for each of its pages.
func TestThePagesOfAFrozenAnswerShareAState(t *testing.T) {
	var b strings.Builder
	b.WriteString("pub type Stop {}\npub rel track(from: Stop, to: Stop);\npub derive way(x, y) :- track(x, y);\npub derive way(x, z) :- way(x, y), track(y, z);\npub query ways() -> way;\n")
	const n = 60
	for i := range n {
		fmt.Fprintf(&b, "pub fact Stop(s%02d);\n", i)
	}
	for i := range n {
		fmt.Fprintf(&b, "pub fact track(s%02d, s%02d);\n", i, (i+1)%n)
	}
	s := frozen(t, locked(t, map[string]string{"ox.toml": repeatable["ox.toml"], "root.ar": b.String()}), warm(t))
	read := func() (res *runtime.RowsResult, calls int, fuel, first uint64) {
		res, err := runtime.Whole(context.Background(), runtime.Common{}, func(ctx context.Context, c runtime.Common) (*runtime.RowsResult, error) {
			res, err := s.Query(ctx, runtime.QueryRequest{Name: "ways", Common: c})
			if err == nil && res.Usage != nil {
				calls++
				fuel += res.Usage.Fuel
				if first == 0 {
					first = res.Usage.Fuel
				}
			}
			return res, err
		})
		if err != nil || res.Refused() {
			t.Fatal(res, err)
		}
		return res, calls, fuel, first
	}
	if _, err := s.Build(context.Background(), runtime.BuildRequest{}); err != nil {
		t.Fatal(err)
	}
	res, calls, fuel, first := read()
	if len(res.Rows) != n*n || calls < 10 {
		t.Fatalf("%d rows in %d calls, want %d in many", len(res.Rows), calls, n*n)
	}
	if 3*fuel > uint64(calls)*first {
		t.Errorf("%d calls cost %d units, the first %d: the later ones began anew", calls, fuel, first)
	}
	if again, _, same, _ := read(); same != fuel || fmt.Sprint(texts(again)) != fmt.Sprint(texts(res)) {
		t.Errorf("read again, it costs %d, not %d, or has other rows", same, fuel)
	}
}
