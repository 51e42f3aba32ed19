// Package wasmtest writes WebAssembly modules for tests: an encoder that
// checks nothing, so that it can write hostile modules too.
package wasmtest

import "slices"

// Value types.
const (
	I32       = 0x7F
	I64       = 0x7E
	F32       = 0x7D
	F64       = 0x7C
	V128      = 0x7B
	Funcref   = 0x70
	Externref = 0x6F
)

// Kinds of exports and imports.
const (
	KindFunc   = 0
	KindTable  = 1
	KindMemory = 2
	KindGlobal = 3
)

// Builder gathers the sections of a module. The zero value is empty. Indexes
// are those of the format: imports come first, so import before Func.
type Builder struct {
	types, imports, funcs, tables, memories, globals, exports, elements, codes, datas [][]byte

	importedFuncs int
	start         []byte
	dataCount     bool
	customs       [][]byte
}

// Type adds a function type and returns its index.
func (m *Builder) Type(params, results []byte) uint32 {
	t := []byte{0x60}
	t = append(U32(t, uint32(len(params))), params...)
	t = append(U32(t, uint32(len(results))), results...)
	m.types = append(m.types, t)
	return uint32(len(m.types) - 1)
}

// RawType adds an item to the type section as it is.
func (m *Builder) RawType(b ...byte) { m.types = append(m.types, b) }

// Import adds an imported function and returns its index.
func (m *Builder) Import(module, name string, typ uint32) uint32 {
	m.RawImport(module, name, U32([]byte{KindFunc}, typ)...)
	m.importedFuncs++
	return uint32(m.importedFuncs - 1)
}

// RawImport adds an import whose description is given as it is.
func (m *Builder) RawImport(module, name string, description ...byte) {
	m.imports = append(m.imports, append(Name(Name(nil, module), name), description...))
}

// Func adds a function and returns its index. The body needs no final End.
func (m *Builder) Func(typ uint32, locals []byte, body ...[]byte) uint32 {
	var b []byte
	b = U32(b, uint32(len(locals)))
	for _, l := range locals {
		b = append(b, 1, l)
	}
	b = append(b, slices.Concat(body...)...)
	return m.RawFunc(typ, append(b, 0x0B))
}

// Next is the index that the next function gets.
func (m *Builder) Next() uint32 { return uint32(m.importedFuncs + len(m.funcs)) }

// RawFunc adds a function with the encoded body, and returns its index.
func (m *Builder) RawFunc(typ uint32, body []byte) uint32 {
	m.funcs = append(m.funcs, U32(nil, typ))
	m.codes = append(m.codes, append(U32(nil, uint32(len(body))), body...))
	return uint32(m.importedFuncs + len(m.funcs) - 1)
}

// Table adds a table of functions with the given limits, encoded.
func (m *Builder) Table(limits ...byte) {
	m.tables = append(m.tables, append([]byte{Funcref}, limits...))
}

// RawTable adds a table as it is.
func (m *Builder) RawTable(b ...byte) { m.tables = append(m.tables, b) }

// Memory adds a memory of minimum pages without a maximum.
func (m *Builder) Memory(minimum uint32) { m.RawMemory(U32([]byte{0}, minimum)...) }

// BoundedMemory adds a memory with a maximum.
func (m *Builder) BoundedMemory(minimum, maximum uint32) {
	m.RawMemory(U32(U32([]byte{1}, minimum), maximum)...)
}

// RawMemory adds a memory with encoded limits.
func (m *Builder) RawMemory(limits ...byte) { m.memories = append(m.memories, limits) }

// Global adds a global and returns its index.
func (m *Builder) Global(typ byte, mutable bool, init []byte) uint32 {
	g := []byte{typ, 0}
	if mutable {
		g[1] = 1
	}
	m.globals = append(m.globals, append(append(g, init...), 0x0B))
	return uint32(len(m.globals) - 1)
}

