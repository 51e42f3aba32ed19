package rewrite

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	. "github.com/ox-mcp/ox-mcp/host/sandbox/wasmtest"
)

// options are the default limits, a cap of four pages and one grant.
func options() Options {
	return Options{
		Limits:      DefaultLimits(),
		MemoryPages: 4,
		Grants:      map[string]map[string]Signature{"host": {"f": "i>"}},
	}
}

// build makes a module by the steps of a test.
func build(steps ...func(*Builder)) []byte {
	var m Builder
	for _, s := range steps {
		s(&m)
	}
	return m.Bytes()
}

// body is a module with one function of type () -> () and a memory.
func body(code ...[]byte) []byte {
	return build(func(m *Builder) {
		t := m.Type(nil, nil)
		m.Memory(1)
		m.Func(t, nil, code...)
	})
}

func repeat(n int, code ...[]byte) []byte { return bytes.Repeat(slices.Concat(code...), n) }

func TestRefusals(t *testing.T) {
	nothing := func(m *Builder) { m.Type(nil, nil) }
	const noFunction = -1
	small := DefaultLimits()
	small.BodyBytes, small.Work, small.Items, small.ModuleBytes = 200, 59, 20, 150
	small.FanOut = 6
	few := func(o *Options) { o.Limits = small }
	pairs := func(code ...[]byte) []byte {
		return build(func(m *Builder) {
			pair := m.Type(nil, []byte{I32, I32})
			m.Func(pair, nil, I32Const(1), I32Const(2))
			m.Func(pair, nil, code...)
		})
	}
	for _, c := range []struct {
		what     string
		code     Code
		function int
		wasm     []byte
		adapt    func(*Options)
	}{
		{"empty", CodeMalformed, noFunction, nil, nil},
		{"text", CodeMalformed, noFunction, []byte("(module)"), nil},
		{"component", CodeMalformed, noFunction, []byte("\x00asm\x0d\x00\x01\x00"), nil},
		{"cut section", CodeMalformed, noFunction, body(Op(Nop))[:20], nil},
		{"section twice", CodeMalformed, noFunction, slices.Concat(build(nothing), build(nothing)[8:]), nil},
		{"unknown section", CodeMalformed, noFunction, Section(build(), 14, nil), nil},
		{"function without a body", CodeMalformed, noFunction, Section(build(nothing), 3, []byte{1, 0}), nil},
		{"long number", CodeMalformed, noFunction, Section(build(), 1, []byte{0x80, 0x80, 0x80, 0x80, 0x10}), nil},
		{"bytes after a section's content", CodeMalformed, noFunction, Section(build(), 1, []byte{0, 0}), nil},
		{"name that is no UTF-8", CodeMalformed, noFunction, build(nothing, func(m *Builder) { m.Export("\xff", KindFunc, m.Func(0, nil)) }), nil},
		{"export twice", CodeMalformed, noFunction, build(nothing, func(m *Builder) {
			f := m.Func(0, nil)
			m.Export("a", KindFunc, f)
			m.Export("a", KindFunc, f)
		}), nil},
		{"else without if", CodeMalformed, 0, body(Op(Else)), nil},
		{"code after the end", CodeMalformed, 0, body(Op(End), Op(Nop)), nil},
		{"open block", CodeMalformed, 0, body(Block(Empty)), nil},
		{"immutable global set", CodeMalformed, 0, build(nothing, func(m *Builder) {
			m.Global(I32, false, I32Const(1))
			m.Func(0, nil, I32Const(1), GlobalSet(0))
		}), nil},
		{"data segments announced wrongly", CodeMalformed, noFunction, Section(build(), 12, []byte{1}), nil},

		{"type index", CodeIndexRange, noFunction, Section(build(nothing), 3, []byte{1, 1}), nil},
		{"function index of a call", CodeIndexRange, 0, body(Call(1)), nil},
		{"function index of ref.func", CodeIndexRange, 0, body(RefFunc(1), Op(Drop)), nil},
		{"function index of an export", CodeIndexRange, noFunction, build(func(m *Builder) { m.Export("f", KindFunc, 0) }), nil},
		{"function index of an element", CodeIndexRange, noFunction, build(func(m *Builder) { m.Table(0, 1); m.Element(0, 0) }), nil},
		{"element segment behind its table", CodeIndexRange, noFunction, build(nothing, func(m *Builder) {
			m.Table(0, 2)
			f := m.Func(0, nil)
			m.Element(1, f, f)
		}), nil},
		{"local index of the rewriter's", CodeIndexRange, 0, body(LocalGet(0), Op(Drop)), nil},
		{"global index of the rewriter's", CodeIndexRange, 0, body(I64Const(1<<60), GlobalSet(0)), nil},
		{"block type of the rewriter's", CodeIndexRange, 0, body([]byte{0x02, 1}, Op(End)), nil},
		{"label", CodeIndexRange, 0, body(Br(1)), nil},
		{"table", CodeIndexRange, 0, body(I32Const(0), CallIndirect(0, 0)), nil},
		{"memory that is not there", CodeIndexRange, 0, build(nothing, func(m *Builder) { m.Func(0, nil, MemorySize(), Op(Drop)) }), nil},
		{"data segment", CodeIndexRange, 0, build(nothing, func(m *Builder) {
			m.Memory(1)
			m.PassiveData([]byte("x"))
			m.Func(0, nil, Bulk(DataDrop, 1))
		}), nil},
		{"constant that reads a global", CodeIndexRange, noFunction, build(func(m *Builder) { m.Global(I64, false, GlobalGet(0)) }), nil},

		{"vector type", CodeSIMD, noFunction, build(func(m *Builder) { m.Type([]byte{V128}, nil) }), nil},
		{"vector instruction", CodeSIMD, 0, body([]byte{0xFD, 12}), nil},
		{"vector constant", CodeSIMD, noFunction, build(func(m *Builder) { m.Global(I32, false, []byte{0xFD, 12}) }), nil},
		{"atomic", CodeThreads, 0, body([]byte{0xFE, 3, 0}), nil},
		{"shared memory", CodeThreads, noFunction, build(func(m *Builder) { m.RawMemory(3, 1, 1) }), nil},
		{"shared global", CodeThreads, noFunction, build(func(m *Builder) { m.RawGlobal(I32, 2, 0x41, 0, 0x0B) }), nil},
		{"try", CodeExceptions, 0, body([]byte{0x06, Empty}), nil},
		{"throw", CodeExceptions, 0, body([]byte{0x08, 0}), nil},
		{"try_table", CodeExceptions, 0, body([]byte{0x1F, Empty, 0}), nil},
		{"tag section", CodeExceptions, noFunction, Section(build(nothing), 13, []byte{1, 0, 0}), nil},
		{"tag import", CodeExceptions, noFunction, build(nothing, func(m *Builder) { m.RawImport("host", "t", 4, 0, 0) }), nil},
		{"return_call", CodeTailCalls, 0, body([]byte{0x12, 0}), nil},
		{"return_call_indirect", CodeTailCalls, 0, body([]byte{0x13, 0, 0}), nil},
		{"struct type", CodeGC, noFunction, build(func(m *Builder) { m.RawType(0x5F, 0) }), nil},
		{"typed reference", CodeGC, noFunction, build(func(m *Builder) { m.Type([]byte{0x64}, nil) }), nil},
		{"call_ref", CodeGC, 0, body([]byte{0x14, 0}), nil},
		{"struct.new", CodeGC, 0, body([]byte{0xFB, 0, 0}), nil},
		{"table with a value", CodeGC, noFunction, build(func(m *Builder) { m.RawTable(0x40, 0, Funcref, 0, 1, 0xD0, Funcref, 0x0B) }), nil},
		{"memory64", CodeMemory64, noFunction, build(func(m *Builder) { m.RawMemory(4, 1) }), nil},
		{"two memories", CodeMultiMemory, noFunction, build(func(m *Builder) { m.Memory(1); m.Memory(1) }), nil},
		{"second memory in an instruction", CodeMultiMemory, 0, body(I32Const(0), []byte{0x28, 0x42, 1, 0}, Op(Drop)), nil},
		{"unknown opcode", CodeOpcode, 0, body(Op(0x27)), nil},
		{"unknown opcode behind 0xfc", CodeOpcode, 0, body([]byte{0xFC, 18}), nil},

		{"start section", CodeStart, noFunction, build(nothing, func(m *Builder) { m.Start(m.Func(0, nil)) }), nil},
		{"table.grow", CodeTableGrow, 0, build(nothing, func(m *Builder) {
			m.Table(0, 1)
			m.Func(0, nil, []byte{0xD0, Funcref}, I32Const(1), Bulk(TableGrow, 0), Op(Drop))
		}), nil},
		{"import without a grant", CodeImport, noFunction, build(nothing, func(m *Builder) { m.Import("host", "g", 0) }), nil},
		{"memory import", CodeImport, noFunction, build(func(m *Builder) { m.RawImport("host", "f", 2, 0, 1) }), nil},
		{"import of another type", CodeImportType, noFunction, build(nothing, func(m *Builder) { m.Import("host", "f", 0) }), nil},
		{"import of the hook", CodeReserved, noFunction, build(nothing, func(m *Builder) { m.Import(HookModule, HookName, 0) }), nil},
		{"export of a reserved name", CodeReserved, noFunction, build(nothing, func(m *Builder) { m.Export(FuelGlobal, KindFunc, m.Func(0, nil)) }), nil},
		{"initial memory", CodeMemoryMin, noFunction, build(func(m *Builder) { m.Memory(5) }), nil},
		{"table size", CodeTableSize, noFunction, build(func(m *Builder) { m.Table(U32([]byte{0}, DefaultLimits().TableElements+1)...) }), nil},
		{"sum of tables", CodeTableSize, noFunction, build(func(m *Builder) {
			half := U32([]byte{0}, DefaultLimits().TableElements/2+1)
			m.Table(half...)
			m.Table(half...)
		}), nil},

		{"module size", CodeModuleSize, noFunction, body(repeat(150, Op(Nop))), few},
		{"item count", CodeItemCount, noFunction, build(func(m *Builder) {
			for range 21 {
				m.Type(nil, nil)
			}
		}), few},
		{"body size", CodeBodySize, 0, body(repeat(128<<10, Op(Nop))), nil},
		{"blocks", CodeBlocks, 0, body(repeat(4095, Block(Empty), Op(End))), nil},
		{"nesting", CodeNesting, 0, body(repeat(999, Block(Empty)), repeat(999, Op(End))), nil},
		{"locals", CodeLocals, 0, build(nothing, func(m *Builder) { m.RawFunc(0, []byte{1, 0xE8, 0x07, I32, 0x0B}) }), nil},
		{"many locals in a few bytes", CodeLocals, 0, build(nothing, func(m *Builder) {
			m.RawFunc(0, slices.Concat([]byte{1}, U32(nil, 1<<31), []byte{I32, 0x0B}))
		}), nil},
		{"blocks by locals", CodeBlockLocals, 0, build(nothing, func(m *Builder) {
			code := slices.Concat([]byte{1, 0xF4, 0x03, I32}, repeat(400, Block(Empty), Op(End)), Op(End))
			m.RawFunc(0, code)
		}), nil},
		{"br_table", CodeBranchTable, 0, body(I32Const(0), BrTable(0, make([]uint32, 4097)...)), nil},
		{"labels of all tables", CodeFanOut, 0, body(repeat(2, I32Const(0), BrTable(0, 0, 0, 0, 0))), few},
		{"results of calls", CodeFanOut, 1, pairs(repeat(4, Call(0))), few},
		{"results of blocks", CodeFanOut, 1, pairs(repeat(4, []byte{0x02, 0}, I32Const(1), I32Const(2), Op(End))), few},
		{"compile work of all functions", CodeWork, 4, build(nothing, func(m *Builder) {
			for range 5 {
				m.Func(0, nil, repeat(1, Block(Empty), Op(End)))
			}
		}), few},
	} {
		t.Run(c.what, func(t *testing.T) {
			o := options()
			if c.adapt != nil {
				c.adapt(&o)
			}
			_, err := Rewrite(c.wasm, o)
			var r *Refusal
			if !errors.As(err, &r) {
				t.Fatalf("admitted (%v), want %s", err, c.code)
			}
			if r.Code != c.code || r.Function != c.function {
				t.Errorf("%s, want %s in function %d", r, c.code, c.function)
			}
		})
	}
}

