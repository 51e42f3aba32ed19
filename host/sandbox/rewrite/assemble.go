package rewrite

// hookType is (i32, i32) -> ().
var hookType = [...]byte{0x60, 2, typeI32, typeI32, 0}

// wrapType gives the block type of a block with the given results.
func (r *rewriter) wrapType(results []byte) int64 {
	switch len(results) {
	case 0:
		return -64
	case 1:
		return int64(results[0]) - 128
	}
	x, ok := r.wrapTypes[string(results)]
	if !ok {
		x = r.addType(append(appendU32([]byte{0x60, 0}, uint32(len(results))), results...))
		r.wrapTypes[string(results)] = x
	}
	return int64(x)
}

func (r *rewriter) addType(encoded []byte) uint32 {
	r.extraTypes = append(r.extraTypes, encoded...)
	r.extraCount++
	return uint32(len(r.types)) + r.extraCount - 1
}

func (r *rewriter) fuelIndex() uint32  { return uint32(len(r.globals)) }
func (r *rewriter) depthIndex() uint32 { return uint32(len(r.globals)) + 1 }

// assemble writes the metered module.
func (r *rewriter) assemble() {
	hook := r.addType(hookType[:])
	types := appendU32(nil, uint32(len(r.types))+r.extraCount)
	types = append(append(types, r.typeBytes...), r.extraTypes...)

	imports := r.importsWith(hook)

	var globals []byte // a kernel counts in its owner's
	if r.opts.Kernel == nil {
		globals = appendU32(nil, uint32(len(r.globals))+2)
		globals = append(globals, r.globalBytes...)
		globals = append(globals, typeI64, 1, i64Const, 0, endOp, typeI32, 1, i32Const, 0, endOp)
		r.export(FuelGlobal, 3, r.fuelIndex())
		r.export(DepthGlobal, 3, r.depthIndex())
		r.result.Globals = append(r.result.Globals, FuelGlobal, DepthGlobal)
	}
	exports := append(appendU32(nil, r.exportCount), r.exports...)

	out := append(make([]byte, 0, len(r.src)+len(r.src)/3), "\x00asm\x01\x00\x00\x00"...)
	put := func(id byte, body []byte) {
		if body != nil {
			out = append(appendU32(append(out, id), uint32(len(body))), body...)
		}
	}
	put(1, types)
	put(2, imports)
	put(3, r.sections[3])
	put(4, r.sections[4])
	put(5, r.sections[5])
	put(6, globals)
	put(7, exports)
	put(9, r.sections[9])
	put(12, r.sections[12])
	put(10, r.sections[10])
	put(11, r.sections[11])
	put(0, r.nameSection())
	r.result.Wasm = out
}

// importsWith is the import section, with the hook of the given type.
func (r *rewriter) importsWith(hook uint32) []byte {
	n, added := r.imports+1, []byte(nil)
	if r.opts.Kernel != nil {
		var more uint32
		more, added = r.fromOwner()
		n += more
	}
	imports := append(appendU32(nil, n), r.importBytes...)
	imports = append(appendName(appendName(imports, HookModule), HookName), 0)
	return append(appendU32(imports, hook), added...)
}

// custom keeps the name section for the stacks of traps. Everything else is
// dropped: debug information speaks of offsets that no longer hold.
func (r *rewriter) custom() {
	if name := r.name(); r.err == nil && name == "name" && r.names == nil {
		r.names = r.src[r.pos:r.end]
	}
}

// nameSection is the module's name and the functions' names with shifted
// indexes. A malformed section gives no names, as the standard asks.
func (r *rewriter) nameSection() []byte {
	c := cursor{src: r.names, end: len(r.names)}
	out := appendName(nil, "name")
	for c.more() {
		id := c.byte()
		size := int(c.u32())
		start := c.pos
		c.skip(size)
		if c.err != nil {
			break
		}
		switch id {
		case 0:
			out = append(appendU32(append(out, 0), uint32(size)), r.names[start:c.pos]...)
		case 1:
			if names, ok := r.functionNames(cursor{src: r.names, pos: start, end: c.pos}); ok {
				out = append(appendU32(append(out, 1), uint32(len(names))), names...)
			}
			return out
		}
	}
	return out
}

func (r *rewriter) functionNames(c cursor) ([]byte, bool) {
	n := c.count(r.opts.Limits.Items, "names")
	var items []byte
	next := uint32(0)
	for i := 0; i < n; i++ {
		f, name := c.u32(), c.name()
		if c.err != nil || f < next || int64(f) >= int64(len(r.functions)) {
			return nil, false
		}
		next = f + 1
		items = appendName(appendU32(items, r.shift(f)), name)
	}
	if c.pos != c.end {
		return nil, false
	}
	return append(appendU32(nil, uint32(n)), items...), true
}
