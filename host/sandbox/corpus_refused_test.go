package sandbox

import (
	"bytes"
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/sandbox/rewrite"
	. "github.com/ox-mcp/ox-mcp/host/sandbox/wasmtest"
)

func times(n int, code ...[]byte) []byte { return bytes.Repeat(slices.Concat(code...), n) }

// module makes a module by steps; type 0 is () -> ().
func module(steps ...func(*Builder)) []byte {
	var m Builder
	m.Type(nil, nil)
	for _, s := range steps {
		s(&m)
	}
	return m.Bytes()
}

// withCode is a module with a memory, a table and one function.
func withCode(code ...[]byte) []byte {
	return module(func(m *Builder) {
		m.Memory(1)
		m.Table(0, 4)
		m.Func(0, nil, code...)
	})
}

// raw is a module of one section as it is given.
func raw(id byte, body ...byte) []byte { return Section([]byte("\x00asm\x01\x00\x00\x00"), id, body) }

// describing is a reasoner whose description is the bytes, told to be of the
// length.
func describing(text []byte, length int32, more func(*Guest)) []byte {
	g := NewGuest(2, nil)
	if len(text) > 0 {
		g.Data(1024, text)
	}
	g.Export(abi.ExportDescribe, KindFunc, g.Func(g.Type(nil, []byte{I32}), nil, store(256, 1024, length), I32Const(256)))
	if more != nil {
		more(g)
	}
	return g.Bytes()
}

func described(d abi.Description, more func(*Guest)) []byte {
	text := d.AppendCBOR(nil)
	return describing(text, int32(len(text)), more)
}