// TestLimitsAreInclusive holds one module below each limit of a body to
// being admitted: the ones above are in TestRefusals.
func TestLimitsAreInclusive(t *testing.T) {
	for _, c := range []struct {
		what string
		wasm []byte
	}{
		{"results of calls", build(func(m *Builder) {
			pair := m.Type(nil, []byte{I32, I32})
			m.Func(pair, nil, I32Const(1), I32Const(2))
			m.Func(pair, nil, repeat(4000, Call(0), Op(Drop), Op(Drop)), Call(0))
		})},
		// The rewriter adds two blocks (the test at the entry), two levels and
		// one local.
		{"blocks", body(repeat(4094, Block(Empty), Op(End)))},
		{"nesting", body(repeat(998, Block(Empty)), repeat(998, Op(End)))},
		{"br_table", body(I32Const(0), BrTable(0, make([]uint32, 4096)...))},
		{"memory", build(func(m *Builder) { m.Memory(4) })},
		{"table", build(func(m *Builder) { m.Table(U32([]byte{0}, DefaultLimits().TableElements)...) })},
		{"locals", build(func(m *Builder) {
			m.RawFunc(m.Type(nil, nil), []byte{1, 0xE7, 0x07, I32, 0x0B})
		})},
	} {
		if _, err := Rewrite(c.wasm, options()); err != nil {
			t.Errorf("%s: %s", c.what, err)
		}
	}
}

func TestRefusalSaysWhere(t *testing.T) {
	wasm := body(Op(Nop), Op(0x27))
	_, err := Rewrite(wasm, options())
	var r *Refusal
	if !errors.As(err, &r) {
		t.Fatal(err)
	}
	if r.Offset < 0 || wasm[r.Offset] != 0x27 {
		t.Errorf("offset %d is not that of the opcode", r.Offset)
	}
	want := "module refused: unknown_opcode in function 0 at byte "
	if got := r.Error(); len(got) < len(want) || got[:len(want)] != want {
		t.Errorf("%q, want %q…", got, want)
	}
}
