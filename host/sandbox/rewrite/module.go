package rewrite

import (
	"bytes"
	"strconv"
	"strings"
)

// Signature is the type of a function: one letter for each parameter, '>', one
// for each result. The letters are i (i32), I (i64), f (f32), F (f64),
// r (funcref) and x (externref).
type Signature string

// PageBytes is the size of a WebAssembly page in bytes.
const PageBytes = 65536

// maxPages is the largest memory that the format allows.
const maxPages = 65536

// Options are what Rewrite holds a module to.
type Options struct {
	Limits Limits
	// MemoryPages is the largest initial memory in pages.
	MemoryPages uint32
	// Grants are the imports that the module may name: module, function, type.
	Grants map[string]map[string]Signature
	// Instead names the modules that imports of others are taken from. So the
	// metered bytes, and their hash, say which they were.
	Instead map[string]string `json:",omitempty"`
	// Kernel, if set, takes the module as a kernel, which Grants is not for.
	Kernel *Kernel `json:",omitempty"`
	// Exact charges each instruction by itself, when it runs. It is slow, and
	// there to measure by how much the segments overcharge.
	Exact bool
}

// Result is a metered module.
type Result struct {
	Wasm []byte
	// Exports are the functions that the module exports.
	Exports map[string]Signature
	// Memory is the name of the module's exported memory, or empty.
	Memory string
	// HasMemory says that the module has a memory, exported or not.
	HasMemory bool
	// MemoryMin and MemoryMax are the initial and the largest memory in pages;
	// MemoryMax is 65,536 where the module sets none.
	MemoryMin, MemoryMax uint32
	// Globals are the reserved names of all mutable number globals, those of
	// the rewriter included.
	Globals []string
	// Snapshotable says that memory and Globals are all the state there is: no
	// instruction writes a table or drops a segment, and no mutable global
	// holds a reference.
	Snapshotable bool
	// Keep is why Snapshotable is false.
	Keep string
	// Functions are the names of a kernel's exports, in their order.
	Functions []string `json:",omitempty"`
	// Calls says that some function calls another, or itself.
	Calls bool
	// Work is what the module asks of the compiler, in the unit of Limits.Work.
	Work int
}

type funcType struct {
	params, results []byte
}

func (t funcType) signature() Signature {
	var b strings.Builder
	put := func(types []byte) {
		for _, t := range types {
			b.WriteByte(letterOf(t))
		}
	}
	put(t.params)
	b.WriteByte('>')
	put(t.results)
	return Signature(b.String())
}

func letterOf(t byte) byte {
	switch t {
	case typeI32:
		return 'i'
	case typeI64:
		return 'I'
	case typeF32:
		return 'f'
	case typeF64:
		return 'F'
	case typeFuncref:
		return 'r'
	}
	return 'x'
}

// rewriter holds a module while it is read and rewritten, in one pass over its
// sections.
type rewriter struct {
	cursor
	opts Options

	types       []funcType
	typeBytes   []byte // items of the type section
	extraTypes  []byte // items that the rewriter adds
	extraCount  uint32
	wrapTypes   map[string]uint32 // results to the added type () -> results
	importBytes []byte
	imports     uint32
	functions   []uint32 // type of each function, imported ones first
	tables      uint32
	tableElems  uint32
	tableSizes  []uint32
	memories    uint32
	globals     []globalType
	globalBytes []byte
	exports     []byte
	exportCount uint32
	elements    uint32
	dataCount   int // -1: no such section
	datas       uint32
	bodies      int
	work        int
	fan         int

	start    int // of the current section's content
	sections map[byte][]byte
	names    []byte
	result   Result
	body     bodyScan
}

type globalType struct {
	typ     byte
	mutable bool
}

// sectionOrder is the place of each section in a module.
var sectionOrder = [...]int8{0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 12, 13, 11, 5}