// refusedModules are the specimens that must not be admitted.
func refusedModules() []specimen {
	good := abi.Description{ABI: abi.Version, World: abi.WorldReasoner, Name: "n", Version: "v"}
	oldABI, otherWorld := good, good
	oldABI.ABI = "0.0.1"
	otherWorld.World = abi.WorldEvaluator
	initialize := func(code ...[]byte) []byte {
		return described(good, func(g *Guest) { g.Export(exportInitialize, KindFunc, g.Func(g.Type(nil, nil), nil, code...)) })
	}
	wide := bytes.Repeat([]byte{I32}, 1001)
	nested := bytes.Repeat([]byte{0x81}, 60_000)
	list := []specimen{
		{what: "nothing", wasm: nil, refused: rewrite.CodeMalformed},
		{what: "text", wasm: []byte("(module (func (export \"f\")))"), refused: rewrite.CodeMalformed},
		{what: "a component", wasm: []byte("\x00asm\x0d\x00\x01\x00"), refused: rewrite.CodeMalformed},
		{what: "a number cut off", wasm: []byte("\x00asm\x01\x00\x00\x00\x01\x80\x80"), refused: rewrite.CodeMalformed},
		{what: "a number padded to six bytes", wasm: raw(1, 0x81, 0x80, 0x80, 0x80, 0x80, 0x00), refused: rewrite.CodeMalformed},
		{what: "a number with bits beyond its width", wasm: raw(1, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F), refused: rewrite.CodeMalformed},
		{what: "a constant padded beyond its width", wasm: withCode([]byte{0x41, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00}, Op(Drop)), refused: rewrite.CodeMalformed},
		{what: "a section longer than the file", wasm: append([]byte("\x00asm\x01\x00\x00\x00"), 1, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F), refused: rewrite.CodeMalformed},
		{what: "sections out of order", wasm: slices.Concat(raw(3, 0), raw(1, 0)[8:]), refused: rewrite.CodeMalformed},
		{what: "a section twice", wasm: slices.Concat(raw(1, 0), raw(1, 0)[8:]), refused: rewrite.CodeMalformed},
		{what: "bytes after a section's items", wasm: raw(1, 0, 0, 0), refused: rewrite.CodeMalformed},
		{what: "four thousand million types", wasm: raw(1, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F), refused: rewrite.CodeItemCount},
		{what: "more functions than bodies", wasm: slices.Concat(raw(1, 1, 0x60, 0, 0), raw(3, 1, 0)[8:]), refused: rewrite.CodeMalformed},
		{what: "a body without a function", wasm: raw(10, 1, 2, 0, 0x0B), refused: rewrite.CodeMalformed},
		{what: "a body longer than its section", wasm: slices.Concat(raw(1, 1, 0x60, 0, 0), raw(3, 1, 0)[8:], raw(10, 1, 0x7F, 0, 0x0B)[8:]), refused: rewrite.CodeMalformed},
		{what: "a name that is no text", wasm: module(func(m *Builder) { m.Export("\xC0\x80", KindFunc, m.Func(0, nil)) }), refused: rewrite.CodeMalformed},
		{what: "an export twice", wasm: module(func(m *Builder) {
			m.Export("a", KindFunc, m.Func(0, nil))
			m.Export("a", KindFunc, 0)
		}), refused: rewrite.CodeMalformed},
		{what: "data segments announced and not there", wasm: raw(12, 5), refused: rewrite.CodeMalformed},
		{what: "code without an end", wasm: withCode(Block(Empty)), refused: rewrite.CodeMalformed},
		{what: "an opcode that does not exist", wasm: withCode(Op(0xFF)), refused: rewrite.CodeOpcode},
		{what: "vectors", wasm: withCode([]byte{0xFD, 12}, make([]byte, 16), Op(Drop)), refused: rewrite.CodeSIMD},
		{what: "atomics", wasm: withCode([]byte{0xFE, 3, 0}), refused: rewrite.CodeThreads},
		{what: "a shared memory", wasm: module(func(m *Builder) { m.RawMemory(3, 1, 1) }), refused: rewrite.CodeThreads},
		{what: "exceptions", wasm: withCode([]byte{0x06, Empty}, Op(End)), refused: rewrite.CodeExceptions},
		{what: "endless tail calls", wasm: withCode([]byte{0x12, 0}), refused: rewrite.CodeTailCalls},
		{what: "garbage collection", wasm: module(func(m *Builder) { m.RawType(0x5F, 0) }), refused: rewrite.CodeGC},
		{what: "a 64-bit memory", wasm: module(func(m *Builder) { m.RawMemory(4, 1) }), refused: rewrite.CodeMemory64},
		{what: "two memories", wasm: module(func(m *Builder) { m.Memory(1); m.Memory(1) }), refused: rewrite.CodeMultiMemory},
		{what: "a start function", wasm: module(func(m *Builder) { m.Start(m.Func(0, nil, forever())) }), refused: rewrite.CodeStart},
		{what: "a table that grows", wasm: withCode([]byte{0xD0, Funcref}, I32Const(1<<30), Bulk(TableGrow, 0), Op(Drop)), refused: rewrite.CodeTableGrow},
		{what: "an import of the machine", wasm: module(func(m *Builder) { m.Import("env", "system", 0) }), refused: rewrite.CodeImport},
		{what: "an import of a memory", wasm: module(func(m *Builder) { m.RawImport(wasiModule, "memory", 2, 0, 1) }), refused: rewrite.CodeImport},
		{what: "an import of a global", wasm: module(func(m *Builder) { m.RawImport("env", "fuel", 3, I64, 1) }), refused: rewrite.CodeImport},
		{what: "an import of another type", wasm: module(func(m *Builder) { m.Import(wasiModule, exitName, 0) }), refused: rewrite.CodeImportType},
		{what: "the hook imported", wasm: module(func(m *Builder) { m.Import(rewrite.HookModule, rewrite.HookName, 0) }), refused: rewrite.CodeReserved},
		{what: "a fuel counter of its own", wasm: module(func(m *Builder) {
			m.Export(rewrite.FuelGlobal, KindGlobal, m.Global(I64, true, I64Const(1<<60)))
		}), refused: rewrite.CodeReserved},
		{what: "an export in the place of a saved global", wasm: module(func(m *Builder) { m.Export(rewrite.GlobalPrefix+"0", KindFunc, m.Func(0, nil)) }), refused: rewrite.CodeReserved},
		{what: "fuel set by index", wasm: withCode(I64Const(1<<60), GlobalSet(0)), refused: rewrite.CodeIndexRange},
		{what: "depth set by index", wasm: withCode(I32Const(1<<30), GlobalSet(1)), refused: rewrite.CodeIndexRange},
		{what: "the hook called by index", wasm: withCode(I32Const(0), I32Const(0), Call(1)), refused: rewrite.CodeIndexRange},
		{what: "the rewriter's local", wasm: withCode(I64Const(0), LocalSet(0)), refused: rewrite.CodeIndexRange},
		{what: "an initial memory above the cap", wasm: module(func(m *Builder) { m.Memory(65) }), refused: rewrite.CodeMemoryMin},
		{what: "an initial memory above the format's", wasm: module(func(m *Builder) { m.Memory(1 << 30) }), refused: rewrite.CodeMalformed},
		{what: "a table of a thousand million", wasm: module(func(m *Builder) { m.Table(U32([]byte{0}, 1_000_000_000)...) }), refused: rewrite.CodeTableSize},
		{what: "a bomb of blocks", wasm: withCode(times(5000, Block(Empty), Op(End))), refused: rewrite.CodeBlocks},
		{what: "a bomb of nesting", wasm: withCode(times(2000, Block(Empty)), times(2000, Op(End))), refused: rewrite.CodeNesting},
		{what: "a bomb of locals", wasm: module(func(m *Builder) {
			m.RawFunc(0, slices.Concat([]byte{1}, U32(nil, 4_000_000_000), []byte{I64, 0x0B}))
		}), refused: rewrite.CodeLocals},
		{what: "a bomb of blocks by locals", wasm: module(func(m *Builder) {
			m.RawFunc(0, slices.Concat([]byte{1}, U32(nil, 990), []byte{I64}, times(1000, Block(Empty), Op(End)), Op(End)))
		}), refused: rewrite.CodeBlockLocals},
		{what: "a bomb of many functions", wasm: module(func(m *Builder) {
			code := times(3000, Block(Empty), Op(End))
			for range 5 {
				m.Func(0, nil, code)
			}
		}), refused: rewrite.CodeWork},
		{what: "a monstrous br_table", wasm: withCode(I32Const(0), BrTable(0, make([]uint32, 100_000)...)), refused: rewrite.CodeBranchTable},
		{what: "many br_tables", wasm: module(func(m *Builder) {
			code := times(20, Block(Empty), I32Const(0), BrTable(0, make([]uint32, 4000)...), Op(End))
			for range 8 {
				m.Func(0, nil, code)
			}
		}), refused: rewrite.CodeFanOut},
		{what: "a flood of results", wasm: module(func(m *Builder) {
			many := m.Type(nil, bytes.Repeat([]byte{I32}, 1000))
			f := m.Func(many, nil, times(1000, I32Const(0)))
			for range 2 {
				m.Func(0, nil, times(400, Call(f), times(1000, Op(Drop))))
			}
		}), refused: rewrite.CodeBodySize},
		{what: "a long body", wasm: withCode(times(200_000, Op(Nop))), refused: rewrite.CodeBodySize},
		{what: "a thousand parameters", wasm: module(func(m *Builder) { m.Type(wide, nil) }), refused: rewrite.CodeItemCount},
		{what: "a hundred thousand data segments", wasm: module(func(m *Builder) {
			m.Memory(1)
			for range 100_001 {
				m.RawData(1, 0)
			}
		}), refused: rewrite.CodeItemCount},
		{what: "a hundred thousand elements", wasm: module(func(m *Builder) {
			m.Table(0, 1)
			m.RawElement(append(U32([]byte{1, 0}, 100_001), make([]byte, 100_001)...)...)
		}), refused: rewrite.CodeItemCount},
		{what: "a file of 33 megabytes", wasm: module(func(m *Builder) { m.Custom("x", make([]byte, 33*mib)) }), refused: rewrite.CodeModuleSize},
		{what: "an element that is no function", wasm: module(func(m *Builder) { m.Table(0, 1); m.Element(0, 7) }), refused: rewrite.CodeIndexRange},
		{what: "an element segment behind its table", wasm: module(func(m *Builder) { m.Table(0, 1); m.Element(9, m.Func(0, nil)) }), refused: rewrite.CodeIndexRange},
		{what: "an element segment before its table", wasm: module(func(m *Builder) { m.Table(0, 1); m.Element(-1, m.Func(0, nil)) }), refused: rewrite.CodeIndexRange},
		{what: "a name section of noise", wasm: module(func(m *Builder) { m.Custom("name", []byte{1, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 1, 2, 3}) }), refused: CodeInvalid},
		{what: "a constant that reads a global", wasm: module(func(m *Builder) { m.Global(I64, false, GlobalGet(0)) }), refused: rewrite.CodeIndexRange},
		{what: "an empty stack used", wasm: withCode(Op(I32Add), Op(Drop)), refused: CodeInvalid},
		{what: "a number for a float", wasm: withCode(I64Const(1), I64Const(1), Op(F64Add), Op(Drop)), refused: CodeInvalid},
		{what: "a branch with the wrong values", wasm: withCode(Block(I32), Br(0), Op(End), Op(Drop)), refused: CodeInvalid},
		{what: "a saved global of functions", wasm: module(func(m *Builder) { m.Global(Funcref, true, I32Const(0)) }), refused: CodeInvalid},
		{what: "a reasoner that exports nothing", wasm: module(), world: abi.WorldReasoner, refused: CodeExport},
		{what: "describe of another type", wasm: attackWith(nil, func(g *Guest) { g.Exchange(abi.ExportDescribe, nil) }), world: abi.WorldReasoner, refused: CodeExport},
		{what: "a world that does not exist", wasm: described(good, nil), world: "root", refused: CodeWorld},
		{what: "another version of the contract", wasm: described(oldABI, nil), world: abi.WorldReasoner, refused: CodeABI},
		{what: "a description of another world", wasm: described(otherWorld, nil), world: abi.WorldReasoner, refused: CodeWorld},
		{what: "a description that is no CBOR", wasm: describing([]byte("\xFF\xFF\xFF\xFF"), 4, nil), world: abi.WorldReasoner, refused: CodeDescribe},
		{what: "a description that announces more than it has", wasm: describing([]byte{0x9B, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}, 9, nil), world: abi.WorldReasoner, refused: CodeDescribe},
	}
	stops := func(what string, wasm []byte, kind Kind, limit string) {
		list = append(list, specimen{what: what, wasm: wasm, world: abi.WorldReasoner, refused: CodeDescribe, stopped: kind, limit: limit})
	}
	list = append(list, specimen{what: "a description nested without end", wasm: describing(nested[:4000], 4000, nil), world: abi.WorldReasoner, refused: CodeDescribe})
	stops("a description above the output limit", describing(nested, int32(len(nested)), nil), Output, abi.LimitOutput)
	far := NewGuest(1, nil)
	far.Export(abi.ExportDescribe, KindFunc, far.Func(far.Type(nil, []byte{I32}), nil, I32Const(-8)))
	stops("a description outside the memory", far.Bytes(), BadOutput, "")
	stops("a start-up that does not end", initialize(forever()), OutOfFuel, abi.LimitFuel)
	stops("a start-up that eats memory", initialize(Loop(Empty), I32Const(1), MemoryGrow(), I32Const(-1), Op(I32Eq), If(Empty), Op(Unreachable), Op(End), Br(0), Op(End)), OutOfMemory, abi.LimitMemory)
	stops("a start-up that traps", initialize(Op(Unreachable)), Crash, "")
	stops("a data segment outside the memory", described(good, func(g *Guest) { g.Data(1<<20, []byte("x")) }), Crash, "")
	stops("a data segment behind the end", described(good, func(g *Guest) { g.Data(-1, []byte("x")) }), Crash, "")
	return list
}
