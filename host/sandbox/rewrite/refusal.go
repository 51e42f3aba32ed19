package rewrite

import "fmt"

// Code says why a module is refused. The values are part of the interface.
type Code string

// The codes that Rewrite gives.
const (
	CodeMalformed   Code = "malformed"          // not the binary format
	CodeIndexRange  Code = "index_range"        // an index outside its space
	CodeSIMD        Code = "simd"               // vector instructions or types
	CodeThreads     Code = "threads"            // atomics or a shared memory
	CodeExceptions  Code = "exceptions"         // tags, try, throw
	CodeTailCalls   Code = "tail_calls"         // return_call and its kin
	CodeGC          Code = "gc"                 // typed references, structs, arrays
	CodeMemory64    Code = "memory64"           // 64-bit memories or tables
	CodeMultiMemory Code = "multi_memory"       // more than one memory
	CodeOpcode      Code = "unknown_opcode"     // no instruction of Core 2.0
	CodeStart       Code = "start_section"      // code that would run before the limits are set
	CodeTableGrow   Code = "table_grow"         // host memory outside the memory limit
	CodeImport      Code = "import_not_granted" // an import that no grant names
	CodeImportType  Code = "import_type"        // a granted import with another type
	CodeReserved    Code = "reserved_name"      // an export or import with a name of the rewriter's
	CodeMemoryMin   Code = "memory_minimum"     // initial memory above the cap
	CodeTableSize   Code = "table_size"
	CodeModuleSize  Code = "module_size"
	CodeItemCount   Code = "item_count" // too many types, functions, globals, …
	CodeBodySize    Code = "body_size"
	CodeBlocks      Code = "blocks"
	CodeNesting     Code = "nesting"
	CodeLocals      Code = "locals"
	CodeBlockLocals Code = "blocks_by_locals"
	CodeBranchTable Code = "branch_table"
	CodeFanOut      Code = "fan_out"      // the whole module would take too much memory to compile
	CodeKernel      Code = "kernel"       // what no kernel may have
	CodeWork        Code = "compile_work" // the whole module would take too long to compile
)

// Refusal is the error of Rewrite: why a module is not admitted.
type Refusal struct {
	Code     Code
	Detail   string // what was found, what is allowed, what to do
	Function int    // index in the module's own function space, or -1
	Offset   int    // byte offset in the module, or -1
}

func (r *Refusal) Error() string {
	where := ""
	if r.Function >= 0 {
		where = fmt.Sprintf(" in function %d", r.Function)
	}
	if r.Offset >= 0 {
		where += fmt.Sprintf(" at byte %d", r.Offset)
	}
	return fmt.Sprintf("module refused: %s%s: %s", r.Code, where, r.Detail)
}

func refuse(code Code, offset int, format string, args ...any) *Refusal {
	return &Refusal{Code: code, Detail: fmt.Sprintf(format, args...), Function: -1, Offset: offset}
}
