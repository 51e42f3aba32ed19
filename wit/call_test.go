package wit

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/tetratelabs/wazero"
	wapi "github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/ox-mcp/ox-mcp/abi"
)

// plugin calls a module as the canonical ABI says, without any of the host's
// own code.
type plugin struct {
	t   *testing.T
	ctx context.Context
	mod wapi.Module
}

func buildJoiner(t *testing.T) []byte {
	t.Helper()
	return build(t, "../plugins/joiner")
}

// build compiles a Go plugin.
func build(t *testing.T, source string) []byte {
	t.Helper()
	if testing.Short() {
		t.Skip("builds a guest")
	}
	file := filepath.Join(t.TempDir(), "plugin.wasm")
	cmd := exec.Command("go", "build", "-buildmode=c-shared", "-trimpath", "-buildvcs=false", "-o", file, source)
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("building %s: %v\n%s", source, err, out)
	}
	wasm, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return wasm
}

func startJoiner(t *testing.T) *plugin {
	t.Helper()
	return start(t, buildJoiner(t))
}

func start(t *testing.T, wasm []byte) *plugin {
	t.Helper()
	ctx := t.Context()
	runtime := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter())
	t.Cleanup(func() { _ = runtime.Close(context.WithoutCancel(ctx)) })
	wasi_snapshot_preview1.MustInstantiate(ctx, runtime)
	mod, err := runtime.InstantiateWithConfig(ctx, wasm, wazero.NewModuleConfig().WithStartFunctions("_initialize"))
	if err != nil {
		t.Fatal(err)
	}
	return &plugin{t, ctx, mod}
}

func (p *plugin) call(name string, args ...uint64) []uint64 {
	p.t.Helper()
	f := p.mod.ExportedFunction(name)
	if f == nil {
		p.t.Fatalf("the joiner has no export %s", name)
	}
	out, err := f.Call(p.ctx, args...)
	if err != nil {
		p.t.Fatalf("%s: %v", name, err)
	}
	return out
}

func (p *plugin) word(at uint32) uint32 {
	p.t.Helper()
	w, ok := p.mod.Memory().ReadUint32Le(at)
	if !ok {
		p.t.Fatalf("address %d is outside the memory", at)
	}
	return w
}

func (p *plugin) bytes(ptr, size uint32) []byte {
	p.t.Helper()
	b, ok := p.mod.Memory().Read(ptr, size)
	if !ok {
		p.t.Fatalf("bytes at %d, length %d are outside the memory", ptr, size)
	}
	return append([]byte(nil), b...)
}

// write puts a request into the guest's memory.
func (p *plugin) write(request []byte) uint64 {
	p.t.Helper()
	ptr := p.call("cabi_realloc", 0, 0, 1, uint64(len(request)))[0]
	if !p.mod.Memory().Write(uint32(ptr), request) {
		p.t.Fatal("cabi_realloc gave memory that is not there")
	}
	return ptr
}

// invoke makes a whole call; ok is false for the error side.
func (p *plugin) invoke(export string, request []byte) (answer []byte, ok bool) {
	p.t.Helper()
	area := p.call(export, p.write(request), uint64(len(request)))[0]
	discriminant, found := p.mod.Memory().ReadByte(uint32(area))
	if !found || discriminant > 1 {
		p.t.Fatalf("discriminant %d", discriminant)
	}
	answer = p.bytes(p.word(uint32(area)+4), p.word(uint32(area)+8))
	p.call("cabi_post_"+export, area)
	return answer, discriminant == 0
}

func (p *plugin) give(export string) []byte {
	p.t.Helper()
	area := p.call(export)[0]
	b := p.bytes(p.word(uint32(area)), p.word(uint32(area)+4))
	p.call("cabi_post_"+export, area)
	return b
}

type readable interface{ DecodeCBOR([]byte) error }

func (p *plugin) want(export string, request []byte, response readable) {
	p.t.Helper()
	answer, ok := p.invoke(export, request)
	if !ok {
		var f abi.Failure
		if err := f.DecodeCBOR(answer); err != nil {
			p.t.Fatal(err)
		}
		p.t.Fatal(f.Error())
	}
	if err := response.DecodeCBOR(answer); err != nil {
		p.t.Fatal(err)
	}
}

func (p *plugin) wantFailure(code, export string, request []byte) {
	p.t.Helper()
	answer, ok := p.invoke(export, request)
	if ok {
		p.t.Fatalf("%s: no failure, want %s", export, code)
	}
	var f abi.Failure
	if err := f.DecodeCBOR(answer); err != nil {
		p.t.Fatal(err)
	}
	if f.Code != code || f.Message == "" {
		p.t.Fatalf("%s: %+v, want %s", export, f, code)
	}
}

