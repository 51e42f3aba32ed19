package rewrite

import "strings"

func (r *rewriter) typeSection() {
	n := r.count(r.opts.Limits.Items, "types")
	from := r.pos
	for i := 0; i < n && r.err == nil; i++ {
		at := r.pos
		switch form := r.byte(); form {
		case 0x60:
		case 0x4D, 0x4E, 0x4F, 0x50, 0x5E, 0x5F:
			r.fail(CodeGC, at, "types other than functions are not accepted")
		default:
			r.fail(CodeMalformed, at, "0x%02x is no form of type", form)
		}
		r.types = append(r.types, funcType{params: r.valueTypes("parameters"), results: r.valueTypes("results")})
	}
	r.typeBytes = r.src[from:r.pos]
}

func (r *rewriter) valueTypes(what string) []byte {
	n := r.count(r.opts.Limits.Signature, what)
	from := r.pos
	for i := 0; i < n; i++ {
		r.valueType()
	}
	if r.err != nil {
		return nil
	}
	return r.src[from:r.pos]
}

func (r *rewriter) typeIndex() uint32 {
	at := r.pos
	x := r.u32()
	if r.err == nil && int(x) >= len(r.types) {
		r.fail(CodeIndexRange, at, "type %d: the module has %d types", x, len(r.types))
		return 0
	}
	return x
}

func (r *rewriter) importSection() {
	n := r.count(r.opts.Limits.Items, "imports")
	from, imports := r.pos, []byte(nil)
	for i := 0; i < n && r.err == nil; i++ {
		at := r.pos
		module := r.name()
		if instead, ok := r.opts.Instead[module]; ok {
			imports = appendName(append(imports, r.src[from:at]...), instead)
			from = r.pos
		}
		name := r.name()
		kind := r.byte()
		if r.opts.Kernel != nil && kind == 2 {
			r.ownersMemory(module, name, at)
			continue
		}
		switch kind {
		case 0:
		case 1, 2, 3:
			r.fail(CodeImport, at, "import %q %q is a %s: only functions can be granted", module, name, [...]string{1: "table", 2: "memory", 3: "global"}[kind])
		case 4:
			r.fail(CodeExceptions, at, "exception tags are not accepted")
		default:
			r.fail(CodeMalformed, at, "import of unknown kind %d", kind)
		}
		t := r.typeIndex()
		if r.err != nil {
			return
		}
		want, ok := r.opts.Grants[module][name]
		switch {
		case module == HookModule || strings.HasPrefix(name, ReservedPrefix):
			r.fail(CodeReserved, at, "import %q %q: the name is reserved", module, name)
		case !ok:
			r.fail(CodeImport, at, "import %q %q is not granted", module, name)
		case want != r.types[t].signature():
			r.fail(CodeImportType, at, "import %q %q has the type %s, the host offers %s", module, name, r.types[t].signature(), want)
		}
		r.functions = append(r.functions, t)
		r.imports++
	}
	if r.err == nil && r.opts.Kernel == nil {
		r.importBytes = append(imports, r.src[from:r.pos]...)
	}
}

func (r *rewriter) functionSection() {
	n := r.count(r.opts.Limits.Items, "functions")
	for i := 0; i < n && r.err == nil; i++ {
		r.functions = append(r.functions, r.typeIndex())
	}
	r.keep(3)
}

// limits reads the limits of a table or memory.
func (r *rewriter) limits(what string) (minimum, maximum uint32, bounded bool) {
	at := r.pos
	switch flags := r.byte(); flags {
	case 0:
		return r.u32(), 0, false
	case 1:
		minimum, maximum = r.u32(), r.u32()
		if r.err == nil && minimum > maximum {
			r.fail(CodeMalformed, at, "%s: the minimum %d is above the maximum %d", what, minimum, maximum)
		}
		return minimum, maximum, true
	case 2, 3:
		r.fail(CodeThreads, at, "a shared %s is not accepted", what)
	case 4, 5, 6, 7:
		r.fail(CodeMemory64, at, "a 64-bit %s is not accepted", what)
	default:
		r.fail(CodeMalformed, at, "%s with unknown flags 0x%02x", what, flags)
	}
	return 0, 0, false
}

