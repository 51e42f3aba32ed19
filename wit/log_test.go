package wit

import (
	"context"
	"os"
	"reflect"
	"testing"

	"github.com/tetratelabs/wazero"
	wapi "github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/ox-mcp/ox-mcp/abi"
)

func TestLogLinesArriveAndAPanicIsAnswered(t *testing.T) {
	wasm := build(t, "../plugins/internal/guest/testdata/talker/main.go")
	ctx := t.Context()
	runtime := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter())
	t.Cleanup(func() { _ = runtime.Close(context.WithoutCancel(ctx)) })
	wasi_snapshot_preview1.MustInstantiate(ctx, runtime)
	type line struct {
		level   uint32
		message string
	}
	var lines []line
	_, err := runtime.NewHostModuleBuilder(abi.ImportLog).NewFunctionBuilder().
		WithFunc(func(_ context.Context, mod wapi.Module, level, ptr, size uint32) {
			b, _ := mod.Memory().Read(ptr, size)
			lines = append(lines, line{level, string(b)})
		}).Export("write").Instantiate(ctx)
	if err != nil {
		t.Fatal(err)
	}
	mod, err := runtime.InstantiateWithConfig(ctx, wasm, wazero.NewModuleConfig().WithStartFunctions("_initialize").WithStderr(os.Stderr))
	if err != nil {
		t.Fatal(err)
	}
	p := &plugin{t, ctx, mod}
	area := uint32(p.call("say", p.write([]byte("héllo")), 6)[0])
	if p.word(area) != 0 || string(p.bytes(p.word(area+4), p.word(area+8))) != "h" {
		t.Fatalf("answer of kind %d", p.word(area))
	}
	for range 3 { // a panic is no trap: the instance answers the next call
		area = uint32(p.call("say", 0, 0)[0])
		var f abi.Failure
		if err := f.DecodeCBOR(p.bytes(p.word(area+4), p.word(area+8))); p.word(area) != 1 || err != nil || f.Code != abi.FailureInternal {
			t.Fatalf("%d %+v %v", p.word(area), f, err)
		}
	}
	if want := []line{{2, "héllo"}, {2, ""}, {2, ""}, {2, ""}}; !reflect.DeepEqual(lines, want) {
		t.Fatalf("%v, want %v", lines, want)
	}
}
