package rewrite

// Kernel says what a kernel is held to: a module without a memory, table,
// global or segment of its own, which may import its owner's memory and nothing
// else, and which counts fuel and depth in its owner's globals. So it has no
// state, and one bill with its owner.
type Kernel struct {
	Module, Name string // of the import that stands for the owner's memory
	Memory       string // name under which the owner exports it
}

// kernelSection reports whether a kernel may have a section of this kind.
func (r *rewriter) kernelSection(id byte, at int) bool {
	what := ""
	switch id {
	case 4:
		what = "table"
	case 5:
		what = "memory"
	case 6:
		what = "global"
	case 9:
		what = "element"
	case 11, 12:
		what = "data"
	default:
		return true
	}
	r.fail(CodeKernel, at, "a kernel has no %s section: its only state is its owner's memory", what)
	return false
}

// ownersMemory reads the import of the owner's memory. What it says of sizes is
// of no account: the owner has the memory that it has.
func (r *rewriter) ownersMemory(module, name string, at int) {
	k := r.opts.Kernel
	r.limits("memory")
	switch {
	case r.err != nil:
	case module != k.Module || name != k.Name:
		r.fail(CodeImport, at, "import %q %q is a memory: a kernel imports %q %q", module, name, k.Module, k.Name)
	case r.memories > 0:
		r.fail(CodeMultiMemory, at, "two imports of the owner's memory, one is allowed")
	default:
		r.memories = 1
		r.result.HasMemory, r.result.MemoryMax = true, maxPages
	}
}

// kernelExport notes a function that can be called with numbers of eight bytes
// or less, and refuses every other export.
func (r *rewriter) kernelExport(name string, kind byte, x uint32, at int) bool {
	if kind != 0 {
		r.fail(CodeKernel, at, "export %q: a kernel exports functions only", name)
		return false
	}
	t := r.types[r.functions[x]]
	for _, list := range [][]byte{t.params, t.results} {
		for _, v := range list {
			if v != typeI32 && v != typeI64 && v != typeF64 {
				r.fail(CodeKernel, at, "export %q has the type %s: a kernel's are called with i32, i64 and f64", name, t.signature())
				return false
			}
		}
	}
	r.result.Functions = append(r.result.Functions, name)
	return true
}

// fromOwner gives the imports of what the owner has, and their number. The
// counters are the first two globals, since a kernel has none.
func (r *rewriter) fromOwner() (n uint32, imports []byte) {
	if r.memories > 0 {
		imports = append(appendName(appendName(imports, OwnerModule), r.opts.Kernel.Memory), 2, 1, 0)
		imports = appendU32(imports, maxPages)
		n++
	}
	imports = append(appendName(appendName(imports, OwnerModule), FuelGlobal), 3, typeI64, 1)
	imports = append(appendName(appendName(imports, OwnerModule), DepthGlobal), 3, typeI32, 1)
	return n + 2, imports
}