// tableSection sets the maximum of each table to its minimum: table.grow is
// refused, so no table ever grows.
func (r *rewriter) tableSection() {
	n := r.count(r.opts.Limits.Tables, "tables")
	out := appendU32(nil, uint32(n))
	for i := 0; i < n && r.err == nil; i++ {
		at := r.pos
		if r.pos < r.end && r.src[r.pos] == 0x40 {
			r.fail(CodeGC, at, "a table with an initial value is not accepted")
			return
		}
		t := r.refType()
		minimum, _, _ := r.limits("table")
		if r.err != nil {
			return
		}
		if minimum > r.opts.Limits.TableElements-r.tableElems {
			r.fail(CodeTableSize, at, "the tables have more than the %d elements that are allowed", r.opts.Limits.TableElements)
			return
		}
		r.tableElems += minimum
		r.tableSizes = append(r.tableSizes, minimum)
		r.tables++
		out = append(out, t, 1)
		out = appendU32(appendU32(out, minimum), minimum)
	}
	r.sections[4] = out
}

// memorySection writes the maximum of the memory down. Where the module sets
// none it is the format's own: the allocator holds an instance to its limit,
// and the metered bytes do not depend on it.
func (r *rewriter) memorySection() {
	at := r.pos
	n := r.count(r.opts.Limits.Items, "memories")
	if n > 1 {
		r.fail(CodeMultiMemory, at, "%d memories, one is allowed", n)
		return
	}
	if n == 0 {
		r.keep(5)
		return
	}
	minimum, maximum, bounded := r.limits("memory")
	switch {
	case r.err != nil:
		return
	case minimum > maxPages || maximum > maxPages:
		r.fail(CodeMalformed, at, "a memory has at most %d pages", maxPages)
		return
	case minimum > r.opts.MemoryPages:
		r.fail(CodeMemoryMin, at, "the initial memory of %d bytes is above the limit of %d bytes", uint64(minimum)*PageBytes, uint64(r.opts.MemoryPages)*PageBytes)
		return
	case !bounded:
		maximum = maxPages
	}
	r.memories = 1
	r.result.HasMemory, r.result.MemoryMin, r.result.MemoryMax = true, minimum, maximum
	r.sections[5] = appendU32(appendU32([]byte{1, 1}, minimum), maximum)
}

func (r *rewriter) globalSection() {
	n := r.count(r.opts.Limits.Items, "globals")
	p := copier{src: r.src, from: r.pos}
	for i := 0; i < n && r.err == nil; i++ {
		t := r.valueType()
		at := r.pos
		mut := r.byte()
		switch {
		case r.err != nil:
			return
		case mut > 3:
			r.fail(CodeMalformed, at, "a global with unknown flags 0x%02x", mut)
		case mut > 1:
			r.fail(CodeThreads, at, "a shared global is not accepted")
		}
		r.constant(&p)
		if mut == 1 {
			if t == typeFuncref || t == typeExternref {
				r.notSnapshotable("a mutable global holds a reference")
			} else {
				name := globalName(i)
				r.result.Globals = append(r.result.Globals, name)
				r.export(name, 3, uint32(i))
			}
		}
		r.globals = append(r.globals, globalType{t, mut == 1})
	}
	if r.err == nil {
		p.upTo(r.pos)
		r.globalBytes = p.out
	}
}

// constant reads a constant expression and returns its value if that is an
// i32. Since no global can be imported, it is one instruction.
func (r *rewriter) constant(p *copier) (value uint32) {
	at := r.pos
	op := r.byte()
	switch operandOf(op) {
	case opI32:
		value = uint32(r.signed(32))
	case opI64:
		r.signed(64)
	case opF32:
		r.skip(4)
	case opF64:
		r.skip(8)
	case opRefType:
		r.refType()
	case opRefFunc:
		r.functionIndex(p)
	case opGlobal:
		r.fail(CodeIndexRange, at, "a constant can read imported globals only, and none can be imported")
	case opSIMD:
		r.fail(CodeSIMD, at, "vector constants are not accepted: build without SIMD")
	case opGC:
		r.fail(CodeGC, at, "a constant of the GC proposal is not accepted")
	default:
		r.fail(CodeMalformed, at, "opcode 0x%02x is no constant", op)
	}
	end := r.pos
	if r.byte() != endOp {
		r.fail(CodeMalformed, end, "a constant expression has more than one instruction")
	}
	return value
}