// Rewrite returns the metered form of the module wasm. The error is always a
// *Refusal.
func Rewrite(wasm []byte, opts Options) (*Result, error) {
	if opts.Kernel != nil {
		opts.Grants = nil
	}
	r := &rewriter{
		cursor:    cursor{src: wasm, end: len(wasm)},
		opts:      opts,
		wrapTypes: map[string]uint32{},
		dataCount: -1,
		sections:  map[byte][]byte{},
	}
	r.result.Exports = map[string]Signature{}
	r.result.Snapshotable = true
	if len(wasm) > opts.Limits.ModuleBytes {
		return nil, refuse(CodeModuleSize, -1, "the module has %d bytes, at most %d are allowed", len(wasm), opts.Limits.ModuleBytes)
	}
	r.module()
	if r.err != nil {
		return nil, r.err
	}
	r.result.Work = r.work
	r.assemble()
	return &r.result, nil
}

func (r *rewriter) module() {
	if !bytes.HasPrefix(r.src, []byte("\x00asm\x01\x00\x00\x00")) {
		detail := "not a WebAssembly module of version 1"
		if bytes.HasPrefix(r.src, []byte("\x00asm\x0d\x00\x01\x00")) {
			detail = "a component; give the core module that is inside it"
		}
		r.fail(CodeMalformed, 0, "%s", detail)
		return
	}
	r.pos = 8
	last := int8(0)
	for r.more() {
		at := r.pos
		id := r.byte()
		size := int(r.u32())
		start := r.pos
		r.skip(size)
		if r.err != nil {
			return
		}
		outer := r.end
		r.start, r.pos, r.end = start, start, start+size
		if id == 0 {
			r.custom()
		} else {
			if int(id) >= len(sectionOrder) {
				r.fail(CodeMalformed, at, "unknown section %d", id)
				return
			}
			if sectionOrder[id] <= last {
				r.fail(CodeMalformed, at, "section %d is out of order or there twice", id)
				return
			}
			last = sectionOrder[id]
			r.section(id, at)
			if r.err == nil && r.pos != r.end {
				r.fail(CodeMalformed, r.pos, "section %d has %d bytes too many", id, r.end-r.pos)
			}
		}
		if r.err != nil {
			return
		}
		r.pos, r.end = start+size, outer
	}
	r.closeModule()
}

// closeModule checks what only the whole module shows.
func (r *rewriter) closeModule() {
	switch {
	case r.err != nil:
	case r.bodies != len(r.functions)-int(r.imports):
		r.fail(CodeMalformed, -1, "%d functions are declared, %d have a body", len(r.functions)-int(r.imports), r.bodies)
	case r.dataCount >= 0 && r.dataCount != int(r.datas):
		r.fail(CodeMalformed, -1, "%d data segments are announced, %d are there", r.dataCount, r.datas)
	}
}

func (r *rewriter) section(id byte, at int) {
	if r.opts.Kernel != nil && !r.kernelSection(id, at) {
		return
	}
	switch id {
	case 1:
		r.typeSection()
	case 2:
		r.importSection()
	case 3:
		r.functionSection()
	case 4:
		r.tableSection()
	case 5:
		r.memorySection()
	case 6:
		r.globalSection()
	case 7:
		r.exportSection()
	case 8:
		r.fail(CodeStart, at, "a start section runs code before the limits are set: export _initialize instead")
	case 9:
		r.elementSection()
	case 10:
		r.codeSection()
	case 11:
		r.dataSection()
	case 12:
		r.dataCount = int(r.u32())
		if r.err == nil && r.dataCount > r.opts.Limits.Items {
			r.fail(CodeItemCount, at, "%d data segments, at most %d are allowed", r.dataCount, r.opts.Limits.Items)
		}
		r.keep(id)
	case 13:
		r.fail(CodeExceptions, at, "exception tags are not accepted")
	}
}

// keep takes the whole current section as it is.
func (r *rewriter) keep(id byte) {
	r.sections[id] = r.src[r.start:r.end]
}

func (r *rewriter) notSnapshotable(why string) {
	if r.result.Snapshotable {
		r.result.Snapshotable, r.result.Keep = false, why
	}
}

func globalName(index int) string { return GlobalPrefix + strconv.Itoa(index) }