// grandparents is grandparent(x, z) :- parent(x, y), parent(y, z).
func grandparents() abi.Program {
	person := abi.Type{Op: abi.TypeConcept, Name: "family::Person"}
	pair := []abi.Column{{Name: "a", Type: person}, {Name: "b", Type: person}}
	slot := func(i int) abi.Arg { return abi.Arg{Op: abi.ArgSlot, Index: i} }
	return abi.Program{
		ABI: abi.Version, Module: "family", Files: []string{"family.ar"},
		Relations: []abi.Relation{
			{Name: "family::parent+", Role: abi.Base, Origin: abi.OriginRelation, Columns: pair, Asserted: -1, Refuted: -1},
			{Name: "family::grandparent", Role: abi.Derived, Origin: abi.OriginDerive, Columns: pair, Asserted: -1, Refuted: -1},
		},
		Rules: []abi.Rule{{
			Name: "family::grandparent", Head: 1, Args: []abi.Arg{slot(0), slot(2)},
			Slots: []abi.Slot{{Name: "x", Type: person}, {Name: "y", Type: person}, {Name: "z", Type: person}},
			Body: []abi.Atom{
				{Op: abi.AtomScan, Rel: 0, Args: []abi.Arg{slot(0), slot(1)}},
				{Op: abi.AtomScan, Rel: 0, Args: []abi.Arg{slot(1), slot(2)}},
			},
		}},
		Components: []abi.Component{{Relations: []int{1}, Rules: []int{0}}},
	}
}

func TestJoinerSpeaksTheContract(t *testing.T) {
	p := startJoiner(t)

	var d abi.Description
	if err := d.DecodeCBOR(p.give(abi.ExportDescribe)); err != nil {
		t.Fatal(err)
	}
	if d.ABI != abi.Version || d.World != abi.WorldReasoner {
		t.Fatalf("describe: %+v", d)
	}

	derive := abi.DeriveRequest{Relation: 1}
	p.wantFailure(abi.FailureState, abi.ExportDerive, derive.AppendCBOR(nil))
	p.wantFailure(abi.FailureRequest, abi.ExportLoad, nil)
	p.wantFailure(abi.FailureRequest, abi.ExportLoad, []byte("not a message"))

	load := abi.LoadRequest{Program: grandparents()}
	p.want(abi.ExportLoad, load.AppendCBOR(nil), new(abi.LoadResponse))
	p.wantFailure(abi.FailureState, abi.ExportLoad, load.AppendCBOR(nil))

	b := abi.FrameBuilder{Arity: 2}
	for _, pair := range [][2]string{{"ann", "bob"}, {"bob", "cid"}, {"bob", "dot"}, {"cid", "eve"}} {
		b.Add([]abi.Value{abi.NamedValue(pair[0]), abi.NamedValue(pair[1])})
	}
	assert := abi.AssertRequest{Deltas: []abi.Delta{{Relation: 0, Frame: b.Frame()}}}
	var asserted abi.AssertResponse
	p.want(abi.ExportAssert, assert.AppendCBOR(nil), &asserted)
	if asserted.Added != 4 {
		t.Fatalf("assert: %+v", asserted)
	}

	var rows abi.Rows
	p.want(abi.ExportDerive, derive.AppendCBOR(nil), &rows)
	var got [][2]string
	for i := range rows.Frame.Rows {
		r := rows.Frame.Row(nil, i)
		got = append(got, [2]string{r[0].Str, r[1].Str})
	}
	if want := [][2]string{{"ann", "cid"}, {"ann", "dot"}, {"bob", "eve"}}; !reflect.DeepEqual(got, want) {
		t.Fatalf("derive: %v, want %v", got, want)
	}

	derive.Call.Limits.Derived = 2
	p.wantFailure(abi.FailureLimit, abi.ExportDerive, derive.AppendCBOR(nil))
}

// Answers wait for their Post, in any order, and garbage in between does not
// touch them.
func TestAnswersOutliveLaterCalls(t *testing.T) {
	p := startJoiner(t)
	load := abi.LoadRequest{Program: grandparents()}
	p.want(abi.ExportLoad, load.AppendCBOR(nil), new(abi.LoadResponse))

	request := new(abi.DeriveRequest).AppendCBOR(nil)
	held := p.call(abi.ExportDerive, p.write(request), uint64(len(request)))[0]
	before := p.bytes(p.word(uint32(held)+4), p.word(uint32(held)+8))
	waiting := p.write(request)
	for range 200 {
		p.want(abi.ExportDerive, request, new(abi.Rows))
		p.write(make([]byte, 64<<10)) // never used: the host gave up on a call
	}
	if after := p.bytes(p.word(uint32(held)+4), p.word(uint32(held)+8)); !reflect.DeepEqual(before, after) {
		t.Fatal("an answer changed before its post call")
	}
	if got := p.bytes(uint32(waiting), uint32(len(request))); !reflect.DeepEqual(got, request) {
		t.Fatal("a request changed before its call")
	}
	p.call("cabi_post_"+abi.ExportDerive, held)
}

