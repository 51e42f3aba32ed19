package argon_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/argon"
	"github.com/ox-mcp/ox-mcp/host/argon/load"
)

// asked is a context that ends after it was asked a number of times whether it
// has.
type asked struct {
	context.Context
	left atomic.Int64
}

func (a *asked) Err() error {
	if a.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// longBodies are packages of one item each with a long body.
func longBodies(n int) map[string]string {
	var arms strings.Builder
	for i := range n {
		fmt.Fprintf(&arms, "%d => 2, ", i)
	}
	head := "use std::core::{type, rel};\npub type N { k: Int }\npub rel L(a: N, b: N);\n"
	return map[string]string{
		"atoms":        head + "pub derive p(x: N) :- x: N" + strings.Repeat(", x.k > 1", n) + ";\n",
		"negations":    head + "pub derive p(x: N) :- x: N" + strings.Repeat(", not exists { L(x, y), y.k > 3 }", n) + ";\n",
		"statements":   head + "pub mutate p(x: N) { " + strings.Repeat("insert L(x, x); ", n) + "}\n",
		"arms":         head + "pub fn p(x: Int) -> Int = match x {" + arms.String() + " _ => 0 };\n",
		"items":        head + "pub fn p(x: Int) -> List<Int> = [" + strings.Repeat("x, ", n) + "x];\n",
		"alternatives": head + "pub derive p(x: N) :- x: N" + strings.Repeat(", (x.k > 1 || x.k < 3)", n) + ";\n",
	}
}

// TestLongBodyEndsWithItsContext ends a compilation halfway through one body.
func TestLongBodyEndsWithItsContext(t *testing.T) {
	const n = 2000
	for name, text := range longBodies(n) {
		ws, err := load.Load(context.Background(), load.Options{Root: "root.ar", Files: load.Memory(map[string]string{"root.ar": text})})
		if err != nil {
			t.Fatal(err)
		}
		ctx := &asked{Context: context.Background()}
		ctx.left.Store(1 << 40)
		if r := argon.Compile(ctx, ws, argon.Options{Workers: 1}); r.Module == nil {
			t.Fatal(name, r.Diagnostics)
		}
		all := int64(1<<40) - ctx.left.Load()
		if all < n {
			t.Errorf("%s: it is asked %d times whether anybody waits", name, all)
		}
		half := &asked{Context: context.Background()}
		half.left.Store(all / 2)
		r := argon.Compile(half, ws, argon.Options{Workers: 1})
		if want := "OE1351"; r.Module != nil || len(r.Diagnostics) != 1 || r.Diagnostics[0].Code != want {
			t.Errorf("%s: %d diagnostics where one %s is expected", name, len(r.Diagnostics), want)
		}
	}
}
