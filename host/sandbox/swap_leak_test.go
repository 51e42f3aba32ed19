package sandbox

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/ox-mcp/ox-mcp/abi"
	. "github.com/ox-mcp/ox-mcp/host/sandbox/wasmtest"
)

// build is a module and its instances, as one that serves has them.
type build struct {
	module *Module
	base   *Instance
	head   *Instance
}

func (b *build) close(t *testing.T) {
	ctx := context.Background()
	must(t, b.module.Close(ctx)) // its code lives on until the last instance is closed
	must(t, b.head.Close(ctx))
	must(t, b.base.Close(ctx))
}

// TestNothingLeaksOverSwapsOfModules puts thousands of builds in the place of
// one another, each with code of its own: admitted and described, an instance
// and a clone of it, the switch while a call runs on the old one, the drain, the
// close.
func TestNothingLeaksOverSwapsOfModules(t *testing.T) {
	ctx := context.Background()
	h := newHost(t, nil)
	made := 0
	next := func() *build {
		made++
		d := abi.Description{ABI: abi.Version, World: abi.WorldReasoner, Name: fmt.Sprint("build ", made), Version: "v"}
		wasm := described(d, func(g *Guest) {
			g.Exchange("work", []byte{I32}, I32Const(0), LocalSet(2), Loop(Empty), LocalGet(2), I32Const(1), Op(I32Add), LocalTee(2), I32Const(20_000), Op(I32LtU), BrIf(0), Op(End))
		})
		m, err := h.Admit(ctx, d.Name, wasm, AdmitOptions{World: abi.WorldReasoner, Limits: roomy()})
		must(t, err)
		b := &build{module: m}
		b.base, err = m.Instantiate(ctx, roomy()) // not to be kept until the end of the test
		must(t, err)
		b.head, err = b.base.Clone(ctx)
		must(t, err)
		return b
	}
	serving := next()
	swap := func() {
		old, began, done := serving, make(chan struct{}), make(chan error, 1)
		go func() {
			close(began)
			_, _, err := old.head.Call(ctx, "work", nil, roomy())
			done <- err
		}()
		<-began
		serving = next()
		must(t, <-done)
		old.close(t)
	}
	for range 20 {
		swap()
	}
	before, code, counted := holding(t), codeBytes(t), h.Memory()
	n := rounds() / 4
	for range n {
		swap()
	}
	after := holding(t)
	for range 50 {
		if after.goroutines <= before.goroutines {
			break
		}
		time.Sleep(10 * time.Millisecond)
		after = holding(t)
	}
	const page = 4096
	if after.goroutines > before.goroutines+2 || after.descriptors > before.descriptors+2 || after.mappings > before.mappings+20 {
		t.Errorf("the process holds %+v, before it held %+v", after, before)
	}
	if now := codeBytes(t); now > code+n*page/2 {
		t.Errorf("there are %d bytes of machine code, before there were %d", now, code)
	}
	if now := h.Memory(); now != counted {
		t.Errorf("%d bytes are counted, before %d", now, counted)
	}
	serving.close(t)
	if now := h.Memory(); now != 0 {
		t.Errorf("%d bytes are counted at the end", now)
	}
}

// codeBytes is how much machine code is mapped that is of no file. Neighbours
// show as one mapping, so that their number says little.
func codeBytes(t *testing.T) int {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/maps")
	must(t, err)
	sum := 0
	for line := range strings.Lines(string(maps)) {
		var from, to int
		var rights, offset, device, file string
		if n, _ := fmt.Sscanf(line, "%x-%x %s %s %s %s", &from, &to, &rights, &offset, &device, &file); n == 6 && file == "0" && strings.Contains(rights, "x") {
			sum += to - from
		}
	}
	return sum
}