// RawGlobal adds a global as it is.
func (m *Builder) RawGlobal(b ...byte) { m.globals = append(m.globals, b) }

// Export exports an item.
func (m *Builder) Export(name string, kind byte, index uint32) {
	m.exports = append(m.exports, U32(append(Name(nil, name), kind), index))
}

// Element adds an active element segment of functions.
func (m *Builder) Element(offset int32, funcs ...uint32) {
	e := append(append([]byte{0}, I32Const(offset)...), 0x0B)
	e = U32(e, uint32(len(funcs)))
	for _, f := range funcs {
		e = U32(e, f)
	}
	m.elements = append(m.elements, e)
}

// RawElement adds an element segment as it is.
func (m *Builder) RawElement(b ...byte) { m.elements = append(m.elements, b) }

// Data adds an active data segment.
func (m *Builder) Data(offset int32, b []byte) {
	d := append(append([]byte{0}, I32Const(offset)...), 0x0B)
	m.datas = append(m.datas, append(U32(d, uint32(len(b))), b...))
}

// PassiveData adds a passive data segment, and a data count section.
func (m *Builder) PassiveData(b []byte) {
	m.dataCount = true
	m.datas = append(m.datas, append(U32([]byte{1}, uint32(len(b))), b...))
}

// RawData adds a data segment as it is.
func (m *Builder) RawData(b ...byte) { m.datas = append(m.datas, b) }

// Start adds a start section.
func (m *Builder) Start(f uint32) { m.start = U32(nil, f) }

// Custom adds a custom section at the end.
func (m *Builder) Custom(name string, content []byte) {
	m.customs = append(m.customs, append(Name(nil, name), content...))
}

// FuncName is one item of a function name table.
type FuncName struct {
	Index uint32
	Name  string
}

// FuncNames adds a name section.
func (m *Builder) FuncNames(names ...FuncName) {
	sub := U32(nil, uint32(len(names)))
	for _, n := range names {
		sub = Name(U32(sub, n.Index), n.Name)
	}
	m.Custom("name", append(U32([]byte{1}, uint32(len(sub))), sub...))
}

// Bytes encodes the module.
func (m *Builder) Bytes() []byte {
	out := []byte("\x00asm\x01\x00\x00\x00")
	put := func(id byte, items [][]byte) {
		if len(items) > 0 {
			out = Section(out, id, append(U32(nil, uint32(len(items))), slices.Concat(items...)...))
		}
	}
	put(1, m.types)
	put(2, m.imports)
	put(3, m.funcs)
	put(4, m.tables)
	put(5, m.memories)
	put(6, m.globals)
	put(7, m.exports)
	if m.start != nil {
		out = Section(out, 8, m.start)
	}
	put(9, m.elements)
	if m.dataCount {
		out = Section(out, 12, U32(nil, uint32(len(m.datas))))
	}
	put(10, m.codes)
	put(11, m.datas)
	for _, c := range m.customs {
		out = Section(out, 0, c)
	}
	return out
}

// Section appends a section.
func Section(out []byte, id byte, body []byte) []byte {
	return append(U32(append(out, id), uint32(len(body))), body...)
}

// U32 appends an unsigned LEB128 number.
func U32(dst []byte, v uint32) []byte {
	for v >= 0x80 {
		dst = append(dst, byte(v)|0x80)
		v >>= 7
	}
	return append(dst, byte(v))
}

// S64 appends a signed LEB128 number.
func S64(dst []byte, v int64) []byte {
	for {
		b := byte(v & 0x7f)
		v >>= 7
		if (v == 0 && b&0x40 == 0) || (v == -1 && b&0x40 != 0) {
			return append(dst, b)
		}
		dst = append(dst, b|0x80)
	}
}

// Name appends a length and the bytes of s.
func Name(dst []byte, s string) []byte {
	return append(U32(dst, uint32(len(s))), s...)
}