func TestRequestOutsideReallocIsRefused(t *testing.T) {
	p := startJoiner(t)
	for _, size := range []uint64{1, 1 << 20, 1<<32 - 1} {
		area := uint32(p.call(abi.ExportLoad, 4096, size)[0])
		if p.word(area) != 1 {
			t.Fatalf("a request of %d bytes at an address of our own is taken", size)
		}
		var f abi.Failure
		if err := f.DecodeCBOR(p.bytes(p.word(area+4), p.word(area+8))); err != nil || f.Code != abi.FailureRequest {
			t.Fatalf("%+v, %v", f, err)
		}
		p.call("cabi_post_"+abi.ExportLoad, uint64(area))
	}
}

func TestReallocKeepsContentsAndAlignment(t *testing.T) {
	p := startJoiner(t)
	for size := uint64(1); size < 40; size++ {
		old := p.call("cabi_realloc", 0, 0, 8, size)[0]
		if old == 0 || old%8 != 0 {
			t.Fatalf("%d bytes at %d", size, old)
		}
		text := []byte("0123456789abcdefghijklmnopqrstuvwxyzABCDEFG")[:size]
		p.mod.Memory().Write(uint32(old), text)
		ptr := p.call("cabi_realloc", old, size, 8, 3*size)[0]
		if got := p.bytes(uint32(ptr), uint32(size)); string(got) != string(text) {
			t.Fatalf("grown to %d bytes: %q, want %q", 3*size, got, text)
		}
	}
	if p.call("cabi_realloc", 0, 0, 4, 0)[0] == 0 {
		t.Fatal("an empty allocation is null")
	}
}

// The deepest messages fit into the call depth that the interpreter has, and
// deeper ones are refused; neither is a trap.
func TestDeepProgramsFitTheCallDepth(t *testing.T) {
	joiner := buildJoiner(t)
	boolean := abi.Type{Op: abi.TypeBool}
	expr := func(wrap func(abi.Expr) abi.Expr) func(*abi.Program, int) {
		return func(p *abi.Program, levels int) {
			x := abi.Expr{Op: abi.ExprSlot}
			for range levels {
				x = wrap(x)
			}
			p.Functions = []abi.Function{{Slots: []abi.Slot{{Type: boolean}}, Result: boolean, Body: x}}
		}
	}
	for _, c := range []struct {
		name   string
		levels int // nested levels a wrapping
		build  func(*abi.Program, int)
	}{
		{"operators", 1, expr(func(x abi.Expr) abi.Expr { return abi.Expr{Op: abi.ExprNot, Args: []abi.Expr{x}} })},
		{"matches", 2, expr(func(x abi.Expr) abi.Expr {
			return abi.Expr{Op: abi.ExprMatch, Args: []abi.Expr{{Op: abi.ExprSlot}}, Arms: []abi.Arm{{Body: x}}}
		})},
		{"subqueries", 2, expr(func(x abi.Expr) abi.Expr {
			return abi.Expr{Op: abi.ExprSub_, Sub: &abi.Sub{Op: abi.SubOne, Out: &x}}
		})},
		{"filters of subqueries", 3, expr(func(x abi.Expr) abi.Expr {
			return abi.Expr{Op: abi.ExprSub_, Sub: &abi.Sub{Body: []abi.Atom{{Op: abi.AtomFilter, Expr: &x}}}}
		})},
		{"types", 1, func(p *abi.Program, levels int) {
			typ := boolean
			for range levels {
				typ = abi.Type{Op: abi.TypeList, Args: []abi.Type{typ}}
			}
			p.Relations[0].Columns[0].Type = typ
		}},
		{"statements", 1, func(p *abi.Program, levels int) {
			body := []abi.Stmt{{Op: abi.StmtReturn}}
			for range levels {
				body = []abi.Stmt{{Op: abi.StmtIf, Exprs: []abi.Expr{{Op: abi.ExprSlot}}, Body: body}}
			}
			p.Mutations = []abi.Mutation{{Slots: []abi.Slot{{Type: boolean}}, Body: body}}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := start(t, joiner)
			deep := abi.LoadRequest{Program: grandparents()}
			c.build(&deep.Program, 2*abi.MaxDepth)
			p.wantFailure(abi.FailureRequest, abi.ExportLoad, deep.AppendCBOR(nil))

			fits := abi.LoadRequest{Program: grandparents()}
			c.build(&fits.Program, (abi.MaxDepth-4)/c.levels)
			p.want(abi.ExportLoad, fits.AppendCBOR(nil), new(abi.LoadResponse))
		})
	}
}