// shift maps an index of the module's function space to the metered one's.
func (r *rewriter) shift(f uint32) uint32 {
	if f >= r.imports {
		return f + 1
	}
	return f
}

// functionIndex reads the index of a function and writes it shifted.
func (r *rewriter) functionIndex(p *copier) uint32 {
	at := r.pos
	x := r.u32()
	if r.err == nil && int64(x) >= int64(len(r.functions)) {
		r.fail(CodeIndexRange, at, "function %d: the module has %d functions", x, len(r.functions))
	}
	if r.err == nil {
		p.index(at, r.pos, r.shift(x))
	}
	return x
}

func (r *rewriter) exportSection() {
	n := r.count(r.opts.Limits.Items, "exports")
	seen := make(map[string]bool, n)
	for i := 0; i < n && r.err == nil; i++ {
		at := r.pos
		name := r.name()
		kind := r.byte()
		x := r.u32()
		if r.err != nil {
			return
		}
		space := 0
		switch kind {
		case 0:
			space = len(r.functions)
		case 1:
			space = int(r.tables)
		case 2:
			space = int(r.memories)
		case 3:
			space = len(r.globals)
		case 4:
			r.fail(CodeExceptions, at, "exception tags are not accepted")
			return
		default:
			r.fail(CodeMalformed, at, "export %q of unknown kind %d", name, kind)
			return
		}
		switch {
		case strings.HasPrefix(name, ReservedPrefix):
			r.fail(CodeReserved, at, "export %q: names that begin with %s are reserved", name, ReservedPrefix)
			return
		case int64(x) >= int64(space):
			r.fail(CodeIndexRange, at, "export %q of item %d: there are %d", name, x, space)
			return
		case seen[name]:
			r.fail(CodeMalformed, at, "export %q is there twice", name)
			return
		}
		seen[name] = true
		if r.opts.Kernel != nil && !r.kernelExport(name, kind, x, at) {
			return
		}
		switch kind {
		case 0:
			r.result.Exports[name] = r.types[r.functions[x]].signature()
			x = r.shift(x)
		case 2:
			r.result.Memory = name
		}
		r.export(name, kind, x)
	}
}

func (r *rewriter) export(name string, kind byte, index uint32) {
	r.exports = appendU32(append(appendName(r.exports, name), kind), index)
	r.exportCount++
}

func (r *rewriter) elementSection() {
	n := r.count(r.opts.Limits.Items, "element segments")
	p := copier{src: r.src, from: r.start}
	for i := 0; i < n && r.err == nil; i++ {
		at := r.pos
		flags := r.u32()
		if r.err == nil && flags > 7 {
			r.fail(CodeMalformed, at, "an element segment with unknown flags 0x%02x", flags)
			return
		}
		passive, explicit, expressions := flags&1 != 0, flags&2 != 0, flags&4 != 0
		table, offset := uint32(0), uint32(0)
		if !passive {
			at := r.pos
			if explicit {
				table = r.u32()
			}
			if r.err == nil && table >= r.tables {
				r.fail(CodeIndexRange, at, "table %d: the module has %d tables", table, r.tables)
			}
			offset = r.constant(&p)
		}
		if flags&3 != 0 {
			at := r.pos
			if expressions {
				r.refType()
			} else if kind := r.byte(); r.err == nil && kind != 0 {
				r.fail(CodeMalformed, at, "an element segment of unknown kind %d", kind)
			}
		}
		items := r.count(r.opts.Limits.Items, "elements")
		// The runtime would leave out this segment and all behind it.
		if !passive && r.err == nil && uint64(offset)+uint64(items) > uint64(r.tableSizes[table]) {
			r.fail(CodeIndexRange, at, "an element segment puts %d functions at %d of a table of %d", items, offset, r.tableSizes[table])
		}
		for j := 0; j < items && r.err == nil; j++ {
			if expressions {
				r.constant(&p)
			} else {
				r.functionIndex(&p)
			}
		}
	}
	r.elements = uint32(n)
	if r.err == nil {
		p.upTo(r.pos)
		r.sections[9] = p.out
	}
}
